//! Rotates the inputs to their principal axes, where XᵀX is diagonal and every regression is a division.
//!
//! The prior of the coefficients is the same in all directions, so a rotation changes nothing. Directions without any
//! data are left out: coefficients along them keep their prior whatever happens, and integrate out.

use crate::data::Features;
use crate::numerics::linalg::{LinalgError, product, symmetric_eigen, view};
use crate::numerics::simd::{axpy, dot};
use std::ops::Range;

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
    sample: Option<Box<Basis>>,
}

/// Objects of a sample, and how many times as many there must be for one to pay.
const SAMPLE: usize = 8192;
const SAMPLE_PAYS: usize = 2;

impl Basis {
    /// Finds the axes.
    pub fn new(x: &Features) -> Result<Self, LinalgError> {
        let (n, m) = (x.n_objects(), x.n_inputs());
        let axes = if m > n { axes_of_few_objects(x)? } else { axes_of_few_inputs(x)? };
        let rank = axes.len() / m;
        let mut rows = Vec::with_capacity(n * rank);
        for row in x.rows() {
            rows.extend(axes.chunks_exact(m).map(|axis| dot(row, axis)));
        }
        let sample = (n >= SAMPLE_PAYS * SAMPLE).then(|| {
            let chosen = (0..SAMPLE).map(|at| at * n / SAMPLE);
            let rows = chosen.flat_map(|object_ix| &rows[object_ix * rank..(object_ix + 1) * rank]).copied().collect();
            Box::new(Self::rotated(SAMPLE, rank, m, rows, axes.clone(), None))
        });
        Ok(Self::rotated(n, rank, m, rows, axes, sample))
    }

    fn rotated(
        n_objects: usize,
        rank: usize,
        n_inputs: usize,
        rows: Vec<f64>,
        axes: Vec<f64>,
        sample: Option<Box<Basis>>,
    ) -> Self {
        let mut squares = vec![0.0; rank];
        if rank > 0 {
            for row in rows.chunks_exact(rank) {
                squares.iter_mut().zip(row).for_each(|(square, value)| *square += value * value);
            }
        }
        Self { n_objects, rank, n_inputs, rows, squares, axes, sample }
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

    /// Coordinates of a range of objects, row after row.
    pub fn rows_of(&self, objects: Range<usize>) -> &[f64] {
        &self.rows[objects.start * self.rank..objects.end * self.rank]
    }

    /// Evenly chosen objects to look at first, where there are very many: they find the neighbourhood of a fit.
    pub fn sample(&self) -> Option<&Basis> {
        self.sample.as_deref()
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

/// How many of the eigenvalues, in descending order, hold data.
fn rank_of(values: &[f64]) -> usize {
    let floor = NEGLIGIBLE * values.first().copied().unwrap_or(0.0);
    values.iter().filter(|&&value| value > floor).count()
}

/// Eigenvectors of XᵀX, one after another.
fn axes_of_few_inputs(x: &Features) -> Result<Vec<f64>, LinalgError> {
    let m = x.n_inputs();
    let inputs = view(x.values(), x.n_objects(), m);
    let (values, vectors) = symmetric_eigen(product(inputs.transpose(), inputs, 1.0).as_ref())?;
    Ok((0..rank_of(&values)).flat_map(|r| (0..m).map(move |i| (i, r))).map(|at| vectors[at]).collect())
}

/// The same through XXᵀ, which is smaller where objects have more inputs than there are objects: u becomes Xᵀu, brought
/// to length 1.
fn axes_of_few_objects(x: &Features) -> Result<Vec<f64>, LinalgError> {
    let (n, m) = (x.n_objects(), x.n_inputs());
    let inputs = view(x.values(), n, m);
    let (values, vectors) = symmetric_eigen(product(inputs, inputs.transpose(), 1.0).as_ref())?;
    let mut axes = vec![0.0; rank_of(&values) * m];
    for (r, axis) in axes.chunks_exact_mut(m).enumerate() {
        x.rows().enumerate().for_each(|(object_ix, row)| axpy(vectors[(object_ix, r)], row, axis));
        let norm = dot(axis, axis).sqrt();
        axis.iter_mut().for_each(|value| *value /= norm);
    }
    Ok(axes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Both ways turn the inputs without changing products, and make XᵀX diagonal.
    #[test]
    fn rotations_keep_products_whichever_matrix_is_smaller() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for (n, m) in [(30, 7), (7, 30), (9, 9)] {
            let x = Features::new(n, m, (0..n * m).map(|_| rng.random::<f64>() - 0.3).collect()).unwrap();
            let basis = Basis::new(&x).unwrap();
            assert_eq!(basis.rank(), n.min(m));
            for i in 0..n {
                for j in 0..n {
                    assert!((dot(basis.row(i), basis.row(j)) - dot(x.row(i), x.row(j))).abs() < 1e-9);
                }
            }
            for r in 0..basis.rank() {
                for s in 0..basis.rank() {
                    let product: f64 = (0..n).map(|i| basis.row(i)[r] * basis.row(i)[s]).sum();
                    let expected = if r == s { basis.squares()[r] } else { 0.0 };
                    assert!((product - expected).abs() < 1e-9, "{n} {m} {r} {s}: {product}");
                }
            }
            let g: Vec<f64> = (0..basis.rank()).map(|_| rng.random()).collect();
            let original = basis.unrotate(&g);
            let mut heights = Vec::new();
            basis.heights(&g, &mut heights);
            assert!((0..n).all(|i| (dot(x.row(i), &original) - heights[i]).abs() < 1e-9));
        }
    }
}
