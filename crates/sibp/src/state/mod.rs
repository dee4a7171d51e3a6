//! Holds the data that kernels work on: settings, states and scratch buffers of the models, and the observations.
//!
//! Kernels depend on this module; the models, which define the joint density, depend on both.

mod ddibp;
mod gaussian;
mod latent_code;
mod link;
mod observations;
mod probit;
mod set_codes;
mod start;
mod tally;

pub use ddibp::{DdIbpModel, DdIbpScratch, DdIbpState, MAX_LINKED_OBJECTS};
pub use gaussian::{GaussianModel, GaussianScratch, GaussianState};
pub use latent_code::{JUDGE_LAPSES, LatentCode, PreferencePrior, PreferenceScratch};
pub use link::{Link, LinkError};
pub use observations::{Observations, ObservationsError, Positions};
pub use probit::{ProbitModel, ProbitScratch, ProbitState, RATE_ERROR};
pub(crate) use probit::{draw_bit, draw_coefficients};
pub use set_codes::set_codes;
pub use start::{Preset, Start, StartError};
pub use tally::{Count, Proposal, Tally};
