//! Prints what a sweep of the distance-dependent IBP costs, a input.

use anyhow::Result;
use clap::Parser;
use sibp::data::{Inputs, Labels, Table};
use sibp::model::{ModelKind, ModelOptions};
use sibp::pipeline::{Fit, Teaching};
use sibp::prior::proximity::{DecayChoice, DecayKind, Distance};
use sibp::rng::{Purpose, Streams};
use sibp_experiments::DataSet;
use sibp_experiments::timing::Timed;
use std::path::PathBuf;

/// One chain on one core, on random inputs or on the first rows of a data set; the mean over all sweeps but a first tenth
/// and the last. A sweep is timed with the numbers that are kept of it.
#[derive(Parser)]
struct Options {
    /// Folder with features.npy and labels.npy; without it inputs are a mixture of ten random classes.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Objects.
    #[arg(long, default_value_t = 300)]
    objects: usize,
    /// Inputs of random data.
    #[arg(long, default_value_t = 128)]
    inputs: usize,
    /// Sweeps.
    #[arg(long, default_value_t = 500)]
    sweeps: u64,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let table = read(&options)?;
    let (n_objects, n_inputs) = (table.inputs.n_objects(), table.inputs.n_inputs());
    println!("{n_objects} objects, {n_inputs} inputs, {} sweeps", options.sweeps);
    println!("| distances | decay | inputs, mean | ms a sweep | ms a sweep and input |\n|---|---|---|---|---|");
    for distance in [Distance::Input, Distance::Output] {
        for kind in [DecayKind::Exponential, DecayKind::Window, DecayKind::Logistic] {
            measure(&table, distance, kind, options.sweeps)?;
        }
    }
    Ok(())
}

fn measure(table: &Table, distance: Distance, kind: DecayKind, sweeps: u64) -> Result<()> {
    let decay = DecayChoice::Suited(kind);
    let model = ModelOptions { distance, decay, ..ModelKind::DdIbp.into() };
    let fit = Fit::new(table.clone(), Teaching::Nothing).model(model).seed(1).sweeps(sweeps).chains(1).draws(1);
    let prepared = fit.prepare(None)?;
    let timed = Timed::run(&prepared, 1, sweeps / 10)?;
    let (n_bits, sweep) = (timed.n_bits(), 1e3 * timed.sweep().clock);
    let facts = prepared.info.model.facts();
    let decay = facts.iter().find(|(name, _)| *name == "decay").map_or("", |(_, words)| words);
    println!("| {distance:?} | {decay} | {n_bits:.1} | {sweep:.2} | {:.3} |", sweep / n_bits);
    Ok(())
}

fn read(options: &Options) -> Result<Table> {
    let n = options.objects;
    if let Some(folder) = &options.data {
        let data = DataSet::read(folder)?;
        let rows: Vec<usize> = (0..n.min(data.inputs.n_objects())).collect();
        return Ok(Table { labels: Some(data.labels.select(&rows)), ..data.inputs.select(&rows).into() });
    }
    let mut rng = Streams::new(1, 0).rng(Purpose::Verify, 0, 0);
    let mut normal = || -> f64 { rand_distr::Distribution::sample(&rand_distr::StandardNormal, &mut rng) };
    let centres: Vec<f64> = (0..10 * options.inputs).map(|_| normal()).collect();
    let value = |at: usize| centres[at / options.inputs % 10 * options.inputs + at % options.inputs];
    let values: Vec<f64> = (0..n * options.inputs).map(|at| value(at) + normal()).collect();
    let names = (0..10).map(|class| class.to_string()).collect();
    let labels = Labels::from_classes(names, (0..n).map(|row| row as u32 % 10).collect());
    Ok(Table { labels: Some(labels), ..Inputs::new(n, options.inputs, values)?.into() })
}
