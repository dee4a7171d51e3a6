//! Lists the reasons why judgements tell nothing about a model.

use crate::data::DataError;
use crate::eval::EvalError;
use crate::pipeline::{CodingError, FitError};
use crate::run::RunError;
use crate::triplets::TripletError;
use thiserror::Error;

/// Why agreement with judgements could not be measured.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JudgingError {
    /// There are too few judgements.
    #[error("there are {found} judgements; {purpose} needs at least {least}")]
    TooFew {
        /// What they are needed for.
        purpose: &'static str,
        /// How many there are.
        found: usize,
        /// How many are needed.
        least: usize,
    },
    /// Not every judgement has a judge.
    #[error("there are {judges} judges' names for {judgements} judgements; give one for each")]
    Judges {
        /// Judges' names.
        judges: usize,
        /// Judgements.
        judgements: usize,
    },
    /// The number of folds.
    #[error("{folds} folds of {n} {what} are not possible; give a number between 2 and {n}")]
    FoldCount {
        /// Folds asked for.
        folds: usize,
        /// What is divided.
        what: &'static str,
        /// How many of those there are.
        n: usize,
    },
    /// No judgement is about held-out objects alone, or all are about held-out objects.
    #[error(
        "with {folds} folds of objects, no judgements are left to learn from or to ask; give more judgements or other folds"
    )]
    NothingLeft {
        /// Folds asked for.
        folds: usize,
    },
    /// Judgements that are none: they name an object twice.
    #[error(transparent)]
    Triplets(#[from] TripletError),
    /// Codes or inputs that do not fit the judgements.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// A learning curve needs several sizes and repeats.
    #[error("a learning curve needs parts between 0 and 1 in ascending order, at least three, and at least one repeat")]
    CurveSettings,
    /// The stop flag was raised.
    #[error("stopped before all fits were made; nothing was measured")]
    Stopped,
    /// A fit.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// A run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Probabilities or codes of a fitted model.
    #[error(transparent)]
    Coding(#[from] CodingError),
    /// Inputs that cannot be compared.
    #[error(transparent)]
    Data(#[from] DataError),
}
