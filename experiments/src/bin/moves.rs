//! Prints what starts and moves of the probit model do to the number of bits, the posterior and accuracy.

use anyhow::Result;
use clap::Parser;
use sibp::data::Split;
use sibp::eval::{Summary, mean};
use sibp::index::Metric;
use sibp::model::{ModelOptions, RATE_ERROR, Start};
use sibp::pipeline::{Fit, Reading, TrainingCodes};
use sibp::run::RunControl;
use sibp::schedule::{Kernel, Regression, Schedule};
use sibp::triplets::FromLabels;
use sibp_experiments::timing::Timed;
use sibp_experiments::{DataSet, Repeat};
use std::path::PathBuf;

/// One chain on one core from each start under the default schedule, then the default start under schedules that lack a
/// move. The log joint is averaged over the last tenth of the sweeps; the last state encodes both halves; times are those
/// of whole sweeps with their record.
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
    /// Only print the error of the table of expected inputs.
    #[arg(long)]
    rate_only: bool,
    /// Only the first repeats.
    #[arg(long, default_value_t = usize::MAX)]
    repeats: usize,
}

/// A way to sample, and its name.
type Variant = (&'static str, ModelOptions);

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
    let repeats: Vec<(u64, &Split)> = (1u64..).zip(splits.iter().take(options.repeats)).collect();
    for (name, model) in variants().into_iter().filter(|_| !options.rate_only) {
        let mut outcomes = Vec::new();
        for &(seed, split) in &repeats {
            outcomes.push(sample(&model, &data.halves(&split.train, &split.test), options.sweeps, seed)?);
        }
        let column = |value: fn(&Outcome) -> f64| Summary::of(&outcomes.iter().map(value).collect::<Vec<_>>());
        println!(
            "| {name} | {:.1} | {:.0} | {:.1} | {:.1} | {:.1} |",
            column(|o| o.bits)?,
            column(|o| o.log_joint)?,
            column(|o| o.one)?,
            column(|o| o.thirty)?,
            column(|o| o.milliseconds)?,
        );
    }
    for &(seed, split) in &repeats {
        // The table is made before the first sweep, and its error is the same in all draws.
        let fit = fit(&data.halves(&split.train, &split.test), ModelOptions::default(), 1, seed);
        let error = fit.run(&RunControl::default())?.chains[0].last.scalar(RATE_ERROR)?;
        println!("repeat {seed}: the expected number of inputs is known to {:.2} %", 100.0 * error);
    }
    Ok(())
}

fn variants() -> Vec<Variant> {
    let usual = ModelOptions::default;
    let from = |n_bits| ModelOptions { start: Some(Start::Hyperplanes(n_bits)), ..usual() };
    let by = |schedule| ModelOptions { schedule: Some(schedule), ..usual() };
    let without = |kernel: fn(&Kernel) -> bool| {
        let mut schedule = Schedule::probit();
        schedule.steps.retain(|step| !kernel(&step.kernel));
        by(schedule)
    };
    let mut elliptical = Schedule::probit();
    for step in &mut elliptical.steps {
        if step.kernel == Kernel::Regressions(Regression::AlbertChib) {
            step.kernel = Kernel::Regressions(Regression::Elliptical);
        }
    }
    vec![
        ("from 0 bits", from(0)),
        ("from 10 bits", from(10)),
        ("from 60 bits", from(60)),
        ("default (from 30 bits)", usual()),
        ("without births and deaths", without(|kernel| matches!(kernel, Kernel::Births { .. }))),
        ("without complements", without(|kernel| matches!(kernel, Kernel::Complements))),
        ("without draws of the variance", without(|kernel| matches!(kernel, Kernel::Variances))),
        ("elliptical slice for g", by(elliptical)),
        ("the paper's scheme (slice)", by(Schedule::probit_slice())),
    ]
}

fn fit(repeat: &Repeat, model: ModelOptions, sweeps: u64, seed: u64) -> Fit {
    let fit = repeat.fit(FromLabels { seed, ..FromLabels::default() });
    fit.model(model).seed(seed).sweeps(sweeps).chains(1).draws(1)
}

fn sample(model: &ModelOptions, repeat: &Repeat, sweeps: u64, seed: u64) -> Result<Outcome> {
    let timed = Timed::run(&fit(repeat, model.clone(), sweeps, seed).prepare(None)?, 1, 1)?;
    let log_joint = &timed.fitted.chains[0].trace.log_joint;
    let coder = timed.fitted.coder(Reading { training: TrainingCodes::Encoded, ..Reading::default() })?;
    let accuracy = repeat.accuracy(coder.database(), &coder.encode(&repeat.test)?, Metric::Hamming)?;
    Ok(Outcome {
        bits: coder.n_bits() as f64,
        log_joint: mean(&log_joint[log_joint.len() - log_joint.len().div_ceil(10)..]),
        one: accuracy[0],
        thirty: accuracy[3],
        milliseconds: 1e3 * timed.sweep().clock,
    })
}
