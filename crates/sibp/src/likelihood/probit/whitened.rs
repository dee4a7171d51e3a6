//! Changes similarity to anchors into coordinates in which least squares penalise functions, not coefficients.
//!
//! A function of the similarity to anchors, f(x) = Σ αₐ k(x, a), has the squared norm αᵀKα with the similarity K of the anchors
//! among themselves. Penalising that instead of αᵀα is kernel ridge regression: the plain penalty of coordinates along the
//! eigenvectors of K, each divided by the root of its eigenvalue.

use super::Basis;
use crate::data::Inputs;
use crate::numerics::linalg::{in_row_order, product, symmetric_eigen, view};
use crate::numerics::simd::dot;
use crate::parallel::parts;

/// With more anchors the change costs more than it gains.
const MOST_ANCHORS: usize = 512;
/// Axes of K whose eigenvalue is a smaller share of the largest are rounding errors.
const NEGLIGIBLE: f64 = 1e-8;

/// The coordinates of all objects.
pub struct Whitened {
    /// Their axes.
    pub basis: Basis,
    /// Columns of similarity to coordinates: eigenvectors of K over the roots of their eigenvalues, in row order.
    map: Vec<f64>,
}

impl Whitened {
    /// Of inputs that are the similarity to these objects; `None` where they are not, or too many.
    pub fn new(basis: &Basis, anchors: &[usize]) -> Option<Self> {
        let size = basis.n_inputs();
        if anchors.len() != size || size == 0 || size > MOST_ANCHORS {
            return None;
        }
        let rows = anchors.iter().map(|&anchor| basis.unrotate(&basis.row(anchor))).collect();
        let kernel = centred(rows);
        let (values, vectors) = symmetric_eigen(view(&kernel, size, size)).ok()?;
        let floor = NEGLIGIBLE * values.first().copied().filter(|most| *most > 0.0)?;
        let rank = values.iter().take_while(|value| **value > floor).count();
        let entry = |at: usize| vectors[(at / rank, at % rank)] / values[at % rank].sqrt();
        let map: Vec<f64> = (0..size * rank).map(entry).collect();
        let n = basis.n_objects();
        let mut coordinates = Vec::with_capacity(n * rank);
        for objects in parts(n) {
            let along = basis.rows_along_axes(objects.clone());
            let similarity: Vec<f64> =
                along.chunks_exact(basis.rank().max(1)).flat_map(|row| basis.unrotate(row)).collect();
            let product = product(view(&similarity, objects.len(), size), view(&map, size, rank), 1.0);
            coordinates.extend(in_row_order(&product));
        }
        let basis = Basis::new(&Inputs::new(n, rank, coordinates).ok()?).ok()?;
        Some(Self { basis, map })
    }

    /// Coefficients along the axes of the inputs, of coefficients along the axes of these coordinates.
    pub fn back(&self, inputs: &Basis, coefficients: &[f64]) -> Vec<f64> {
        let coordinates = self.basis.unrotate(coefficients);
        let original: Vec<f64> =
            self.map.chunks_exact(coordinates.len().max(1)).map(|row| dot(row, &coordinates)).collect();
        inputs.axes().map(|axis| dot(axis, &original)).collect()
    }
}

/// A square matrix of similarity without the means of its columns, then of its rows, in row order: whatever was subtracted from
/// a column before, the kernel of the differences to the mean anchor.
fn centred(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len() as f64;
    let means: Vec<f64> = (0..rows.len()).map(|at| rows.iter().map(|row| row[at]).sum::<f64>() / n).collect();
    for row in &mut rows {
        row.iter_mut().zip(&means).for_each(|(value, mean)| *value -= mean);
        let mean = row.iter().sum::<f64>() / n;
        row.iter_mut().for_each(|value| *value -= mean);
    }
    let square = rows.concat();
    // The same but for rounding errors in both directions.
    let size = rows.len();
    (0..size * size).map(|at| 0.5 * (square[at] + square[at % size * size + at / size])).collect()
}

#[cfg(test)]
mod tests {
    use super::super::ridge::Problem;
    use super::*;
    use crate::transform::{InputTransform, Transform};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Kernel ridge regression with an intercept that is not penalised, by its bordered equations.
    fn by_hand(kernel: &[Vec<f64>], signs: &[f64], penalty: f64) -> Vec<f64> {
        let n = signs.len();
        let mut rows: Vec<Vec<f64>> = (0..=n)
            .map(|i| {
                let entry = |j: usize| match (i < n, j < n) {
                    (true, true) => kernel[i][j] + if i == j { penalty } else { 0.0 },
                    (true, false) | (false, true) => 1.0,
                    (false, false) => 0.0,
                };
                let right = if i < n { signs[i] } else { 0.0 };
                (0..=n).map(entry).chain([right]).collect()
            })
            .collect();
        for pivot in 0..=n {
            let largest = (pivot..=n).max_by(|&a, &b| rows[a][pivot].abs().total_cmp(&rows[b][pivot].abs())).unwrap();
            rows.swap(pivot, largest);
            let top = rows[pivot].clone();
            for (at, row) in rows.iter_mut().enumerate().filter(|(at, _)| *at != pivot) {
                let factor = row[pivot] / top[pivot];
                assert!(factor.is_finite(), "row {at}");
                row.iter_mut().zip(&top).for_each(|(value, top)| *value -= factor * top);
            }
        }
        let solution: Vec<f64> = rows.iter().enumerate().map(|(at, row)| row[n + 1] / row[at]).collect();
        (0..n).map(|i| (0..n).map(|j| kernel[i][j] * solution[j]).sum::<f64>() + solution[n]).collect()
    }

    #[test]
    fn the_plain_penalty_of_the_coordinates_is_that_of_kernel_ridge_regression() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (n, m) = (30, 3);
        let values: Vec<f64> = (0..n * m).map(|_| f64::from(rng.random::<f32>())).collect();
        let column: Vec<u8> = values.chunks_exact(m).map(|row| u8::from(row[0] > row[1] * row[2])).collect();
        let inputs = Inputs::new(n, m, values).unwrap();
        let steps: InputTransform = "laplace:30:80".parse().unwrap();
        let (transform, similarity) = Transform::fit_apply(&steps, &inputs).unwrap();
        let basis = Basis::new(&similarity).unwrap();
        let whitened = Whitened::new(&basis, transform.anchors()).unwrap();
        let views = [column.as_slice()];
        let found = Problem::new(&whitened.basis, &views, &[], 1).left_out(0.05);
        let coefficients = whitened.back(&basis, &found.fits[0].coefficients);
        let mut heights = Vec::new();
        basis.heights(&coefficients, &mut heights);
        // Similarity again, with the means that the transform subtracts.
        let rows: Vec<Vec<f64>> = similarity.rows().map(|row| row.to_vec()).collect();
        let kernel: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| rows[i][j] - rows[j][j] + 1.0).collect()).collect();
        let signs: Vec<f64> = column.iter().map(|&bit| if bit == 1 { 1.0 } else { -1.0 }).collect();
        for (height, expected) in heights.iter().zip(by_hand(&kernel, &signs, 0.05)) {
            assert!((height + found.fits[0].stick - expected).abs() < 1e-3, "{height} {expected}");
        }
        assert!(Whitened::new(&basis, &transform.anchors()[1..]).is_none());
    }
}
