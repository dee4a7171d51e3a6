//! Draws concentration and variances of the linear Gaussian models from their conditionals.

use crate::likelihood::linear_gaussian::{Moments, Variances, draw_images};
use crate::numerics::simd::dot;
use crate::prior::hyper::{GammaPrior, VariancePrior, draw_gamma};
use crate::state::{DdIbpModel, DdIbpScratch, DdIbpState, GaussianModel, GaussianScratch, GaussianState, Observations};
use rand::Rng;

/// Draws α | Z ~ Gamma(shape + K, rate + H_N).
pub fn concentration<R: Rng>(model: &GaussianModel, state: &mut GaussianState, scratch: &GaussianScratch, rng: &mut R) {
    if let GammaPrior::Gamma { shape, rate } = model.concentration {
        let k = state.code.bits.n_bits() as f64;
        state.concentration = draw_gamma(shape + k, rate + scratch.ibp.harmonic(), rng);
    }
}

/// Draws σx² and σv² of the linear Gaussian model.
pub fn variances<R: Rng>(
    model: &GaussianModel,
    data: &Observations,
    state: &mut GaussianState,
    scratch: &mut GaussianScratch,
    rng: &mut R,
) {
    let (priors, now) = ((model.noise, model.image), state.variances());
    let drawn = draw_variances(priors, now, (data, scratch.square_norm), &scratch.moments, rng);
    (state.noise_variance, state.image_variance) = (drawn.noise, drawn.image);
}

/// Draws α | links ~ Gamma(shape + K, rate + Σ 1/h).
pub fn linked_concentration<R: Rng>(model: &DdIbpModel, state: &mut DdIbpState, scratch: &DdIbpScratch, rng: &mut R) {
    if let GammaPrior::Gamma { shape, rate } = model.concentration {
        let k = state.columns.len() as f64;
        state.concentration = draw_gamma(shape + k, rate + scratch.proximity.total_rate(), rng);
    }
}

/// Draws σx² and σv² of the distance-dependent IBP.
pub fn linked_variances<R: Rng>(
    model: &DdIbpModel,
    data: &Observations,
    state: &mut DdIbpState,
    scratch: &mut DdIbpScratch,
    rng: &mut R,
) {
    let (priors, now) = ((model.noise, model.image), state.variances());
    scratch.moments.rebuild(&data.inputs, &state.bits);
    let drawn = draw_variances(priors, now, (data, scratch.square_norm), &scratch.moments, rng);
    (state.noise_variance, state.image_variance) = (drawn.noise, drawn.image);
}

/// Draws V, then σx² and σv² given V, and discards V. Needs only ZᵀZ and ZᵀX, not another pass over residuals.
pub(super) fn draw_variances<R: Rng>(
    (noise, image): (VariancePrior, VariancePrior),
    now: Variances,
    (data, square_norm): (&Observations, f64),
    moments: &Moments,
    rng: &mut R,
) -> Variances {
    if let (VariancePrior::Fixed(_), VariancePrior::Fixed(_)) = (noise, image) {
        return now;
    }
    let images = draw_images(moments, now, rng);
    let (k, m) = (moments.n_bits(), moments.n_inputs());
    let mut squares = square_norm - 2.0 * dot(&images, moments.total());
    for f in 0..k {
        for g in 0..k {
            let product = dot(&images[f * m..(f + 1) * m], &images[g * m..(g + 1) * m]);
            squares += moments.overlap()[f * k + g] * product;
        }
    }
    let n_values = data.inputs.n_values() as f64;
    let noise = noise.draw_given(n_values, squares.max(0.0), rng);
    Variances { noise, image: image.draw_given((k * m) as f64, dot(&images, &images), rng) }
}
