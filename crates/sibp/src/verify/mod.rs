//! Checks that samplers are correct: exact enumeration, Geweke's joint-distribution test, kernels one at a time, and
//! simulation-based calibration, for any model.
//!
//! A new model provides `draw_prior`, `simulate` and a list of statistics, and can then use [`geweke`],
//! [`sequential_geweke`], [`JointDraws`] and [`calibrate`]. [`suite`] lists the checks of the built-in models.

mod batch_means;
mod calibration;
mod checks;
mod ddibp_checks;
mod enumerate;
#[cfg(test)]
mod exact_tests;
#[cfg(test)]
mod fault_tests;
mod geweke;
#[cfg(test)]
mod normal_values;
mod prior_checks;
mod probit_exact;
mod registered;
mod sequential;
mod single_kernel;
mod statistics;
pub mod suite;
#[cfg(test)]
mod tests;
pub mod toys;
mod verdict;

pub use batch_means::BatchMeans;
pub use calibration::{CalibrationSettings, calibrate, widest_distance};
pub use ddibp_checks::ddibp_statistics;
pub use enumerate::{Deviation, ExactPosterior, StateKey, Visits};
pub use geweke::{GewekeReport, GewekeSettings, geweke, sequential_geweke};
pub use probit_exact::ColumnWeights;
pub use sequential::{Looks, SEQUENTIAL_LEVEL};
pub use single_kernel::JointDraws;
pub use statistics::{gaussian_statistics, probit_statistics};
pub use verdict::{LEVEL, Row, Verdict, largest_score, score_limit};
