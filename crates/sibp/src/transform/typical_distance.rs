//! Finds the distance that two objects typically have, the unit in which kernel functions are wide.

use crate::data::Inputs;
use rand::{Rng, RngExt};

/// Number of random pairs.
const PAIRS: usize = 1000;

/// Median of the distances of random pairs of objects.
pub fn typical_distance<R: Rng>(inputs: &Inputs, distance: impl Fn(&[f64], &[f64]) -> f64, rng: &mut R) -> f64 {
    let n = inputs.n_objects();
    let pair = |_| {
        let (a, b) = (inputs.row(rng.random_range(0..n)), inputs.row(rng.random_range(0..n)));
        distance(&a, &b)
    };
    positive_median((0..PAIRS).map(pair).collect())
}

/// Euclidean distance.
pub fn euclidean(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// The median of the positive and finite values; 1 if there is none.
pub fn positive_median(mut values: Vec<f64>) -> f64 {
    values.retain(|value| *value > 0.0 && value.is_finite());
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(1.0)
}
