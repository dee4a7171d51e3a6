//! Adds and removes bits of the probit model by reversible-jump birth–death moves.
//!
//! Inactive bits are integrated out, so a birth adds an atom (z, g, t, w) with density α h(t) N(g) P(z|g,t) Gamma(w) /
//! (K+1) against a proposal q(z, g, t) and the prior of w. Each kind of proposal is a birth–death pair of its own: the
//! death evaluates the q that would propose the bit again.

use super::probit_proposals::{AtomProposal, Component, Guided, Plain};
use super::proposals::owners;
use crate::fault::{Fault, planted};
use crate::likelihood::preference::{PreferenceSums, Scoring};
use crate::likelihood::probit::{ColumnFit, log_intensity, log_likelihood};
use crate::state::{Observations, ProbitModel, ProbitScratch, ProbitState, Proposal};
use rand::{Rng, RngExt};

/// Makes `each` birth–death moves of every kind of proposal.
pub fn step<R: Rng>(
    model: &ProbitModel,
    data: &Observations,
    state: &mut ProbitState,
    scratch: &mut ProbitScratch,
    each: usize,
    rng: &mut R,
) {
    let scoring = state.code.scoring(&model.preference);
    let preference = scratch.preference.sums.log_likelihood(&scoring);
    let mut moves = Moves { model, data, state, scratch, scoring, preference };
    for _ in 0..each {
        moves.birth_or_death(&Plain, rng);
        if !data.triplets.is_empty() {
            let guided = Guided::new(data.inputs.n_objects(), rng);
            moves.birth_or_death(&guided, rng);
            moves.birth_or_death(&Component::new(rng), rng);
        }
    }
}

/// Whether a fault keeps this kind of proposal from ever being accepted.
fn never_accepted<P: AtomProposal>() -> bool {
    planted(Fault::GuidedNeverAccepted) && matches!(P::BIRTH, Proposal::GuidedBirth)
}

struct Moves<'a> {
    model: &'a ProbitModel,
    data: &'a Observations,
    state: &'a mut ProbitState,
    scratch: &'a mut ProbitScratch,
    scoring: Scoring,
    /// Log preference likelihood of the current state.
    preference: f64,
}

