//! Wraps faer's dense linear algebra, always on the calling thread.
//!
//! `Par::Seq` everywhere: results must not depend on the number of threads.

use faer::{
    Accum, MatMut, Par, Spec,
    diag::Diag,
    dyn_stack::{MemBuffer, MemStack},
    linalg::{
        cholesky::llt::{factor, solve},
        evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch},
        matmul::{
            matmul,
            triangular::{self, BlockStructure},
        },
        svd::{ComputeSvdVectors, svd, svd_scratch},
    },
    traits::RealField,
};
pub use faer::{Mat, MatRef};
use thiserror::Error;

/// A decomposition that does not exist or did not converge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LinalgError {
    /// An iterative decomposition gave up, as it does on NaN and infinities.
    #[error("the {0} did not converge; are the values too large to square?")]
    NoConvergence(&'static str),
    /// Not positive definite.
    #[error("the matrix is not positive definite")]
    NotPositiveDefinite,
}

/// A number of single or double precision.
pub trait Float: RealField + Copy + Into<f64> {
    /// The nearest one.
    fn from_f64(value: f64) -> Self;
}

impl Float for f64 {
    fn from_f64(value: f64) -> Self {
        value
    }
}

impl Float for f32 {
    fn from_f64(value: f64) -> Self {
        value as f32
    }
}

/// Views values in row order as a matrix.
pub fn view<T>(values: &[T], n_rows: usize, n_columns: usize) -> MatRef<'_, T> {
    MatRef::from_row_major_slice(values, n_rows, n_columns)
}

/// `scale` · `lhs` · `rhs`.
pub fn product(lhs: MatRef<'_, f64>, rhs: MatRef<'_, f64>, scale: f64) -> Mat<f64> {
    let mut result = Mat::zeros(lhs.nrows(), rhs.ncols());
    matmul(result.as_mut(), Accum::Replace, lhs, rhs, scale, Par::Seq);
    result
}

/// `lhs` · `rhs`, of either precision.
pub fn product_of<T: Float>(lhs: MatRef<'_, T>, rhs: MatRef<'_, T>) -> Mat<T> {
    let mut result = Mat::zeros(lhs.nrows(), rhs.ncols());
    matmul(result.as_mut(), Accum::Replace, lhs, rhs, T::from_f64(1.0), Par::Seq);
    result
}

/// All values, row after row.
pub fn in_row_order(matrix: &Mat<f64>) -> Vec<f64> {
    let columns = 0..matrix.ncols();
    (0..matrix.nrows()).flat_map(|i| columns.clone().map(move |j| (i, j))).map(|at| matrix[at]).collect()
}

/// Writes `lhs` · `rhs` to `result`, column after column.
pub fn multiply_into(result: &mut [f64], lhs: MatRef<'_, f64>, rhs: MatRef<'_, f64>) {
    let result = MatMut::from_column_major_slice_mut(result, lhs.nrows(), rhs.ncols());
    matmul(result, Accum::Replace, lhs, rhs, 1.0, Par::Seq);
}

/// Adds the lower triangle of AᵀA, formed in A's precision, to that of a square matrix in row order.
pub fn add_lower_gram<T: Float>(rows: MatRef<'_, T>, total: &mut [f64]) {
    let size = rows.ncols();
    let mut gram: Vec<T> = vec![T::from_f64(0.0); size * size];
    let whole = BlockStructure::Rectangular;
    triangular::matmul(
        MatMut::from_row_major_slice_mut(&mut gram, size, size),
        BlockStructure::TriangularLower,
        Accum::Replace,
        rows.transpose(),
        whole,
        rows,
        whole,
        T::from_f64(1.0),
        Par::Seq,
    );
    total.iter_mut().zip(gram).for_each(|(total, value)| *total += value.into());
}

/// Eigenvalues of a symmetric matrix in descending order, with their unit eigenvectors as columns.
///
/// The sign of a vector is arbitrary; here its entry of largest magnitude is positive, so that equal input gives equal
/// codes.
pub fn symmetric_eigen(matrix: MatRef<'_, f64>) -> Result<(Vec<f64>, Mat<f64>), LinalgError> {
    let n = matrix.nrows();
    let (mut values, mut vectors) = (Diag::zeros(n), Mat::zeros(n, n));
    let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Spec::default());
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    self_adjoint_evd(matrix, values.as_mut(), Some(vectors.as_mut()), Par::Seq, stack, Spec::default())
        .map_err(|_| LinalgError::NoConvergence("eigendecomposition"))?;
    let descending = (0..n).rev().map(|at| values[at]).collect();
    let signs: Vec<f64> = (0..n).map(|column| sign_of_largest(vectors.as_ref(), column)).collect();
    let vectors = Mat::from_fn(n, n, |i, j| signs[n - 1 - j] * vectors[(i, n - 1 - j)]);
    Ok((descending, vectors))
}

