//! Says why a hash, a regression or a classifier cannot be fitted or used.

use crate::data::Labels;
use crate::numerics::linalg::LinalgError;
use thiserror::Error;

/// Why a hash, a regression or a classifier cannot be fitted or used.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LearnError {
    /// The rows have another width than those fitted on.
    #[error("the rows have {got} inputs, but the method was fitted on {expected}")]
    InputWidth {
        /// Inputs fitted on.
        expected: usize,
        /// Inputs given.
        got: usize,
    },
    /// The number of labels or target codes differs from the number of objects.
    #[error("{got} {what} were given for {expected} objects; one for each is needed")]
    Length {
        /// What was counted.
        what: &'static str,
        /// Number of objects.
        expected: usize,
        /// How many there are.
        got: usize,
    },
    /// A code without bits.
    #[error("0 bits were asked for; a code needs at least one")]
    NoBits,
    /// More bits than the method can give.
    #[error("{n_bits} bits were asked for, but {method} gives at most one for each of the {n_inputs} inputs")]
    TooManyBits {
        /// The method.
        method: &'static str,
        /// Bits asked for.
        n_bits: usize,
        /// Inputs there are.
        n_inputs: usize,
    },
    /// Fewer bits than distinct codes of all classes need.
    #[error("{n_bits} bits were asked for, but codes of {n_classes} classes differ only with {least} bits or more")]
    TooFewBits {
        /// Bits asked for.
        n_bits: usize,
        /// Classes there are.
        n_classes: usize,
        /// Bits that suffice.
        least: usize,
    },
    /// All objects are of the same class.
    #[error("all {n_objects} objects are of one class; {method} needs at least two")]
    OneClass {
        /// The method.
        method: &'static str,
        /// Number of objects.
        n_objects: usize,
    },
    /// All objects are the same.
    #[error("all {n_objects} objects are equal; {method} needs inputs that vary")]
    NoVariance {
        /// The method.
        method: &'static str,
        /// Number of objects.
        n_objects: usize,
    },
    /// Inputs whose squares overflow.
    #[error("column {column}: the values are too large to be squared; rescale the inputs")]
    TooLarge {
        /// The column.
        column: usize,
    },
    /// A setting out of its range.
    #[error("{name} is {value}; it must be {range}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// Parts that do not make a whole, as from a damaged file.
    #[error("{got} {what} were given where {expected} are needed")]
    Parts {
        /// What was counted.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        got: usize,
    },
    /// A part that is NaN or infinite, as from a damaged file.
    #[error("{what} {at} is {value}; it must be finite")]
    NotFinite {
        /// What it is.
        what: &'static str,
        /// Its position.
        at: usize,
        /// The value found.
        value: f64,
    },
    /// A decomposition failed.
    #[error("a decomposition of the inputs failed: {reason}; inputs of very different or huge scale cause this")]
    Decomposition {
        /// What the linear algebra said.
        reason: String,
    },
}

impl From<LinalgError> for LearnError {
    fn from(error: LinalgError) -> Self {
        Self::Decomposition { reason: error.to_string() }
    }
}

/// Refuses a list that has not one entry for each object.
pub(crate) fn one_each(what: &'static str, expected: usize, got: usize) -> Result<(), LearnError> {
    if expected == got { Ok(()) } else { Err(LearnError::Length { what, expected, got }) }
}

/// Refuses labels that are not one for each object, or all the same.
pub(super) fn some_classes(method: &'static str, n_objects: usize, labels: &Labels) -> Result<(), LearnError> {
    one_each("labels", n_objects, labels.len())?;
    let class_of = labels.class_of();
    if class_of.iter().all(|class| *class == class_of[0]) {
        return Err(LearnError::OneClass { method, n_objects });
    }
    Ok(())
}

/// Refuses rows of another width.
pub(crate) fn same_width(expected: usize, got: usize) -> Result<(), LearnError> {
    if expected == got { Ok(()) } else { Err(LearnError::InputWidth { expected, got }) }
}

/// Refuses a setting that is not a positive, finite number.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), LearnError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(LearnError::Setting { name, value, range: "positive and finite" })
    }
}
