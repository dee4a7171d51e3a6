//! Holds what chains move: settings, states and scratch of the models, and what these are fitted to.
//!
//! Kernels know these; the models, which state the joint, stand above both.

mod ddibp;
mod gaussian;
mod latent_code;
mod observations;
mod probit;
mod start;

pub use ddibp::{DdIbpModel, DdIbpScratch, DdIbpState, MAX_LINKED_OBJECTS};
pub use gaussian::{GaussianModel, GaussianScratch, GaussianState};
pub use latent_code::{LatentCode, PreferencePrior, PreferenceScratch};
pub use observations::{Observations, ObservationsError, Positions};
pub use probit::{ProbitModel, ProbitScratch, ProbitState, RATE_ERROR};
pub(crate) use probit::{draw_bit, draw_coefficients};
pub use start::{Preset, Start, StartError};
