//! Compares two ways to draw from the joint of state and data (Geweke 2004): prior then data, and a chain that
//! alternates sweeps and new data. They agree only if the sweep leaves the posterior invariant.

use super::batch_means::N_BATCHES;
use super::movement::rows_of_run;
use super::{BatchMeans, Looks, Subject, Verdict, largest_score};
use crate::model::{Model, Observations};
use crate::rng::{Purpose, Streams};
use rand_chacha::ChaCha8Rng;

/// Steps that make a batch of the sequential test; far more than the chain's memory.
const BATCH: u64 = 3000;

/// Both ways to draw from the joint, each to be lengthened as far as a test wants.
struct TwoWays<'a, M: Model> {
    subject: &'a Subject<M>,
    joint: Walk<M>,
    chain: Walk<M>,
}

/// The current position of one of the two ways.
struct Walk<M: Model> {
    data: Observations,
    state: M::State,
    scratch: M::Scratch,
    streams: Streams,
    rng: ChaCha8Rng,
    step: u64,
}

impl<'a, M: Model> TwoWays<'a, M> {
    fn new(subject: &'a Subject<M>, seed: u64) -> Self {
        let Subject { model, shape, .. } = subject;
        let scratch = subject.scratch();
        let [joint, chain] = [0, 1].map(|which| {
            let streams = Streams::new(seed, which);
            let mut rng = streams.rng(Purpose::Verify, 0, 0);
            let state = model.draw_prior(shape, &scratch, &mut rng);
            Walk { data: shape.clone(), state, scratch: scratch.clone(), streams, rng, step: 0 }
        });
        Self { subject, joint, chain }
    }

    fn add_joint(&mut self, n_draws: u64, means: &mut BatchMeans) {
        let Walk { data, state, scratch, rng, .. } = &mut self.joint;
        let model = &self.subject.model;
        for _ in 0..n_draws {
            *state = model.draw_prior(data, scratch, rng);
            model.simulate(state, data, rng);
            means.add(&self.subject.values(data, state));
        }
    }

    fn add_chain(&mut self, n_steps: u64, means: &mut BatchMeans) {
        let Walk { data, state, scratch, streams, rng, step } = &mut self.chain;
        let model = &self.subject.model;
        for _ in 0..n_steps {
            model.simulate(state, data, rng);
            model.refresh(data, scratch);
            model.sweep(data, state, scratch, streams, *step);
            means.add(&self.subject.values(data, state));
            *step += 1;
        }
    }
}

/// Runs the test with a chain of so many steps.
pub fn geweke<M: Model>(subject: &Subject<M>, n_steps: u64, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let mut ways = TwoWays::new(subject, seed);
    let names = subject.names();
    let lengths = [n_steps / subject.statistics.steps_a_draw / N_BATCHES, n_steps / N_BATCHES];
    let [mut joint, mut chain] = lengths.map(|length| BatchMeans::new(names.len(), length));
    for batch in 0..N_BATCHES {
        ways.add_joint(lengths[0], &mut joint);
        ways.add_chain(lengths[1], &mut chain);
        progress(batch as f64 / N_BATCHES as f64);
    }
    let score = |(at, &name): (usize, &&'static str)| (name, chain.score_against(&joint, at));
    let verdict = Verdict::with_limit(names.iter().enumerate().map(score), largest_score(names.len(), N_BATCHES));
    verdict.with(rows_of_run(subject, &ways.chain.scratch, seed))
}

/// The same test at lengths that double, its level shared by all looks.
pub fn sequential_geweke<M: Model>(subject: &Subject<M>, looks: Looks, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let mut ways = TwoWays::new(subject, seed);
    let names = subject.names();
    let lengths = [BATCH, BATCH / subject.statistics.steps_a_draw];
    let last = looks.n_batches(looks.n_looks - 1) as f64;
    let lengthen = |batch: u64, chain: &mut BatchMeans, joint: &mut BatchMeans| {
        ways.add_joint(lengths[1], joint);
        ways.add_chain(lengths[0], chain);
        progress(batch as f64 / last);
    };
    let verdict = looks.compare(names, lengthen, lengths.map(|length| BatchMeans::new(names.len(), length)).into());
    verdict.with(rows_of_run(subject, &ways.chain.scratch, seed))
}
