//! Reads what a table is made from: Animals with Attributes from a folder, or the shipped digits.

use super::{Shipped, TableArgs};
use crate::demo::digits;
use crate::failure::usage;
use anyhow::{Context, bail};
use sibp::codes::Codes;
use sibp::data::{Features, Labels, ReadOptions, Split, read_labels, read_splits, read_table};
use std::collections::BTreeSet;
use std::path::Path;

/// Attributes that are known of every class: the paper's colours.
pub const N_ATTRIBUTES: usize = 5;

/// A data set with its splits.
pub struct TableData {
    /// For people.
    pub name: &'static str,
    pub features: Features,
    pub labels: Labels,
    pub splits: Vec<Splits>,
    pub attributes: Option<Attributes>,
    /// Steps before the probit model and the transformed references.
    pub standardised: &'static str,
    /// Steps before the Gaussian models.
    pub centred: &'static str,
}

/// One split file.
pub struct Splits {
    /// Without the ending.
    pub name: String,
    /// Classes of a repeat.
    pub n_classes: usize,
    pub repeats: Vec<Split>,
}

/// Bits of every class.
pub struct Attributes {
    pub names: Vec<String>,
    /// The first line is class 1.
    matrix: Vec<Vec<bool>>,
}

impl TableData {
    pub fn load(args: &TableArgs) -> anyhow::Result<Self> {
        // Results are kept under these names.
        let names: BTreeSet<String> = args.splits.iter().map(|name| stem(name)).collect();
        if names.len() < args.splits.len() {
            return Err(usage("--splits: two files have the same name"));
        }
        match (&args.data, args.dataset) {
            (Some(folder), _) => Self::animals(folder, &args.splits),
            (None, Some(Shipped::Digits)) => Self::digits(&args.splits),
            (None, None) => Err(usage(
                "the table needs data: --data DIR with the Animals with Attributes (see 'sibp reproduce table1 --help'), \
                 or --dataset digits for the shipped digits",
            )),
        }
    }

    fn animals(folder: &Path, splits: &[String]) -> anyhow::Result<Self> {
        check_files(folder, splits)?;
        let options = ReadOptions::default();
        let features = read_table(&folder.join("features.npy"), &options)?.features;
        let labels = read_labels(&folder.join("labels.npy"), &options)?;
        if features.n_objects() != labels.len() {
            bail!(
                "{}: features.npy has {} rows, but labels.npy {}",
                folder.display(),
                features.n_objects(),
                labels.len()
            );
        }
        let attributes = Some(Attributes::read(folder, &labels)?);
        let read = |name: &String| {
            let repeats = read_splits(&folder.join(name), features.n_objects())?;
            Ok(Splits::new(name, repeats, &labels))
        };
        let splits = splits.iter().map(read).collect::<anyhow::Result<_>>()?;
        let (standardised, centred) = ("sqrt,standardise,scale", "sqrt,centre");
        Ok(Self { name: "Animals with Attributes", features, labels, splits, attributes, standardised, centred })
    }

    fn digits(names: &[String]) -> anyhow::Result<Self> {
        let (features, labels) = digits::all()?;
        let splits = names.iter().map(|name| match digits::splits(name) {
            Some(repeats) => Ok(Splits::new(name, repeats?, &labels)),
            None => Err(usage(format!("--splits: the digits come with split5.csv and split10.csv, not with {name}"))),
        });
        let splits = splits.collect::<anyhow::Result<_>>()?;
        let (standardised, centred) = ("standardise,scale", "centre");
        Ok(Self { name: "handwritten digits", features, labels, splits, attributes: None, standardised, centred })
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
    fn new(name: &str, repeats: Vec<Split>, labels: &Labels) -> Self {
        let classes: BTreeSet<u32> = repeats[0].train.iter().map(|&row| labels.class_of()[row]).collect();
        Self { name: stem(name), n_classes: classes.len(), repeats }
    }

    /// "5 categories".
    pub fn title(&self) -> String {
        format!("{} categories", self.n_classes)
    }
}

/// A file's name without folder and ending.
fn stem(name: &str) -> String {
    Path::new(name).file_stem().map_or_else(|| name.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

impl Attributes {
    /// Names and bits of the first attributes; every class of the labels must have them.
    fn read(folder: &Path, labels: &Labels) -> anyhow::Result<Self> {
        let text = |name: &str| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).with_context(|| path.display().to_string())
        };
        // Lines of a number and a name.
        let name = |line: &str| line.split_whitespace().last().unwrap_or_default().to_owned();
        let names: Vec<String> = text("predicates.txt")?.lines().take(N_ATTRIBUTES).map(name).collect();
        let file = folder.join("predicate-matrix-binary.txt");
        let mut matrix = Vec::new();
        for (at, line) in text("predicate-matrix-binary.txt")?.lines().enumerate() {
            let cells: Vec<&str> = line.split_whitespace().take(N_ATTRIBUTES).collect();
            if cells.len() < N_ATTRIBUTES || cells.iter().any(|cell| !["0", "1"].contains(cell)) {
                bail!("{}: line {} does not begin with {N_ATTRIBUTES} cells of 0 or 1", file.display(), at + 1);
            }
            matrix.push(cells.iter().map(|&cell| cell == "1").collect());
        }
        let attributes = Self { names, matrix };
        match labels.names().iter().find(|name| attributes.of_class(name).is_none()) {
            Some(name) => bail!(
                "{}: there is no line for the label {name}; labels are class ids, 1 for the first line",
                file.display()
            ),
            None => Ok(attributes),
        }
    }

    fn of_class(&self, id: &str) -> Option<&[bool]> {
        self.matrix.get(id.parse::<usize>().ok()?.checked_sub(1)?).map(Vec::as_slice)
    }
}

/// Names everything that is missing at once, and what it should hold.
fn check_files(folder: &Path, splits: &[String]) -> anyhow::Result<()> {
    let known = [
        ("features.npy", "a row an image: its colour histogram (cq-hist; the first 128 numbers are the whole image)"),
        ("labels.npy", "a class id an image, 1 to 50, as numbered in classes.txt"),
        ("classes.txt", "from the data set's base package"),
        ("predicates.txt", "from the data set's base package"),
        ("predicate-matrix-binary.txt", "from the data set's base package"),
    ];
    let splits = splits.iter().map(|name| (name.as_str(), "columns repeat, role (train or test) and row (from 0)"));
    let missing: Vec<String> = known
        .into_iter()
        .chain(splits)
        .filter(|(name, _)| !folder.join(name).is_file())
        .map(|(name, what)| format!("\n  {name}: {what}"))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    bail!(
        "{}: the Animals with Attributes are not complete there. Missing:{}\nThe data set (Lampert, Nickisch and \
         Harmeling, 2009) is at https://cvml.ista.ac.at/AwA/. Without it: --dataset digits",
        folder.display(),
        missing.join("")
    )
}
