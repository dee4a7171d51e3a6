//! Updates every object with the inactive bits above a slice represented (Teh, Görür & Ghahramani 2007), extended to
//! the dependent model by thinning.

use super::probit_rows::accepted;
use crate::fault::{Fault, planted};
use crate::likelihood::probit::{ColumnFit, Heights, log_likelihood};
use crate::numerics::normal::{log_cdf, quantile_of_log};
use crate::prior::ibp::draw_poisson;
use crate::state::{Observations, ProbitModel, ProbitScratch, ProbitState, Proposal, draw_coefficients};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

/// Draws slice and inactive atoms, updates all bits, and discards both. Nothing else may change while they are
/// represented.
pub fn step<R: Rng>(
    model: &ProbitModel,
    data: &Observations,
    state: &mut ProbitState,
    scratch: &mut ProbitScratch,
    rng: &mut R,
) {
    let lowest = lowest_log_stick(state, None);
    let log_slice = lowest + (1.0 - rng.random::<f64>()).ln();
    let n_before = state.atoms.len();
    push_inactive(model, state, scratch, -log_slice, rng);
    if planted(Fault::HyperWhileSliced) {
        super::probit_hyper::concentration(model, state, &scratch.rate, rng);
    }
    visit_all(model, data, state, scratch, rng);
    for bit_ix in (0..state.atoms.len()).rev() {
        let inactive = state.code.bits.counts()[bit_ix] == 0;
        let (kind, accepted) =
            if bit_ix < n_before { (Proposal::SliceDeath, inactive) } else { (Proposal::SliceBirth, !inactive) };
        scratch.tally.note(kind, accepted);
        if inactive {
            state.swap_remove(bit_ix);
        }
    }
}

/// Gibbs updates of all bits, one object after another, bits in a fresh random order for each. Objects are never
/// updated in parallel: each may activate a bit that nobody owns.
fn visit_all<R: Rng>(
    model: &ProbitModel,
    data: &Observations,
    state: &mut ProbitState,
    scratch: &mut ProbitScratch,
    rng: &mut R,
) {
    let scoring = state.code.scoring(&model.preference);
    let odds = Heights::new(&scratch.basis, &state.atoms, scratch.threads).log_odds(&state.atoms, scratch.threads);
    let preference = &mut scratch.preference;
    let mut order: Vec<usize> = (0..state.atoms.len()).collect();
    for object_ix in 0..data.inputs.n_objects() {
        let (rows, sums) = (state.code.bits.cells(), preference.sums.cells());
        preference.row.gather(object_ix, &data.triplets, rows, sums, &scoring);
        order.shuffle(rng);
        for &bit_ix in &order {
            let owned = state.code.bits.get(object_ix, bit_ix);
            let log_odds = odds.row(object_ix)[bit_ix] + log_slice_ratio(state, bit_ix, owned);
            let trial = preference.row.trial(bit_ix, !owned, state.code.weights[bit_ix], &scoring);
            let flips = accepted(if owned { -log_odds } else { log_odds } + trial.log_ratio, rng);
            scratch.tally.note(Proposal::Flip, flips);
            if flips {
                state.code.bits.flip(object_ix, bit_ix);
                preference.row.accept(trial, &scoring);
            }
        }
        preference.row.scatter(object_ix, &data.triplets, preference.sums.cells());
    }
}

/// Log ratio of the slice's density with an object's bit on and off. A flip that activates or deactivates the bit
/// moves the lowest active stick, on which the slice rests.
fn log_slice_ratio(state: &ProbitState, bit_ix: usize, owned: bool) -> f64 {
    if state.code.bits.counts()[bit_ix] > u32::from(owned) || planted(Fault::SliceWithoutStick) {
        return 0.0;
    }
    let without = lowest_log_stick(state, Some(bit_ix));
    without - without.min(log_cdf(state.atoms[bit_ix].stick))
}

/// ln b of the lowest active stick, 0 when there is none.
fn lowest_log_stick(state: &ProbitState, except: Option<usize>) -> f64 {
    let counts = state.code.bits.counts();
    let active = (0..state.atoms.len()).filter(|&f| counts[f] > 0 && Some(f) != except);
    active.map(|f| log_cdf(state.atoms[f].stick)).fold(0.0, f64::min)
}

/// Appends the inactive atoms with -ln b below `depth`: Poisson many from the prior, each kept with the probability
/// that no object owns it.
fn push_inactive<R: Rng>(
    model: &ProbitModel,
    state: &mut ProbitState,
    scratch: &ProbitScratch,
    depth: f64,
    rng: &mut R,
) {
    let nobody = vec![0; scratch.basis.n_objects()];
    let mut heights = Vec::new();
    for _ in 0..draw_poisson(state.concentration * depth, rng) {
        let stick = quantile_of_log(-depth * (1.0 - rng.random::<f64>()));
        let coefficients = draw_coefficients(scratch.basis.rank(), state.coefficient_variance, rng);
        scratch.basis.heights(&coefficients, &mut heights);
        let log_nobody = if planted(Fault::UnthinnedAtoms) { 0.0 } else { log_likelihood(&heights, stick, &nobody) };
        if rng.random::<f64>().ln() < log_nobody {
            state.code.push(&nobody, model.preference.draw_weight(rng));
            state.atoms.push(ColumnFit { coefficients, stick });
        }
    }
}
