//! Checks that samplers are correct: exact enumeration, Geweke's joint-distribution test, kernels one at a time, and
//! simulation-based calibration, for any model.
//!
//! A new model writes `draw_prior`, `simulate` and its [`Statistics`]; with a small problem they make a [`Subject`], which
//! is all that [`geweke`], [`sequential_geweke`], [`calibrate`] and [`JointDraws`] take. [`suite`] lists what is checked of
//! the models here, and finds the models whose definition brings a small problem by itself.

mod after_draw;
mod batch_means;
mod bound_checks;
mod calibration;
mod checks;
mod ddibp_checks;
mod encoder_checks;
mod enumerate;
#[cfg(test)]
mod evidence_tests;
#[cfg(test)]
mod exact_tests;
#[cfg(test)]
mod fault_tests;
mod gaussian_exact;
mod geweke;
mod movement;
#[cfg(test)]
mod normal_values;
mod preference_checks;
mod prior_checks;
mod probit_exact;
mod proposal_checks;
mod registered;
mod scale_checks;
mod sequential;
mod single_kernel;
mod statistics;
mod subject;
pub mod suite;
#[cfg(test)]
mod tests;
pub mod toys;
mod verdict;

pub use batch_means::BatchMeans;
pub use calibration::{calibrate, widest_distance};
pub use ddibp_checks::DDIBP;
pub use enumerate::{Deviation, ExactPosterior, StateKey, Visits};
pub use geweke::{geweke, sequential_geweke};
pub use probit_exact::ColumnWeights;
pub use sequential::{Looks, SEQUENTIAL_LEVEL};
pub use single_kernel::JointDraws;
pub use statistics::{GAUSSIAN, PROBIT};
pub use subject::{Statistics, Subject};
pub use verdict::{LEVEL, Row, Verdict, largest_score, score_limit};
