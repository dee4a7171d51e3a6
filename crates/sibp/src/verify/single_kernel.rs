//! Tests kernels one at a time: a kernel that leaves the posterior invariant does not change the distribution of draws
//! from the joint of state and data. One kernel alone need not reach every state, so a chain of it would show nothing.

use crate::model::{Model, Observations, Threads};
use crate::rng::{Purpose, Streams};

/// Independent draws of state and data.
pub struct JointDraws<M: Model> {
    draws: Vec<(Observations, M::State)>,
}

impl<M: Model> JointDraws<M> {
    /// Draws states from the prior and data given them.
    pub fn new(model: &M, shape: &Observations, n_draws: usize, seed: u64) -> Self {
        let mut rng = Streams::new(seed, 2).rng(Purpose::Verify, 0, 0);
        let scratch = model.prepare(shape, Threads::ONE);
        let draw = |_| {
            let state = model.draw_prior(shape, &scratch, &mut rng);
            let mut data = shape.clone();
            model.simulate(&state, &mut data, &mut rng);
            (data, state)
        };
        Self { draws: (0..n_draws).map(draw).collect() }
    }

    /// Mean shift of each statistic by a sweep of `model`, in standard errors.
    ///
    /// Every draw is compared with itself after the sweep, so that only changes by the sweep count. A statistic that
    /// hardly ever changes has no reliable standard error, and counts as 0.
    pub fn shifts(
        &self,
        model: &M,
        seed: u64,
        n_statistics: usize,
        statistics: impl Fn(&Observations, &M::State) -> Vec<f64>,
    ) -> Vec<f64> {
        let streams = Streams::new(seed, 3);
        let mut sums = vec![Changes::default(); n_statistics];
        let Some((first, _)) = self.draws.first() else { return Vec::new() };
        let mut scratch = model.prepare(first, Threads::ONE);
        for (step, (data, state)) in (0u64..).zip(&self.draws) {
            let before = statistics(data, state);
            let mut state = state.clone();
            model.refresh(data, &mut scratch);
            model.sweep(data, &mut state, &mut scratch, &streams, step);
            for ((sum, after), before) in sums.iter_mut().zip(statistics(data, &state)).zip(before) {
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
