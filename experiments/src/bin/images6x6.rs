//! Finds the four hidden shapes of data/images6x6 in ten chains of the plain IBP, and times a sweep.

use anyhow::Result;
use clap::Parser;
use sibp::data::{Features, ReadOptions, read_table};
use sibp::model::{GaussianModel, GaussianScratch, GaussianState, Model, Observations, Preset};
use sibp::rng::{Purpose, Streams};
use sibp::triplets::TripletSet;
use std::path::PathBuf;
use std::time::Instant;

/// Plain IBP on 6x6 images with four hidden shapes, N = 100 and N = 1000, default start.
#[derive(Parser)]
struct Options {
    /// Folder with x100.npy, x1000.npy and features_true.npy.
    #[arg(long, default_value = "data/images6x6")]
    data: PathBuf,
    /// Sweeps of each chain; the second half is timed.
    #[arg(long, default_value_t = 1000)]
    sweeps: u64,
    /// Chains, with seeds 0, 1, ...
    #[arg(long, default_value_t = 10)]
    chains: u64,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let read = |name: &str| read_table(&options.data.join(name), &ReadOptions::default());
    let truth = read("features_true.npy")?.features;
    for n in [100, 1000] {
        let features = read(&format!("x{n}.npy"))?.features;
        let data = Observations::new(features, TripletSet::empty(n));
        let outcomes: Vec<Outcome> = (0..options.chains).map(|seed| run(&data, &truth, seed, options.sweeps)).collect();
        let complete = outcomes.iter().filter(|o| o.found == truth.n_objects()).count();
        let latest = outcomes.iter().map(|o| o.first.map_or("never".into(), |s| s.to_string())).collect::<Vec<_>>();
        let bits: Vec<usize> = outcomes.iter().map(|o| o.n_bits).collect();
        let fastest = outcomes.iter().map(|o| o.seconds).fold(f64::INFINITY, f64::min);
        let mean = outcomes.iter().map(|o| o.seconds).sum::<f64>() / outcomes.len() as f64;
        println!("N={n}: all {} shapes in {complete} of {} chains", truth.n_objects(), outcomes.len());
        println!("  first complete at sweep {}; bits at the end {bits:?}", latest.join(" "));
        println!("  {:.6} s a sweep (best chain {fastest:.6})", mean);
    }
    Ok(())
}

struct Outcome {
    found: usize,
    /// First sweep (looked at every tenth) with all shapes present.
    first: Option<u64>,
    n_bits: usize,
    seconds: f64,
}

fn run(data: &Observations, truth: &Features, seed: u64, sweeps: u64) -> Outcome {
    let model = GaussianModel::preset(Preset::Paper, &data.features, false);
    let streams = Streams::new(seed, 0);
    let mut scratch = model.prepare(data, Threads::ONE);
    let mut state = model.start(data, &scratch, &mut streams.rng(Purpose::Start, 0, 0));
    let mut first = None;
    let half = sweeps / 2;
    for sweep in 0..half {
        model.sweep(data, &mut state, &mut scratch, &streams, sweep);
        if first.is_none() && sweep % 10 == 0 && found(&model, data, &state, &scratch, truth) == truth.n_objects() {
            first = Some(sweep);
        }
    }
    let start = Instant::now();
    for sweep in half..sweeps {
        model.sweep(data, &mut state, &mut scratch, &streams, sweep);
    }
    let seconds = start.elapsed().as_secs_f64() / (sweeps - half) as f64;
    let n_bits = state.code.features.n_features();
    Outcome { found: found(&model, data, &state, &scratch, truth), first, n_bits, seconds }
}

/// How many true shapes some feature, owned by more than 2 % of the objects, shows within RMSE 0.2.
fn found(
    model: &GaussianModel,
    data: &Observations,
    state: &GaussianState,
    scratch: &GaussianScratch,
    truth: &Features,
) -> usize {
    let images = &model.to_draw(data, state, scratch, 0).tensors["images"].values;
    let m = truth.n_inputs();
    let counts = state.code.features.counts();
    let owned = |k: usize| f64::from(counts[k]) > 0.02 * data.features.n_objects() as f64;
    let rmse = |k: usize, shape: &[f64]| {
        let square: f64 = images[k * m..(k + 1) * m].iter().zip(shape).map(|(a, b)| (a - b).powi(2)).sum();
        (square / m as f64).sqrt()
    };
    truth.rows().filter(|shape| (0..counts.len()).any(|k| owned(k) && rmse(k, shape) < 0.2)).count()
}
