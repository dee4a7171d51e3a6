//! Retrieves handwritten digits: methods learn from a few thousand, and search all training images.

use crate::digits::Mnist;
use crate::ours::{Model, Variant};
use crate::ranking::MEASURES;
use crate::references::{Kind, References, Wanted};
use crate::search_set::{Means, SearchSet};
use crate::table::{Results, Row, Table};
use anyhow::Result;
use clap::{Args, ValueEnum};
use sibp::data::{Inputs, Labels};
use sibp::transform::InputTransform;
use std::path::{Path, PathBuf};

/// Columns of the tables: what is measured, then what it takes.
pub const COLUMNS: [&str; 8] =
    [MEASURES[0], MEASURES[1], MEASURES[2], MEASURES[3], MEASURES[4], "bits", "distinct codes", "fit seconds"];

/// A row of codes, with bits, distinct codes of the database and seconds of the fit.
pub fn of_codes(name: impl Into<String>, means: Means, (n_bits, distinct, seconds): (usize, usize, f64)) -> Row {
    Row { name: name.into(), values: means.into_iter().chain([n_bits as f64, distinct as f64, seconds]).collect() }
}

/// A row of plain distances.
pub fn of_inputs(set: &SearchSet) -> Row {
    let nothing = [f64::NAN; COLUMNS.len() - MEASURES.len()];
    Row { name: "raw inputs, Euclidean".to_owned(), values: set.by_inputs().into_iter().chain(nothing).collect() }
}

/// A kind of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Which {
    /// Our model
    Sibp,
    /// Supervised discrete hashing
    Sdh,
    /// The same with codes of classes by a Hadamard matrix
    Hcsdh,
    /// Iterative quantisation
    Itq,
    /// Plain distances of the inputs
    Raw,
}

/// What is fitted, how often and to how many digits.
#[derive(Args)]
pub struct Fits {
    /// Folder with the four files of MNIST
    #[arg(long)]
    pub data: PathBuf,
    /// Seeds: each draws its own training digits and queries
    #[arg(long, default_value_t = 5)]
    pub seeds: u64,
    /// Training digits, a tenth of them of each class or all that there are (70000 takes all)
    #[arg(long, default_value_t = 5000)]
    train: usize,
    /// Take queries from the last 10,000 training digits, which leave the database: for choosing settings
    #[arg(long)]
    pub development: bool,
    /// Only these rows
    #[arg(long, value_delimiter = ',', value_enum)]
    only: Vec<Which>,
    /// A row of ours with settings of its own, in one argument: "NAME [--transform STEPS] [--sweeps N] [--chains N]
    /// [--per-object N]"
    #[arg(long = "variant", value_parser = Variant::from_words, default_value = "sibp")]
    variants: Vec<Variant>,
    /// Input transform of SDH and HC-SDH
    #[arg(long, default_value = "anchors:1000")]
    reference_transform: InputTransform,
    /// Input transform of ITQ
    #[arg(long, default_value = "centre")]
    itq_transform: InputTransform,
    /// Where to write all rows [default: target/retrieval/mnist.csv, or open.csv]
    #[arg(long)]
    out: Option<PathBuf>,
}

impl Fits {
    /// Whether rows of this kind are wanted.
    pub fn wants(&self, which: Which) -> bool {
        self.only.is_empty() || self.only.contains(&which)
    }

    /// Begins the file of all rows.
    pub fn results(&self, default: &str) -> Result<Results> {
        let path = self.out.clone().unwrap_or_else(|| Path::new("target/retrieval").join(default));
        Results::create(&path, &COLUMNS)
    }

    /// Training digits of a seed.
    pub fn training(&self, mnist: &Mnist, seed: u64, among: &[u32]) -> Result<(Inputs, Labels)> {
        mnist.training(seed, self.train / 10, among)
    }

    /// Fits every variant of ours.
    pub fn models(&self, (inputs, labels): (&Inputs, &Labels), seed: u64) -> Result<Vec<Model>> {
        let wanted = self.variants.iter().filter(|_| self.wants(Which::Sibp));
        wanted.map(|variant| variant.fit(inputs, labels, seed)).collect()
    }

    /// Fits the hashes with these numbers of bits, and SDH also with those of each model.
    pub fn references(
        &self,
        training: (&Inputs, &Labels),
        n_bits: &[usize],
        models: &[Model],
        seed: u64,
    ) -> Result<Vec<References>> {
        let (mut supervised, mut plain) = (Vec::new(), Vec::new());
        for &n in n_bits {
            for (which, kind, name) in [(Which::Sdh, Kind::Sdh, "SDH"), (Which::Hcsdh, Kind::HcSdh, "HC-SDH")] {
                supervised.extend(self.wants(which).then(|| Wanted::new(format!("{name} {n}"), kind, n)));
            }
        }
        if self.wants(Which::Sdh) {
            for model in models {
                supervised.push(Wanted::new(same_bits(&model.name), Kind::Sdh, model.n_bits()?));
            }
        }
        plain.extend(self.wants(Which::Itq).then(|| Wanted::new("ITQ 64", Kind::Itq, 64)));
        let groups = [(&self.reference_transform, supervised), (&self.itq_transform, plain)];
        let some = groups.into_iter().filter(|(_, wanted)| !wanted.is_empty());
        some.map(|(transform, wanted)| References::fit(training, transform, &wanted, seed)).collect()
    }

    /// Prints how far our rows are above those of SDH.
    pub fn print_tests(&self, table: &Table) -> Result<()> {
        for variant in &self.variants {
            for other in ["SDH 32".to_owned(), "SDH 64".to_owned(), same_bits(&variant.name)] {
                for ours in [variant.name.clone(), format!("{}, side by side", variant.name)] {
                    table.print_above(&ours, &other, &["mAP", "15-NN"])?;
                }
            }
        }
        Ok(())
    }
}

fn same_bits(name: &str) -> String {
    format!("SDH, bits of {name}")
}

#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    fits: Fits,
}

pub fn run(Options { fits }: &Options) -> Result<()> {
    let Some(mnist) = Mnist::read(&fits.data, fits.development)? else { return Ok(()) };
    let all: Vec<u32> = (0..10).collect();
    let mut table = Table::new("MNIST", &COLUMNS);
    let mut file = fits.results("mnist.csv")?;
    for seed in 0..fits.seeds {
        let (inputs, labels) = fits.training(&mnist, seed, &all)?;
        let set = mnist.search_set(seed, &all);
        let models = fits.models((&inputs, &labels), seed)?;
        for model in &models {
            model.rows(&set)?.into_iter().try_for_each(|row| table.push(seed, row, &mut file))?;
        }
        for references in fits.references((&inputs, &labels), &[32, 64], &models, seed)? {
            references.rows(&set)?.into_iter().try_for_each(|row| table.push(seed, row, &mut file))?;
        }
        if fits.wants(Which::Raw) {
            table.push(seed, of_inputs(&set), &mut file)?;
        }
    }
    table.print()?;
    fits.print_tests(&table)
}