impl Moves<'_> {
    fn birth_or_death<P: AtomProposal, R: Rng>(&mut self, proposal: &P, rng: &mut R) {
        if rng.random::<bool>() {
            let accepted = self.birth(proposal, rng);
            self.scratch.tally.note(P::BIRTH, accepted);
        } else {
            let accepted = self.death(proposal, rng);
            self.scratch.tally.note(P::DEATH, accepted);
        }
    }

    /// Proposes a birth; returns whether it was accepted.
    fn birth<P: AtomProposal, R: Rng>(&mut self, proposal: &P, rng: &mut R) -> bool {
        let weight = self.model.preference.draw_weight(rng);
        let context = self.context(weight);
        let (fit, column, log_q) = proposal.propose(&context, rng);
        let threshold = rng.random::<f64>().ln();
        if owners(&column) == 0 || never_accepted::<P>() {
            return false;
        }
        let others = self.log_atom(self.state.atoms.len(), &fit, &column) - log_q;
        let Some(preference) = self.preference_after(others, threshold, (&column, weight)) else { return false };
        let accepted = threshold < others + preference - self.preference;
        if accepted {
            self.change_sums(weight);
            self.preference = preference;
            self.state.code.push(&column, weight);
            self.state.atoms.push(fit);
        }
        accepted
    }

    /// Proposes a death; returns whether it was accepted.
    fn death<P: AtomProposal, R: Rng>(&mut self, proposal: &P, rng: &mut R) -> bool {
        let k = self.state.atoms.len();
        if k == 0 || never_accepted::<P>() {
            return false;
        }
        let bit_ix = rng.random_range(0..k);
        let threshold = rng.random::<f64>().ln();
        let column = self.state.code.bits.column(bit_ix);
        let weight = self.state.code.weights[bit_ix];
        let log_atom = self.log_atom(k - 1, &self.state.atoms[bit_ix], &column);
        let bound = proposal.log_density_bound(&self.context(weight), &self.state.atoms[bit_ix], &column);
        let at_most = if planted(Fault::ForeignDeath) { f64::INFINITY } else { bound - log_atom };
        let Some(preference) = self.preference_after(at_most, threshold, (&column, -weight)) else { return false };
        if threshold >= at_most + preference - self.preference && !self.scratch.preference.thorough {
            return false;
        }
        let with_bit = planted(Fault::GuidedByItself)
            .then(|| proposal.log_density(&self.context(weight), &self.state.atoms[bit_ix], &column));
        self.change_sums(-weight);
        let (context, fit) = (self.context(weight), &self.state.atoms[bit_ix]);
        let foreign = planted(Fault::ForeignDeath).then(|| Plain.log_density(&context, fit, &column));
        let own = || if P::LOOKS_AT_SUMS { proposal.log_density(&context, fit, &column) } else { bound };
        let log_q = foreign.or(with_bit).unwrap_or_else(own);
        let accepted = threshold < log_q - log_atom + preference - self.preference;
        if accepted {
            self.preference = preference;
            self.state.swap_remove(bit_ix);
        } else {
            // Weights lie on a grid, so the sums are exactly what they were before.
            self.change_sums(weight);
        }
        accepted
    }

    /// The information that a proposal of a bit of this weight may use, with the current sums.
    fn context(&self, weight: f64) -> Context<'_> {
        Context {
            data: self.data,
            scratch: self.scratch,
            sums: &self.scratch.preference.sums,
            variance: self.state.coefficient_variance,
            weight,
            scoring: &self.scoring,
            guides: self.scratch.limits.guides,
        }
    }

    /// ln[α h(t) N(g) P(z|g,t) / (K+1)] of an atom added to K others.
    fn log_atom(&self, k: usize, fit: &ColumnFit, column: &[u8]) -> f64 {
        let mut heights = Vec::new();
        self.scratch.basis.heights(&fit.coefficients, &mut heights);
        let number = if planted(Fault::BirthsWithoutNumber) { 1 } else { k + 1 };
        self.state.concentration.ln() - (number as f64).ln()
            + log_intensity(fit.stick)
            + self.state.log_coefficients(fit)
            + log_likelihood(&heights, fit.stick, column)
    }

    /// Log preference likelihood after a bit with this column was added or removed, by the sign of its weight; `None`
    /// if the move is rejected whatever the triplets say, as the other terms are at most `at_most`.
    fn preference_after(&mut self, at_most: f64, threshold: f64, (column, change): (&[u8], f64)) -> Option<f64> {
        let best = self.scoring.log_best() * self.data.triplets.len() as f64;
        let best = if planted(Fault::BirthsHopelessTooSoon) { self.preference } else { best };
        if at_most + best - self.preference < threshold && !self.scratch.preference.thorough {
            return None;
        }
        let scratch = &mut self.scratch.preference;
        scratch.sides.fill(&self.data.triplets, column);
        Some(scratch.sides.log_likelihood(&scratch.sums, change, &self.scoring))
    }

    /// Applies the change of the last evaluated bit to all sums.
    fn change_sums(&mut self, change: f64) {
        let scratch = &mut self.scratch.preference;
        scratch.sides.add(&mut scratch.sums, change);
    }
}

/// The information that a proposal may use: everything but the bit in question.
pub struct Context<'a> {
    /// Observations.
    pub data: &'a Observations,
    /// Tables of the model.
    pub scratch: &'a ProbitScratch,
    /// A and B without the bit.
    pub sums: &'a PreferenceSums,
    /// σg².
    pub variance: f64,
    /// Weight of the bit.
    pub weight: f64,
    /// Constants of the preference probability.
    pub scoring: &'a Scoring,
    /// Largest number of triplets of each role that guide an object's bit.
    pub guides: usize,
}
