//! Defines the statistics of sampler tests.

use super::Statistics;
use crate::bits::BitMatrix;
use crate::likelihood::preference::PreferenceSums;
use crate::model::{
    GaussianModel, GaussianState, LatentCode, Link, Model, Observations, PreferencePrior, ProbitModel, ProbitState,
};
use crate::prior::hyper::{GammaPrior, LapsePrior, SlopePrior, VariancePrior};
use crate::schedule::Kernel;

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
            "log slope",
            "a judge's lapse",
            "a judge's lapse x satisfied",
            "log preference likelihood",
            "satisfied",
            "owners miscounted",
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
        code.slope.ln(),
        code.judge_lapses.last().copied().unwrap_or(code.lapse),
        code.judge_lapses.last().map_or(0.0, |lapse| lapse * satisfied_of_last_judge(data, &sums)),
        sums.log_likelihood(&code.scoring(prior)),
        sums.satisfied(),
        miscounted(bits),
    ]
}

/// Triplets of the last judge that the code satisfies.
fn satisfied_of_last_judge(data: &Observations, sums: &PreferenceSums) -> f64 {
    let judges = data.triplets.judges().iter().enumerate();
    let last = data.triplets.n_judges() as u32 - 1;
    let satisfied = |&(at, &judge): &(usize, &u32)| judge == last && sums.of(at).0 > sums.of(at).1;
    judges.filter(satisfied).count() as f64
}

/// Owners that the kept numbers of owners leave out or count too many; always 0, unless an update of them is lost.
fn miscounted(bits: &BitMatrix) -> f64 {
    let mut counts = vec![0u32; bits.n_bits()];
    (0..bits.n_objects()).flat_map(|object| bits.ones(object)).for_each(|bit| counts[bit] += 1);
    counts.iter().zip(bits.counts()).map(|(&found, &kept)| f64::from(found.abs_diff(kept))).sum()
}

fn is_gamma(prior: GammaPrior) -> bool {
    matches!(prior, GammaPrior::Gamma { .. })
}

fn is_fixed(prior: VariancePrior) -> bool {
    matches!(prior, VariancePrior::Fixed(_))
}

/// Whether a kernel of weights, lapse rate or slope has nothing to draw.
fn preference_idle(prior: &PreferencePrior, data: &Observations, kernel: Kernel) -> bool {
    let given = data.given.n_bits() > 0;
    match kernel {
        Kernel::Weights => !(is_gamma(prior.weights) || given && is_gamma(prior.of_given())),
        Kernel::WeightScale => {
            let scale_free = prior.link == Link::Ratio && prior.pseudo_weight == 0.0;
            !is_gamma(prior.weights) || !scale_free || given && prior.of_given() != prior.weights
        }
        Kernel::Lapse => matches!(prior.lapse, LapsePrior::Fixed(_)),
        Kernel::Slope => !matches!(prior.link, Link::Logistic(SlopePrior::LogNormal { .. })),
        _ => false,
    }
}

/// Of the linear Gaussian model. Scales enter by their logarithms: their priors have heavy tails.
pub const GAUSSIAN: Statistics<GaussianModel> = Statistics {
    names: code_names!["concentration", "log noise variance", "log image variance", "log |x|", "x0 x1", "log joint"],
    values: gaussian_values,
    steps_a_draw: 2,
    idle: |model, data, kernel| match kernel {
        Kernel::Concentration => !is_gamma(model.concentration),
        Kernel::Variances => is_fixed(model.noise) && is_fixed(model.image),
        kernel => preference_idle(&model.preference, data, kernel),
    },
};

fn gaussian_values(model: &GaussianModel, data: &Observations, state: &GaussianState) -> Vec<f64> {
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
}

/// Of the linear probit model. Draws from its prior cost several sweeps each, so they are fewer.
pub const PROBIT: Statistics<ProbitModel> = Statistics {
    names: code_names![
        "concentration",
        "log coefficient variance",
        "sum of sticks",
        "lowest stick",
        "sum of |g|",
        "g along first axis",
        "g x bits",
    ],
    values: probit_values,
    steps_a_draw: 8,
    idle: |model, data, kernel| match kernel {
        Kernel::Concentration => !is_gamma(model.concentration),
        Kernel::Variances => is_fixed(model.coefficient),
        kernel => preference_idle(&model.preference, data, kernel),
    },
};

fn probit_values(model: &ProbitModel, data: &Observations, state: &ProbitState) -> Vec<f64> {
    let mut values = code_values(&state.code, data, &model.preference);
    let first = |f: usize| state.atoms[f].coefficients.first().map_or(0.0, |&g| squash(g));
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
}

/// Keeps heavy tails from ruling a mean.
pub(super) fn squash(value: f64) -> f64 {
    value / (1.0 + value.abs())
}
