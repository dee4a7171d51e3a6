//! Compares what `sibp fit` chooses by itself with every setting of a grid, on objects that no test half of the data holds.

use anyhow::{Result, ensure};
use clap::Parser;
use rand::SeedableRng;
use rand::seq::{SliceRandom, index};
use rand_chacha::ChaCha8Rng;
use sibp::data::Split;
use sibp::eval::{mean, paired_t_test};
use sibp::index::Metric;
use sibp::pipeline::{DrawChoice, Fitted, Reading};
use sibp::run::RunControl;
use sibp::transform::InputTransform;
use sibp::triplets::FromLabels;
use sibp_experiments::{DataSet, NEIGHBOURS, Repeat, as_floats};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Transforms x triplets an object x chains x readings, each beside `sibp fit --labels` with nothing set: k-NN accuracy of
/// unseen objects, and how far the defaults are below the best of the grid. The best of many settings is partly luck, so
/// the distance is an upper bound of what a better choice would bring; the setting that is best in all other repeats is not.
#[derive(Parser)]
struct Options {
    /// Folders with features.npy and labels.npy; objects that their split*.csv mention are left alone.
    #[arg(long, value_delimiter = ',', default_value = "data/digits")]
    data: Vec<PathBuf>,
    /// A split file of the folders: the training half of each split is cut in two instead, every other object of a class.
    #[arg(long)]
    halves_of: Option<String>,
    /// Classes of a repeat, at random.
    #[arg(long, default_value_t = 10)]
    classes: usize,
    /// Objects of each class to learn from, and as many to ask about.
    #[arg(long, default_value_t = 30)]
    per_class: usize,
    /// Repeats.
    #[arg(long, default_value_t = 5)]
    repeats: u64,
    /// Triplets for each object.
    #[arg(long, value_delimiter = ',', default_value = "30,100,300")]
    triplets: Vec<usize>,
    /// Chains.
    #[arg(long, value_delimiter = ',', default_value = "2,8")]
    chains: Vec<usize>,
}

/// Accuracies by setting, then by repeat, then by number of neighbours.
type Found = BTreeMap<Setting, Vec<Vec<f64>>>;

/// A setting of the grid.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Setting {
    transform: String,
    triplets: usize,
    chains: usize,
    reading: &'static str,
}

fn main() -> Result<()> {
    let options = Options::parse();
    for folder in &options.data {
        let data = DataSet::read(folder)?;
        let (mut found, mut defaults) = (Found::new(), Vec::new());
        for (seed, halves) in (0..).zip(repeats(&options, &data, folder)?) {
            let chosen = halves.fit(FromLabels { seed, ..FromLabels::default() }).seed(seed);
            let fitted = chosen.leaves_triplets(true).run(&RunControl::default())?;
            defaults.push(accuracies(&fitted, &halves)?.swap_remove(0).1);
            try_grid(&options, &halves, seed, &mut found)?;
            eprintln!("{}: repeat {seed} done; defaults take {}", folder.display(), fitted.info.transform.chosen());
        }
        print(folder, &defaults, &found)?;
    }
    Ok(())
}

/// What is learned from and asked about in every repeat.
fn repeats(options: &Options, data: &DataSet, folder: &Path) -> Result<Vec<Repeat>> {
    let Some(name) = &options.halves_of else {
        let free = free_objects(data, folder)?;
        return (0..options.repeats).map(|seed| draw(data, &free, options, seed)).collect();
    };
    let splits = data.splits(folder, name)?;
    let cut = |split: &Split| {
        let mut of_class = BTreeMap::new();
        let is_even = |object: &usize| {
            let n: &mut usize = of_class.entry(data.labels.class_of()[*object]).or_default();
            *n += 1;
            n.is_multiple_of(2)
        };
        let (train, test): (Vec<usize>, Vec<usize>) = split.train.iter().copied().partition(is_even);
        data.halves(&train, &test)
    };
    Ok(splits.iter().take(options.repeats as usize).map(cut).collect())
}

/// Objects that no split file of the folder mentions, by class.
fn free_objects(data: &DataSet, folder: &Path) -> Result<BTreeMap<u32, Vec<usize>>> {
    let mut used = BTreeSet::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.starts_with("split") && name.ends_with(".csv") {
            used.extend(
                data.splits(folder, &name)?.iter().flat_map(|split| split.train.iter().chain(&split.test).copied()),
            );
        }
    }
    let mut free: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for object in (0..data.inputs.n_objects()).filter(|object| !used.contains(object)) {
        free.entry(data.labels.class_of()[object]).or_default().push(object);
    }
    Ok(free)
}

/// Random classes that are large enough, and random halves of them.
fn draw(data: &DataSet, free: &BTreeMap<u32, Vec<usize>>, options: &Options, seed: u64) -> Result<Repeat> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let n = options.per_class;
    let large: Vec<&Vec<usize>> = free.values().filter(|objects| objects.len() >= 2 * n).collect();
    ensure!(large.len() >= 2, "fewer than two classes have {} objects that no split uses", 2 * n);
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for class in index::sample(rng, large.len(), options.classes.min(large.len())) {
        let mut objects = large[class].clone();
        objects.shuffle(rng);
        train.extend_from_slice(&objects[..n]);
        test.extend_from_slice(&objects[n..2 * n]);
    }
    Ok(data.halves(&train, &test))
}

