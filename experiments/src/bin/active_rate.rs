//! Times the table of Λ(σg²) and prints its estimated error, on shipped data and on synthetic clusters.

use anyhow::Context;
use clap::Parser;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use sibp::data::Inputs;
use sibp::likelihood::probit::{ActiveRate, Basis};
use sibp::transform::{InputTransform, Transform};
use sibp_experiments::DataSet;
use sibp_experiments::timing::computing_seconds;
use std::path::PathBuf;

/// Computing seconds and error of the expected number of inputs.
#[derive(Debug, Parser)]
struct Args {
    /// Folders with features.npy and labels.npy.
    #[arg(long, num_args = 0..)]
    data: Vec<PathBuf>,
    /// Numbers of objects of the synthetic clusters.
    #[arg(long, num_args = 0.., default_values_t = [1_000, 10_000, 100_000, 1_000_000])]
    objects: Vec<usize>,
    /// Inputs of the synthetic clusters.
    #[arg(long, default_value_t = 64)]
    inputs: usize,
    /// Number of synthetic clusters.
    #[arg(long, default_value_t = 100)]
    clusters: usize,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    println!("{:>24} {:>8} {:>5} {:>8} {:>9} {:>9}", "data", "objects", "rank", "seconds", "error", "at 10");
    for folder in &args.data {
        let inputs = DataSet::read(folder)?.inputs;
        show(&folder.display().to_string(), &inputs)?;
    }
    for &n_objects in &args.objects {
        show("clusters", &clusters(n_objects, args.inputs, args.clusters)?)?;
    }
    Ok(())
}

/// Points around random centres, with noise of half their spread.
fn clusters(n_objects: usize, n_inputs: usize, n_clusters: usize) -> anyhow::Result<Inputs> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let centres: Vec<f64> = (0..n_clusters * n_inputs).map(|_| StandardNormal.sample(&mut rng)).collect();
    let mut values = Vec::with_capacity(n_objects * n_inputs);
    for _ in 0..n_objects {
        let cluster = rng.random_range(0..n_clusters);
        for centre in &centres[cluster * n_inputs..(cluster + 1) * n_inputs] {
            let noise: f64 = StandardNormal.sample(&mut rng);
            values.push(centre + 0.5 * noise);
        }
    }
    Inputs::new(n_objects, n_inputs, values).context("clusters")
}

fn show(name: &str, inputs: &Inputs) -> anyhow::Result<()> {
    let (_, inputs) = Transform::fit_apply(&"standardise,scale".parse::<InputTransform>()?, inputs)?;
    let basis = Basis::new(&inputs)?;
    drop(inputs);
    let began = computing_seconds();
    let rate = ActiveRate::new(&basis, 0, 1);
    let seconds = computing_seconds() - began;
    println!(
        "{:>24} {:>8} {:>5} {:>8.2} {:>8.3}% {:>9.4}",
        name,
        basis.n_objects(),
        basis.rank(),
        seconds,
        100.0 * rate.relative_error(),
        rate.at(10.0)
    );
    Ok(())
}
