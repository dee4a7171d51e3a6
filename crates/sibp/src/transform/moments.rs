//! Computes column means, deviations and norms without overflow.

use crate::data::Inputs;

/// Mean and population standard deviation of every column.
///
/// A constant column has its own value for mean (a rounded mean would turn rounding errors into values of size 1) and
/// deviation 1. Differences are divided by the largest before squaring, so that no finite deviation overflows.
pub fn column_moments(inputs: &Inputs) -> (Vec<f64>, Vec<f64>) {
    let n = inputs.n_objects() as f64;
    let first = inputs.row(0);
    let mut means = vec![0.0; first.len()];
    let mut constant = vec![true; first.len()];
    inputs.for_each_row(|row| {
        for (column, value) in row.iter().enumerate() {
            means[column] += value / n;
            constant[column] &= *value == first[column];
        }
    });
    for column in (0..first.len()).filter(|&c| constant[c]) {
        means[column] = first[column];
    }
    let mut largest = vec![0.0f64; first.len()];
    inputs.for_each_row(|row| {
        for (column, value) in row.iter().enumerate() {
            largest[column] = largest[column].max((value - means[column]).abs());
        }
    });
    let mut squares = vec![0.0; first.len()];
    inputs.for_each_row(|row| {
        for (column, value) in row.iter().enumerate() {
            squares[column] += ((value - means[column]) / largest[column]).powi(2) / n;
        }
    });
    let deviation = |column: usize| match largest[column] * f64::sqrt(squares[column]) {
        usable if usable > 0.0 && usable.is_finite() => usable,
        _ => 1.0,
    };
    let deviations = (0..first.len()).map(deviation).collect();
    (means, deviations)
}

/// The root of the mean squared norm of the rows, 1 where all values are 0.
pub(super) fn root_mean_square_norm(inputs: &Inputs) -> f64 {
    let of_block = |most: f64, block: &[f64]| block.iter().fold(most, |most, v| most.max(v.abs()));
    let largest = inputs.blocks().fold(0.0, |most, (_, block)| of_block(most, &block));
    if largest == 0.0 {
        return 1.0;
    }
    let add = |sum: f64, block: &[f64]| block.iter().fold(sum, |sum, v| sum + (v / largest).powi(2));
    let sum = inputs.blocks().fold(0.0, |sum, (_, block)| add(sum, &block));
    let norm = largest * (sum / inputs.n_objects() as f64).sqrt();
    if norm > 0.0 && norm.is_finite() { norm } else { largest }
}
