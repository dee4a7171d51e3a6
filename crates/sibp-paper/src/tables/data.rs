//! Reads the data of a table: Animals with Attributes from a folder, or the shipped digits.

use super::attributes::{Attributes, N_ATTRIBUTES};
use super::{Shipped, TableArgs, animals};
use crate::digits;
use crate::misuse::usage;
use sibp::codes::Codes;
use sibp::data::{Inputs, Labels, Split};
use std::collections::BTreeSet;
use std::path::Path;

/// A data set with its splits.
pub struct TableData {
    /// Name of the data set in headings.
    pub name: &'static str,
    pub inputs: Inputs,
    pub labels: Labels,
    pub splits: Vec<Splits>,
    pub attributes: Option<Attributes>,
    /// Classes of the whole data set, where the objects may be of some of them.
    pub n_all_classes: Option<usize>,
    /// Transform steps applied before the probit model and the transformed references.
    pub standardised: &'static str,
    /// Transform steps applied before the Gaussian models.
    pub centred: &'static str,
    /// The least that is done before the Super Probit IBP to the letter.
    pub raw: &'static str,
}

/// One split file.
pub struct Splits {
    /// Name of the split file without its extension.
    pub name: String,
    /// Number of classes in a repeat.
    pub n_classes: usize,
    pub repeats: Vec<Split>,
}

impl TableData {
    pub fn load(args: &TableArgs<'_>) -> anyhow::Result<Self> {
        // Results are stored under these names.
        let names: BTreeSet<String> = args.splits.iter().map(|name| stem(name)).collect();
        if names.len() < args.splits.len() {
            return Err(usage("--splits: two files have the same name"));
        }
        match (&args.data, args.dataset) {
            (Some(folder), _) => animals::load(folder, args),
            (None, _) if args.input.is_some() => Err(usage("--feature belongs to --data with the original folders")),
            (None, Some(Shipped::Digits)) => Self::digits(&args.splits),
            (None, None) => Err(usage(
                "the table needs data: --data DIR with the Animals with Attributes (see 'sibp reproduce table1 --help'), \
                 or --dataset digits for the shipped digits",
            )),
        }
    }

    fn digits(names: &[String]) -> anyhow::Result<Self> {
        let (inputs, labels) = digits::all()?;
        let splits = names.iter().map(|name| match digits::splits(name) {
            Some(repeats) => Ok(Splits::new(name, repeats?, &labels)),
            None => Err(usage(format!("--splits: the digits come with split5.csv and split10.csv, not with {name}"))),
        });
        let splits = splits.collect::<anyhow::Result<_>>()?;
        let (standardised, centred) = ("standardise,scale", "centre");
        let name = "handwritten digits";
        // Pixels of up to 16 would ask for coefficients far below their prior's scale: a sweep of the slice sampler did
        // not end within minutes. One factor for all of them leaves everything else as it is.
        let raw = "scale";
        Ok(Self { name, inputs, labels, splits, attributes: None, n_all_classes: None, standardised, centred, raw })
    }

    /// Attributes of the classes of these rows.
    pub fn attributes_of(&self, rows: &[usize]) -> Option<Codes> {
        let attributes = self.attributes.as_ref()?;
        let mut codes = Codes::zeros(rows.len(), N_ATTRIBUTES);
        for (at, &row) in rows.iter().enumerate() {
            let bits = attributes.of_class(&self.labels.names()[self.labels.class_of()[row] as usize])?;
            bits.iter().enumerate().for_each(|(bit, &value)| codes.set(at, bit, value));
        }
        Some(codes)
    }

    /// The classes of a split.
    pub fn classes_of(&self, split: &Split) -> BTreeSet<u32> {
        split.train.iter().chain(&split.test).map(|&row| self.labels.class_of()[row]).collect()
    }
}

impl Splits {
    pub fn new(name: &str, repeats: Vec<Split>, labels: &Labels) -> Self {
        let classes: BTreeSet<u32> = repeats[0].train.iter().map(|&row| labels.class_of()[row]).collect();
        Self { name: stem(name), n_classes: classes.len(), repeats }
    }
}

/// A file's name without folder and extension.
pub fn stem(name: &str) -> String {
    Path::new(name).file_stem().map_or_else(|| name.to_owned(), |stem| stem.to_string_lossy().into_owned())
}
