//! Stores feature vectors, one row an object, finite by construction.

use super::DataError;

/// An `n_objects` x `n_inputs` matrix of finite numbers in row order.
///
/// ```
/// use sibp::data::{DataError, Features};
/// let features = Features::new(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// assert_eq!(features.row(1), &[4.0, 5.0, 6.0]);
/// assert!(Features::new(1, 2, vec![1.0, f64::NAN]).is_err());
/// # Ok::<(), DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    n_objects: usize,
    n_inputs: usize,
    values: Vec<f64>,
}

impl Features {
    /// Checks shape and finiteness, and takes the values.
    pub fn new(n_objects: usize, n_inputs: usize, values: Vec<f64>) -> Result<Self, DataError> {
        if n_objects == 0 || n_inputs == 0 {
            return Err(DataError::Empty { n_objects, n_inputs });
        }
        if n_objects.checked_mul(n_inputs) != Some(values.len()) {
            return Err(DataError::Shape { n_objects, n_inputs, n_values: values.len() });
        }
        if let Some(at) = values.iter().position(|v| !v.is_finite()) {
            let (row, column) = (at / n_inputs, at % n_inputs);
            return Err(DataError::NotFinite { row, column, value: values[at] });
        }
        Ok(Self { n_objects, n_inputs, values })
    }

    /// Number of rows.
    pub fn n_objects(&self) -> usize {
        self.n_objects
    }

    /// Number of columns.
    pub fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    /// The inputs of one object.
    pub fn row(&self, object_ix: usize) -> &[f64] {
        &self.values[object_ix * self.n_inputs..(object_ix + 1) * self.n_inputs]
    }

    /// All rows in order.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.n_inputs)
    }

    /// All values in row order.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The given rows, in the given order (a row may come twice).
    pub fn select(&self, rows: &[usize]) -> Self {
        let values = rows.iter().flat_map(|&row| self.row(row)).copied().collect();
        Self { n_objects: rows.len(), n_inputs: self.n_inputs, values }
    }

    /// Other values of the same shape, for simulation.
    pub(crate) fn replace_values(&mut self, values: Vec<f64>) {
        debug_assert_eq!(values.len(), self.values.len());
        self.values = values;
    }
}
