//! Tells how well a model agrees with judgements, and what further judgements would bring.
//!
//! [`assess`] measures a fitted model on judgements that it has not seen. [`folds`] fits again without some judgements, or
//! without some objects, and measures what was left out. [`curve`] fits to growing parts of the judgements and
//! extrapolates.

mod assess;
mod curve;
mod error;
mod folds;
mod interval;
mod power_law;
mod questions;
mod recipe;

pub use assess::{Assessing, Assessment, CodesAgreement, JudgeAgreement, assess};
pub use curve::{Curve, CurvePoint, CurveSettings, curve};
pub use error::JudgingError;
pub use folds::{Fold, Folds, Over, folds};
pub use interval::{Estimate, clustered_mean, interval};
pub use power_law::{Measured, PowerLaw};
pub use recipe::{Judged, Recipe};

#[cfg(test)]
mod tests;
