//! Reads files that split objects into training and test parts, several times over.

use std::collections::BTreeSet;
use std::path::Path;

use super::csv::Records;
use super::error::shown;
use super::{DataError, Place};

/// One division of objects into two parts; the numbers are rows of the inputs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Split {
    /// Rows to learn from, in the file's order.
    pub train: Vec<usize>,
    /// Rows to test on, in the file's order.
    pub test: Vec<usize>,
}

/// Reads a text file with the columns `repeat`, `role` (train or test) and `row`; others are passed over.
///
/// Repeats must be numbered from 0 without gaps, rows must be below `n_objects`, and no row may come twice in a repeat.
pub fn read_splits(path: &Path, n_objects: usize) -> Result<Vec<Split>, DataError> {
    splits(path, n_objects).map_err(|error| error.in_file(path))
}

fn splits(path: &Path, n_objects: usize) -> Result<Vec<Split>, DataError> {
    let mut records = Records::open(path, None)?;
    if !records.advance()? {
        return Err(DataError::NoRows);
    }
    let names = records.names()?;
    let find = |name: &str| super::ColumnRef::from(name).resolve(Some(&names), names.len());
    let (repeat_at, role_at, row_at) = (find("repeat")?, find("role")?, find("row")?);
    let mut splits: Vec<Split> = Vec::new();
    let mut line_row = 0;
    while records.advance()? {
        if records.width() != names.len() {
            let place = Place::line(records.line(), line_row);
            return Err(DataError::Ragged { place, found: records.width(), expected: names.len() });
        }
        let bad = |column: usize, value: &str, needed: &'static str| DataError::BadValue {
            place: Place::line(records.line(), line_row).column(column, Some(&names[column])),
            value: shown(value),
            needed,
        };
        let text = |column: usize| records.cell(column, line_row, Some(&names[column]));
        let number = |column: usize, below: usize, needed: &'static str| {
            let text = text(column)?;
            text.parse::<usize>().ok().filter(|&n| n < below).ok_or_else(|| bad(column, text, needed))
        };
        // A new repeat may only be the next one, so that a wrong number cannot ask for a long list.
        let repeat = number(repeat_at, splits.len() + 1, "the number of a repeat; they count 0, 1, 2, ...")?;
        if repeat == splits.len() {
            splits.push(Split::default());
        }
        let row = number(row_at, n_objects, "a row of the inputs (too large, negative or no number)")?;
        match text(role_at)? {
            "train" => splits[repeat].train.push(row),
            "test" => splits[repeat].test.push(row),
            other => return Err(bad(role_at, other, "train or test")),
        }
        line_row += 1;
    }
    if splits.is_empty() {
        return Err(DataError::NoRows);
    }
    splits.iter().enumerate().try_for_each(|(repeat, split)| check(repeat, split))?;
    Ok(splits)
}

fn check(repeat: usize, split: &Split) -> Result<(), DataError> {
    for (part, rows) in [("train", &split.train), ("test", &split.test)] {
        if rows.is_empty() {
            return Err(DataError::BadSplit { repeat, reason: format!("the {part} part is empty") });
        }
    }
    let mut seen = BTreeSet::new();
    match split.train.iter().chain(&split.test).find(|&&row| !seen.insert(row)) {
        Some(row) => Err(DataError::BadSplit { repeat, reason: format!("row {row} comes twice") }),
        None => Ok(()),
    }
}
