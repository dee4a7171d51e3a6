//! Prints agreement with unseen human judgements against the number of judgements learned from.

use anyhow::{Context, Result};
use clap::Parser;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use sibp::data::{Inputs, ReadOptions, Table, read_table};
use sibp::eval::{Agreement, euclidean_agreement, hamming_agreement};
use sibp::model::ModelOptions;
use sibp::pipeline::{Coder, DrawChoice, Fit};
use sibp::run::RunControl;
use sibp::transform::{InputTransform, Transform};
use sibp::triplets::{Triplet, TripletSet, read_triplets};
use sibp_experiments::plot::{self, Curve};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Super Probit IBP on human triplets: unseen triplets of the same items, and triplets among held-out items.
#[derive(Parser)]
struct Options {
    /// Folder with triplets.npy and the inputs.
    #[arg(long)]
    data: PathBuf,
    /// Inputs file in that folder.
    #[arg(long, default_value = "features_cnn4096.npy")]
    inputs: String,
    /// Input transform.
    #[arg(long, default_value = "sqrt,unit,centre,scale")]
    transform: InputTransform,
    /// Numbers of training triplets.
    #[arg(long, value_delimiter = ',', default_value = "1000,5000,20000,40000")]
    sizes: Vec<usize>,
    /// Sweeps of each chain.
    #[arg(long, default_value_t = 600)]
    sweeps: u64,
    /// Chains side by side.
    #[arg(long, default_value_t = 4)]
    chains: usize,
    /// Pseudo-weight.
    #[arg(long, default_value_t = 30.0)]
    pseudo_weight: f64,
    /// Folds of items; each is held out once.
    #[arg(long, default_value_t = 5)]
    folds: usize,
    /// At most so many unseen triplets of the same items are asked; settings were chosen with 20,000 after 20,000, which
    /// are all in the training set of 40,000.
    #[arg(long, default_value_t = usize::MAX)]
    asked: usize,
    /// Where to write the plot.
    #[arg(long, default_value = "human_triplets.svg")]
    out: PathBuf,
}

/// Agreement of the better of two plain distances: Euclidean, and that of rows of unit norm (the cosine).
fn plain_agreement(triplets: &TripletSet, x: &Inputs) -> Result<Agreement> {
    let (_, unit) = Transform::fit_apply(&"unit".parse()?, x)?;
    let (euclid, cosine) = (euclidean_agreement(triplets, x)?, euclidean_agreement(triplets, &unit)?);
    Ok(if euclid.n_satisfied > cosine.n_satisfied { euclid } else { cosine })
}

fn main() -> Result<()> {
    let options = Options::parse();
    let x = read_table(&options.data.join(&options.inputs), &ReadOptions::default())?.inputs;
    let mut triplets = read_triplets(&options.data.join("triplets.npy"), x.n_objects())?;
    triplets.shuffle(&mut ChaCha8Rng::seed_from_u64(1));
    let plain = plain_agreement(&TripletSet::new(x.n_objects(), triplets.clone())?, &x)?;
    println!("best plain distance (Euclidean or cosine) on all triplets: {:.3}", plain.share());
    println!(
        "| training triplets | bits | same items, learned bits | same items, encoded | held-out items | plain there |"
    );
    println!("|---|---|---|---|---|---|");
    let names = ["same items", "held-out items", "best plain distance, held-out items"];
    let mut curves = names.map(|name| Curve { name: name.to_owned(), points: Vec::new() });
    for &size in &options.sizes {
        let (train, test) = triplets.split_at(size.min(triplets.len() / 2));
        let all: Vec<usize> = (0..x.n_objects()).collect();
        let same = learn(&options, &x, &all, train)?;
        let test = TripletSet::new(x.n_objects(), test[..options.asked.min(test.len())].to_vec())?;
        let learned = hamming_agreement(&test, same.database())?.share();
        let encoded = hamming_agreement(&test, &same.encode(&x)?)?.share();
        let (held, plain) = held_out(&options, &x, &triplets, size)?;
        let n_bits = same.n_bits();
        println!("| {size} | {n_bits} | {learned:.3} | {encoded:.3} | {held:.3} | {plain:.3} |");
        curves.iter_mut().zip([encoded, held, plain]).for_each(|(curve, y)| curve.points.push((size as f64, y)));
    }
    plot::curves(&options.out, &curves, ("training triplets", "share of unseen triplets"), plot::Axis::Linear)?;
    println!("\n{}", options.out.display());
    Ok(())
}

/// Chains side by side, fitted to some items and the triplets among them.
fn learn(options: &Options, x: &Inputs, items: &[usize], triplets: &[Triplet]) -> Result<Coder> {
    let place = |item: u32| items.binary_search(&(item as usize)).map(|at| at as u32).ok().context("an unknown item");
    let triplets =
        triplets.iter().map(|t| Ok(Triplet { anchor: place(t.anchor)?, near: place(t.near)?, far: place(t.far)? }));
    let model = ModelOptions { pseudo_weight: Some(options.pseudo_weight), ..ModelOptions::default() };
    let fit = Fit::new(Table::from(x.select(items)), triplets.collect::<Result<Vec<_>>>()?)
        .model(model)
        .transform(options.transform.clone())
        .seed(1)
        .sweeps(options.sweeps)
        .chains(options.chains)
        .calibrates(false);
    Ok(fit.run(&RunControl::default())?.coder(DrawChoice::Concatenate)?)
}

/// Agreement on triplets among held-out items, over all folds, and that of the plain distance.
fn held_out(options: &Options, x: &Inputs, triplets: &[Triplet], size: usize) -> Result<(f64, f64)> {
    let mut items: Vec<usize> = (0..x.n_objects()).collect();
    items.shuffle(&mut ChaCha8Rng::seed_from_u64(2));
    let (mut right, mut plain, mut total) = (0, 0, 0);
    for fold in 0..options.folds {
        let held: BTreeSet<u32> = items.iter().skip(fold).step_by(options.folds).map(|&item| item as u32).collect();
        let kept: Vec<usize> = (0..x.n_objects()).filter(|&item| !held.contains(&(item as u32))).collect();
        let n_held = |t: &Triplet| [t.anchor, t.near, t.far].iter().filter(|item| held.contains(item)).count();
        let train: Vec<Triplet> = triplets.iter().filter(|t| n_held(t) == 0).take(size).copied().collect();
        let test: Vec<Triplet> = triplets.iter().filter(|t| n_held(t) == 3).copied().collect();
        let test = TripletSet::new(x.n_objects(), test)?;
        let learned = learn(options, x, &kept, &train)?;
        right += hamming_agreement(&test, &learned.encode(x)?)?.n_satisfied;
        plain += plain_agreement(&test, x)?.n_satisfied;
        total += test.len();
    }
    Ok((right as f64 / total as f64, plain as f64 / total as f64))
}
