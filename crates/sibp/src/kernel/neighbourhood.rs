//! Moves whole neighbourhoods at once: births and deaths of columns, and flips of a neighbourhood in one column.
//!
//! Single-object births are hopeless for many objects; columns around an object and its near ones are not.

use crate::likelihood::preference::Scoring;
use crate::model::{GaussianModel, GaussianScratch, GaussianState, Observations};
use rand::{Rng, RngExt};

/// Probability that a proposed column includes a member of the neighbourhood, and excludes a stranger.
const FAITHFUL: f64 = 0.98;

/// Runs the given numbers of births or deaths, and of flips.
pub fn step<R: Rng>(
    model: &GaussianModel,
    data: &Observations,
    state: &mut GaussianState,
    scratch: &mut GaussianScratch,
    (births, flips): (usize, usize),
    rng: &mut R,
) {
    if data.triplets.is_empty() {
        return;
    }
    scratch.moments.rebuild(&data.features, &state.code.features);
    let scoring = state.code.scoring(&model.preference);
    let gaussian = log_marginal(data, state, scratch);
    let preference = scratch.preference.sums.log_likelihood(&scoring);
    let mut now = Now { gaussian, preference };
    for _ in 0..births {
        if rng.random::<bool>() {
            birth(model, data, state, scratch, &scoring, &mut now, rng);
        } else {
            death(model, data, state, scratch, &scoring, &mut now, rng);
        }
    }
    for _ in 0..flips {
        flip(data, state, scratch, &scoring, &mut now, rng);
    }
}

/// Log likelihoods of the present state.
struct Now {
    gaussian: f64,
    preference: f64,
}

fn log_marginal(data: &Observations, state: &GaussianState, scratch: &mut GaussianScratch) -> f64 {
    let n_objects = data.features.n_objects();
    scratch.moments.log_marginal(n_objects, scratch.square_norm, state.variances(), &mut scratch.work)
}

fn birth<R: Rng>(
    model: &GaussianModel,
    data: &Observations,
    state: &mut GaussianState,
    scratch: &mut GaussianScratch,
    scoring: &Scoring,
    now: &mut Now,
    rng: &mut R,
) {
    let n_objects = data.features.n_objects();
    let column = propose_column(&scratch.neighbourhoods, rng);
    let n_owners = column.iter().filter(|&&bit| bit == 1).count();
    let weight = model.preference.draw_weight(rng);
    let threshold = rng.random::<f64>().ln();
    if n_owners == 0 {
        return;
    }
    let k = state.code.features.n_features();
    let prior = state.concentration.ln() + scratch.ibp.log_column(n_owners)
        - ((k + 1) as f64).ln()
        - log_proposal(&scratch.neighbourhoods, &column);
    scratch.moments.push_empty();
    change_moments(k, &vec![0; n_objects], &column, data, state, scratch);
    let gaussian = log_marginal(data, state, scratch);
    let trial = Trial { old: &vec![0; n_objects], new: &column, weight, others: prior + gaussian - now.gaussian };
    match trial.decide(data, scratch, scoring, now, threshold) {
        Some(preference) => {
            state.code.push(&column, weight);
            *now = Now { gaussian, preference };
        }
        None => scratch.moments.swap_remove(k),
    }
}

fn death<R: Rng>(
    _model: &GaussianModel,
    data: &Observations,
    state: &mut GaussianState,
    scratch: &mut GaussianScratch,
    scoring: &Scoring,
    now: &mut Now,
    rng: &mut R,
) {
    let k = state.code.features.n_features();
    if k == 0 {
        return;
    }
    let feature_ix = rng.random_range(0..k);
    let threshold = rng.random::<f64>().ln();
    let column = state.code.features.column(feature_ix);
    let n_owners = state.code.features.counts()[feature_ix] as usize;
    let prior = (k as f64).ln() + log_proposal(&scratch.neighbourhoods, &column)
        - state.concentration.ln()
        - scratch.ibp.log_column(n_owners);
    let before = scratch.moments.clone();
    scratch.moments.swap_remove(feature_ix);
    let gaussian = log_marginal(data, state, scratch);
    let weight = state.code.weights[feature_ix];
    let nobody = vec![0; data.features.n_objects()];
    let trial = Trial { old: &column, new: &nobody, weight, others: prior + gaussian - now.gaussian };
    match trial.decide(data, scratch, scoring, now, threshold) {
        Some(preference) => {
            state.code.swap_remove(feature_ix);
            *now = Now { gaussian, preference };
        }
        None => scratch.moments = before,
    }
}

