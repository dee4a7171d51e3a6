//! Compares two ways to draw from the joint of state and data (Geweke 2004): prior then data, and a chain that
//! alternates sweeps and new data. They agree only if the sweep leaves the posterior invariant.

use super::BatchMeans;
use crate::model::{Model, Observations};
use crate::rng::{Purpose, Streams};

/// Lengths and seed of the test.
#[derive(Debug, Clone, Copy)]
pub struct GewekeSettings {
    /// Steps of the chain.
    pub n_steps: u64,
    /// Independent draws from prior and data.
    pub n_joint: u64,
    /// Batches for the standard errors, of chain and draws alike.
    pub n_batches: u64,
    /// Seed of all streams.
    pub seed: u64,
}

/// One line of the verdict.
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

/// Runs the test; `statistics` maps data and state to one number a name.
pub fn geweke<M: Model>(
    model: &M,
    shape: &Observations,
    settings: GewekeSettings,
    names: &[&'static str],
    statistics: impl Fn(&Observations, &M::State) -> Vec<f64>,
    progress: &dyn Fn(f64),
) -> Vec<GewekeReport> {
    let all = (settings.n_joint + settings.n_steps) as f64;
    let mut rng = Streams::new(settings.seed, 0).rng(Purpose::Verify, 0, 0);
    let mut data = shape.clone();
    let mut scratch = model.prepare(&data);
    let mut joint = BatchMeans::new(names.len(), settings.n_joint / settings.n_batches);
    for draw in 0..settings.n_joint {
        let state = model.draw_prior(&data, &scratch, &mut rng);
        model.simulate(&state, &mut data, &mut rng);
        joint.add(&statistics(&data, &state));
        progress(draw as f64 / all);
    }
    let streams = Streams::new(settings.seed, 1);
    let mut rng = streams.rng(Purpose::Verify, 0, 0);
    let mut chain = BatchMeans::new(names.len(), settings.n_steps / settings.n_batches);
    let mut state = model.draw_prior(&data, &scratch, &mut rng);
    for step in 0..settings.n_steps {
        model.simulate(&state, &mut data, &mut rng);
        model.refresh(&data, &mut scratch);
        model.sweep(&data, &mut state, &mut scratch, &streams, step);
        chain.add(&statistics(&data, &state));
        progress((settings.n_joint + step) as f64 / all);
    }
    let line = |(at, &name): (usize, &&'static str)| {
        let z = chain.score_against(&joint, at);
        GewekeReport { name, joint: joint.estimate(at).0, chain: chain.estimate(at).0, z }
    };
    names.iter().enumerate().map(line).collect()
}
