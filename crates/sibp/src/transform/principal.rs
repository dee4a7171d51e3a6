//! Projects inputs on their principal axes.

use super::gram::gram;
use crate::data::{DataError, Inputs};
use crate::numerics::linalg::symmetric_eigen;
use crate::numerics::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// The means of the inputs and the axes of largest variance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrincipalAxes {
    /// The mean of each column, which is subtracted.
    pub means: Vec<f64>,
    /// The axes, one after another, each as long as there are inputs.
    pub axes: Vec<f64>,
}

impl PrincipalAxes {
    /// Finds the `n_axes` axes of largest variance.
    pub fn fit(n_axes: usize, inputs: &Inputs) -> Result<Self, DataError> {
        let (n, m) = (inputs.n_objects(), inputs.n_inputs());
        if n_axes == 0 || n_axes > m {
            return Err(DataError::BadSize { step: "pca", asked: n_axes, most: m });
        }
        let (means, _) = super::moments::column_moments(inputs);
        let covariance = gram(inputs, 1.0 / n as f64, |row| {
            row.iter_mut().zip(&means).for_each(|(x, mean)| *x -= mean);
        });
        let (_, vectors) =
            symmetric_eigen(covariance.as_ref()).map_err(|error| DataError::NoAxes { reason: error.to_string() })?;
        let axes = (0..n_axes).flat_map(|axis| (0..m).map(move |input| (input, axis)));
        Ok(Self { means, axes: axes.map(|(input, axis)| vectors[(input, axis)]).collect() })
    }

    /// Number of output columns.
    pub fn n_outputs(&self) -> usize {
        self.axes.len() / self.means.len().max(1)
    }

    /// Coordinates of consecutive rows along the axes.
    pub fn apply(&self, rows: &[f64]) -> Vec<f64> {
        let m = self.means.len();
        let offsets: Vec<f64> = self.axes.chunks_exact(m).map(|axis| dot(axis, &self.means)).collect();
        let project = |row| self.axes.chunks_exact(m).zip(&offsets).map(move |(axis, offset)| dot(axis, row) - offset);
        rows.chunks_exact(m).flat_map(project).collect()
    }

    /// The sum of the axes times these coefficients.
    pub fn combination(&self, coefficients: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.means.len()];
        let axes = self.axes.chunks_exact(self.means.len());
        coefficients.iter().zip(axes).for_each(|(&factor, axis)| axpy(factor, axis, &mut sum));
        sum
    }

    /// Describes what is wrong with axes that were read from a file, if anything.
    pub fn fault(&self, n_inputs: usize) -> Option<&'static str> {
        let whole = self.means.len() == n_inputs && !self.axes.is_empty() && self.axes.len().is_multiple_of(n_inputs);
        let finite = self.means.iter().chain(&self.axes).all(|v| v.is_finite());
        if !whole {
            Some("has axes of another length than there are columns")
        } else if !finite {
            Some("has an axis that is not finite")
        } else {
            None
        }
    }
}
