//! Names the statistics that sampler tests look at.

use crate::likelihood::preference::PreferenceSums;
use crate::model::{GaussianModel, GaussianState, Model, Observations};

/// Names and values for the linear Gaussian model. Scales enter by their logarithms: their priors have heavy tails.
pub fn gaussian_statistics(
    model: &GaussianModel,
) -> (&'static [&'static str], impl Fn(&Observations, &GaussianState) -> Vec<f64> + '_) {
    const NAMES: &[&str] = &[
        "features",
        "features squared",
        "bits",
        "pair 0-1 shares",
        "pair 1-2 shares",
        "first owner's bits",
        "singletons",
        "sum of weights",
        "bits x weights",
        "lapse",
        "concentration",
        "log noise variance",
        "log feature variance",
        "log preference likelihood",
        "satisfied",
        "log |x|",
        "x0 x1",
        "log joint",
    ];
    let values = move |data: &Observations, state: &GaussianState| {
        let features = &state.code.features;
        let weights = &state.code.weights;
        let k = features.n_features();
        let shares = |i: usize, j: usize| (0..k).filter(|&f| features.get(i, f) && features.get(j, f)).count() as f64;
        let mut sums = PreferenceSums::default();
        sums.rebuild(&data.triplets, features, weights);
        let x = data.features.values();
        let squash = |v: f64| v / (1.0 + v.abs());
        vec![
            k as f64,
            (k * k) as f64,
            features.counts().iter().map(|&m| f64::from(m)).sum(),
            shares(0, 1),
            shares(1, 2),
            features.ones(0).count() as f64,
            features.counts().iter().filter(|&&m| m == 1).count() as f64,
            weights.iter().sum(),
            weights.iter().zip(features.counts()).map(|(w, &m)| w * f64::from(m)).sum(),
            state.code.lapse,
            state.concentration,
            state.noise_variance.ln(),
            state.feature_variance.ln(),
            sums.log_likelihood(&state.code.scoring(&model.preference)),
            sums.satisfied(),
            x.iter().map(|v| v.abs().max(1e-300).ln()).sum(),
            squash(x[0]) * squash(x[data.features.n_inputs()]),
            squash(model.log_joint(data, state) / 30.0),
        ]
    };
    (NAMES, values)
}
