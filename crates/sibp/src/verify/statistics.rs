//! Defines the statistics of sampler tests.

use crate::likelihood::preference::PreferenceSums;
use crate::model::{
    GaussianModel, GaussianState, LatentCode, Model, Observations, PreferencePrior, ProbitModel, ProbitState,
};

/// Names of the statistics that all supervised models share.
macro_rules! code_names {
    ($($more:literal),* $(,)?) => {
        &[
            "features",
            "bits squared",
            "bits",
            "pair 0-1 shares",
            "pair 1-2 shares",
            "first owner's bits",
            "singletons",
            "sum of weights",
            "bits x weights",
            "lapse",
            "log preference likelihood",
            "satisfied",
            $($more),*
        ]
    };
}

fn code_values(code: &LatentCode, data: &Observations, prior: &PreferencePrior) -> Vec<f64> {
    let (bits, weights) = (&code.bits, &code.weights);
    let k = bits.n_bits();
    let shares = |i: usize, j: usize| (0..k).filter(|&f| bits.get(i, f) && bits.get(j, f)).count() as f64;
    let mut sums = PreferenceSums::default();
    code.sum_into(&mut sums, &data.triplets, &data.given);
    vec![
        k as f64,
        (k * k) as f64,
        bits.counts().iter().map(|&m| f64::from(m)).sum(),
        shares(0, 1),
        shares(1, 2),
        bits.ones(0).count() as f64,
        bits.counts().iter().filter(|&&m| m == 1).count() as f64,
        weights.iter().chain(&code.given_weights).sum(),
        weights.iter().zip(bits.counts()).map(|(w, &m)| w * f64::from(m)).sum(),
        code.lapse,
        sums.log_likelihood(&code.scoring(prior)),
        sums.satisfied(),
    ]
}

/// Names and values of the statistics of the linear Gaussian model. Scales enter by their logarithms: their priors
/// have heavy tails.
pub fn gaussian_statistics(
    model: &GaussianModel,
) -> (&'static [&'static str], impl Fn(&Observations, &GaussianState) -> Vec<f64> + '_) {
    const NAMES: &[&str] =
        code_names!["concentration", "log noise variance", "log image variance", "log |x|", "x0 x1", "log joint"];
    let values = move |data: &Observations, state: &GaussianState| {
        let x = data.inputs.values();
        let mut values = code_values(&state.code, data, &model.preference);
        values.extend([
            state.concentration,
            state.noise_variance.ln(),
            state.image_variance.ln(),
            x.iter().map(|v| v.abs().max(1e-300).ln()).sum(),
            squash(x[0]) * squash(x[data.inputs.n_inputs()]),
            squash(model.log_joint(data, state) / 30.0),
        ]);
        values
    };
    (NAMES, values)
}

/// Names and values of the statistics of the linear probit model.
pub fn probit_statistics(
    model: &ProbitModel,
) -> (&'static [&'static str], impl Fn(&Observations, &ProbitState) -> Vec<f64> + '_) {
    const NAMES: &[&str] = code_names![
        "concentration",
        "log coefficient variance",
        "sum of sticks",
        "lowest stick",
        "sum of |g|",
        "g along first axis",
        "g x bits",
    ];
    let values = move |data: &Observations, state: &ProbitState| {
        let mut values = code_values(&state.code, data, &model.preference);
        let first = |f: usize| squash(state.atoms[f].coefficients[0]);
        let k = state.atoms.len();
        values.extend([
            state.concentration,
            state.coefficient_variance.ln(),
            state.atoms.iter().map(|fit| squash(fit.stick)).sum(),
            state.atoms.iter().map(|fit| fit.stick).fold(0.0, f64::min),
            state.atoms.iter().flat_map(|fit| &fit.coefficients).map(|g| g.abs().ln_1p()).sum(),
            (0..k).map(first).sum(),
            (0..k).map(|f| first(f) * f64::from(state.code.bits.counts()[f])).sum(),
        ]);
        values
    };
    (NAMES, values)
}

/// Bounds a value, so that heavy tails do not dominate its mean.
fn squash(value: f64) -> f64 {
    value / (1.0 + value.abs())
}
