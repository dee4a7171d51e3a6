//! Moves whole columns of the linear Gaussian model: births and deaths, complements, flips of neighbourhoods.
//!
//! Rows alone stick: single-object births are hopeless for many objects, features that nearly all own linger, and a
//! shape found as its negative stays so. Each move here is one Metropolis step on the collapsed density.

use super::proposals::{AroundNeighbourhood, BiasedCoins, ColumnProposal, owners};
use crate::likelihood::preference::Scoring;
use crate::model::{GaussianModel, GaussianScratch, GaussianState, Observations};
use rand::{Rng, RngExt};

/// Births or deaths of columns of [`BiasedCoins`], and complements of columns.
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

/// Births or deaths of columns [`AroundNeighbourhood`]s, and flips of a neighbourhood in one column.
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
    let neighbourhoods = std::mem::take(&mut scratch.neighbourhoods);
    let mut moves = ColumnMoves::new(model, data, state, scratch);
    for _ in 0..births {
        moves.birth_or_death(&AroundNeighbourhood { neighbourhoods: &neighbourhoods }, rng);
    }
    for _ in 0..flips {
        let members = &neighbourhoods[rng.random_range(0..neighbourhoods.len())];
        moves.flip(members, rng);
    }
    scratch.neighbourhoods = neighbourhoods;
}

struct ColumnMoves<'a> {
    model: &'a GaussianModel,
    data: &'a Observations,
    state: &'a mut GaussianState,
    scratch: &'a mut GaussianScratch,
    scoring: Scoring,
    /// Log likelihoods of the present state.
    gaussian: f64,
    preference: f64,
}

impl<'a> ColumnMoves<'a> {
    fn new(
        model: &'a GaussianModel,
        data: &'a Observations,
        state: &'a mut GaussianState,
        scratch: &'a mut GaussianScratch,
    ) -> Self {
        scratch.moments.rebuild(&data.features, &state.code.features);
        let scoring = state.code.scoring(&model.preference);
        let preference = scratch.preference.sums.log_likelihood(&scoring);
        let mut moves = Self { model, data, state, scratch, scoring, gaussian: 0.0, preference };
        moves.gaussian = moves.log_marginal();
        moves
    }

    /// Either with equal probability; a column is born by the proposal that would have to bring a dying one back.
    fn birth_or_death<P: ColumnProposal, R: Rng>(&mut self, proposal: &P, rng: &mut R) {
        if rng.random::<bool>() {
            self.birth(proposal, rng);
        } else {
            self.death(proposal, rng);
        }
    }

    fn birth<P: ColumnProposal, R: Rng>(&mut self, proposal: &P, rng: &mut R) {
        let n_objects = self.data.features.n_objects();
        let column = proposal.propose(n_objects, rng);
        let weight = self.model.preference.draw_weight(rng);
        let threshold = rng.random::<f64>().ln();
        if owners(&column) == 0 {
            return;
        }
        let k = self.state.code.features.n_features();
        let prior = self.log_birth(k, &column) - proposal.log_probability(&column);
        let nobody = vec![0; n_objects];
        self.scratch.moments.push_empty();
        self.change_moments(k, &nobody, &column);
        if self.decide(prior, threshold, &nobody, &column, weight) {
            self.state.code.push(&column, weight);
        } else {
            self.scratch.moments.swap_remove(k);
        }
    }

    fn death<P: ColumnProposal, R: Rng>(&mut self, proposal: &P, rng: &mut R) {
        let k = self.state.code.features.n_features();
        if k == 0 {
            return;
        }
        let feature_ix = rng.random_range(0..k);
        let threshold = rng.random::<f64>().ln();
        let column = self.state.code.features.column(feature_ix);
        let prior = proposal.log_probability(&column) - self.log_birth(k - 1, &column);
        let before = self.scratch.moments.clone();
        self.scratch.moments.swap_remove(feature_ix);
        let weight = self.state.code.weights[feature_ix];
        if self.decide(prior, threshold, &column, &vec![0; column.len()], weight) {
            self.state.code.swap_remove(feature_ix);
        } else {
            self.scratch.moments = before;
        }
    }

