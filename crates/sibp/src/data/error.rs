//! Names every way in which input data can be wrong, with the place where it stood.

use thiserror::Error;

/// A mistake in input data. Rows and columns count from 0, like numpy's.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum DataError {
    /// A value is NaN or infinite.
    #[error("row {row}, column {column}: the value is {value}; replace or drop it, features must be finite")]
    NotFinite {
        /// Row of the value.
        row: usize,
        /// Column of the value.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// The number of values does not fit the shape.
    #[error("{n_values} values do not fill {n_objects} objects x {n_inputs} inputs")]
    Shape {
        /// Rows asked for.
        n_objects: usize,
        /// Columns asked for.
        n_inputs: usize,
        /// Values given.
        n_values: usize,
    },
    /// There is no object or no input column at all.
    #[error("the features are empty ({n_objects} objects x {n_inputs} inputs); at least one of each is needed")]
    Empty {
        /// Rows given.
        n_objects: usize,
        /// Columns given.
        n_inputs: usize,
    },
}
