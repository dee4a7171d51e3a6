//! Measures fits on judgements among objects that were held out with everything that was said about them.

use super::ours::{Settings, of_codes, of_inputs};
use anyhow::Result;
use clap::Args;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use sibp::data::Inputs;
use sibp::eval::Summary;
use sibp::pipeline::{DrawChoice, Objects};
use sibp::triplets::{Triplet, TripletSet, read_triplets};

#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    settings: Settings,
    /// Numbers of training judgements, at most.
    #[arg(long = "sizes", value_delimiter = ',', default_value = "5000,40000")]
    sizes: Vec<usize>,
    /// Folds of objects; each is held out once.
    #[arg(long, default_value_t = 5)]
    folds: usize,
}

/// The columns of the table.
const READINGS: [&str; 6] =
    ["posterior", "distilled codes", "codes of a chain", "codes of all chains", "Euclidean distance", "cosine"];

pub fn run(options: &Options) -> Result<()> {
    let inputs = options.settings.inputs()?;
    let mut judgements = read_triplets(&options.settings.data.join("triplets.npy"), inputs.n_objects())?;
    judgements.shuffle(&mut ChaCha8Rng::seed_from_u64(1));
    println!("| judgements | {} | ece | brier | seconds |", READINGS.join(" | "));
    println!("|{}", "---|".repeat(READINGS.len() + 4));
    for &size in &options.sizes {
        let folds = (0..options.folds).map(|at| measure(options, &inputs, &judgements, size, at));
        let folds = folds.collect::<Result<Vec<_>>>()?;
        let cells = (0..folds[0].len()).map(|at| {
            let values: Vec<f64> = folds.iter().map(|fold| fold[at]).collect();
            Ok(format!("{:.3}", Summary::of(&values)?))
        });
        println!("| {size} | {} |", cells.collect::<Result<Vec<_>>>()?.join(" | "));
    }
    Ok(())
}

/// The readings' agreements with one fold's judgements, then calibration error, Brier score and seconds.
fn measure(options: &Options, x: &Inputs, judgements: &[Triplet], size: usize, at: usize) -> Result<Vec<f64>> {
    let mut objects: Vec<usize> = (0..x.n_objects()).collect();
    objects.shuffle(&mut ChaCha8Rng::seed_from_u64(2));
    let (held, kept): (Vec<_>, Vec<_>) = objects.iter().enumerate().partition(|(order, _)| order % options.folds == at);
    let rows = |part: Vec<(usize, &usize)>| part.into_iter().map(|(_, &object)| object).collect::<Vec<usize>>();
    let (held, kept) = (rows(held), rows(kept));
    let mut place = vec![None; x.n_objects()];
    for (is_held, part) in [(true, &held), (false, &kept)] {
        part.iter().zip(0u32..).for_each(|(&object, row)| place[object] = Some((is_held, row)));
    }
    let among = |t: &Triplet, in_held: bool| {
        let row = |object: u32| place[object as usize].filter(|(held, _)| *held == in_held).map(|(_, row)| row);
        Some(Triplet { anchor: row(t.anchor)?, near: row(t.near)?, far: row(t.far)? })
    };
    let train: Vec<Triplet> = judgements.iter().filter_map(|t| among(t, false)).take(size).collect();
    let asked = TripletSet::new(held.len(), judgements.iter().filter_map(|t| among(t, true)).collect())?;
    let unseen = x.select(&held);
    let (fitted, seconds) = options.settings.fit(x.select(&kept), train)?;
    let posterior = options.settings.posterior(&fitted, Objects::from((&unseen, None)), &asked)?;
    let mut found = vec![posterior.agreement];
    for choice in [DrawChoice::Distilled, DrawChoice::Map, DrawChoice::Concatenate] {
        found.push(of_codes(&asked, &fitted.coder(choice)?.encode(&unseen)?)?.agreement);
    }
    found.extend(of_inputs(&asked, &unseen)?.map(|measured| measured.agreement));
    let (ece, brier) = posterior.calibration.unwrap_or_default();
    Ok([found, vec![ece, brier, seconds]].concat())
}
