//! Visits every object: Gibbs over its bits (Eq. 14), then births of features that only it owns.

use crate::fault::{Fault, planted};
use crate::likelihood::preference::Scoring;
use crate::model::{GaussianModel, GaussianScratch, GaussianState, Observations};
use crate::prior::ibp::draw_poisson;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

/// Changed objects after which the posterior of V is solved for again, so that rounding errors do not pile up.
const CHANGES: usize = 1024;
/// Log-odds below which a flip is unlikely, and a number above their probability: most such flips are rejected by a
/// glance at the random number.
const UNLIKELY: (f64, f64) = (-8.0, 4e-4);

/// One visit of every object.
pub fn step<R: Rng>(
    model: &GaussianModel,
    data: &Observations,
    state: &mut GaussianState,
    scratch: &mut GaussianScratch,
    rng: &mut R,
) {
    scratch.posterior.rebuild(&scratch.moments, state.variances());
    let mut n_changes = 0;
    let scoring = state.code.scoring(&model.preference);
    let mut order: Vec<usize> = Vec::new();
    for object_ix in 0..data.features.n_objects() {
        let (cells, sums) = (state.code.features.cells(), scratch.preference.sums.cells());
        scratch.preference.row.gather(object_ix, &data.triplets, cells, sums, &scoring);
        let features = &state.code.features;
        scratch.row.gather(
            &scratch.moments,
            &scratch.posterior,
            &data.features.row(object_ix),
            features.ones(object_ix),
        );
        // A fresh order a visit: births stand at the end, so storage order would carry information.
        order.clear();
        order.extend(0..features.n_features());
        if !planted(Fault::StorageOrderScan) {
            order.shuffle(rng);
        }
        for &feature_ix in &order {
            update_bit(object_ix, feature_ix, state, scratch, &scoring, rng);
        }
        n_changes += usize::from(births(model, object_ix, data, state, scratch, &scoring, rng));
        if n_changes == CHANGES {
            scratch.posterior.rebuild(&scratch.moments, state.variances());
            n_changes = 0;
        }
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
    let others = (if to { odds } else { -odds }) + trial.log_ratio;
    let u = rng.random::<f64>();
    if u > UNLIKELY.1 && others + scratch.row.log_ratio_bound(terms, state.variances()) < UNLIKELY.0 {
        return;
    }
    let log_odds = others + scratch.row.log_ratio(terms, state.variances());
    if u * (1.0 + (-log_odds).exp()) < 1.0 {
        state.code.features.flip(object_ix, feature_ix);
        scratch.row.flip(&scratch.posterior, feature_ix, to, terms);
        scratch.preference.row.accept(trial);
    }
}

/// Replaces the features that only this object owns by Poisson(α/N) new ones with weights from the prior, accepted by
/// the likelihood ratio (Meeds et al. 2007); then brings moments and posterior of V up to date. Tells whether any bit
/// of the object changed.
fn births<R: Rng>(
    model: &GaussianModel,
    object_ix: usize,
    data: &Observations,
    state: &mut GaussianState,
    scratch: &mut GaussianScratch,
    scoring: &Scoring,
    rng: &mut R,
) -> bool {
    let features = &state.code.features;
    let inputs = data.features.row(object_ix);
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
        return scratch.row.commit(&mut scratch.moments, &mut scratch.posterior, &inputs);
    }
    scratch.row.commit_moments(&mut scratch.moments, &inputs);
    for &feature_ix in &gone {
        state.code.swap_remove(feature_ix);
    }
    for weight in weights {
        state.code.features.push_singleton(object_ix);
        state.code.weights.push(weight);
    }
    let owned: Vec<usize> = state.code.features.ones(object_ix).collect();
    scratch.moments.replace_singletons(&gone, n_new, &inputs, &owned);
    scratch.posterior.rebuild(&scratch.moments, state.variances());
    scratch.preference.row.add_singletons(change);
    true
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
