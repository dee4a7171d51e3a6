//! Times sweeps of the linear Gaussian model on planted features, N = 1,000 to 100,000, beside a plain row update.

use anyhow::{Context, Result};
use clap::Parser;
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use sibp::bits::BitMatrix;
use sibp::data::Features;
use sibp::likelihood::linear_gaussian::{ImagePosterior, Moments};
use sibp::model::{GaussianModel, GaussianState, LatentCode, Model, Observations, Preset};
use sibp::rng::{Purpose, Streams};
use sibp::schedule::{Kernel, Schedule};
use sibp::triplets::{Triplet, TripletSet};
use sibp_experiments::computing_seconds;

/// Computing seconds a sweep, with everything a chain records, on one core.
#[derive(Parser)]
struct Options {
    /// Numbers of objects.
    #[arg(long, num_args = 1.., default_values_t = [1_000, 10_000, 100_000])]
    objects: Vec<usize>,
    /// Planted features.
    #[arg(long, default_value_t = 32)]
    features: usize,
    /// Inputs of an object.
    #[arg(long, default_value_t = 128)]
    inputs: usize,
    /// Variance of the noise; that of the feature images is 1.
    #[arg(long, default_value_t = 4.0)]
    noise: f64,
    /// Triplets an object, for the supervised schedule.
    #[arg(long, default_value_t = 10)]
    triplets: usize,
    /// Visits of objects that are timed, in whole sweeps after a first one.
    #[arg(long, default_value_t = 500_000)]
    visits: usize,
}

fn main() -> Result<()> {
    let options = Options::parse();
    println!("{:>8} {:>28} {:>10} {:>6} {:>14}", "objects", "sweep", "seconds", "bits", "changed bits");
    for &n_objects in &options.objects {
        let rows = Schedule::once([Kernel::Rows, Kernel::Concentration, Kernel::Variances]);
        time(&options, n_objects, "rows and hyper-parameters", rows, 0)?;
        time(&options, n_objects, "plain IBP", Schedule::ibp(), 0)?;
        time(&options, n_objects, "supervised", Schedule::gaussian(), options.triplets)?;
        let seconds = naive(&options, n_objects)?;
        println!("{n_objects:>8} {:>28} {seconds:>10.4}", "plain rows, scaled up");
    }
    Ok(())
}

/// A problem drawn from the model, with the state that made it.
fn problem(options: &Options, n_objects: usize, per_object: usize) -> Result<(Observations, GaussianState)> {
    let mut rng = Streams::new(1, 0).rng(Purpose::Verify, 0, 0);
    let mut bits = BitMatrix::new(n_objects);
    for _ in 0..options.features {
        let share: f64 = rng.random_range(0.1..0.6);
        let column: Vec<u8> = (0..n_objects).map(|_| u8::from(rng.random::<f64>() < share)).collect();
        bits.push_column(&column);
    }
    let features = Features::new(n_objects, options.inputs, vec![0.0; n_objects * options.inputs])?;
    let questions = (0..n_objects * per_object).map(|at| question(n_objects, at / per_object, &mut rng)).collect();
    let mut data = Observations::new(features, TripletSet::new(n_objects, questions)?);
    let model = GaussianModel::preset(Preset::Hash, &data.features, per_object > 0);
    let state = GaussianState {
        code: LatentCode::with_features(bits, 0, &model.preference, &mut rng),
        concentration: options.features as f64 / (n_objects as f64).ln(),
        noise_variance: options.noise,
        feature_variance: 1.0,
    };
    model.simulate(&state, &mut data, &mut rng);
    Ok((data, state))
}

fn question(n_objects: usize, anchor: usize, rng: &mut ChaCha8Rng) -> Triplet {
    let mut other = |not: &[usize]| loop {
        let object = rng.random_range(0..n_objects);
        if !not.contains(&object) {
            return object;
        }
    };
    let near = other(&[anchor]);
    let far = other(&[anchor, near]);
    Triplet { anchor: anchor as u32, near: near as u32, far: far as u32 }
}

