//! Updates every object: Gibbs over its bits (Eq. 14), then births of bits that only it owns.

use crate::fault::{Fault, planted};
use crate::likelihood::preference::Scoring;
use crate::prior::ibp::draw_poisson;
use crate::state::{
    GaussianModel, GaussianScratch, GaussianState, LatentCode, Observations, PreferenceScratch, Proposal,
};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

/// Changed objects after which the posterior of V is recomputed, so that rounding errors do not accumulate.
const CHANGES: usize = 1024;
/// Log odds below which a flip is unlikely, and an upper bound on its probability there: most such flips are rejected
/// by the random number alone.
const UNLIKELY: (f64, f64) = (-8.0, 4e-4);
/// Added to upper bounds of log odds, as sums are rounded.
const SLACK: f64 = 1e-9;

/// One Gibbs pass over all objects.
pub fn step<R: Rng>(
    model: &GaussianModel,
    data: &Observations,
    state: &mut GaussianState,
    scratch: &mut GaussianScratch,
    rng: &mut R,
) {
    scratch.posterior.rebuild(&scratch.moments, state.variances());
    scratch.row.start();
    let mut n_changes = 0;
    let scoring = state.code.scoring(&model.preference);
    let mut order: Vec<usize> = Vec::new();
    let mut gain = MostGain::new(&state.code, &scoring);
    for object_ix in 0..data.inputs.n_objects() {
        scratch.preference.row.open(object_ix, &data.triplets);
        let bits = &state.code.bits;
        let owned = bits.ones(object_ix);
        scratch.row.gather(&scratch.moments, &scratch.posterior, (&data.inputs, object_ix), owned);
        scratch.row.bound_flips(state.variances());
        // A fresh order for each object: new bits are stored last, so storage order would carry information.
        order.clear();
        order.extend(0..bits.n_bits());
        if !planted(Fault::StorageOrderScan) {
            order.shuffle(rng);
        }
        for &bit_ix in &order {
            update_bit((object_ix, bit_ix), data, state, scratch, (&scoring, &gain), rng);
        }
        if births(model, object_ix, data, state, scratch, &scoring, rng) {
            gain = MostGain::new(&state.code, &scoring);
            n_changes += 1;
        }
        if n_changes == CHANGES {
            scratch.posterior.rebuild(&scratch.moments, state.variances());
            n_changes = 0;
        }
        scratch.preference.row.scatter(object_ix, &data.triplets, scratch.preference.sums.cells());
    }
}

/// An upper bound on the gain of a flip, found without its triplets.
struct MostGain {
    /// The largest weight of all bits.
    heaviest: f64,
    /// Largest gain of a flip in any triplet.
    a_triplet: f64,
}

impl MostGain {
    fn new(code: &LatentCode, scoring: &Scoring) -> Self {
        let heaviest = code.weights.iter().copied().fold(0.0, f64::max);
        Self { heaviest, a_triplet: scoring.largest_log_ratio(heaviest) }
    }

    /// Largest gain of a flip in this many triplets.
    fn of(&self, n_triplets: usize) -> f64 {
        if n_triplets == 0 { 0.0 } else { n_triplets as f64 * self.a_triplet }
    }
}

/// Whether a flip whose log odds are at most `bound` is rejected by the random number `u`.
fn is_hopeless(u: f64, bound: f64) -> bool {
    let bound = bound + SLACK;
    u > UNLIKELY.1 && bound < UNLIKELY.0 || u * (1.0 + (-bound).exp()) >= 1.0
}

