//! Reads tables to learn from: fills missing values in or leaves their rows out, as `--missing` says.

use super::TableArgs;
use crate::output::{self, count, grouped};
use anyhow::bail;
use clap::ValueEnum;
use sibp::data::{ColumnRef, DataError, Filling, Missing, ReadOptions, Storage, Table, read_noted};
use sibp::triplets::Judgements;
use std::path::Path;

/// What is done about missing values, and about columns that are no inputs.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct MissingArgs {
    /// Columns of the inputs to ignore, by name or number from 0, separated by commas: text, or anything not to learn
    /// from
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// What to do where a value is missing (an empty cell, NA, NaN, null, none, ?); the model remembers it, and treats
    /// objects to encode in the same way [default: refuse the file, with a count for each column]
    #[arg(long, value_name = "RULE", value_enum)]
    pub missing: Option<MissingArg>,
}

/// Rules for missing values on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MissingArg {
    /// Use the mean of the column
    Mean,
    /// Use the median of the column
    Median,
    /// Leave the row out, with its label, its id and all triplets about it; such rows get no code later
    Drop,
}

/// A table to learn from.
#[derive(Debug)]
pub struct Learned {
    /// All rows, with missing values filled in.
    pub table: Table,
    /// The rows to leave out, in order.
    pub left_out: Vec<usize>,
}

impl Learned {
    /// The rows to learn from among `chosen`, or among all; `None` where these are all that there are.
    pub fn rows(&self, chosen: Option<Vec<usize>>) -> anyhow::Result<Option<Vec<usize>>> {
        if chosen.is_none() && self.left_out.is_empty() {
            return Ok(None);
        }
        let chosen = chosen.unwrap_or_else(|| (0..self.table.inputs.n_objects()).collect());
        let rows: Vec<usize> = chosen.into_iter().filter(|row| self.left_out.binary_search(row).is_err()).collect();
        match rows.is_empty() {
            true => bail!("every row lacks a value, so that --missing drop leaves none; try --missing mean"),
            false => Ok(Some(rows)),
        }
    }
}

impl MissingArgs {
    /// How the inputs file is to be read.
    pub fn options(&self, args: &TableArgs) -> ReadOptions {
        let ignore = self.ignore.iter().map(|name| ColumnRef::from(name.as_str())).collect();
        ReadOptions { ignore, ..args.options() }
    }

    /// Reads inputs, labels and ids by the rule, and says what was missing.
    pub fn read(&self, args: &TableArgs, path: &Path, storage: Storage, quiet: bool) -> anyhow::Result<Learned> {
        let missing = match self.missing {
            None => Missing::Refuse,
            // Rows that are left out stay until everything that counts rows has been read.
            Some(MissingArg::Mean | MissingArg::Drop) => Missing::Mean,
            Some(MissingArg::Median) => Missing::Median,
        };
        let options = ReadOptions { storage, missing, ..self.options(args) };
        let (mut table, notes) = read_noted(path, &options).map_err(|error| self.explain(error, path))?;
        let mut left_out = Vec::new();
        if self.missing == Some(MissingArg::Drop) {
            table.filling = Some(Filling::Drop);
            left_out = notes.gaps.rows().to_vec();
        }
        if !notes.gaps.is_empty() && !quiet {
            let (path, words) = (path.display(), notes.gaps.words(table.input_names.as_deref()));
            let n_rows = grouped(notes.gaps.rows().len());
            match self.missing {
                Some(MissingArg::Drop) => output::say(format!(
                    "{path}: {n_rows} of {} lack a value and are left out: {words}",
                    count(table.inputs.n_objects(), "row")
                )),
                _ => output::say(format!(
                    "{path}: {} missing values in {n_rows} rows are filled in: {words}",
                    grouped(notes.gaps.n_missing())
                )),
            }
        }
        Ok(Learned { table: args.joined(path, table)?, left_out })
    }

    fn explain(&self, error: DataError, path: &Path) -> anyhow::Error {
        match error.problem() {
            DataError::MissingValues { .. } => anyhow::anyhow!(
                "{error}: --missing mean or --missing median takes that of the column, --missing drop leaves the rows out"
            ),
            DataError::BadValue { .. } => anyhow::anyhow!("{error} (--ignore COLUMNS passes over columns)"),
            DataError::EmptyColumn { .. } => error.in_file(path).into(),
            _ => error.into(),
        }
    }
}

/// The judgements about the objects that are learned from; warns of those that mention another one.
pub fn among(judgements: &Judgements, rows: &[usize], path: &Path) -> anyhow::Result<Judgements> {
    let left = judgements.among(rows);
    let (n_before, n_left) = (judgements.triplets.len(), left.triplets.len());
    let path = path.display();
    if n_left == 0 && n_before > 0 {
        bail!("{path}: every triplet mentions an object that lacks a value and is left out; try --missing mean");
    }
    if n_left < n_before {
        let (n, all) = (grouped(n_before - n_left), count(n_before, "triplet"));
        output::warn(format!("{path}: {n} of {all} mention an object that is left out, and are not learned from"));
    }
    Ok(left)
}
