//! Predicts preferences, Eq. (18): the probability that one object is more like a second than like a third.

use crate::codes::Codes;
use crate::likelihood::preference::{Scoring, contribution};
use crate::triplets::Triplet;

/// Probability of one triplet under one draw's codes and weights; the posterior mean averages it over draws.
///
/// ```
/// use sibp::codes::Codes;
/// use sibp::encode::preference_probability;
/// use sibp::likelihood::preference::Scoring;
/// use sibp::triplets::Triplet;
/// let mut codes = Codes::zeros(3, 1);
/// codes.set(2, 0, true);
/// let p = preference_probability(&codes, &[1.0], Triplet { anchor: 0, near: 1, far: 2 }, &Scoring::new(0.01, 0.0));
/// assert!((p - 0.995).abs() < 1e-12);
/// ```
pub fn preference_probability(codes: &Codes, weights: &[f64], triplet: Triplet, scoring: &Scoring) -> f64 {
    let [anchor, near, far] = [triplet.anchor, triplet.near, triplet.far].map(|object| object as usize);
    let (mut a, mut b) = (0.0, 0.0);
    for (bit_ix, weight) in weights.iter().enumerate() {
        let (for_a, for_b) = contribution(codes.get(anchor, bit_ix), codes.get(near, bit_ix), codes.get(far, bit_ix));
        a += weight * for_a;
        b += weight * for_b;
    }
    scoring.probability(a, b)
}
