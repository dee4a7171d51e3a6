//! Measures on small data, by default settings, whether codes keep objects of a class apart.
//!
//! Codes that give every class one code find the class and nothing more. Here the ten nearest objects of a query's class
//! by codes are compared with the ten nearest by inputs: as they are, and standardised.

use crate::encoding::n_distinct;
use crate::table::{Results, Row, Table};
use anyhow::{Context, Result};
use clap::Args;
use rand::seq::SliceRandom;
use sibp::codes::Codes;
use sibp::data::{Inputs, Labels};
use sibp::encode::Encoder;
use sibp::eval::{Placed, mean, nearest_kept};
use sibp::hash::{ItqSettings, fit_itq};
use sibp::index::Metric;
use sibp::pipeline::{Fit, Reading};
use sibp::rng::{Purpose, Streams};
use sibp::run::RunControl;
use sibp::transform::Transform;
use sibp_experiments::{DataSet, Repeat};
use std::path::{Path, PathBuf};

const COLUMNS: [&str; 7] =
    ["bits", "codes an object", "ties at 0", "recall of 10, standardised", "recall of 10, plain", "1-NN", "15-NN"];
/// Scales on which inputs are near, and on which they are quantised.
const SCALES: [(&str, &str); 2] = [("ITQ, standardised inputs", "standardise"), ("ITQ, plain inputs", "centre")];
/// Neighbours that are to be found again.
const NEAREST: usize = 10;

#[derive(Args)]
pub struct Options {
    /// Folder with breast_cancer.csv and wine_data.csv as scikit-learn has them; by default that of the package in the
    /// project's Python environment
    #[arg(long)]
    data: Option<PathBuf>,
    /// Folder with the digits
    #[arg(long, default_value = "data/digits")]
    digits: PathBuf,
    /// Repeats, each with halves of its own
    #[arg(long, default_value_t = 5)]
    repeats: u64,
    /// Where to write all rows
    #[arg(long, default_value = "target/retrieval/spread.csv")]
    out: PathBuf,
}

pub fn run(options: &Options) -> Result<()> {
    let mut file = Results::create(&options.out, &COLUMNS)?;
    let folder = options.data.clone().or_else(package_data);
    for (title, name) in [("breast cancer", "breast_cancer.csv"), ("wine", "wine_data.csv")] {
        match folder.as_ref().map(|folder| folder.join(name)).filter(|path| path.exists()) {
            Some(path) => of_data(options, title, &read(&path)?, &mut file)?,
            None => println!("skipped: {title}: no {name}; say where with --data\n"),
        }
    }
    of_data(options, "digits", &DataSet::read(&options.digits)?, &mut file)
}

/// The data of scikit-learn in the environment that `make wheel` makes.
fn package_data() -> Option<PathBuf> {
    let versions = std::fs::read_dir(".venv-python/lib").ok()?;
    let data = |entry: std::fs::DirEntry| entry.path().join("site-packages/sklearn/datasets/data");
    versions.flatten().map(data).find(|folder| folder.is_dir())
}

/// Reads a file whose first line holds sizes and names of classes, and each other line the inputs and the class.
fn read(path: &Path) -> Result<DataSet> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let (mut values, mut texts) = (Vec::new(), Vec::new());
    for line in text.lines().skip(1) {
        let (numbers, class) = line.rsplit_once(',').with_context(|| format!("{}: {line:?}", path.display()))?;
        for number in numbers.split(',') {
            values.push(number.trim().parse::<f64>().with_context(|| format!("{}: {number:?}", path.display()))?);
        }
        texts.push(class.trim().to_owned());
    }
    let inputs = Inputs::new(texts.len(), values.len() / texts.len().max(1), values)?;
    Ok(DataSet { inputs, labels: Labels::from_text(&texts) })
}

fn of_data(options: &Options, title: &str, data: &DataSet, file: &mut Results) -> Result<()> {
    let mut table = Table::new(title, &COLUMNS);
    for seed in 0..options.repeats {
        let mut rows: Vec<usize> = (0..data.inputs.n_objects()).collect();
        rows.shuffle(&mut Streams::new(seed, 0).rng(Purpose::Split, 0, 0));
        let (train, test) = rows.split_at(rows.len() / 2);
        for row in of_halves(&data.halves(train, test), seed)? {
            table.push(seed, row, file)?;
        }
    }
    table.print()
}

/// Our codes, their learned bits alone, and those of ITQ with as many bits, at most one an input; all are given by inputs.
fn of_halves(halves: &Repeat, seed: u64) -> Result<Vec<Row>> {
    let fitted =
        Fit::by_labels(halves.train.clone(), halves.train_labels.clone()).seed(seed).run(&RunControl::default())?;
    let (coder, learned) = (fitted.coder(Reading::default())?, fitted.learned_coder(Reading::default())?);
    let spaces = SCALES.iter().map(|(_, steps)| Space::new(halves, steps)).collect::<Result<Vec<_>>>()?;
    let mut rows = Vec::new();
    for (name, coder) in [("sibp", &coder), ("sibp, learned bits alone", &learned)] {
        let codes = Both { train: coder.encode(&halves.train)?, test: coder.encode(&halves.test)? };
        rows.push(row(name, halves, &spaces, &codes)?);
    }
    for ((name, _), space) in SCALES.iter().zip(&spaces) {
        let n_bits = coder.n_bits().min(space.train.n_inputs());
        let itq = fit_itq(&space.train, &ItqSettings::new(n_bits, seed))?;
        let codes = Both { train: itq.encode(&space.train, 0), test: itq.encode(&space.test, 0) };
        rows.push(row(name, halves, &spaces, &codes)?);
    }
    Ok(rows)
}

/// Codes of the training and of the test objects.
struct Both {
    train: Codes,
    test: Codes,
}

fn row(name: &str, halves: &Repeat, spaces: &[Space], codes: &Both) -> Result<Row> {
    let Both { train, test } = codes;
    let accuracy = halves.accuracy(train, test, Metric::Hamming)?;
    let queries = 0..test.n_objects();
    let ties = |query: usize| (0..train.n_objects()).filter(|&o| train.distance(o, test.row(query)) == 0).count();
    let ties: Vec<f64> = queries.map(|query| ties(query) as f64).collect();
    let spread = n_distinct(train) as f64 / train.n_objects() as f64;
    let mut values = vec![train.n_bits() as f64, spread, mean(&ties)];
    for space in spaces {
        let kept = space.kept(halves, codes).context("no class has more objects than are to be found again")?;
        values.push(100.0 * kept);
    }
    // Of the accuracies by 1, 3, 15 and 30 neighbours, those of the first and the third.
    values.extend([accuracy[0], accuracy[2]]);
    Ok(Row { name: name.to_owned(), values })
}

/// Inputs on a scale.
struct Space {
    train: Inputs,
    test: Inputs,
}

impl Space {
    fn new(halves: &Repeat, steps: &str) -> Result<Self> {
        let (transform, train) = Transform::fit_apply(&steps.parse()?, &halves.train)?;
        Ok(Self { train, test: transform.apply(&halves.test)? })
    }

    /// Which share of the nearest training objects of a query's class by inputs is among the nearest by codes.
    fn kept(&self, halves: &Repeat, codes: &Both) -> Option<f64> {
        let classes = [halves.train_labels.class_of(), halves.test_labels.class_of()];
        let train = Placed { inputs: &self.train, codes: &codes.train, classes: classes[0] };
        let test = Placed { inputs: &self.test, codes: &codes.test, classes: classes[1] };
        nearest_kept(train, test, false, NEAREST)
    }
}
