//! Finds the distance that two objects typically have, the unit in which kernel functions are wide.

use crate::data::Inputs;
use rand::{Rng, RngExt};

/// Number of random pairs.
const PAIRS: usize = 1000;

/// Median distance of random pairs of objects.
pub fn typical_distance<R: Rng>(inputs: &Inputs, rng: &mut R) -> f64 {
    let n = inputs.n_objects();
    let pair = |_| {
        let (a, b) = (inputs.row(rng.random_range(0..n)), inputs.row(rng.random_range(0..n)));
        a.iter().zip(b.iter()).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    };
    positive_median((0..PAIRS).map(pair).collect())
}

/// The median of the positive and finite values; 1 if there is none.
pub fn positive_median(mut values: Vec<f64>) -> f64 {
    values.retain(|value| *value > 0.0 && value.is_finite());
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(1.0)
}
