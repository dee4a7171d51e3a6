//! Prints what starts and moves of the probit model do to the number of bits, the posterior and accuracy.

use anyhow::Result;
use clap::Parser;
use sibp::encode::{Encoder, ProbitEncoder, ProbitMethod};
use sibp::eval::{Summary, mean};
use sibp::model::{Model, Preset, ProbitModel, Start};
use sibp::rng::{Purpose, Streams};
use sibp::schedule::{Kernel, Regression, Schedule};
use sibp::triplets::FromLabels;
use sibp_experiments::{DataSet, Repeat};
use std::path::PathBuf;
use std::time::Instant;

/// One chain from each start under the default schedule, then the default start under schedules that lack a move.
#[derive(Parser)]
struct Options {
    /// Folder with features.npy, labels.npy and split files.
    #[arg(long, default_value = "data/digits")]
    data: PathBuf,
    /// Split file.
    #[arg(long, default_value = "split5.csv")]
    split: String,
    /// Sweeps.
    #[arg(long, default_value_t = 500)]
    sweeps: u64,
    /// Only print the error of the table of expected features.
    #[arg(long)]
    rate_only: bool,
    /// Only the first repeats.
    #[arg(long, default_value_t = usize::MAX)]
    repeats: usize,
}

/// A way to sample.
struct Variant {
    name: &'static str,
    start: Start,
    schedule: Schedule,
}

/// What one chain gave.
struct Outcome {
    bits: f64,
    log_joint: f64,
    one: f64,
    thirty: f64,
    milliseconds: f64,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let data = DataSet::read(&options.data)?;
    let splits = data.splits(&options.data, &options.split)?;
    println!("| {}, {} sweeps | bits | log joint | 1-NN | 30-NN | ms a sweep |", options.split, options.sweeps);
    println!("|---|---|---|---|---|---|");
    for variant in variants().into_iter().filter(|_| !options.rate_only) {
        let mut outcomes = Vec::new();
        for (seed, split) in (1u64..).zip(splits.iter().take(options.repeats)) {
            let triplets = FromLabels { seed, ..FromLabels::default() };
            let repeat = Repeat::new(&data, split, &"standardise,scale".parse()?, Some(&triplets))?;
            outcomes.push(sample(&variant, &repeat, options.sweeps, seed)?);
        }
        let column = |value: fn(&Outcome) -> f64| Summary::of(&outcomes.iter().map(value).collect::<Vec<_>>());
        println!(
            "| {} | {:.1} | {:.0} | {:.1} | {:.1} | {:.1} |",
            variant.name,
            column(|o| o.bits)?,
            column(|o| o.log_joint)?,
            column(|o| o.one)?,
            column(|o| o.thirty)?,
            column(|o| o.milliseconds)?,
        );
    }
    for (seed, split) in (1u64..).zip(splits.iter().take(options.repeats)) {
        let repeat = Repeat::new(&data, split, &"standardise,scale".parse()?, None)?;
        let error = ProbitModel::preset(Preset::Hash).prepare(&repeat.train, Threads::ONE).rate.relative_error();
        println!("repeat {seed}: the expected number of features is known to {:.2} %", 100.0 * error);
    }
    Ok(())
}

fn variants() -> Vec<Variant> {
    let usual = ProbitModel::preset(Preset::Hash).start;
    let from = |name, n_bits| Variant { name, start: Start::Hyperplanes(n_bits), schedule: Schedule::probit() };
    let without = |name, kernel: fn(&Kernel) -> bool| {
        let mut schedule = Schedule::probit();
        schedule.steps.retain(|step| !kernel(&step.kernel));
        Variant { name, start: usual, schedule }
    };
    let mut elliptical = Schedule::probit();
    for step in &mut elliptical.steps {
        if step.kernel == Kernel::Regressions(Regression::AlbertChib) {
            step.kernel = Kernel::Regressions(Regression::Elliptical);
        }
    }
    vec![
        from("from 0 bits", 0),
        from("from 10 bits", 10),
        from("from 60 bits", 60),
        Variant { name: "default (from 30 bits)", start: usual, schedule: Schedule::probit() },
        without("without births and deaths", |kernel| matches!(kernel, Kernel::Births { .. })),
        without("without complements", |kernel| matches!(kernel, Kernel::Complements)),
        without("without draws of the variance", |kernel| matches!(kernel, Kernel::Variances)),
        Variant { name: "elliptical slice for g", start: usual, schedule: elliptical },
        Variant { name: "the paper's scheme (slice)", start: usual, schedule: Schedule::probit_slice() },
    ]
}

/// Runs a chain; the log joint is averaged over its last tenth.
fn sample(variant: &Variant, repeat: &Repeat, sweeps: u64, seed: u64) -> Result<Outcome> {
    let model =
        ProbitModel { start: variant.start, schedule: variant.schedule.clone(), ..ProbitModel::preset(Preset::Hash) };
    let streams = Streams::new(seed, 0);
    let mut scratch = model.prepare(&repeat.train, Threads::ONE);
    let mut state = model.start(&repeat.train, &scratch, &mut streams.rng(Purpose::Start, 0, 0));
    let mut log_joints = Vec::new();
    let began = Instant::now();
    for sweep in 0..sweeps {
        model.sweep(&repeat.train, &mut state, &mut scratch, &streams, sweep);
        if sweep >= sweeps - sweeps.div_ceil(10) {
            log_joints.push(model.record(&repeat.train, &state, &mut scratch).log_joint);
        }
    }
    let milliseconds = 1000.0 * began.elapsed().as_secs_f64() / sweeps as f64;
    let draw = model.to_draw(&repeat.train, &state, &scratch, sweeps);
    let encoder = ProbitEncoder::new(&draw, repeat.test.n_inputs(), ProbitMethod::Refit)?;
    let accuracy = repeat.accuracy(&encoder.encode(&repeat.train.features, 0), &encoder.encode(&repeat.test, 0))?;
    Ok(Outcome {
        bits: draw.bits.n_bits() as f64,
        log_joint: mean(&log_joints),
        one: accuracy[0],
        thirty: accuracy[3],
        milliseconds,
    })
}
