//! Compares two ways to draw from the joint of state and data (Geweke 2004): prior then data, and a chain that
//! alternates sweeps and new data. They agree only if the sweep leaves the posterior invariant.

use super::{BatchMeans, Looks, Verdict};
use crate::model::{Model, Observations, Threads};
use crate::rng::{Purpose, Streams};
use rand_chacha::ChaCha8Rng;

/// Lengths and seed of Geweke's test.
#[derive(Debug, Clone, Copy)]
pub struct GewekeSettings {
    /// Number of steps of the chain.
    pub n_steps: u64,
    /// Independent draws from prior and data.
    pub n_joint: u64,
    /// Batches for the standard errors, of chain and draws alike.
    pub n_batches: u64,
    /// Seed of all streams.
    pub seed: u64,
}

/// The result for one statistic.
#[derive(Debug, Clone)]
pub struct GewekeReport {
    /// Name of the statistic.
    pub name: &'static str,
    /// Mean over independent draws.
    pub joint: f64,
    /// Mean along the chain.
    pub chain: f64,
    /// Difference in standard errors.
    pub z: f64,
}

/// Both ways to draw from the joint, each of which can be lengthened as a test needs.
struct TwoWays<'a, M: Model, S> {
    model: &'a M,
    statistics: S,
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

impl<'a, M: Model, S: Fn(&Observations, &M::State) -> Vec<f64>> TwoWays<'a, M, S> {
    fn new(model: &'a M, shape: &Observations, seed: u64, statistics: S) -> Self {
        let scratch = model.prepare(shape, Threads::ONE);
        let [joint, chain] = [0, 1].map(|which| {
            let streams = Streams::new(seed, which);
            let mut rng = streams.rng(Purpose::Verify, 0, 0);
            let state = model.draw_prior(shape, &scratch, &mut rng);
            Walk { data: shape.clone(), state, scratch: scratch.clone(), streams, rng, step: 0 }
        });
        Self { model, statistics, joint, chain }
    }

    fn add_joint(&mut self, n_draws: u64, means: &mut BatchMeans) {
        let Walk { data, state, scratch, rng, .. } = &mut self.joint;
        for _ in 0..n_draws {
            *state = self.model.draw_prior(data, scratch, rng);
            self.model.simulate(state, data, rng);
            means.add(&(self.statistics)(data, state));
        }
    }

    fn add_chain(&mut self, n_steps: u64, means: &mut BatchMeans) {
        let Walk { data, state, scratch, streams, rng, step } = &mut self.chain;
        for _ in 0..n_steps {
            self.model.simulate(state, data, rng);
            self.model.refresh(data, scratch);
            self.model.sweep(data, state, scratch, streams, *step);
            means.add(&(self.statistics)(data, state));
            *step += 1;
        }
    }
}

/// Runs Geweke's test; `statistics` maps data and state to one number a name.
pub fn geweke<M: Model>(
    model: &M,
    shape: &Observations,
    settings: GewekeSettings,
    names: &[&'static str],
    statistics: impl Fn(&Observations, &M::State) -> Vec<f64>,
    progress: &dyn Fn(f64),
) -> Vec<GewekeReport> {
    let mut ways = TwoWays::new(model, shape, settings.seed, statistics);
    let lengths = [settings.n_joint / settings.n_batches, settings.n_steps / settings.n_batches];
    let [mut joint, mut chain] = lengths.map(|length| BatchMeans::new(names.len(), length));
    for batch in 0..settings.n_batches {
        ways.add_joint(lengths[0], &mut joint);
        ways.add_chain(lengths[1], &mut chain);
        progress(batch as f64 / settings.n_batches as f64);
    }
    let line = |(at, &name): (usize, &&'static str)| {
        let z = chain.score_against(&joint, at);
        GewekeReport { name, joint: joint.estimate(at).0, chain: chain.estimate(at).0, z }
    };
    names.iter().enumerate().map(line).collect()
}

/// Runs Geweke's test at lengths that double, with one significance level for all looks together. A batch is a given
/// number of draws from the joint, and of steps.
pub fn sequential_geweke<M: Model>(
    model: &M,
    (shape, seed): (&Observations, u64),
    (looks, [n_joint, n_steps]): (Looks, [u64; 2]),
    names: &[&'static str],
    statistics: impl Fn(&Observations, &M::State) -> Vec<f64>,
    progress: &dyn Fn(f64),
) -> Verdict {
    let mut ways = TwoWays::new(model, shape, seed, statistics);
    let last = looks.n_batches(looks.n_looks - 1) as f64;
    let lengthen = |batch: u64, chain: &mut BatchMeans, joint: &mut BatchMeans| {
        ways.add_joint(n_joint, joint);
        ways.add_chain(n_steps, chain);
        progress(batch as f64 / last);
    };
    looks.compare(names, lengthen, (BatchMeans::new(names.len(), n_steps), BatchMeans::new(names.len(), n_joint)))
}
