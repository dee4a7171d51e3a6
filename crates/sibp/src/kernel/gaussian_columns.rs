//! Updates whole columns of the linear Gaussian model: birth–death moves, complements, flips of neighbourhoods.
//!
//! Updates of single rows mix badly: with many objects, births by one object are almost never accepted, bits that
//! nearly all objects own persist, and a bit found as its complement stays so. Each move here is one
//! Metropolis–Hastings step on the collapsed density.

use super::proposals::{AroundNeighbourhood, BiasedCoins, ColumnProposal, owners};
use crate::bits::BitMatrix;
use crate::fault::{Fault, planted};
use crate::likelihood::preference::Scoring;
use crate::state::{GaussianModel, GaussianScratch, GaussianState, Observations, Proposal};
use rand::{Rng, RngExt};
use std::sync::Arc;

/// Birth–death moves of columns proposed by [`BiasedCoins`], and complements of columns.
pub fn step<R: Rng>(
    model: &GaussianModel,
    data: &Observations,
    state: &mut GaussianState,
    scratch: &mut GaussianScratch,
    (births, complements): (usize, usize),
    rng: &mut R,
) {
    let mut moves = ColumnMoves::new(model, data, state, scratch);
    for _ in 0..births {
        moves.birth_or_death(&BiasedCoins, rng);
    }
    for _ in 0..complements {
        moves.complement(rng);
    }
}

/// Birth–death moves of columns [`AroundNeighbourhood`]s, and flips of a neighbourhood in one column.
pub fn neighbourhood_step<R: Rng>(
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
    let neighbourhoods = Arc::clone(&scratch.neighbourhoods);
    let mut moves = ColumnMoves::new(model, data, state, scratch);
    let proposal = AroundNeighbourhood::new(&neighbourhoods);
    for _ in 0..births {
        moves.birth_or_death(&proposal, rng);
    }
    for _ in 0..flips {
        let members = &neighbourhoods[rng.random_range(0..neighbourhoods.len())];
        moves.flip(members, rng);
    }
}

struct ColumnMoves<'a> {
    model: &'a GaussianModel,
    data: &'a Observations,
    state: &'a mut GaussianState,
    scratch: &'a mut GaussianScratch,
    scoring: Scoring,
    /// Log likelihoods of the current state.
    gaussian: f64,
    preference: f64,
    /// An upper bound on the preference part after any one bit is removed, if it was computed.
    without_one: Option<f64>,
}

impl<'a> ColumnMoves<'a> {
    fn new(
        model: &'a GaussianModel,
        data: &'a Observations,
        state: &'a mut GaussianState,
        scratch: &'a mut GaussianScratch,
    ) -> Self {
        let scoring = state.code.scoring(&model.preference);
        let preference = scratch.preference.sums.log_likelihood(&scoring);
        let mut moves = Self { model, data, state, scratch, scoring, gaussian: 0.0, preference, without_one: None };
        moves.gaussian = moves.log_marginal();
        moves
    }

    /// Proposes a birth or a death, each with probability one half; both use the same column proposal, as
    /// reversibility needs.
    fn birth_or_death<P: ColumnProposal, R: Rng>(&mut self, proposal: &P, rng: &mut R) {
        if rng.random::<bool>() {
            self.birth(proposal, rng);
        } else {
            self.death(proposal, rng);
        }
    }

    fn birth<P: ColumnProposal, R: Rng>(&mut self, proposal: &P, rng: &mut R) {
        let n_objects = self.data.inputs.n_objects();
        let (column, at_least) = proposal.propose(n_objects, rng);
        let weight = self.model.preference.draw_weight(rng);
        let threshold = rng.random::<f64>().ln();
        let n_owners = owners(&column);
        if n_owners == 0 {
            return;
        }
        let k = self.state.code.bits.n_bits();
        let owners: Vec<u32> = (0..).zip(&column).filter(|(_, bit)| **bit == 1).map(|(object, _)| object).collect();
        self.scratch.moments.push_column(&self.data.inputs, &self.state.code.bits, &owners);
        let gaussian = self.log_marginal();
        let birth = self.log_birth(k, n_owners);
        let prior = (birth - at_least, || birth - proposal.log_probability(&column));
        let change = (&owners[..], |_: &BitMatrix, object: u32| column[object as usize] << 1, weight);
        let accepted = self.accepts(prior, gaussian, threshold, change);
        self.scratch.tally.note(P::BIRTH, accepted);
        if accepted {
            self.state.code.push(&column, weight);
        } else {
            self.scratch.moments.swap_remove(k);
        }
    }

