//! Names what can go wrong while a method is trained or asked.

use crate::baseline::BaselineError;
use crate::data::DataError;
use crate::eval::EvalError;
use crate::hash::StackError;
use crate::index::IndexError;
use crate::run::RunError;
use crate::trace::RestoreError;
use crate::triplets::{FromLabelsError, TripletError};
use thiserror::Error;

/// Why a method could not be trained or asked.
#[derive(Debug, Error)]
pub enum MethodError {
    /// The inputs or their transform.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A classic method.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    /// Triplets from labels.
    #[error(transparent)]
    Labels(#[from] FromLabelsError),
    /// A triplet.
    #[error(transparent)]
    Triplets(#[from] TripletError),
    /// The run of a model.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A draw that does not encode.
    #[error(transparent)]
    Draw(#[from] RestoreError),
    /// Bits that cannot stand together.
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
    /// An encoder that belongs to another model.
    #[error("{method}: the encoder {encoder} belongs to another model")]
    ForeignEncoder {
        /// Which method.
        method: String,
        /// Which encoder.
        encoder: String,
    },
    /// The stop flag was raised.
    #[error("stopped")]
    Stopped,
}
