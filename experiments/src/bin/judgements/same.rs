//! Measures fits to the training judgements of every split on its test judgements, which are about the same objects.

use super::ours::{Measured, Settings, of_codes, of_inputs};
use anyhow::{Context, Result};
use clap::Args;
use sibp::data::Inputs;
use sibp::pipeline::{DrawChoice, Objects};
use sibp::triplets::{TripletSet, read_triplets};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    settings: Settings,
    /// Folder with the splits; ours.csv is written there.
    #[arg(long)]
    out: PathBuf,
    /// Begins the names of our rows, to keep settings apart.
    #[arg(long, default_value = "sibp")]
    name: String,
    /// Writes to this file in the folder instead of ours.csv.
    #[arg(long, default_value = "ours.csv")]
    results: String,
}

pub fn run(options: &Options) -> Result<()> {
    let inputs = options.settings.inputs()?;
    let mut file = csv::Writer::from_path(options.out.join(&options.results))?;
    file.write_record(["method", "training", "split", "agreement", "ece", "brier", "size", "seconds"])?;
    for (training, split) in splits(&options.out)? {
        for row in measure(options, &inputs, training, split)? {
            let calibration = row.measured.calibration.map(|(ece, brier)| [ece.to_string(), brier.to_string()]);
            let [ece, brier] = calibration.unwrap_or_default();
            let agreement = row.measured.agreement;
            println!(
                "{training:>6} {split} {:<32} {agreement:.4} with {} bits, {:.1} s, ece {ece:.6}",
                row.name, row.size, row.seconds
            );
            let [training, split] = [training.to_string(), split.to_string()];
            let numbers = [agreement.to_string(), ece, brier, row.size.to_string(), row.seconds.to_string()];
            file.write_record([row.name, training, split].into_iter().chain(numbers))?;
            file.flush()?;
        }
    }
    Ok(())
}

/// Training sizes and splits that the folder holds, in ascending order.
fn splits(folder: &Path) -> Result<Vec<(usize, u64)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let numbers = name.strip_prefix("train-").and_then(|name| name.strip_suffix(".npy")?.split_once('-'));
        if let Some((training, split)) = numbers {
            found.push((training.parse()?, split.parse()?));
        }
    }
    found.sort_unstable();
    Ok(found)
}

struct Row {
    name: String,
    measured: Measured,
    /// Bits, or inputs.
    size: f64,
    seconds: f64,
}

fn measure(options: &Options, inputs: &Inputs, training: usize, split: u64) -> Result<Vec<Row>> {
    let n = inputs.n_objects();
    let train = read_triplets(&options.out.join(format!("train-{training}-{split}.npy")), n)?;
    let asked = TripletSet::new(n, read_triplets(&options.out.join(format!("test-{split}.npy")), n)?)?;
    let (fitted, seconds) = options.settings.fit(inputs.clone(), train)?;
    let known: Vec<Option<u32>> = (0..n as u32).map(Some).collect();
    let objects = Objects { inputs, known: None, training: &known };
    let name = &options.name;
    let n_bits = fitted.chains.iter().flat_map(|chain| chain.all_draws()).map(|draw| draw.bits.n_bits() as f64);
    let n_bits: Vec<f64> = n_bits.collect();
    let mut rows = vec![Row {
        name: format!("{name}, posterior"),
        measured: options.settings.posterior(&fitted, objects, &asked)?,
        size: sibp::eval::mean(&n_bits),
        seconds,
    }];
    for (reading, choice) in [
        ("distilled codes", DrawChoice::Distilled),
        ("codes of a chain", DrawChoice::Map),
        ("codes of all chains", DrawChoice::Concatenate),
    ] {
        let coder = fitted.coder(choice)?;
        let measured = of_codes(&asked, coder.database())?;
        rows.push(Row { name: format!("{name}, {reading}"), measured, size: coder.n_bits() as f64, seconds });
    }
    for (name, measured) in ["Euclidean distance", "cosine"].into_iter().zip(of_inputs(&asked, inputs)?) {
        rows.push(Row { name: name.to_owned(), measured, size: inputs.n_inputs() as f64, seconds: 0.0 });
    }
    Ok(rows)
}
