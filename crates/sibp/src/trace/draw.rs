//! Stores one posterior draw in a model-independent form: bits, weights, named numbers and named arrays.

use crate::codes::Codes;
use std::collections::BTreeMap;
use thiserror::Error;

/// An array of any shape in row order.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Lengths of the axes.
    pub shape: Vec<usize>,
    /// Values, last axis fastest.
    pub values: Vec<f64>,
}

/// Name of the number by which draws are ranked: see [`crate::model::Model::score`].
pub const SCORE: &str = "score";
/// Names of the tensors that the end of a run adds to the draws that may encode: the most probable coefficients and
/// sticks given the bits, and the norms of the gradients there.
pub const REFIT_COEFFICIENTS: &str = "map_coefficients";
/// See [`REFIT_COEFFICIENTS`].
pub const REFIT_STICKS: &str = "map_sticks";
/// See [`REFIT_COEFFICIENTS`].
pub const REFIT_GRADIENTS: &str = "map_gradients";
/// Name of the share of bits that are wrong when their object is left out, where coefficients were chosen by left-out
/// objects: one number.
pub const REFIT_ERROR: &str = "left_out_error";
/// Name of the penalty of those coefficients: one number.
pub const REFIT_PENALTY: &str = "refit_penalty";

/// The state of a chain after a sweep, with the tensors that encoding needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Draw {
    /// Number of sweeps done when the draw was taken.
    pub sweep: u64,
    /// Learned bits of the training objects.
    pub bits: Codes,
    /// Codes of the training objects as the encoder gives them, where they differ from the learned bits and the draw is
    /// one that may encode.
    pub encoded: Option<Codes>,
    /// Weight of each bit.
    pub weights: Vec<f64>,
    /// Named numbers.
    pub scalars: BTreeMap<String, f64>,
    /// Named arrays.
    pub tensors: BTreeMap<String, Tensor>,
}

/// Why a stored draw is not a state of the model.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RestoreError {
    /// A number or array is missing.
    #[error("the draw of sweep {sweep} has no '{name}'; the file belongs to another model or is damaged")]
    Missing {
        /// Sweep of the draw.
        sweep: u64,
        /// What is missing.
        name: String,
    },
    /// A value is impossible.
    #[error("the draw of sweep {sweep}: '{name}' is {value}, which no run can have written")]
    Impossible {
        /// Sweep of the draw.
        sweep: u64,
        /// Which value.
        name: String,
        /// What it is.
        value: String,
    },
}

impl Draw {
    /// A named number.
    pub fn scalar(&self, name: &str) -> Result<f64, RestoreError> {
        self.scalars.get(name).copied().ok_or_else(|| self.missing(name))
    }

    /// A named number that must be positive and finite.
    pub fn positive(&self, name: &str) -> Result<f64, RestoreError> {
        let value = self.scalar(name)?;
        if value.is_finite() && value > 0.0 { Ok(value) } else { Err(self.impossible(name, value)) }
    }

    /// A named array with the given shape.
    pub fn tensor(&self, name: &str, shape: &[usize]) -> Result<&[f64], RestoreError> {
        let tensor = self.tensors.get(name).ok_or_else(|| self.missing(name))?;
        if tensor.shape != shape {
            return Err(self.impossible(name, format!("of shape {:?} instead of {shape:?}", tensor.shape)));
        }
        if let Some(value) = tensor.values.iter().find(|value| !value.is_finite()) {
            return Err(self.impossible(name, value));
        }
        Ok(&tensor.values)
    }

    /// Whether the most probable coefficients given the bits were added.
    pub fn is_refitted(&self) -> bool {
        self.tensors.contains_key(REFIT_COEFFICIENTS)
    }

    /// The share of bits that its coefficients get wrong: of left-out objects where that is known, else of the training
    /// objects; 0 where the draw does not encode.
    pub fn encoding_error(&self) -> f64 {
        if let Some(&error) = self.tensors.get(REFIT_ERROR).and_then(|tensor| tensor.values.first()) {
            return error;
        }
        let Some(encoded) = &self.encoded else { return 0.0 };
        let n_objects = self.bits.n_objects();
        let wrong: u64 = (0..n_objects).map(|object| u64::from(encoded.distance(object, self.bits.row(object)))).sum();
        wrong as f64 / (n_objects * self.bits.n_bits()).max(1) as f64
    }

    /// Removes what the end of a run added: a run that continues adds it to the draws that are best then.
    pub fn reopen(&mut self) {
        self.encoded = None;
        let added = [REFIT_COEFFICIENTS, REFIT_STICKS, REFIT_GRADIENTS, REFIT_ERROR, REFIT_PENALTY];
        self.tensors.retain(|name, _| !added.contains(&name.as_str()));
    }

    /// The error for a value that no run can have written.
    pub fn impossible(&self, name: &str, value: impl ToString) -> RestoreError {
        RestoreError::Impossible { sweep: self.sweep, name: name.to_owned(), value: value.to_string() }
    }

    /// The error for a number or array that is missing.
    pub fn missing(&self, name: &str) -> RestoreError {
        RestoreError::Missing { sweep: self.sweep, name: name.to_owned() }
    }
}
