//! Lists the errors of training and using a method.

use crate::data::DataError;
use crate::eval::EvalError;
use crate::hash::{LearnError, StackError};
use crate::index::IndexError;
use crate::pipeline::{CodingError, FitError};
use thiserror::Error;

/// Why a method could not be trained or used.
#[derive(Debug, Error)]
pub enum MethodError {
    /// The inputs or their transform.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A classic method.
    #[error(transparent)]
    Baseline(#[from] LearnError),
    /// The fit of a model.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// Codes of a fit.
    #[error(transparent)]
    Coding(#[from] CodingError),
    /// Blocks of bits that cannot form one code.
    #[error(transparent)]
    Stack(#[from] StackError),
    /// A search.
    #[error(transparent)]
    Search(#[from] IndexError),
    /// A measure.
    #[error(transparent)]
    Measure(#[from] EvalError),
    /// The method predicts or extends bits, and none were given.
    #[error("{method} needs bits that are known of every training object; there are none")]
    NoAttributes {
        /// Which method.
        method: String,
    },
    /// The stop flag was raised.
    #[error("stopped")]
    Stopped,
}
