//! Finds the four hidden shapes of data/images6x6 in ten chains of the plain IBP, and times a sweep.

use anyhow::Result;
use clap::Parser;
use sibp::data::{Inputs, ReadOptions, Table, read_table};
use sibp::model::{ModelKind, ModelOptions, Preset};
use sibp::pipeline::{Fit, Teaching};
use sibp::trace::{Draw, RestoreError};
use sibp::transform::InputTransform;
use sibp_experiments::timing::{Timed, watch};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Plain IBP on 6x6 images with four hidden shapes as they are, N = 100 and N = 1000, default start. Each chain runs twice:
/// once to be timed, on one core and with its records, and once more to be looked at, until all shapes are there.
#[derive(Parser)]
struct Options {
    /// Folder with x100.npy, x1000.npy and bits_true.npy.
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
    let truth = read("features_true.npy")?.inputs;
    for n in [100, 1000] {
        let inputs = read(&format!("x{n}.npy"))?.inputs;
        let outcomes =
            (0..options.chains).map(|seed| run(&inputs, &truth, seed, options.sweeps)).collect::<Result<Vec<_>>>()?;
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
    /// First sweep (every tenth is looked at) with all shapes present.
    first: Option<u64>,
    n_bits: usize,
    seconds: f64,
}

fn run(inputs: &Inputs, truth: &Inputs, seed: u64, sweeps: u64) -> Result<Outcome> {
    let fit = Fit::new(Table::from(inputs.clone()), Teaching::Nothing)
        .model(ModelOptions::new(ModelKind::Ibp, Preset::Paper))
        .transform(InputTransform::default())
        .seed(seed)
        .sweeps(sweeps)
        .chains(1)
        .draws(1);
    let prepared = fit.prepare(None)?;
    let timed = Timed::run(&prepared, 1, sweeps / 2)?;
    let mut first = None;
    watch(&prepared, 1, |draw| {
        let complete = draw.sweep.is_multiple_of(10) && found(draw, truth)? == truth.n_objects();
        first = complete.then_some(draw.sweep);
        Ok(if complete { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    let last = &timed.fitted.chains[0].last;
    Ok(Outcome { found: found(last, truth)?, first, n_bits: last.bits.n_bits(), seconds: timed.sweep().clock })
}

/// How many true shapes some input, owned by more than 2 % of the objects, shows within RMSE 0.2.
fn found(draw: &Draw, truth: &Inputs) -> Result<usize, RestoreError> {
    let (n, m, n_bits) = (draw.bits.n_objects(), truth.n_inputs(), draw.bits.n_bits());
    let images = draw.tensor("images", &[n_bits, m])?;
    let owned = |bit: usize| (0..n).filter(|&object| draw.bits.get(object, bit)).count() as f64 > 0.02 * n as f64;
    let rmse = |bit: usize, shape: &[f64]| {
        let square: f64 = images[bit * m..(bit + 1) * m].iter().zip(shape).map(|(a, b)| (a - b).powi(2)).sum();
        (square / m as f64).sqrt()
    };
    Ok(truth.rows().filter(|shape| (0..n_bits).any(|bit| owned(bit) && rmse(bit, shape) < 0.2)).count())
}
