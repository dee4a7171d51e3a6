//! Adds and removes bits of the distance-dependent IBP by birth–death moves, with owner and links from the prior and V
//! integrated out.

use crate::fault::{Fault, planted};
use crate::prior::links::LinkedColumn;
use crate::state::{DdIbpScratch, DdIbpState, Observations, Proposal};
use rand::{Rng, RngExt};

/// Birth–death moves; births and deaths each with probability one half.
pub fn step<R: Rng>(
    data: &Observations,
    state: &mut DdIbpState,
    scratch: &mut DdIbpScratch,
    births: usize,
    rng: &mut R,
) {
    scratch.moments.rebuild(&data.inputs, &state.bits);
    let mut now = log_marginal(data, state, scratch);
    for _ in 0..births {
        let born = rng.random::<bool>();
        now = if born { birth(data, state, scratch, now, rng) } else { death(data, state, scratch, now, rng) };
    }
}

/// Proposes a bit from the prior: the acceptance ratio is α Σ(1/h)/(K+1) times the likelihood ratio.
fn birth<R: Rng>(
    data: &Observations,
    state: &mut DdIbpState,
    scratch: &mut DdIbpScratch,
    now: f64,
    rng: &mut R,
) -> f64 {
    let column = LinkedColumn::draw(&scratch.proximity, rng);
    let threshold = rng.random::<f64>().ln();
    let k = state.columns.len();
    let bits = column.bits();
    scratch.moments.push_empty();
    for (object_ix, _) in bits.iter().enumerate().filter(|(_, bit)| **bit == 1) {
        let owned = state.bits.ones(object_ix);
        scratch.moments.change_bit(k, 1.0, &data.inputs.row(object_ix), owned);
    }
    let then = log_marginal(data, state, scratch);
    let accepted = threshold < log_rate(state, scratch) - ((k + 1) as f64).ln() + then - now;
    scratch.tally.note(Proposal::LinkedBirth, accepted);
    if accepted {
        state.bits.push_column(&bits);
        state.columns.push(column);
        then
    } else {
        scratch.moments.swap_remove(k);
        now
    }
}

/// Proposes to remove a random bit: the reverse of a birth.
fn death<R: Rng>(
    data: &Observations,
    state: &mut DdIbpState,
    scratch: &mut DdIbpScratch,
    now: f64,
    rng: &mut R,
) -> f64 {
    let k = state.columns.len();
    if k == 0 {
        return now;
    }
    let bit_ix = rng.random_range(0..k);
    let threshold = rng.random::<f64>().ln();
    let before = scratch.moments.clone();
    scratch.moments.swap_remove(bit_ix);
    let then = log_marginal(data, state, scratch);
    let accepted = threshold < (k as f64).ln() - log_rate(state, scratch) + then - now;
    scratch.tally.note(Proposal::LinkedDeath, accepted);
    if accepted {
        state.bits.swap_remove(bit_ix);
        state.columns.swap_remove(bit_ix);
        then
    } else {
        scratch.moments = before;
        now
    }
}

/// ln[α Σ 1/h].
fn log_rate(state: &DdIbpState, scratch: &DdIbpScratch) -> f64 {
    let n_objects = scratch.proximity.n_objects();
    let rate = match planted(Fault::LinkedHarmonic) {
        true => (1..=n_objects).map(|n| 1.0 / n as f64).sum(),
        false => scratch.proximity.total_rate(),
    };
    (state.concentration * rate).ln()
}

fn log_marginal(data: &Observations, state: &DdIbpState, scratch: &mut DdIbpScratch) -> f64 {
    let n_objects = data.inputs.n_objects();
    scratch.moments.log_marginal(n_objects, scratch.square_norm, state.variances(), &mut scratch.work)
}