/// Flips one column for an object and its near ones; the same proposal leads back, so only densities count.
fn flip<R: Rng>(
    data: &Observations,
    state: &mut GaussianState,
    scratch: &mut GaussianScratch,
    scoring: &Scoring,
    now: &mut Now,
    rng: &mut R,
) {
    let k = state.code.features.n_features();
    if k == 0 {
        return;
    }
    let feature_ix = rng.random_range(0..k);
    let object_ix = rng.random_range(0..data.features.n_objects());
    let threshold = rng.random::<f64>().ln();
    let old = state.code.features.column(feature_ix);
    let mut new = old.clone();
    for &member in &scratch.neighbourhoods[object_ix] {
        new[member as usize] ^= 1;
    }
    let n_owners = new.iter().filter(|&&bit| bit == 1).count();
    if n_owners == 0 {
        return;
    }
    let prior =
        scratch.ibp.log_column(n_owners) - scratch.ibp.log_column(state.code.features.counts()[feature_ix] as usize);
    change_moments(feature_ix, &old, &new, data, state, scratch);
    let gaussian = log_marginal(data, state, scratch);
    let weight = state.code.weights[feature_ix];
    let trial = Trial { old: &old, new: &new, weight, others: prior + gaussian - now.gaussian };
    match trial.decide(data, scratch, scoring, now, threshold) {
        Some(preference) => {
            for &member in &scratch.neighbourhoods[object_ix] {
                state.code.features.flip(member as usize, feature_ix);
            }
            *now = Now { gaussian, preference };
        }
        None => change_moments(feature_ix, &new, &old, data, state, scratch),
    }
}

/// A proposed change of one column.
struct Trial<'a> {
    old: &'a [u8],
    new: &'a [u8],
    weight: f64,
    /// Log acceptance ratio without the preference likelihood.
    others: f64,
}

impl Trial<'_> {
    /// Accepts or rejects; on acceptance the sums are updated and the new log preference likelihood returned.
    fn decide(
        &self,
        data: &Observations,
        scratch: &mut GaussianScratch,
        scoring: &Scoring,
        now: &Now,
        threshold: f64,
    ) -> Option<f64> {
        // The preference likelihood is at most 1, so a hopeless trial need not be scored.
        if self.others - now.preference < threshold {
            return None;
        }
        let preference = &mut scratch.preference;
        let columns = (self.old, self.new);
        let value = preference.column.log_likelihood(&data.triplets, &preference.sums, columns, self.weight, scoring);
        if threshold < self.others + value - now.preference {
            preference.column.accept(&mut preference.sums);
            return Some(value);
        }
        None
    }
}

/// Carries the difference of two columns over to ZᵀZ and ZᵀX. The state must still hold the other features' bits.
fn change_moments(
    feature_ix: usize,
    old: &[u8],
    new: &[u8],
    data: &Observations,
    state: &GaussianState,
    scratch: &mut GaussianScratch,
) {
    for (object_ix, (&old, &new)) in old.iter().zip(new).enumerate() {
        if old != new {
            let sign = if new == 1 { 1.0 } else { -1.0 };
            let owned = state.code.features.ones(object_ix);
            scratch.moments.change_bit(feature_ix, sign, data.features.row(object_ix), owned);
        }
    }
}

/// A column around a random object's neighbourhood.
fn propose_column<R: Rng>(neighbourhoods: &[Vec<u32>], rng: &mut R) -> Vec<u8> {
    let centre = rng.random_range(0..neighbourhoods.len());
    let mut column: Vec<u8> = neighbourhoods.iter().map(|_| u8::from(rng.random::<f64>() >= FAITHFUL)).collect();
    for &member in &neighbourhoods[centre] {
        column[member as usize] ^= 1;
    }
    column
}

/// Log probability that [`propose_column`] gives this column: a mixture over all centres.
fn log_proposal(neighbourhoods: &[Vec<u32>], column: &[u8]) -> f64 {
    let n_objects = neighbourhoods.len();
    let n_owners: usize = column.iter().map(|&bit| usize::from(bit)).sum();
    let log_odds = FAITHFUL.ln() - (1.0 - FAITHFUL).ln();
    let log_of = |members: &Vec<u32>| {
        let inside: usize = members.iter().map(|&member| usize::from(column[member as usize])).sum();
        let wrong = (members.len() - inside) + (n_owners - inside);
        -(wrong as f64) * log_odds
    };
    let best = neighbourhoods.iter().map(log_of).fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = neighbourhoods.iter().map(|members| (log_of(members) - best).exp()).sum();
    best + (sum / n_objects as f64).ln() + n_objects as f64 * FAITHFUL.ln()
}