/// Transforms of the grid; roots only where no input is negative.
fn transforms(halves: &Repeat) -> Vec<InputTransform> {
    let n = halves.train.n_objects().min(500);
    let mut texts = vec!["standardise,scale".to_owned()];
    texts.extend(
        ["", "standardise,"].iter().flat_map(|first| [format!("{first}anchors:{n}"), format!("{first}laplace:{n}")]),
    );
    if halves.train.rows().all(|row| row.iter().all(|value| *value >= 0.0)) {
        texts.push("sqrt,standardise,scale".to_owned());
        texts.extend(
            ["sqrt", "sqrt,sqrt"]
                .iter()
                .flat_map(|first| [format!("{first},anchors:{n}"), format!("{first},laplace:{n}")]),
        );
    }
    texts.iter().filter_map(|text| text.parse().ok()).collect()
}

fn try_grid(options: &Options, halves: &Repeat, seed: u64, found: &mut Found) -> Result<()> {
    for transform in transforms(halves) {
        for &triplets in &options.triplets {
            for &chains in &options.chains {
                let teacher = FromLabels { per_object: triplets, seed, ..FromLabels::default() };
                let fitted = halves.fit(teacher).transform(transform.clone()).chains(chains).seed(seed);
                let fitted = fitted.leaves_triplets(false).run(&RunControl::default())?;
                for (reading, accuracy) in accuracies(&fitted, halves)? {
                    let setting = Setting { transform: transform.to_string(), triplets, chains, reading };
                    found.entry(setting).or_default().push(accuracy);
                }
            }
        }
    }
    Ok(())
}

/// Accuracy by every reading, the default first.
fn accuracies(fitted: &Fitted, halves: &Repeat) -> Result<Vec<(&'static str, Vec<f64>)>> {
    let mut all = Vec::new();
    let names = [("one code", "one code, expected"), ("side by side", "side by side, expected")];
    for (draws, (plain, expected)) in [DrawChoice::default(), DrawChoice::Concatenate].into_iter().zip(names) {
        let coder = fitted.coder(Reading { draws, ..Reading::default() })?;
        all.push((plain, halves.accuracy(coder.database(), &coder.encode(&halves.test)?, Metric::Hamming)?));
        let (asked, weights) = (as_floats(&coder.probabilities(&halves.test, None)?), as_floats(coder.weights()));
        all.push((expected, halves.accuracy(coder.database(), asked.as_slice(), Metric::Expected(&weights))?));
    }
    Ok(all)
}

fn print(folder: &Path, defaults: &[Vec<f64>], found: &Found) -> Result<()> {
    let column = |rows: &[Vec<f64>], at: usize| rows.iter().map(|row| row[at]).collect::<Vec<f64>>();
    println!("{}: {} settings, {} repeats", folder.display(), found.len(), defaults.len());
    println!(
        "| neighbours | defaults | best of the grid | its settings | defaults above it | above the best of other repeats | p |\n|---|---|---|---|---|---|---|"
    );
    for (at, k) in NEIGHBOURS.iter().enumerate() {
        let of = |rows: &Vec<Vec<f64>>| mean(&column(rows, at));
        let Some((setting, best)) = found.iter().max_by(|a, b| of(a.1).total_cmp(&of(b.1))) else { continue };
        let ours = column(defaults, at);
        let above = mean(&ours) - of(best);
        let fair = best_of_others(found, at, defaults.len());
        let test = paired_t_test(&ours, &fair)?;
        let Setting { transform, triplets, chains, reading } = setting;
        let settings = format!("{transform}; {triplets} triplets; {chains} chains; {reading}");
        println!(
            "| {k} | {:.1} | {:.1} | {settings} | {above:+.1} | {:+.1} | {:.3} |",
            mean(&ours),
            of(best),
            test.mean_difference,
            test.p
        );
    }
    println!("\n| mean over the grid | 1-NN | 3-NN | 15-NN | 30-NN |\n|---|---|---|---|---|");
    print_effect(found, |setting| format!("{} triplets", setting.triplets));
    print_effect(found, |setting| format!("{} chains", setting.chains));
    print_effect(found, |setting| setting.reading.to_owned());
    print_effect(found, |setting| setting.transform.clone());
    println!();
    Ok(())
}

/// In every repeat, the accuracy of the setting that is best in the others.
fn best_of_others(found: &Found, at: usize, n_repeats: usize) -> Vec<f64> {
    let of_others = |rows: &[Vec<f64>], left_out: usize| -> f64 {
        rows.iter().enumerate().filter(|(repeat, _)| *repeat != left_out).map(|(_, row)| row[at]).sum()
    };
    let best = |repeat: usize| {
        let best = found.values().max_by(|a, b| of_others(a, repeat).total_cmp(&of_others(b, repeat)));
        best.map_or(f64::NAN, |rows| rows[repeat][at])
    };
    (0..n_repeats).map(best).collect()
}

/// Means over all settings that have something in common.
fn print_effect(found: &Found, of: impl Fn(&Setting) -> String) {
    let mut groups: BTreeMap<String, Vec<&Vec<f64>>> = BTreeMap::new();
    for (setting, rows) in found {
        groups.entry(of(setting)).or_default().extend(rows);
    }
    for (name, rows) in groups {
        let cell = |at: usize| format!("{:.1}", mean(&rows.iter().map(|row| row[at]).collect::<Vec<f64>>()));
        println!("| {name} | {} |", (0..NEIGHBOURS.len()).map(cell).collect::<Vec<_>>().join(" | "));
    }
}
