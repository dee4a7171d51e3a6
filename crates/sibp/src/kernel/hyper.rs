//! Draws concentration and variances of the linear Gaussian model from their conditionals.

use crate::likelihood::linear_gaussian::draw_images;
use crate::model::{GaussianModel, GaussianScratch, GaussianState, Observations};
use crate::numerics::simd::dot;
use crate::prior::hyper::{GammaPrior, VariancePrior, draw_gamma};
use rand::Rng;

/// α | Z ~ Gamma(shape + K, rate + H_N).
pub fn concentration<R: Rng>(model: &GaussianModel, state: &mut GaussianState, scratch: &GaussianScratch, rng: &mut R) {
    if let GammaPrior::Gamma { shape, rate } = model.concentration {
        let k = state.code.features.n_features() as f64;
        state.concentration = draw_gamma(shape + k, rate + scratch.ibp.harmonic(), rng);
    }
}

/// Draws V, then σx² and σv² given V, and forgets V. Needs ZᵀZ and ZᵀX only, not another pass over residuals.
pub fn variances<R: Rng>(
    model: &GaussianModel,
    data: &Observations,
    state: &mut GaussianState,
    scratch: &mut GaussianScratch,
    rng: &mut R,
) {
    if let (VariancePrior::Fixed(_), VariancePrior::Fixed(_)) = (model.noise, model.feature) {
        return;
    }
    let moments = &mut scratch.moments;
    moments.rebuild(&data.features, &state.code.features);
    let images = draw_images(moments, state.variances(), rng);
    let (k, m) = (moments.n_features(), moments.n_inputs());
    let mut squares = scratch.square_norm - 2.0 * dot(&images, moments.total());
    for f in 0..k {
        for g in 0..k {
            let product = dot(&images[f * m..(f + 1) * m], &images[g * m..(g + 1) * m]);
            squares += moments.overlap()[f * k + g] * product;
        }
    }
    let n_values = data.features.values().len() as f64;
    state.noise_variance = model.noise.draw_given(n_values, squares.max(0.0), rng);
    state.feature_variance = model.feature.draw_given((k * m) as f64, dot(&images, &images), rng);
}