    fn death<P: ColumnProposal, R: Rng>(&mut self, proposal: &P, rng: &mut R) {
        let k = self.state.code.bits.n_bits();
        if k == 0 {
            return;
        }
        let n_objects = self.data.inputs.n_objects();
        let bit_ix = rng.random_range(0..k);
        let threshold = rng.random::<f64>().ln();
        let n_owners = self.state.code.bits.counts()[bit_ix] as usize;
        let birth = self.log_birth(k - 1, n_owners);
        let before = self.scratch.moments.clone();
        self.scratch.moments.swap_remove(bit_ix);
        let gaussian = self.log_marginal();
        let at_most = proposal.log_probability_bound(n_objects, n_owners) - birth;
        let best = at_most + gaussian - self.gaussian + self.best_without_one() - self.preference;
        let accepted = (best >= threshold || self.scratch.preference.thorough) && {
            let column = self.state.code.bits.column(bit_ix);
            let owners: Vec<u32> = (0..).zip(&column).filter(|(_, bit)| **bit == 1).map(|(object, _)| object).collect();
            let prior = (at_most, || proposal.log_probability(&column) - birth);
            let change =
                (&owners[..], |_: &BitMatrix, object: u32| column[object as usize], self.state.code.weights[bit_ix]);
            self.accepts(prior, gaussian, threshold, change)
        };
        self.scratch.tally.note(P::DEATH, accepted);
        if accepted {
            self.state.code.swap_remove(bit_ix);
        } else {
            self.scratch.moments = before;
        }
    }

    /// ln[α π(m) / (K+1)] for a column that joins K others.
    fn log_birth(&self, k: usize, n_owners: usize) -> f64 {
        self.state.concentration.ln() + self.scratch.ibp.log_column(n_owners) - ((k + 1) as f64).ln()
    }

    /// Flips one column for all members, in ascending order; the proposal is symmetric, so only densities count.
    fn flip<R: Rng>(&mut self, members: &[u32], rng: &mut R) {
        let k = self.state.code.bits.n_bits();
        if k == 0 {
            return;
        }
        let bit_ix = rng.random_range(0..k);
        let threshold = rng.random::<f64>().ln();
        let bits = &self.state.code.bits;
        let n_owners = bits.counts()[bit_ix] as usize;
        let n_leaving = members.iter().filter(|&&member| bits.get(member as usize, bit_ix)).count();
        let n_after = n_owners - n_leaving + (members.len() - n_leaving);
        if n_after == 0 {
            return;
        }
        let prior = match planted(Fault::FlipWithoutPrior) {
            true => 0.0,
            false => self.scratch.ibp.log_column(n_after) - self.scratch.ibp.log_column(n_owners),
        };
        self.flip_moments(bit_ix, members, 1.0);
        let gaussian = self.log_marginal();
        let state = |bits: &BitMatrix, object: u32| {
            let owned = bits.get(object as usize, bit_ix);
            u8::from(owned) | u8::from(owned != members.binary_search(&object).is_ok()) << 1
        };
        let change = (members, state, self.state.code.weights[bit_ix]);
        let accepted = self.accepts((prior, || prior), gaussian, threshold, change);
        self.scratch.tally.note(Proposal::NeighbourhoodFlip, accepted);
        if accepted {
            for &member in members {
                self.state.code.bits.flip(member as usize, bit_ix);
            }
        } else {
            self.flip_moments(bit_ix, members, -1.0);
        }
    }

