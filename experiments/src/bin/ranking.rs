//! Compares two ways to choose the draw that encodes: by its score, and by the log joint density of all its parts.

use anyhow::{Context, Result};
use clap::Parser;
use rand::SeedableRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use sibp::data::Split;
use sibp::eval::{mean, paired_t_test};
use sibp::format::Fitted;
use sibp::index::Metric;
use sibp::pipeline::DrawChoice;
use sibp::run::RunControl;
use sibp::trace::SCORE;
use sibp::transform::InputTransform;
use sibp::triplets::FromLabels;
use sibp_experiments::{DataSet, NEIGHBOURS, Repeat};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// k-NN accuracy of the code of one chain, chosen by score or by log joint from the same draws. Training objects have their
/// learned bits.
#[derive(Parser)]
struct Options {
    /// Folder with features.npy, labels.npy and split files.
    #[arg(long, default_value = "data/digits")]
    data: PathBuf,
    /// Split file. Without it, halves are drawn from rows that are in no split file of the folder.
    #[arg(long)]
    splits: Option<String>,
    /// Classes of a drawn repeat.
    #[arg(long, default_value_t = 10)]
    classes: usize,
    /// Objects of each class in a drawn repeat, half of them for training.
    #[arg(long, default_value_t = 60)]
    per_class: usize,
    /// Drawn repeats.
    #[arg(long, default_value_t = 10)]
    repeats: usize,
    /// Input transform; by default the model's.
    #[arg(long)]
    transform: Option<InputTransform>,
    /// Sweeps of each chain.
    #[arg(long, default_value_t = 200)]
    sweeps: u64,
    /// Chains to choose from.
    #[arg(long, default_value_t = 4)]
    chains: usize,
    /// Draws that each keeps.
    #[arg(long, default_value_t = 10)]
    draws: usize,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let data = DataSet::read(&options.data)?;
    let splits = match &options.splits {
        Some(name) => data.splits(&options.data, name)?,
        None => development(&options, &data)?,
    };
    let mut rows: [Vec<Vec<f64>>; 2] = Default::default();
    for (at, split) in splits.iter().enumerate() {
        let halves = data.halves(&split.train, &split.test);
        let fit = halves.fit(FromLabels { seed: at as u64, ..FromLabels::default() });
        let fit = fit.transform(options.transform.clone()).seed(at as u64).sweeps(options.sweeps);
        let by_score = fit.chains(options.chains).draws(options.draws).run(&RunControl::default())?;
        let by_joint = ranked_by_joint(&by_score, &halves)?;
        for (rows, fitted) in rows.iter_mut().zip([&by_joint, &by_score]) {
            rows.push(measured(fitted, &halves)?);
        }
    }
    print(&splits, &rows)
}

/// The same draws without their scores, which are then ranked by the log joint.
fn ranked_by_joint(fitted: &Fitted, halves: &Repeat) -> Result<Fitted> {
    let mut fitted = fitted.clone();
    for chain in &mut fitted.chains {
        // The old choice took the chain by its whole last half; with these draws it is all that was kept of it.
        for draw in chain.draws.iter_mut().chain([&mut chain.last]) {
            draw.scalars.remove(SCORE);
        }
    }
    fitted.refit(DrawChoice::Map, &halves.train, 0)?;
    Ok(fitted)
}

/// Bits of the chosen code, mean bits of all chains, and accuracies.
fn measured(fitted: &Fitted, halves: &Repeat) -> Result<Vec<f64>> {
    let coder = fitted.coder(DrawChoice::Map)?;
    let bits: Vec<f64> = fitted.chains.iter().map(|chain| chain.last.bits.n_bits() as f64).collect();
    let accuracy = halves.accuracy(coder.database(), &coder.encode(&halves.test)?, Metric::Hamming)?;
    Ok([coder.n_bits() as f64, mean(&bits)].into_iter().chain(accuracy).collect())
}

fn print(splits: &[Split], rows: &[Vec<Vec<f64>>; 2]) -> Result<()> {
    let column = |rows: &[Vec<f64>], at: usize| rows.iter().map(|row| row[at]).collect::<Vec<f64>>();
    println!("{} repeats", splits.len());
    println!("| ranked by | bits | bits of all chains | 1-NN | 3-NN | 15-NN | 30-NN |");
    println!("|---|---|---|---|---|---|---|");
    for (name, rows) in ["log joint", "score"].iter().zip(rows) {
        let cells: Vec<String> =
            (0..2 + NEIGHBOURS.len()).map(|at| format!("{:.1}", mean(&column(rows, at)))).collect();
        println!("| {name} | {} |", cells.join(" | "));
    }
    let tests = (0..NEIGHBOURS.len()).map(|at| {
        let test = paired_t_test(&column(&rows[1], 2 + at), &column(&rows[0], 2 + at));
        test.map_or("-".to_owned(), |test| format!("{:+.1} (p {:.2})", test.mean_difference, test.p))
    });
    println!("| difference (one-sided p) | | | {} |", tests.collect::<Vec<_>>().join(" | "));
    Ok(())
}

/// Halves of rows that no split file of the folder uses.
fn development(options: &Options, data: &DataSet) -> Result<Vec<Split>> {
    let used = used_rows(&options.data, data)?;
    let mut by_class: Vec<Vec<usize>> = vec![Vec::new(); data.labels.names().len()];
    for row in (0..data.inputs.n_objects()).filter(|row| !used.contains(row)) {
        by_class[data.labels.class_of()[row] as usize].push(row);
    }
    by_class.retain(|rows| rows.len() >= options.per_class);
    println!(
        "{} rows of {} classes are in no split file",
        by_class.iter().map(Vec::len).sum::<usize>(),
        by_class.len()
    );
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut repeat = || {
        let mut split = Split { train: Vec::new(), test: Vec::new() };
        for rows in by_class.sample(&mut rng.clone(), options.classes).collect::<Vec<_>>() {
            let mut chosen: Vec<usize> = rows.sample(&mut rng, options.per_class).copied().collect();
            chosen.shuffle(&mut rng);
            split.train.extend(&chosen[..options.per_class / 2]);
            split.test.extend(&chosen[options.per_class / 2..]);
        }
        split
    };
    Ok((0..options.repeats).map(|_| repeat()).collect())
}

fn used_rows(folder: &Path, data: &DataSet) -> Result<BTreeSet<usize>> {
    let mut used = BTreeSet::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.starts_with("split") && name.ends_with(".csv") {
            used.extend(
                data.splits(folder, &name)?.into_iter().flat_map(|split| split.train.into_iter().chain(split.test)),
            );
        }
    }
    Ok(used)
}
