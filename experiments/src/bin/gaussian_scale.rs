//! Times sweeps of the linear Gaussian model on planted bits, N = 1,000 to 100,000, beside a plain row update.

use anyhow::Result;
use clap::Parser;
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use sibp::bits::BitMatrix;
use sibp::data::{Inputs, Table};
use sibp::likelihood::linear_gaussian::{ImagePosterior, Moments, Variances};
use sibp::model::{GaussianModel, GaussianState, LatentCode, Model, ModelKind, ModelOptions, Observations, Preset};
use sibp::pipeline::{Fit, Teaching};
use sibp::rng::{Purpose, Streams};
use sibp::schedule::{Kernel, Schedule};
use sibp::trace::Draw;
use sibp::triplets::{Triplet, TripletSet};
use sibp_experiments::timing::{Timed, computing_seconds};

/// Computing seconds a sweep of fits from their default start, with everything a chain records, on one core. Plain rows are
/// those of the last state of the first fit.
#[derive(Parser)]
struct Options {
    /// Numbers of objects.
    #[arg(long, num_args = 1.., default_values_t = [1_000, 10_000, 100_000])]
    objects: Vec<usize>,
    /// Planted bits.
    #[arg(long, default_value_t = 32)]
    bits: usize,
    /// Inputs of an object.
    #[arg(long, default_value_t = 128)]
    inputs: usize,
    /// Variance of the noise; that of the images of bits is 1.
    #[arg(long, default_value_t = 4.0)]
    noise: f64,
    /// Triplets an object, for the supervised schedule.
    #[arg(long, default_value_t = 10)]
    triplets: usize,
    /// Sweeps before those that are timed.
    #[arg(long, default_value_t = 20)]
    skip: u64,
    /// Visits of objects that are timed, in whole sweeps.
    #[arg(long, default_value_t = 500_000)]
    visits: usize,
}

fn main() -> Result<()> {
    let options = Options::parse();
    println!("{:>8} {:>28} {:>10} {:>6}", "objects", "sweep", "seconds", "bits");
    for &n_objects in &options.objects {
        let rows = Schedule::once([Kernel::Rows, Kernel::Concentration, Kernel::Variances]);
        let rows = ModelOptions { schedule: Some(rows), ..ModelKind::Ibp.into() };
        let (inputs, draw) = time(&options, n_objects, "rows and hyper-parameters", rows, 0)?;
        time(&options, n_objects, "plain IBP", ModelKind::Ibp.into(), 0)?;
        time(&options, n_objects, "supervised", ModelKind::Gaussian.into(), options.triplets)?;
        let (name, seconds) = ("plain rows, scaled up", naive(&inputs, &draw)?);
        println!("{n_objects:>8} {name:>28} {seconds:>10.4} {:>6}", draw.bits.n_bits());
    }
    Ok(())
}

/// A problem drawn from the model.
fn problem(options: &Options, n_objects: usize, per_object: usize) -> Result<Observations> {
    let mut rng = Streams::new(1, 0).rng(Purpose::Verify, 0, 0);
    let mut bits = BitMatrix::new(n_objects);
    for _ in 0..options.bits {
        let share: f64 = rng.random_range(0.1..0.6);
        let column: Vec<u8> = (0..n_objects).map(|_| u8::from(rng.random::<f64>() < share)).collect();
        bits.push_column(&column);
    }
    let inputs = Inputs::new(n_objects, options.inputs, vec![0.0; n_objects * options.inputs])?;
    let questions = (0..n_objects * per_object).map(|at| question(n_objects, at / per_object, &mut rng)).collect();
    let mut data = Observations::new(inputs, TripletSet::new(n_objects, questions)?);
    let model = GaussianModel::preset(Preset::Hash, &data.inputs, per_object > 0);
    let state = GaussianState {
        code: LatentCode::with_bits(bits, &data, &model.preference, &mut rng),
        concentration: options.bits as f64 / (n_objects as f64).ln(),
        noise_variance: options.noise,
        image_variance: 1.0,
    };
    model.simulate(&state, &mut data, &mut rng);
    Ok(data)
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

/// Transformed inputs and the last state of the fit that was timed.
fn time(
    options: &Options,
    n_objects: usize,
    name: &str,
    model: ModelOptions,
    per_object: usize,
) -> Result<(Inputs, Draw)> {
    let data = problem(options, n_objects, per_object)?;
    let teaching = match per_object {
        0 => Teaching::Nothing,
        _ => Teaching::from(data.triplets.triplets().to_vec()),
    };
    // The last sweep makes the draw and is not counted.
    let sweeps = options.skip.max(1) + (options.visits / n_objects).max(1) as u64 + 1;
    let fit = Fit::new(Table::from(data.inputs), teaching)
        .model(model)
        .seed(2)
        .sweeps(sweeps)
        .chains(1)
        .draws(1)
        .calibrates(false)
        .distils(None);
    let prepared = fit.prepare(None)?;
    let timed = Timed::run(&prepared, 1, options.skip)?;
    println!("{n_objects:>8} {name:>28} {:>10.4} {:>6.0}", timed.sweep().computing, timed.n_bits());
    Ok((prepared.observations.inputs, timed.fitted.chains[0].last.clone()))
}

/// Seconds of a sweep of row updates without algebra that avoids work: every flip is scored by its residual.
fn naive(inputs: &Inputs, draw: &Draw) -> Result<f64> {
    const OBJECTS: usize = 500;
    let drawn = BitMatrix::from_codes(&draw.bits);
    let noise = draw.positive("noise_variance")?;
    let mut moments = Moments::default();
    moments.rebuild(inputs, &drawn);
    let mut posterior = ImagePosterior::default();
    posterior.rebuild(&moments, Variances { noise, image: draw.positive("feature_variance")? });
    let mut rng = Streams::new(3, 0).rng(Purpose::Verify, 0, 0);
    let began = computing_seconds();
    let mut accepted = 0;
    let n_visits = OBJECTS.min(inputs.n_objects());
    for object_ix in 0..n_visits {
        let bits = (0..drawn.n_bits()).map(|f| drawn.get(object_ix, f)).collect();
        accepted += naive_visit(&posterior, noise, &inputs.row(object_ix), bits, &mut rng);
    }
    std::hint::black_box(accepted);
    Ok((computing_seconds() - began) * inputs.n_objects() as f64 / n_visits as f64)
}

/// One object's visit with images as they stand; what flips is only counted.
fn naive_visit(
    posterior: &ImagePosterior,
    noise: f64,
    inputs: &[f64],
    mut bits: Vec<bool>,
    rng: &mut impl Rng,
) -> usize {
    let (k, m) = (bits.len(), inputs.len());
    let log_density = |bits: &[bool]| {
        let mut residual = inputs.to_vec();
        let mut spread = 1.0;
        for f in (0..k).filter(|&f| bits[f]) {
            residual.iter_mut().zip(&posterior.mean()[f * m..(f + 1) * m]).for_each(|(r, image)| *r -= image);
            spread += (0..k).filter(|&g| bits[g]).map(|g| posterior.spread()[f * k + g]).sum::<f64>();
        }
        let square: f64 = residual.iter().map(|r| r * r).sum();
        -0.5 * (m as f64 * spread.ln() + square / (spread * noise))
    };
    let mut flips = 0;
    for bit_ix in 0..k {
        let old = log_density(&bits);
        bits[bit_ix] ^= true;
        if rng.random::<f64>().ln() < log_density(&bits) - old {
            flips += 1;
        } else {
            bits[bit_ix] ^= true;
        }
    }
    flips
}