    /// Exchanges owners and non-owners of one bit, which leaves the likelihood of the triplets unchanged.
    fn complement<R: Rng>(&mut self, rng: &mut R) {
        let k = self.state.code.bits.n_bits();
        if k == 0 {
            return;
        }
        let bit_ix = rng.random_range(0..k);
        let threshold = rng.random::<f64>().ln();
        let n_objects = self.data.inputs.n_objects();
        let n_owners = self.state.code.bits.counts()[bit_ix] as usize;
        if n_owners == n_objects {
            return;
        }
        let ibp = &self.scratch.ibp;
        let prior = ibp.log_column(n_objects - n_owners) - ibp.log_column(n_owners);
        self.scratch.moments.complement(bit_ix, n_objects, &self.scratch.column_sums);
        let gaussian = self.log_marginal();
        let accepted = threshold < prior + gaussian - self.gaussian;
        self.scratch.tally.note(Proposal::Complement, accepted);
        if accepted {
            self.state.code.bits.complement(bit_ix);
            self.gaussian = gaussian;
        } else {
            self.scratch.moments.complement(bit_ix, n_objects, &self.scratch.column_sums);
        }
    }

    /// An upper bound on the preference part when any one bit is removed.
    fn best_without_one(&mut self) -> f64 {
        let sums = &self.scratch.preference.sums;
        let heaviest = self.state.code.weights.iter().copied().fold(0.0, f64::max);
        let bound = || sums.log_likelihood_without(heaviest, &self.scoring).unwrap_or(f64::INFINITY);
        *self.without_one.get_or_insert_with(bound)
    }

    /// Whether a change with these log ratios is rejected whatever its likelihood ratio of the triplets.
    fn is_hopeless(&self, prior: f64, gaussian: f64, threshold: f64) -> bool {
        let best = self.scoring.log_best() * (self.data.triplets.len() as f64);
        let best = if planted(Fault::HopelessTooSoon) { self.preference } else { best };
        prior + gaussian - self.gaussian + best - self.preference < threshold && !self.scratch.preference.thorough
    }

    /// Accepts or rejects a change of these objects' bits in a column of this weight, given the new log likelihood of
    /// the data and the log ratio of priors: by an upper bound first, and exactly if that does not decide. On
    /// acceptance the sums and likelihoods are updated.
    fn accepts(
        &mut self,
        (at_most, prior): (f64, impl FnOnce() -> f64),
        gaussian: f64,
        threshold: f64,
        (changed, state, weight): (&[u32], impl Fn(&BitMatrix, u32) -> u8, f64),
    ) -> bool {
        if self.is_hopeless(at_most, gaussian, threshold) {
            return false;
        }
        let (bits, scratch) = (&self.state.code.bits, &mut self.scratch.preference);
        let changed = (changed, |object: u32| state(bits, object));
        let (trial, now) = (&mut scratch.column, (&scratch.sums, self.preference));
        let preference = trial.log_likelihood(&self.data.triplets, now, changed, weight, &self.scoring);
        let others = gaussian - self.gaussian + preference - self.preference;
        if threshold >= at_most + others && !scratch.thorough || threshold >= prior() + others {
            return false;
        }
        trial.accept(&mut scratch.sums);
        (self.gaussian, self.preference, self.without_one) = (gaussian, preference, None);
        true
    }

    fn log_marginal(&mut self) -> f64 {
        let scratch = &mut *self.scratch;
        let n_objects = self.data.inputs.n_objects();
        scratch.moments.log_marginal(n_objects, scratch.square_norm, self.state.variances(), &mut scratch.work)
    }

    /// Applies a flip of the members' bits to ZᵀZ and ZᵀX (`sign` 1) or undoes it (-1); the state has the old bits.
    fn flip_moments(&mut self, bit_ix: usize, members: &[u32], sign: f64) {
        for object_ix in members.iter().map(|&member| member as usize) {
            let bits = &self.state.code.bits;
            let sign = if bits.get(object_ix, bit_ix) { -sign } else { sign };
            let inputs = self.data.inputs.row(object_ix);
            self.scratch.moments.change_bit(bit_ix, sign, &inputs, bits.ones(object_ix));
        }
    }
}