fn time(options: &Options, n_objects: usize, name: &str, schedule: Schedule, per_object: usize) -> Result<()> {
    let (data, mut state) = problem(options, n_objects, per_object)?;
    let mut model = GaussianModel::preset(Preset::Hash, &data.features, per_object > 0);
    model.schedule = schedule;
    let streams = Streams::new(2, 0);
    let mut scratch = model.prepare(&data, Threads::ONE);
    let sweeps = (options.visits / n_objects).max(1) as u64;
    let (mut began, mut changed) = (0.0, 0);
    for sweep in 0..=sweeps {
        // The first one only warms up.
        if sweep == 1 {
            began = computing_seconds();
        }
        let before = (sweep == sweeps).then(|| state.code.features.clone());
        model.sweep(&data, &mut state, &mut scratch, &streams, sweep);
        model.record(&data, &state, &mut scratch);
        changed = before.map_or(0, |before| differences(&before, &state.code.features));
    }
    let seconds = (computing_seconds() - began) / sweeps as f64;
    let n_bits = state.code.features.n_features();
    println!("{n_objects:>8} {name:>28} {seconds:>10.4} {n_bits:>6} {changed:>14}");
    Ok(())
}

fn differences(a: &BitMatrix, b: &BitMatrix) -> u32 {
    (0..a.n_objects()).map(|o| a.row(o).iter().zip(b.row(o)).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()).sum()
}

/// Seconds of a sweep of row updates without algebra that avoids work: every flip is scored by its residual.
fn naive(options: &Options, n_objects: usize) -> Result<f64> {
    const OBJECTS: usize = 500;
    let (data, state) = problem(options, n_objects, 0)?;
    let mut moments = Moments::default();
    moments.rebuild(&data.features, &state.code.features);
    let mut posterior = ImagePosterior::default();
    posterior.rebuild(&moments, state.variances());
    let mut rng = Streams::new(3, 0).rng(Purpose::Verify, 0, 0);
    let began = computing_seconds();
    let mut accepted = 0;
    let n_visits = OBJECTS.min(n_objects);
    for object_ix in 0..n_visits {
        accepted += naive_visit(&posterior, &state, &data.features.row(object_ix), object_ix, &mut rng);
    }
    let seconds = computing_seconds() - began;
    anyhow::Ok(seconds * n_objects as f64 / n_visits as f64).with_context(|| format!("{accepted} flips"))
}

/// One object's visit with images as they stand; what flips is only counted.
fn naive_visit(
    posterior: &ImagePosterior,
    state: &GaussianState,
    inputs: &[f64],
    object_ix: usize,
    rng: &mut impl Rng,
) -> usize {
    let features = &state.code.features;
    let (k, m) = (features.n_features(), inputs.len());
    let mut bits: Vec<bool> = (0..k).map(|f| features.get(object_ix, f)).collect();
    let log_density = |bits: &[bool]| {
        let mut residual = inputs.to_vec();
        let mut spread = 1.0;
        for f in (0..k).filter(|&f| bits[f]) {
            residual.iter_mut().zip(&posterior.mean()[f * m..(f + 1) * m]).for_each(|(r, image)| *r -= image);
            spread += (0..k).filter(|&g| bits[g]).map(|g| posterior.spread()[f * k + g]).sum::<f64>();
        }
        let square: f64 = residual.iter().map(|r| r * r).sum();
        -0.5 * (m as f64 * spread.ln() + square / (spread * state.noise_variance))
    };
    let mut flips = 0;
    for feature_ix in 0..k {
        let old = log_density(&bits);
        bits[feature_ix] ^= true;
        if rng.random::<f64>().ln() < log_density(&bits) - old {
            flips += 1;
        } else {
            bits[feature_ix] ^= true;
        }
    }
    flips
}