    /// ln[α π(m) / (K+1)] for a column that joins K others.
    fn log_birth(&self, k: usize, column: &[u8]) -> f64 {
        self.state.concentration.ln() + self.scratch.ibp.log_column(owners(column)) - ((k + 1) as f64).ln()
    }

    /// Flips one column for all members; the same proposal leads back, so only densities count.
    fn flip<R: Rng>(&mut self, members: &[u32], rng: &mut R) {
        let k = self.state.code.features.n_features();
        if k == 0 {
            return;
        }
        let feature_ix = rng.random_range(0..k);
        let threshold = rng.random::<f64>().ln();
        let old = self.state.code.features.column(feature_ix);
        let mut new = old.clone();
        for &member in members {
            new[member as usize] ^= 1;
        }
        if owners(&new) == 0 {
            return;
        }
        let ibp = &self.scratch.ibp;
        let prior = ibp.log_column(owners(&new)) - ibp.log_column(owners(&old));
        self.change_moments(feature_ix, &old, &new);
        if self.decide(prior, threshold, &old, &new, self.state.code.weights[feature_ix]) {
            for &member in members {
                self.state.code.features.flip(member as usize, feature_ix);
            }
        } else {
            self.change_moments(feature_ix, &new, &old);
        }
    }

    /// Exchanges owners and non-owners of one feature, which no triplet notices.
    fn complement<R: Rng>(&mut self, rng: &mut R) {
        let k = self.state.code.features.n_features();
        if k == 0 {
            return;
        }
        let feature_ix = rng.random_range(0..k);
        let threshold = rng.random::<f64>().ln();
        let n_objects = self.data.features.n_objects();
        let n_owners = self.state.code.features.counts()[feature_ix] as usize;
        if n_owners == n_objects {
            return;
        }
        let ibp = &self.scratch.ibp;
        let prior = ibp.log_column(n_objects - n_owners) - ibp.log_column(n_owners);
        self.scratch.moments.complement(feature_ix, n_objects, &self.scratch.column_sums);
        let gaussian = self.log_marginal();
        if threshold < prior + gaussian - self.gaussian {
            self.state.code.features.complement(feature_ix);
            self.gaussian = gaussian;
        } else {
            self.scratch.moments.complement(feature_ix, n_objects, &self.scratch.column_sums);
        }
    }

    /// Scores the changed moments and the column `old -> new`; on acceptance brings sums and likelihoods up to date.
    fn decide(&mut self, prior: f64, threshold: f64, old: &[u8], new: &[u8], weight: f64) -> bool {
        let gaussian = self.log_marginal();
        let others = prior + gaussian - self.gaussian - self.preference;
        // The preference likelihood has a largest value, so a hopeless trial need not be scored.
        if others + self.scoring.log_best() * (self.data.triplets.len() as f64) < threshold {
            return false;
        }
        let scratch = &mut self.scratch.preference;
        let trial = &mut scratch.column;
        let preference = trial.log_likelihood(&self.data.triplets, &scratch.sums, (old, new), weight, &self.scoring);
        if threshold >= others + preference {
            return false;
        }
        trial.accept(&mut scratch.sums);
        (self.gaussian, self.preference) = (gaussian, preference);
        true
    }

    fn log_marginal(&mut self) -> f64 {
        let scratch = &mut *self.scratch;
        let n_objects = self.data.features.n_objects();
        scratch.moments.log_marginal(n_objects, scratch.square_norm, self.state.variances(), &mut scratch.work)
    }

    /// Carries the difference of two columns over to ZᵀZ and ZᵀX; the state still holds all other features' bits.
    fn change_moments(&mut self, feature_ix: usize, old: &[u8], new: &[u8]) {
        for (object_ix, (&old, &new)) in old.iter().zip(new).enumerate() {
            if old != new {
                let sign = if new == 1 { 1.0 } else { -1.0 };
                let owned = self.state.code.features.ones(object_ix);
                self.scratch.moments.change_bit(feature_ix, sign, self.data.features.row(object_ix), owned);
            }
        }
    }
}
