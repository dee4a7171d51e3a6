//! Draws the features' weights: each by slice sampling, and their common scale exactly.

use crate::fault::{Fault, planted};
use crate::likelihood::preference::on_grid;
use crate::model::{LatentCode, PreferencePrior, PreferenceScratch};
use crate::numerics::slice::slice;
use crate::prior::hyper::{GammaPrior, draw_gamma};
use crate::triplets::TripletSet;
use rand::Rng;
use rand::seq::SliceRandom;

/// Slice sampling of every weight on the log scale (§4.1), features in a fresh random order.
pub fn step<R: Rng>(
    prior: &PreferencePrior,
    triplets: &TripletSet,
    code: &mut LatentCode,
    scratch: &mut PreferenceScratch,
    rng: &mut R,
) {
    let GammaPrior::Gamma { shape, rate } = prior.weights else { return };
    let scoring = code.scoring(prior);
    let mut order: Vec<usize> = (0..code.weights.len()).collect();
    order.shuffle(rng);
    for feature_ix in order {
        let column = code.features.column(feature_ix);
        let old = code.weights[feature_ix];
        scratch.weight.gather(triplets, &scratch.sums, &column, old);
        let log_density = |y: f64| {
            let weight = y.exp();
            shape * y - if planted(Fault::WeightJacobian) { y } else { 0.0 } - rate * weight
                + scratch.weight.log_likelihood(weight, &scoring)
        };
        let new = on_grid(slice(old.ln(), 1.0, rng, log_density).exp());
        scratch.weight.apply(&mut scratch.sums, new);
        code.weights[feature_ix] = new;
    }
}

/// With pseudo-weight 0 the likelihood depends on ratios of weights only, so their total keeps its prior Gamma(Kγ, β).
pub fn rescale<R: Rng>(
    prior: &PreferencePrior,
    triplets: &TripletSet,
    code: &mut LatentCode,
    scratch: &mut PreferenceScratch,
    rng: &mut R,
) {
    let GammaPrior::Gamma { shape, rate } = prior.weights else { return };
    if prior.pseudo_weight > 0.0 && !planted(Fault::RescaledAnyway) || code.weights.is_empty() {
        return;
    }
    let total: f64 = code.weights.iter().sum();
    let factor = draw_gamma(shape * code.weights.len() as f64, rate, rng) / total;
    for weight in &mut code.weights {
        *weight = on_grid(*weight * factor);
    }
    scratch.sums.rebuild(triplets, &code.features, &code.weights);
}
