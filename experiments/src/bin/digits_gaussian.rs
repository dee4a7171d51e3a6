//! Prints k-NN accuracy of the linear Gaussian family on the digits splits, one row an encoder, with a paired test.

use anyhow::Result;
use clap::Parser;
use sibp::encode::{Encoder, GaussianEncoder, GaussianMethod};
use sibp::eval::{Summary, paired_t_test};
use sibp::model::{GaussianModel, Model, Preset};
use sibp::transform::InputTransform;
use sibp::triplets::{FarChoice, FromLabels, NearChoice, Scheme};
use sibp_experiments::{DataSet, NEIGHBOURS, Repeat, run_chain};
use std::path::PathBuf;
use std::time::Instant;

/// Super Gaussian IBP and plain IBP on data/digits: four encoders, 1-, 3-, 15- and 30-NN.
#[derive(Parser)]
struct Options {
    /// Folder with features.npy, labels.npy and split files.
    #[arg(long, default_value = "data/digits")]
    data: PathBuf,
    /// Split files.
    #[arg(long, value_delimiter = ',', default_value = "split5.csv,split10.csv")]
    splits: Vec<String>,
    /// Sweeps of each chain.
    #[arg(long, default_value_t = 500)]
    sweeps: u64,
    /// Input transform.
    #[arg(long, default_value = "centre")]
    transform: InputTransform,
    /// Only these systems: paper, hash, ibp.
    #[arg(long, value_delimiter = ',', default_value = "paper,hash,ibp")]
    systems: Vec<String>,
    /// Near and far objects for each anchor.
    #[arg(long, default_value_t = 30)]
    per_object: usize,
    /// Only the first repeats.
    #[arg(long, default_value_t = 5)]
    repeats: usize,
}

/// Name, encoder, and whether distances use the learned weights.
const METHODS: [(&str, GaussianMethod, bool); 6] = [
    ("best-code", GaussianMethod::BestCode, false),
    ("best-code w", GaussianMethod::BestCode, true),
    ("ridge", GaussianMethod::Ridge, false),
    ("ridge w", GaussianMethod::Ridge, true),
    ("gibbs", GaussianMethod::Gibbs, false),
    ("least-squares", GaussianMethod::LeastSquares, false),
];

/// Accuracy by method, number of neighbours and repeat.
type Results = Vec<Vec<Vec<f64>>>;

fn main() -> Result<()> {
    let options = Options::parse();
    let data = DataSet::read(&options.data)?;
    for name in &options.splits {
        let mut all: Vec<(&str, Results)> = Vec::new();
        for system in &options.systems {
            all.push((system, study(&options, &data, name, system)?));
        }
        let of = |name: &str| all.iter().find(|(system, _)| *system == name).map(|(_, results)| results);
        if let (Some(paper), Some(ibp)) = (of("paper"), of("ibp")) {
            for (method, (label, ..)) in METHODS.iter().enumerate() {
                let test = paired_t_test(&paper[method][3], &ibp[method][3])?;
                println!("{name} {label}: 30-NN above IBP by {:.1}, p = {:.2e}", test.mean_difference, test.p);
            }
        }
    }
    Ok(())
}

fn study(options: &Options, data: &DataSet, name: &str, system: &str) -> Result<Results> {
    let (preset, scheme) = match system {
        "paper" | "ibp" => (Preset::Paper, Scheme::Product),
        _ => (Preset::Hash, Scheme::Paired),
    };
    let triplets = FromLabels {
        scheme,
        per_object: options.per_object,
        near: NearChoice::Random,
        far: FarChoice::Random,
        seed: 1,
    };
    let supervised = system != "ibp";
    let mut results: Results = vec![vec![Vec::new(); NEIGHBOURS.len()]; METHODS.len()];
    for (seed, split) in (1u64..).zip(data.splits(&options.data, name)?.iter().take(options.repeats)) {
        let repeat = Repeat::new(data, split, &options.transform, supervised.then_some(&triplets))?;
        let model = GaussianModel::preset(preset, &repeat.train.features, supervised);
        let start = Instant::now();
        let (state, mut scratch) = run_chain(&model, &repeat.train, seed, options.sweeps);
        let seconds = start.elapsed().as_secs_f64() / options.sweeps as f64;
        let draw = model.to_draw(&repeat.train, &state, &scratch, options.sweeps);
        for (method, (_, kind, weighted)) in METHODS.iter().enumerate() {
            let encoder = GaussianEncoder::new(&draw, repeat.test.n_inputs(), *kind, seed)?;
            let test = encoder.encode(&repeat.test, 0);
            let accuracy = if *weighted {
                repeat.weighted_accuracy(&draw.bits, &test, &draw.weights)?
            } else {
                repeat.accuracy(&draw.bits, &test)?
            };
            for (results, value) in results[method].iter_mut().zip(accuracy) {
                results.push(value);
            }
        }
        let satisfied = model.record(&repeat.train, &state, &mut scratch).satisfied;
        let bits = draw.bits.n_bits();
        eprintln!(
            "{name} {system} repeat {seed}: {bits} bits, {satisfied:.4} satisfied, {:.1} ms a sweep",
            1e3 * seconds
        );
    }
    for ((label, ..), rows) in METHODS.iter().zip(&results) {
        print!("{name:12} {system:6} {label:14}");
        for (k, values) in NEIGHBOURS.iter().zip(rows) {
            let summary = Summary::of(values)?;
            print!("  {k:>2}-NN {:5.1} ± {:3.1}", summary.mean, summary.sd.unwrap_or(0.0));
        }
        println!();
    }
    Ok(results)
}
