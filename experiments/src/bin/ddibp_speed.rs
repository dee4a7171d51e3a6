//! Prints what a sweep of the distance-dependent IBP costs, a feature.

use anyhow::Result;
use clap::Parser;
use sibp::data::Features;
use sibp::model::{DdIbpModel, Model, Observations, Positions};
use sibp::prior::proximity::{Decay, DecayKind, Distance, Places};
use sibp::rng::{Purpose, Streams};
use sibp::transform::Transform;
use sibp::triplets::TripletSet;
use sibp_experiments::DataSet;
use std::path::PathBuf;
use std::time::Instant;

/// One chain on one core, on random inputs or on the first rows of a data set; the mean over all sweeps but a first tenth.
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
    let (raw, classes) = read(&options)?;
    let (_, features) = Transform::fit_apply(&"centre".parse()?, &raw)?;
    println!("{} objects, {} inputs, {} sweeps", features.n_objects(), features.n_inputs(), options.sweeps);
    println!(
        "| distances | decay | features, mean | ms a sweep | ms a sweep and feature | ms a record |\n|---|---|---|---|---|---|"
    );
    for distance in [Distance::Input, Distance::Output] {
        for kind in [DecayKind::Exponential, DecayKind::Window, DecayKind::Logistic] {
            let mut data = Observations::new(features.clone(), TripletSet::empty(features.n_objects()));
            data.positions = match distance {
                Distance::Input => Positions::Inputs(features.clone()),
                Distance::Output => Positions::Classes(classes.clone()),
            };
            let places = match &data.positions {
                Positions::Classes(classes) => Places::Classes(classes),
                _ => Places::Inputs(&data.features),
            };
            let model = DdIbpModel::preset(&data.features, distance, Decay::suited(kind, &places));
            let [n_features, sweep, record] = measure(&model, &data, options.sweeps);
            let each = sweep / n_features;
            println!("| {distance:?} | {:?} | {n_features:.1} | {sweep:.2} | {each:.3} | {record:.2} |", model.decay);
        }
    }
    Ok(())
}

fn read(options: &Options) -> Result<(Features, Vec<u32>)> {
    let n = options.objects;
    if let Some(folder) = &options.data {
        let data = DataSet::read(folder)?;
        let rows: Vec<usize> = (0..n.min(data.features.n_objects())).collect();
        return Ok((data.features.select(&rows), data.labels.select(&rows).class_of().to_vec()));
    }
    let mut rng = Streams::new(1, 0).rng(Purpose::Verify, 0, 0);
    let mut normal = || -> f64 { rand_distr::Distribution::sample(&rand_distr::StandardNormal, &mut rng) };
    let centres: Vec<f64> = (0..10 * options.inputs).map(|_| normal()).collect();
    let value = |at: usize| centres[at / options.inputs % 10 * options.inputs + at % options.inputs];
    let values: Vec<f64> = (0..n * options.inputs).map(|at| value(at) + normal()).collect();
    Ok((Features::new(n, options.inputs, values)?, (0..n).map(|row| row as u32 % 10).collect()))
}

/// Mean number of features, milliseconds a sweep, and milliseconds for the numbers that are kept of it.
fn measure(model: &DdIbpModel, data: &Observations, sweeps: u64) -> [f64; 3] {
    let streams = Streams::new(1, 0);
    let mut scratch = model.prepare(data, Threads::ONE);
    let mut state = model.start(data, &scratch, &mut streams.rng(Purpose::Start, 0, 0));
    let mut sums = [0.0; 3];
    for sweep in 0..sweeps {
        if sweep == sweeps / 10 {
            sums = [0.0; 3];
        }
        let began = Instant::now();
        model.sweep(data, &mut state, &mut scratch, &streams, sweep);
        let swept = began.elapsed();
        model.record(data, &state, &mut scratch);
        let recorded = began.elapsed() - swept;
        let numbers = [state.columns.len() as f64, 1e3 * swept.as_secs_f64(), 1e3 * recorded.as_secs_f64()];
        sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
    }
    sums.map(|sum| sum / (sweeps - sweeps / 10) as f64)
}
