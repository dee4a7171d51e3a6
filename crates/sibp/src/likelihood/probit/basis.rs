//! Rotates the inputs to their principal axes, where XᵀX is diagonal and every regression is a division.
//!
//! The prior of the coefficients is the same in all directions, so a rotation changes nothing. Directions without any
//! data are left out: coefficients along them keep their prior whatever happens, and integrate out.

use crate::data::Features;
use crate::numerics::linalg::{LinalgError, product, symmetric_eigen, view};
use crate::numerics::simd::{axpy, dot};

/// Axes with less than this share of the largest eigenvalue hold rounding errors only.
const NEGLIGIBLE: f64 = 1e-12;

/// The inputs in rotated coordinates.
#[derive(Debug, Clone)]
pub struct Basis {
    n_objects: usize,
    rank: usize,
    n_inputs: usize,
    /// Objects x rank, in row order.
    rows: Vec<f64>,
    /// Diagonal of XᵀX.
    squares: Vec<f64>,
    /// Rank x inputs: the axes.
    axes: Vec<f64>,
}

impl Basis {
    /// Finds the axes.
    pub fn new(x: &Features) -> Result<Self, LinalgError> {
        let (n, m) = (x.n_objects(), x.n_inputs());
        let inputs = view(x.values(), n, m);
        let (values, vectors) = symmetric_eigen(product(inputs.transpose(), inputs, 1.0).as_ref())?;
        let floor = NEGLIGIBLE * values.first().copied().unwrap_or(0.0);
        let rank = values.iter().filter(|&&value| value > floor).count();
        let axes: Vec<f64> =
            (0..rank).flat_map(|r| (0..m).map(move |i| (i, r))).map(|(i, r)| vectors[(i, r)]).collect();
        let rows: Vec<f64> =
            x.rows().flat_map(|row| axes.chunks_exact(m).map(|axis| dot(row, axis)).collect::<Vec<_>>()).collect();
        let mut squares = vec![0.0; rank];
        if rank > 0 {
            for row in rows.chunks_exact(rank) {
                squares.iter_mut().zip(row).for_each(|(square, value)| *square += value * value);
            }
        }
        Ok(Self { n_objects: n, rank, n_inputs: m, rows, squares, axes })
    }

    /// Number of objects.
    pub fn n_objects(&self) -> usize {
        self.n_objects
    }

    /// Number of axes with data.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Diagonal of XᵀX.
    pub fn squares(&self) -> &[f64] {
        &self.squares
    }

    /// Largest Euclidean norm of an object.
    pub fn largest_norm(&self) -> f64 {
        let norms = (0..self.n_objects).map(|object_ix| dot(self.row(object_ix), self.row(object_ix)).sqrt());
        norms.fold(0.0, f64::max)
    }

    /// One object's coordinates.
    pub fn row(&self, object_ix: usize) -> &[f64] {
        &self.rows[object_ix * self.rank..(object_ix + 1) * self.rank]
    }

    /// x·g for every object.
    pub fn heights(&self, coefficients: &[f64], heights: &mut Vec<f64>) {
        heights.clear();
        heights.extend((0..self.n_objects).map(|object_ix| dot(self.row(object_ix), coefficients)));
    }

    /// Xᵀv.
    pub fn transposed(&self, values: &[f64], result: &mut Vec<f64>) {
        result.clear();
        result.resize(self.rank, 0.0);
        for (object_ix, &value) in values.iter().enumerate() {
            axpy(value, self.row(object_ix), result);
        }
    }

    /// Coefficients of the original inputs.
    pub fn unrotate(&self, coefficients: &[f64]) -> Vec<f64> {
        let mut original = vec![0.0; self.n_inputs];
        for (axis, &coefficient) in self.axes.chunks_exact(self.n_inputs).zip(coefficients) {
            axpy(coefficient, axis, &mut original);
        }
        original
    }
}
