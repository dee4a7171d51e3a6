//! Draws concentration and coefficient variance of the probit model from their corrected conditionals.

use crate::fault::{Fault, planted};
use crate::likelihood::probit::ActiveRate;
use crate::numerics::slice::slice;
use crate::prior::hyper::{GammaPrior, VariancePrior, draw_gamma};
use crate::state::{ProbitModel, ProbitState};
use rand::Rng;

/// Draws α | rest ~ Gamma(shape + K, rate + Λ(σg²)): the inactive bits count through Λ, not through H_N.
pub fn concentration<R: Rng>(model: &ProbitModel, state: &mut ProbitState, rate_of: &ActiveRate, rng: &mut R) {
    if let GammaPrior::Gamma { shape, rate } = model.concentration {
        // Without coefficients Λ is H_N.
        let expected = rate_of.at(if planted(Fault::HarmonicRate) { 1e-9 } else { state.coefficient_variance });
        state.concentration = draw_gamma(shape + state.atoms.len() as f64, rate + expected, rng);
    }
}

/// Draws σg² by slice sampling of its logarithm: Λ depends on it, so the update is not conjugate.
pub fn variance<R: Rng>(model: &ProbitModel, state: &mut ProbitState, rate_of: &ActiveRate, rng: &mut R) {
    if let VariancePrior::Fixed(_) = model.coefficient {
        return;
    }
    let n_values: usize = state.atoms.iter().map(|fit| fit.coefficients.len()).sum();
    let squares: f64 = state.atoms.iter().flat_map(|fit| &fit.coefficients).map(|g| g * g).sum();
    let log_density = |y: f64| {
        let variance = y.exp();
        // The last term is the Jacobian from σg² to its logarithm.
        model.coefficient.log_density(variance)
            - 0.5 * (n_values as f64 * y + squares / variance)
            - if planted(Fault::ConjugateVariance) { 0.0 } else { state.concentration * rate_of.at(variance) }
            + y
    };
    state.coefficient_variance = slice(state.coefficient_variance.ln(), 1.0, rng, log_density).exp();
}
