//! Tests kernels one at a time: a kernel that leaves the posterior invariant does not change the distribution of draws
//! from the joint of state and data. One kernel alone need not reach every state, so a chain of it would show nothing.

use super::movement::{movement_row, proposal_rows};
use super::verdict::Row;
use super::{Subject, Verdict, largest_score};
use crate::model::{Model, Observations, Tally};
use crate::rng::{Purpose, Streams};
use crate::schedule::{Kernel, Schedule, Step};

/// How often a kernel is applied to every draw from the joint. Odd: a faulty exchange done twice would go unseen.
const REPEATS: usize = 5;

/// Independent draws of state and data.
pub struct JointDraws<M: Model> {
    subject: Subject<M>,
    draws: Vec<(Observations, M::State)>,
}

impl<M: Model> JointDraws<M> {
    /// Draws states from the prior and data given them.
    pub fn new(subject: Subject<M>, n_draws: usize, seed: u64) -> Self {
        Self { draws: draw_jointly(&subject, n_draws, seed), subject }
    }

    /// Every given kernel alone: how far it moves the means, whether it moves anything, and whether all of its
    /// proposals are accepted now and then.
    pub fn kernels(&self, kernels: &[Kernel], seed: u64, progress: &dyn Fn(f64)) -> Verdict {
        let names = self.subject.names();
        let limit = largest_score(kernels.len() * names.len(), self.draws.len() as u64);
        let mut rows = Vec::new();
        for (at, &kernel) in kernels.iter().enumerate() {
            let schedule = Schedule { steps: vec![Step { kernel, times: REPEATS }] };
            let Passes { changes, tally } = passes(&self.subject, &self.draws, &schedule, seed);
            let scores = names.iter().zip(&changes).map(|(name, change)| Row {
                statistic: format!("{kernel:?}: {name}"),
                value: change.score(self.draws.len() as f64),
                limit,
            });
            rows.extend(scores);
            let most = changes.iter().map(|change| change.number).max().unwrap_or(0);
            rows.push(movement_row(kernel, most, (FEW, self.subject.is_idle(kernel))));
            rows.extend(proposal_rows(&tally, &self.subject.proposals(&schedule)));
            progress((at + 1) as f64 / kernels.len() as f64);
        }
        Verdict::new(rows)
    }

    /// How far a sweep by `schedule` moves the mean of each statistic, in standard errors.
    ///
    /// Every draw is compared with itself after the sweep, so that only what the sweep changes counts. A statistic that
    /// hardly ever changes has no standard error to speak of, and counts as 0.
    pub fn shifts(&self, schedule: &Schedule, seed: u64) -> Vec<f64> {
        let changes = passes(&self.subject, &self.draws, schedule, seed).changes;
        changes.iter().map(|change| change.score(self.draws.len() as f64)).collect()
    }
}

/// Draws states from the prior and data given them.
pub(super) fn draw_jointly<M: Model>(subject: &Subject<M>, n_draws: usize, seed: u64) -> Vec<(Observations, M::State)> {
    let Subject { model, shape, .. } = subject;
    let mut rng = Streams::new(seed, 2).rng(Purpose::Verify, 0, 0);
    let scratch = subject.scratch();
    let draw = |_| {
        let state = model.draw_prior(shape, &scratch, &mut rng);
        let mut data = shape.clone();
        model.simulate(&state, &mut data, &mut rng);
        (data, state)
    };
    (0..n_draws).map(draw).collect()
}

/// What one sweep of every draw changed, and what it proposed.
pub(super) struct Passes {
    /// Changes of each statistic.
    pub changes: Vec<Changes>,
    /// Proposals in all sweeps.
    pub tally: Tally,
}

/// Sweeps every draw once by `schedule`.
pub(super) fn passes<M: Model>(
    subject: &Subject<M>,
    draws: &[(Observations, M::State)],
    schedule: &Schedule,
    seed: u64,
) -> Passes {
    let model = &subject.model;
    let streams = Streams::new(seed, 3);
    let mut changes = vec![Changes::default(); subject.names().len()];
    let mut scratch = subject.scratch();
    for (step, (data, state)) in (0u64..).zip(draws) {
        let before = subject.values(data, state);
        let mut state = state.clone();
        model.refresh(data, &mut scratch);
        model.sweep_by(schedule, (data, &mut state, &mut scratch), &streams, step);
        for ((change, after), before) in changes.iter_mut().zip(subject.values(data, &state)).zip(before) {
            change.add(after - before);
        }
    }
    Passes { changes, tally: M::tally(&scratch) }
}

/// Fewest changes from which a standard error is estimated.
const FEW: u64 = 50;

/// Changes of one statistic.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Changes {
    /// Draws in which it changed.
    pub number: u64,
    sum: f64,
    squares: f64,
}

impl Changes {
    fn add(&mut self, change: f64) {
        self.number += u64::from(change != 0.0);
        self.sum += change;
        self.squares += change * change;
    }

    fn score(&self, n: f64) -> f64 {
        if self.number < FEW {
            return 0.0;
        }
        let mean = self.sum / n;
        mean / ((self.squares / n - mean * mean) / n).sqrt()
    }
}