fn sign_of_largest(matrix: MatRef<'_, f64>, column: usize) -> f64 {
    let entries = (0..matrix.nrows()).map(|row| matrix[(row, column)]);
    let largest = entries.fold(0.0f64, |best, v| if v.abs() > best.abs() { v } else { best });
    if largest < 0.0 { -1.0 } else { 1.0 }
}

/// The orthogonal matrix nearest to a square one: U·Vᵀ of its singular value decomposition U·S·Vᵀ.
pub fn nearest_rotation(matrix: MatRef<'_, f64>) -> Result<Mat<f64>, LinalgError> {
    let n = matrix.nrows();
    let (mut s, mut u, mut v) = (Diag::zeros(n), Mat::zeros(n, n), Mat::zeros(n, n));
    let full = ComputeSvdVectors::Full;
    let mut memory = MemBuffer::new(svd_scratch::<f64>(n, n, full, full, Par::Seq, Spec::default()));
    let stack = MemStack::new(&mut memory);
    svd(matrix, s.as_mut(), Some(u.as_mut()), Some(v.as_mut()), Par::Seq, stack, Spec::default())
        .map_err(|_| LinalgError::NoConvergence("singular value decomposition"))?;
    Ok(product(u.as_ref(), v.transpose(), 1.0))
}

/// A factored symmetric positive definite matrix of hundreds of rows; [`super::cholesky`] is quicker for tens.
pub struct LargeCholesky {
    factor: Mat<f64>,
}

impl LargeCholesky {
    /// Factors the matrix; only its lower triangle is read.
    pub fn new(mut matrix: Mat<f64>) -> Result<Self, LinalgError> {
        let scratch = factor::cholesky_in_place_scratch::<f64>(matrix.nrows(), Par::Seq, Spec::default());
        let mut memory = MemBuffer::new(scratch);
        let stack = MemStack::new(&mut memory);
        factor::cholesky_in_place(matrix.as_mut(), Default::default(), Par::Seq, stack, Spec::default())
            .map_err(|_| LinalgError::NotPositiveDefinite)?;
        Ok(Self { factor: matrix })
    }

    /// Replaces every column b of `rhs` by the solution of (matrix) x = b.
    pub fn solve_in_place(&self, rhs: &mut Mat<f64>) {
        let scratch = solve::solve_in_place_scratch::<f64>(self.factor.nrows(), rhs.ncols(), Par::Seq);
        let mut memory = MemBuffer::new(scratch);
        solve::solve_in_place(self.factor.as_ref(), rhs.as_mut(), Par::Seq, MemStack::new(&mut memory));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn square(n: usize) -> impl Strategy<Value = Mat<f64>> {
        prop::collection::vec(-2.0f64..2.0, n * n).prop_map(move |v| view(&v, n, n).to_owned())
    }

    fn distance(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
        (a - b).norm_max()
    }

    proptest! {
        #[test]
        fn decompositions_rebuild_the_matrix(a in square(7), b in square(7)) {
            let symmetric = product(a.as_ref(), a.transpose(), 1.0);
            let (values, vectors) = symmetric_eigen(symmetric.as_ref()).unwrap();
            prop_assert!(values.is_sorted_by(|a, b| a >= b));
            let scaled = Mat::from_fn(7, 7, |i, j| vectors[(i, j)] * values[j]);
            prop_assert!(distance(&product(scaled.as_ref(), vectors.transpose(), 1.0), &symmetric) < 1e-11);

            let mut definite = symmetric;
            (0..7).for_each(|i| definite[(i, i)] += 1.0);
            let mut solution = b.clone();
            LargeCholesky::new(definite.clone()).unwrap().solve_in_place(&mut solution);
            prop_assert!(distance(&product(definite.as_ref(), solution.as_ref(), 1.0), &b) < 1e-10);
        }

        #[test]
        fn nearest_rotation_is_orthogonal_and_maximal(a in square(5), b in square(5)) {
            let rotation = nearest_rotation(a.as_ref()).unwrap();
            let gram = product(rotation.transpose(), rotation.as_ref(), 1.0);
            prop_assert!(distance(&gram, &Mat::identity(5, 5)) < 1e-12);
            let trace = |q: &Mat<f64>| (0..25).map(|at| q[(at / 5, at % 5)] * a[(at / 5, at % 5)]).sum::<f64>();
            let other = nearest_rotation(b.as_ref()).unwrap();
            prop_assert!(trace(&rotation) >= trace(&other) - 1e-12);
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let refused = LargeCholesky::new(view(&[1.0, 2.0, 2.0, 1.0], 2, 2).to_owned());
        assert_eq!(refused.err(), Some(LinalgError::NotPositiveDefinite));
    }
}
