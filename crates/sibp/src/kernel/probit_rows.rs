//! Visits every object of the probit model: Gibbs over its bits (Eq. 15), active features only.

use crate::likelihood::preference::Scoring;
use crate::likelihood::probit::{Basis, ColumnFit};
use crate::model::{Observations, ProbitModel, ProbitScratch, ProbitState};
use crate::numerics::normal_table::log_cdf;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

/// One visit of every object. The last owner of a feature keeps it: deaths are for the births kernel.
pub fn step<R: Rng>(
    model: &ProbitModel,
    data: &Observations,
    state: &mut ProbitState,
    scratch: &mut ProbitScratch,
    rng: &mut R,
) {
    let odds = log_odds(&scratch.basis, &state.atoms);
    visit(model, data, state, scratch, &odds, rng, |_, _, _| None);
}

/// ln Φ(x·g + t) - ln Φ(-(x·g + t)), objects x features in row order.
pub fn log_odds(basis: &Basis, atoms: &[ColumnFit]) -> Vec<f64> {
    let k = atoms.len();
    let mut odds = vec![0.0; basis.n_objects() * k];
    let mut heights = Vec::new();
    for (feature_ix, fit) in atoms.iter().enumerate() {
        basis.heights(&fit.coefficients, &mut heights);
        for (object_ix, height) in heights.iter().enumerate() {
            let x = height + fit.stick;
            odds[object_ix * k + feature_ix] = log_cdf(x) - log_cdf(-x);
        }
    }
    odds
}

/// Gibbs over all bits, features in a fresh random order at every object.
///
/// `sole` is asked about a feature that no other object owns: the log-odds to add, or nothing to leave the bit alone.
pub fn visit<R: Rng>(
    model: &ProbitModel,
    data: &Observations,
    state: &mut ProbitState,
    scratch: &mut ProbitScratch,
    odds: &[f64],
    rng: &mut R,
    sole: impl Fn(&ProbitState, usize, bool) -> Option<f64>,
) {
    let scoring = state.code.scoring(&model.preference);
    let k = state.atoms.len();
    let mut order: Vec<usize> = (0..k).collect();
    for object_ix in 0..data.features.n_objects() {
        let preference = &mut scratch.preference;
        preference.row.gather(object_ix, &data.triplets, &state.code.features, &preference.sums, &scoring);
        order.shuffle(rng);
        for &feature_ix in &order {
            let owned = state.code.features.get(object_ix, feature_ix);
            let alone = state.code.features.counts()[feature_ix] == u32::from(owned);
            let extra = if alone { sole(state, feature_ix, owned) } else { Some(0.0) };
            if let Some(extra) = extra {
                let log_odds = odds[object_ix * k + feature_ix] + extra;
                update_bit(object_ix, feature_ix, log_odds, state, scratch, &scoring, rng);
            }
        }
        scratch.preference.row.scatter(object_ix, &data.triplets, &mut scratch.preference.sums);
    }
}

fn update_bit<R: Rng>(
    object_ix: usize,
    feature_ix: usize,
    log_odds: f64,
    state: &mut ProbitState,
    scratch: &mut ProbitScratch,
    scoring: &Scoring,
    rng: &mut R,
) {
    let to = !state.code.features.get(object_ix, feature_ix);
    let weight = state.code.weights[feature_ix];
    let trial = scratch.preference.row.trial(feature_ix, to, weight, scoring);
    let for_change = (if to { log_odds } else { -log_odds }) + trial.log_ratio;
    if accepted(for_change, rng) {
        state.code.features.flip(object_ix, feature_ix);
        scratch.preference.row.accept(trial);
    }
}

/// True with probability 1 / (1 + e^-log_odds).
pub(super) fn accepted<R: Rng>(log_odds: f64, rng: &mut R) -> bool {
    let u = rng.random::<f64>();
    (u / (1.0 - u)).ln() < log_odds
}
