//! Visits every object: Gibbs over its bits (Eq. 14), then births of features that only it owns.

use super::probit_rows::accepted;
use crate::fault::{Fault, planted};
use crate::likelihood::linear_gaussian::SingletonChange;
use crate::likelihood::preference::Scoring;
use crate::model::{GaussianModel, GaussianScratch, GaussianState, Observations};
use crate::prior::ibp::draw_poisson;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

/// One visit of every object.
pub fn step<R: Rng>(
    model: &GaussianModel,
    data: &Observations,
    state: &mut GaussianState,
    scratch: &mut GaussianScratch,
    rng: &mut R,
) {
    scratch.moments.rebuild(&data.features, &state.code.features);
    scratch.posterior.rebuild(&scratch.moments, state.variances());
    let scoring = state.code.scoring(&model.preference);
    let mut order: Vec<usize> = Vec::new();
    for object_ix in 0..data.features.n_objects() {
        let (cells, sums) = (state.code.features.cells(), scratch.preference.sums.cells());
        scratch.preference.row.gather(object_ix, &data.triplets, cells, sums, &scoring);
        let features = &state.code.features;
        scratch.row.gather(&scratch.posterior, data.features.row(object_ix), features.ones(object_ix));
        // A fresh order a visit: births stand at the end, so storage order would carry information.
        order.clear();
        order.extend(0..features.n_features());
        if !planted(Fault::StorageOrderScan) {
            order.shuffle(rng);
        }
        for &feature_ix in &order {
            update_bit(object_ix, feature_ix, state, scratch, &scoring, rng);
        }
        births(model, object_ix, data, state, scratch, &scoring, rng);
        scratch.preference.row.scatter(object_ix, &data.triplets, scratch.preference.sums.cells());
    }
}

/// Draws one bit from its conditional, unless nobody else owns the feature: those are for births.
fn update_bit<R: Rng>(
    object_ix: usize,
    feature_ix: usize,
    state: &mut GaussianState,
    scratch: &mut GaussianScratch,
    scoring: &Scoring,
    rng: &mut R,
) {
    let owned = state.code.features.get(object_ix, feature_ix);
    let others = state.code.features.counts()[feature_ix] as usize - usize::from(owned);
    let others = if planted(Fault::SingletonGibbs) { others.max(1) } else { others };
    if others == 0 {
        return;
    }
    let to = !owned;
    let weight = state.code.weights[feature_ix];
    let odds = scratch.ibp.log_odds(others);
    let terms = scratch.row.flip_terms(&scratch.posterior, feature_ix, to);
    let trial = scratch.preference.row.trial(feature_ix, to, weight, scoring);
    let log_odds = (if to { odds } else { -odds }) + scratch.row.log_ratio(terms, state.variances()) + trial.log_ratio;
    if accepted(log_odds, rng) {
        state.code.features.flip(object_ix, feature_ix);
        scratch.row.flip(&scratch.posterior, feature_ix, to, terms);
        scratch.preference.row.accept(trial);
    }
}

/// Replaces the features that only this object owns by Poisson(α/N) new ones with weights from the prior, accepted by
/// the likelihood ratio (Meeds et al. 2007); then brings the posterior of V up to date.
fn births<R: Rng>(
    model: &GaussianModel,
    object_ix: usize,
    data: &Observations,
    state: &mut GaussianState,
    scratch: &mut GaussianScratch,
    scoring: &Scoring,
    rng: &mut R,
) {
    let features = &state.code.features;
    let mut gone: Vec<usize> = features.ones(object_ix).filter(|&f| features.counts()[f] == 1).collect();
    gone.reverse();
    gone.retain(|_| !planted(Fault::SingletonsKept));
    let n_objects = if planted(Fault::BirthRate) { 1 } else { data.features.n_objects() };
    let rate = state.concentration / n_objects as f64;
    let n_new = draw_poisson(rate, rng);
    let weights: Vec<f64> = (0..n_new).map(|_| model.preference.draw_weight(rng)).collect();
    let change: f64 = weights.iter().sum::<f64>() - gone.iter().map(|&f| state.code.weights[f]).sum::<f64>();
    if gone.is_empty() && n_new == 0
        || !replaced(n_new as f64 - gone.len() as f64, change, state, scratch, scoring, rng)
    {
        scratch.row.commit(&mut scratch.posterior);
        return;
    }
    for &feature_ix in &gone {
        state.code.swap_remove(feature_ix);
    }
    for weight in weights {
        state.code.features.push_singleton(object_ix);
        state.code.weights.push(weight);
    }
    let owned: Vec<usize> = state.code.features.ones(object_ix).collect();
    let change_of_features = SingletonChange { gone: &gone, n_new, owned: &owned };
    scratch.row.replace_singletons(&mut scratch.posterior, data.features.row(object_ix), change_of_features);
    scratch.preference.row.add_singletons(change);
}

fn replaced<R: Rng>(
    change_of_number: f64,
    change_of_weight: f64,
    state: &GaussianState,
    scratch: &GaussianScratch,
    scoring: &Scoring,
    rng: &mut R,
) -> bool {
    let terms = scratch.row.singleton_terms(change_of_number, state.variances());
    let change_of_weight = if planted(Fault::BirthsWithoutTriplets) { 0.0 } else { change_of_weight };
    let log_ratio = scratch.row.log_ratio(terms, state.variances())
        + scratch.preference.row.singleton_log_ratio(change_of_weight, scoring);
    rng.random::<f64>().ln() < log_ratio
}
