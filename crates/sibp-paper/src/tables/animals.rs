//! Reads Animals with Attributes from a folder: as arrays with split files, or as the data set is distributed.

use super::TableArgs;
use super::attributes::Attributes;
use super::data::{Splits, TableData, stem};
use super::original::Original;
use super::protocol::Protocol;
use crate::misuse::usage;
use anyhow::{Context, bail};
use sibp::data::{Inputs, Labels, ReadOptions, read_labels, read_splits, read_table};
use std::path::Path;

const BASE: [(&str, &str); 3] = [
    ("classes.txt", "from the data set's base package"),
    ("predicates.txt", "from the data set's base package"),
    ("predicate-matrix-binary.txt", "from the data set's base package"),
];

/// Inputs, labels, attributes and splits.
pub fn load(folder: &Path, args: &TableArgs<'_>) -> anyhow::Result<TableData> {
    match Original::find(folder) {
        Some(original) => from_original(&original, args),
        None if args.input.is_some() => Err(usage(format!(
            "--feature chooses a folder of the original Inputs, and there are none in {}",
            folder.display()
        ))),
        None => from_arrays(folder, args),
    }
}

fn from_arrays(folder: &Path, args: &TableArgs<'_>) -> anyhow::Result<TableData> {
    let arrays = [
        ("features.npy", "a row an image: its colour histogram (cq-hist; the first 128 numbers are the whole image)"),
        ("labels.npy", "a class id an image, 1 to 50, as numbered in classes.txt"),
    ];
    let splits =
        args.splits.iter().map(|name| (name.as_str(), "columns repeat, role (train or test) and row (from 0)"));
    check_files(folder, arrays.into_iter().chain(BASE).chain(splits))?;
    let options = ReadOptions::default();
    let inputs = read_table(&folder.join("features.npy"), &options)?.inputs;
    let labels = read_labels(&folder.join("labels.npy"), &options)?;
    if inputs.n_objects() != labels.len() {
        bail!("{}: features.npy has {} rows, but labels.npy {}", folder.display(), inputs.n_objects(), labels.len());
    }
    let read = |name: &String| {
        let repeats = read_splits(&folder.join(name), inputs.n_objects())?;
        Ok(Splits::new(name, repeats, &labels))
    };
    let splits = args.splits.iter().map(read).collect::<anyhow::Result<_>>()?;
    table_data(folder, inputs, labels, splits)
}

/// Reads the data set as distributed, and draws splits by the paper's protocol.
fn from_original(original: &Original<'_>, args: &TableArgs<'_>) -> anyhow::Result<TableData> {
    check_files(original.folder(), BASE)?;
    let protocols = args.splits.iter().map(|name| Protocol::named(&stem(name))).collect::<anyhow::Result<Vec<_>>>()?;
    let (inputs, labels, classes) = original.read(args.input.as_deref().unwrap_or("cq-hist"))?;
    let draw = |(name, protocol): (&String, &Protocol)| {
        Ok(Splits::new(name, protocol.draw(&labels, &classes, args.seed)?, &labels))
    };
    let splits = args.splits.iter().zip(&protocols).map(draw).collect::<anyhow::Result<_>>()?;
    table_data(original.folder(), inputs, labels, splits)
}

fn table_data(folder: &Path, inputs: Inputs, labels: Labels, splits: Vec<Splits>) -> anyhow::Result<TableData> {
    let attributes = Some(Attributes::read(folder, &labels)?);
    let n_all_classes = Some(n_lines(&folder.join("classes.txt"))?);
    let (standardised, centred) = ("sqrt,standardise,scale", "sqrt,centre");
    let name = "Animals with Attributes";
    Ok(TableData { name, inputs, labels, splits, attributes, n_all_classes, standardised, centred, raw: "none" })
}

/// Lines of a file that hold something.
fn n_lines(path: &Path) -> anyhow::Result<usize> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Ok(text.lines().filter(|line| !line.trim().is_empty()).count())
}

/// Reports all missing files at once, and what each should hold.
fn check_files<'a>(folder: &Path, needed: impl IntoIterator<Item = (&'a str, &'a str)>) -> anyhow::Result<()> {
    let missing: Vec<String> = needed
        .into_iter()
        .filter(|(name, _)| !folder.join(name).is_file())
        .map(|(name, what)| format!("\n  {name}: {what}"))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    bail!(
        "{}: the Animals with Attributes are not complete there. Missing:{}\nThe data set (Lampert, Nickisch and \
         Harmeling, 2009) is at https://cvml.ista.ac.at/AwA/. Its folders can be given as they are: unpack the base package \
         and the inputs, so that Inputs/cq-hist stands beside classes.txt. Without the data: --dataset digits",
        folder.display(),
        missing.join("")
    )
}
