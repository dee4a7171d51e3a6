//! Simulates data given codes: images V of the bits from their prior, and noise around their sums.

use super::Variances;
use crate::bits::BitMatrix;
use crate::data::Inputs;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// Replaces all inputs by a draw given the bits, with a fresh draw of V.
pub fn simulate_inputs<R: Rng>(bits: &BitMatrix, variances: Variances, data: &mut Inputs, rng: &mut R) {
    let (n, m) = (data.n_objects(), data.n_inputs());
    let mut normal = |variance: f64| -> f64 {
        let draw: f64 = StandardNormal.sample(rng);
        variance.sqrt() * draw
    };
    let images: Vec<f64> = (0..bits.n_bits() * m).map(|_| normal(variances.image)).collect();
    let mut values = Vec::with_capacity(n * m);
    for object_ix in 0..n {
        for input_ix in 0..m {
            let mean: f64 = bits.ones(object_ix).map(|f| images[f * m + input_ix]).sum();
            values.push(mean + normal(variances.noise));
        }
    }
    data.replace_values(values);
}
