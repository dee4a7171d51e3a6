//! Shows that samplers are right: exact enumeration and Geweke's joint-distribution test, for any model.

mod batch_means;
mod enumerate;
mod geweke;
#[cfg(test)]
mod probit_tests;
mod statistics;
#[cfg(test)]
mod tests;

pub use batch_means::BatchMeans;
pub use enumerate::{Deviation, ExactPosterior, StateKey, Visits};
pub use geweke::{GewekeReport, GewekeSettings, geweke};
pub use statistics::{gaussian_statistics, probit_statistics};
