//! Prints k-NN accuracy of the Super Probit IBP on a data set's splits: one chain, several chains side by side.

use anyhow::Result;
use clap::Parser;
use sibp::data::InputTransform;
use sibp::encode::{Encoder, JoinedEncoder, ProbitEncoder, ProbitMethod};
use sibp::eval::Summary;
use sibp::model::{Model, Preset, ProbitModel};
use sibp::trace::Draw;
use sibp::triplets::{FarChoice, FromLabels, NearChoice, Scheme};
use sibp_experiments::{DataSet, NEIGHBOURS, Repeat, run_chain};
use std::path::PathBuf;
use std::time::Instant;

/// Super Probit IBP: codes of unseen objects by refitted coefficients, both sides encoded.
#[derive(Parser)]
struct Options {
    /// Folder with features.npy, labels.npy and split files.
    #[arg(long, default_value = "data/digits")]
    data: PathBuf,
    /// Split files.
    #[arg(long, value_delimiter = ',', default_value = "split5.csv,split10.csv")]
    splits: Vec<String>,
    /// Sweeps of each chain.
    #[arg(long, default_value_t = 200)]
    sweeps: u64,
    /// Chains.
    #[arg(long, default_value_t = 4)]
    chains: usize,
    /// Input transform.
    #[arg(long, default_value = "standardise,scale")]
    transform: InputTransform,
    /// Preset: hash or paper.
    #[arg(long, default_value = "hash")]
    preset: String,
    /// Pseudo-weight.
    #[arg(long)]
    kappa: Option<f64>,
    /// Near and far objects for each anchor.
    #[arg(long, default_value_t = 30)]
    per_object: usize,
    /// Only the first repeats.
    #[arg(long, default_value_t = 5)]
    repeats: usize,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let data = DataSet::read(&options.data)?;
    let triplets = FromLabels {
        scheme: Scheme::Paired,
        per_object: options.per_object,
        near: NearChoice::Random,
        far: FarChoice::Random,
        seed: 1,
    };
    for name in &options.splits {
        let labels = ["drawn", "refit", "chains"];
        let mut results = vec![vec![Vec::new(); NEIGHBOURS.len()]; labels.len()];
        for (seed, split) in (1u64..).zip(data.splits(&options.data, name)?.iter().take(options.repeats)) {
            let repeat = Repeat::new(&data, split, &options.transform, Some(&triplets))?;
            let preset = if options.preset == "paper" { Preset::Paper } else { Preset::Hash };
            let mut model = ProbitModel::preset(preset);
            if let Some(kappa) = options.kappa {
                model.preference.pseudo_weight = kappa;
            }
            let start = Instant::now();
            let draws: Vec<Draw> = std::thread::scope(|scope| {
                let jobs: Vec<_> = (0..options.chains)
                    .map(|chain| {
                        let (model, repeat, options) = (&model, &repeat, &options);
                        scope.spawn(move || {
                            let t = Instant::now();
                            let (state, mut scratch) =
                                run_chain(model, &repeat.train, seed + 1000 * chain as u64, options.sweeps);
                            let ms = 1e3 * t.elapsed().as_secs_f64() / options.sweeps as f64;
                            let r = model.record(&repeat.train, &state, &mut scratch);
                            eprintln!(
                                "{ms:.1} ms {} bits sat {:.3} {:?} rate err {:.4}",
                                r.n_bits,
                                r.satisfied,
                                r.scalars,
                                scratch.rate.relative_error()
                            );
                            model.to_draw(&repeat.train, &state, &scratch, options.sweeps)
                        })
                    })
                    .collect();
                jobs.into_iter().map(|job| job.join().unwrap_or_else(|_| panic!("a chain failed"))).collect()
            });
            let all: Vec<&Draw> = draws.iter().collect();
            let n_inputs = repeat.test.n_inputs();
            let joined = |draws: &[&Draw], method| -> Result<JoinedEncoder> {
                let parts = draws.iter().map(|draw| ProbitEncoder::new(draw, n_inputs, method));
                let parts = parts.map(|part| part.map(|part| Box::new(part) as Box<dyn Encoder>));
                Ok(JoinedEncoder::new(parts.collect::<Result<_, _>>()?))
            };
            let encoders = [
                joined(&all[..1], ProbitMethod::Drawn)?,
                joined(&all[..1], ProbitMethod::Refit)?,
                joined(&all, ProbitMethod::Refit)?,
            ];
            for (encoder, results) in encoders.iter().zip(&mut results) {
                let accuracy =
                    repeat.accuracy(&encoder.encode(&repeat.train.features, 0), &encoder.encode(&repeat.test, 0))?;
                results.iter_mut().zip(accuracy).for_each(|(results, value)| results.push(value));
            }
            eprintln!(
                "{name} repeat {seed}: bits {:?}, {:.1} s",
                all.iter().map(|d| d.bits.n_bits()).collect::<Vec<_>>(),
                start.elapsed().as_secs_f64()
            );
        }
        for (label, rows) in labels.iter().zip(&results) {
            print!("{name:12} {label:8}");
            for (k, values) in NEIGHBOURS.iter().zip(rows) {
                let summary = Summary::of(values)?;
                print!("  {k:>2}-NN {:5.1} ± {:3.1}", summary.mean, summary.sd.unwrap_or(0.0));
            }
            println!();
        }
    }
    Ok(())
}
