//! Visits every object with the inactive features above a slice represented (Teh, Görür & Ghahramani 2007), carried
//! over to the dependent model by thinning.

use super::probit_rows::{log_odds, visit};
use crate::fault::{Fault, planted};
use crate::likelihood::probit::{ColumnFit, log_likelihood};
use crate::model::{Observations, ProbitModel, ProbitScratch, ProbitState, draw_coefficients};
use crate::numerics::normal::{log_cdf, quantile_of_log};
use crate::prior::ibp::draw_poisson;
use rand::{Rng, RngExt};

/// Draws slice and inactive atoms, updates all bits, and forgets both. Nothing else may change while they are kept.
pub fn step<R: Rng>(
    model: &ProbitModel,
    data: &Observations,
    state: &mut ProbitState,
    scratch: &mut ProbitScratch,
    rng: &mut R,
) {
    let lowest = lowest_log_stick(state, None);
    let log_slice = lowest + (1.0 - rng.random::<f64>()).ln();
    push_inactive(model, state, scratch, -log_slice, rng);
    if planted(Fault::HyperWhileSliced) {
        super::probit_hyper::concentration(model, state, &scratch.rate, rng);
    }
    let odds = log_odds(&scratch.basis, &state.atoms);
    // A bit that decides whether its feature is active moves the lowest active stick, on which the slice rests.
    visit(model, data, state, scratch, &odds, rng, |state, feature_ix, _| {
        let without = lowest_log_stick(state, Some(feature_ix));
        let with = without.min(log_cdf(state.atoms[feature_ix].stick));
        Some(if planted(Fault::SliceWithoutStick) { 0.0 } else { without - with })
    });
    for feature_ix in (0..state.atoms.len()).rev() {
        if state.code.features.counts()[feature_ix] == 0 {
            state.swap_remove(feature_ix);
        }
    }
}

/// ln b of the lowest active stick, 0 when there is none.
fn lowest_log_stick(state: &ProbitState, except: Option<usize>) -> f64 {
    let counts = state.code.features.counts();
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