/// Draws one bit from its conditional, unless no other object owns it: such bits are updated by births.
///
/// Nearly all flips are rejected by upper bounds, the cheaper ones first; the others are scored in full.
fn update_bit<R: Rng>(
    (object_ix, bit_ix): (usize, usize),
    data: &Observations,
    state: &mut GaussianState,
    scratch: &mut GaussianScratch,
    (scoring, gain): (&Scoring, &MostGain),
    rng: &mut R,
) {
    let owned = state.code.bits.get(object_ix, bit_ix);
    let others = state.code.bits.counts()[bit_ix] as usize - usize::from(owned);
    let others = if planted(Fault::SingletonGibbs) { others.max(1) } else { others };
    if others == 0 {
        return;
    }
    let to = !owned;
    let odds = scratch.ibp.log_odds(others);
    let odds = if to { odds } else { -odds };
    let bound = odds + scratch.row.log_ratio_bound(bit_ix);
    let u = rng.random::<f64>();
    let PreferenceScratch { row, sums, thorough, .. } = &mut scratch.preference;
    let thorough = *thorough;
    if is_hopeless(u, bound + gain.of(row.n_triplets())) && !thorough {
        return;
    }
    row.gather_sums(object_ix, &data.triplets, sums.cells());
    if is_hopeless(u, bound + row.gain_bound(gain.heaviest, scoring)) && !thorough {
        return;
    }
    row.gather_words(object_ix, &data.triplets, state.code.bits.cells(), scoring);
    let trial = row.trial(bit_ix, to, state.code.weights[bit_ix], scoring);
    let terms = scratch.row.flip_terms(&scratch.posterior, bit_ix, to);
    let log_odds = odds + trial.log_ratio + scratch.row.log_ratio(terms, state.variances());
    let accepted = u * (1.0 + (-log_odds).exp()) < 1.0;
    scratch.tally.note(Proposal::Flip, accepted);
    if accepted {
        state.code.bits.flip(object_ix, bit_ix);
        scratch.row.flip(&scratch.posterior, bit_ix, to, terms);
        if !planted(Fault::BoundsKeptAfterFlip) {
            scratch.row.bound_flips(state.variances());
        }
        row.accept(trial, scoring);
    }
}

/// Replaces the bits that only this object owns by Poisson(α/N) new ones with weights from the prior, accepted by the
/// likelihood ratio (Meeds et al. 2007); then updates the moments and the posterior of V. Returns whether any bit of
/// the object changed.
fn births<R: Rng>(
    model: &GaussianModel,
    object_ix: usize,
    data: &Observations,
    state: &mut GaussianState,
    scratch: &mut GaussianScratch,
    scoring: &Scoring,
    rng: &mut R,
) -> bool {
    let bits = &state.code.bits;
    let inputs = data.inputs.row(object_ix);
    let mut gone: Vec<usize> = bits.ones(object_ix).filter(|&f| bits.counts()[f] == 1).collect();
    gone.reverse();
    gone.retain(|_| !planted(Fault::SingletonsKept));
    let n_objects = if planted(Fault::BirthRate) { 1 } else { data.inputs.n_objects() };
    let rate = state.concentration / n_objects as f64;
    let n_new = draw_poisson(rate, rng);
    let weights: Vec<f64> = (0..n_new).map(|_| model.preference.draw_weight(rng)).collect();
    let change: f64 = weights.iter().sum::<f64>() - gone.iter().map(|&f| state.code.weights[f]).sum::<f64>();
    if gone.is_empty() && n_new == 0 {
        return scratch.row.commit(&mut scratch.moments, &mut scratch.posterior, &inputs);
    }
    scratch.preference.row.gather_sums(object_ix, &data.triplets, scratch.preference.sums.cells());
    let accepted = replaced(n_new as f64 - gone.len() as f64, change, state, scratch, scoring, rng);
    scratch.tally.note(Proposal::Singletons, accepted);
    if !accepted {
        return scratch.row.commit(&mut scratch.moments, &mut scratch.posterior, &inputs);
    }
    scratch.row.commit_moments(&mut scratch.moments, &inputs);
    for &bit_ix in &gone {
        state.code.swap_remove(bit_ix);
    }
    for weight in weights {
        state.code.bits.push_singleton(object_ix);
        state.code.weights.push(weight);
    }
    let owned: Vec<usize> = state.code.bits.ones(object_ix).collect();
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
