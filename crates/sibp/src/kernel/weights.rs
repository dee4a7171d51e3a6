//! Draws the bits' weights: each by slice sampling, and their common scale exactly.

use crate::fault::{Fault, planted};
use crate::likelihood::preference::on_grid;
use crate::numerics::slice::slice;
use crate::prior::hyper::{GammaPrior, draw_gamma};
use crate::state::{LatentCode, Link, Observations, PreferencePrior, PreferenceScratch};
use rand::Rng;
use rand::seq::SliceRandom;

/// Largest number of given bits whose weights are drawn in one update: extended codes have hundreds.
const MOST_GIVEN: usize = 32;

/// Slice sampling of every weight on the log scale (§4.1), bits in a fresh random order.
pub fn step<R: Rng>(
    prior: &PreferencePrior,
    data: &Observations,
    code: &mut LatentCode,
    scratch: &mut PreferenceScratch,
    rng: &mut R,
) {
    let is_gamma = |prior: GammaPrior| matches!(prior, GammaPrior::Gamma { .. });
    let scoring = code.scoring(prior);
    let k = code.weights.len();
    // Given bits follow the learned ones. A random subset of many is drawn, independent of their values, so each draw
    // is exact.
    let mut order: Vec<usize> = (k..k + code.given_weights.len()).filter(|_| is_gamma(prior.of_given())).collect();
    if order.len() > MOST_GIVEN {
        order.shuffle(rng);
        order.truncate(MOST_GIVEN);
    }
    order.extend((0..k).filter(|_| is_gamma(prior.weights)));
    order.shuffle(rng);
    for bit_ix in order {
        let learned = bit_ix < k || planted(Fault::GivenByLearnedPrior);
        let own = if learned { prior.weights } else { prior.of_given() };
        let GammaPrior::Gamma { shape, rate } = own else { continue };
        let (column, weight) = if bit_ix < k {
            (code.bits.column(bit_ix), &mut code.weights[bit_ix])
        } else {
            (data.given.column(bit_ix - k), &mut code.given_weights[bit_ix - k])
        };
        let old = *weight;
        scratch.weight.gather(&data.triplets, &scratch.sums, &column, old, &scoring);
        let log_density = |y: f64| {
            let weight = y.exp();
            shape * y - if planted(Fault::WeightJacobian) { y } else { 0.0 } - rate * weight
                + scratch.weight.log_likelihood(weight)
        };
        let new = on_grid(slice(old.ln(), 1.0, rng, log_density).exp());
        scratch.weight.apply(&mut scratch.sums, new);
        *weight = new;
    }
}

/// Draws the weights' total from its prior Gamma(Kγ, β): under the ratio with pseudo-weight 0 the likelihood depends on
/// ratios of weights only.
pub fn rescale<R: Rng>(
    prior: &PreferencePrior,
    data: &Observations,
    code: &mut LatentCode,
    scratch: &mut PreferenceScratch,
    rng: &mut R,
) {
    let GammaPrior::Gamma { shape, rate } = prior.weights else { return };
    if !code.given_weights.is_empty() && prior.of_given() != prior.weights {
        return;
    }
    let scale_free = prior.link == Link::Ratio && prior.pseudo_weight == 0.0;
    if !scale_free && !planted(Fault::RescaledAnyway) {
        return;
    }
    let n_weights = code.weights.len() + code.given_weights.len();
    if n_weights == 0 {
        return;
    }
    let total: f64 = code.weights.iter().chain(&code.given_weights).sum();
    let factor = draw_gamma(shape * n_weights as f64, rate, rng) / total;
    for weight in code.weights.iter_mut().chain(&mut code.given_weights) {
        *weight = on_grid(*weight * factor);
    }
    code.sum_into(&mut scratch.sums, &data.triplets, &data.given);
}
