//! Describes the CSV files of a table: a line for each measured number, and one line about data and settings.

use super::data::TableData;
use super::entries::{Entry, Options};
use super::jobs::Outcome;
use super::{NEIGHBOURS, TableArgs};
use crate::kept::BUILD;
use serde::{Deserialize, Serialize};

/// One number: the accuracy of a reading of a method, on one repeat, at one number of neighbours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Name of the split file.
    pub split: String,
    /// Number of classes in a repeat.
    pub categories: usize,
    /// Objects to learn from, and to ask about.
    pub train: usize,
    pub test: usize,
    /// The method.
    pub system: String,
    /// The given bits before the learned ones: `known`, `predicted` or `none`.
    pub given: String,
    /// How the fit is read.
    pub reading: String,
    /// Chains that the reading reads.
    pub chains: usize,
    pub repeat: usize,
    pub seed: u64,
    /// Number of neighbours; absent for a classifier.
    pub k: Option<usize>,
    /// Share of correct classes.
    pub accuracy: f64,
    /// Bits of a code, where there are codes.
    pub bits: Option<usize>,
    /// Training time of the fit, or a share of it where several results use one fit.
    pub seconds: f64,
    /// Hash of the sources that made the number.
    pub build: String,
}

/// Data and settings of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    pub build: String,
    pub data: String,
    pub objects: usize,
    pub inputs: usize,
    /// Classes that the objects have, and classes of the whole data set.
    pub classes: usize,
    pub all_classes: usize,
    /// Names of the attributes that are given bits, with a space between; empty where there are none.
    pub attributes: String,
    pub seed: u64,
    pub sweeps: u64,
    /// Chains of the Super Probit IBP.
    pub chains: usize,
    /// Draws that a chain keeps.
    pub draws: usize,
    pub per_object: usize,
    /// Transform of the Super Probit IBP and of the transformed references.
    pub standardised: String,
    /// Transform of the Gaussian models.
    pub centred: String,
    /// Transform of the Super Probit IBP to the letter.
    pub raw: String,
    /// Results that the table consists of.
    pub results: usize,
}

impl About {
    pub fn new(args: &TableArgs<'_>, data: &TableData, options: &Options, n_results: usize) -> Self {
        let attributes = data.attributes.as_ref().map_or(String::new(), |attributes| attributes.names.join(" "));
        let classes = data.labels.names().len();
        Self {
            build: BUILD.to_owned(),
            data: data.name.to_owned(),
            objects: data.inputs.n_objects(),
            inputs: data.inputs.n_inputs(),
            classes,
            all_classes: data.n_all_classes.unwrap_or(classes),
            attributes,
            seed: args.seed,
            sweeps: args.sweeps,
            chains: args.chains,
            draws: options.n_kept(),
            per_object: args.per_object,
            standardised: options.standardised.to_owned(),
            centred: options.centred.to_owned(),
            raw: options.raw.to_owned(),
            results: n_results,
        }
    }
}

/// All numbers of these results, in the order of splits, methods, readings, numbers of neighbours and repeats.
pub fn lines(data: &TableData, options: &Options, mut outcomes: Vec<Outcome>) -> Vec<Line> {
    outcomes.sort_by_key(|one| (one.splits_ix, one.entry));
    let same = |a: &Outcome, b: &Outcome| a.splits_ix == b.splits_ix && a.entry == b.entry;
    let mut lines = Vec::new();
    for of_entry in outcomes.chunk_by_mut(same) {
        of_entry.sort_by_key(|one| one.repeat);
        let Some(first) = of_entry.first() else { continue };
        let counts: Vec<usize> = first.stored.readings.iter().map(|reading| reading.accuracy.len()).collect();
        for (reading_ix, n_neighbours) in counts.into_iter().enumerate() {
            for (k_ix, &k) in NEIGHBOURS.iter().take(n_neighbours).enumerate() {
                let k = (n_neighbours > 1).then_some(k);
                lines.extend(of_entry.iter().map(|one| line(data, options, one, reading_ix, (k_ix, k))));
            }
        }
    }
    lines
}

fn line(
    data: &TableData,
    options: &Options,
    one: &Outcome,
    reading_ix: usize,
    (k_ix, k): (usize, Option<usize>),
) -> Line {
    let (splits, reading) = (&data.splits[one.splits_ix], &one.stored.readings[reading_ix]);
    let split = &splits.repeats[one.repeat];
    let Entry { system, given } = one.entry;
    Line {
        split: splits.name.clone(),
        categories: splits.n_classes,
        train: split.train.len(),
        test: split.test.len(),
        system: system.file_name().to_owned(),
        given: super::entries::given_name(given).to_owned(),
        reading: reading.name.clone(),
        chains: system.chains_of(&reading.name, options.chains),
        repeat: one.repeat,
        seed: options.seed_of(one.repeat),
        k,
        accuracy: reading.accuracy[k_ix],
        bits: reading.bits,
        seconds: (one.stored.seconds * 1e3).round() / 1e3,
        build: BUILD.to_owned(),
    }
}
