//! Tests kernels one at a time: a kernel that leaves the posterior invariant does not change the distribution of draws
//! from the joint of state and data. One kernel alone need not reach every state, so a chain of it would show nothing.

use super::{Subject, Verdict, largest_score};
use crate::model::{Model, Observations, Threads};
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
        let Subject { model, shape, .. } = &subject;
        let mut rng = Streams::new(seed, 2).rng(Purpose::Verify, 0, 0);
        let scratch = model.prepare(shape, Threads::ONE);
        let draw = |_| {
            let state = model.draw_prior(shape, &scratch, &mut rng);
            let mut data = shape.clone();
            model.simulate(&state, &mut data, &mut rng);
            (data, state)
        };
        Self { draws: (0..n_draws).map(draw).collect(), subject }
    }

    /// Every given kernel alone: how far it moves the means.
    pub fn kernels(&self, kernels: &[Kernel], seed: u64, progress: &dyn Fn(f64)) -> Verdict {
        let names = self.subject.names();
        let rows = kernels.iter().enumerate().flat_map(|(at, &kernel)| {
            let shifts = self.shifts(&Schedule { steps: vec![Step { kernel, times: REPEATS }] }, seed);
            progress((at + 1) as f64 / kernels.len() as f64);
            names.iter().zip(shifts).map(move |(name, shift)| (format!("{kernel:?}: {name}"), shift))
        });
        Verdict::with_limit(rows, largest_score(kernels.len() * names.len(), u64::MAX))
    }

    /// How far a sweep by `schedule` moves the mean of each statistic, in standard errors.
    ///
    /// Every draw is compared with itself after the sweep, so that only what the sweep changes counts. A statistic that
    /// hardly ever changes has no standard error to speak of, and counts as 0.
    pub fn shifts(&self, schedule: &Schedule, seed: u64) -> Vec<f64> {
        let (subject, model) = (&self.subject, &self.subject.model);
        let streams = Streams::new(seed, 3);
        let mut sums = vec![Changes::default(); subject.names().len()];
        let Some((first, _)) = self.draws.first() else { return Vec::new() };
        let mut scratch = model.prepare(first, Threads::ONE);
        for (step, (data, state)) in (0u64..).zip(&self.draws) {
            let before = subject.values(data, state);
            let mut state = state.clone();
            model.refresh(data, &mut scratch);
            model.sweep_by(schedule, (data, &mut state, &mut scratch), &streams, step);
            for ((sum, after), before) in sums.iter_mut().zip(subject.values(data, &state)).zip(before) {
                sum.add(after - before);
            }
        }
        sums.iter().map(|sum| sum.score(self.draws.len() as f64)).collect()
    }
}

/// Fewest changes from which a standard error is estimated.
const FEW: u64 = 50;

#[derive(Debug, Clone, Copy, Default)]
struct Changes {
    number: u64,
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
