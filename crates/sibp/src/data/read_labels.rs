//! Reads labels and ids from files of their own.

use std::path::Path;

use super::csv::Records;
use super::error::shown;
use super::npy::{read_integers_as, shape_text};
use super::options::{HeaderLine, ReadOptions};
use super::table::{Format, format_of};
use super::{ColumnRef, DataError, Ids, Labels, Place};

const READABLE: &str = ".npy, .csv, .tsv, .txt (from .parquet, take a label column of the input table)";
const ID_NUMBER: &str = "an id: a whole number from 0 to 2^64 - 1";
/// First lines that are always taken for a header.
const USUAL_NAMES: [&str; 9] = ["label", "labels", "class", "class_id", "category", "target", "y", "id", "ids"];

/// Reads one label an object from a `.npy` array of integers, or from text: one column, or
/// `options.label_column` of several.
///
/// A single text column has a header if its first line is a usual name (label, class, category, target, y, id), or if
/// it is the only line that is not an integer; `options.header` says otherwise.
pub fn read_labels(path: &Path, options: &ReadOptions) -> Result<Labels, DataError> {
    texts(path, options.label_column.as_ref(), options)
        .map(|texts| Labels::from_text(&texts))
        .map_err(|error| error.in_file(path))
}

/// Reads one id an object, by the rules of [`read_labels`] with `options.id_column`.
pub fn read_ids(path: &Path, options: &ReadOptions) -> Result<Ids, DataError> {
    texts(path, options.id_column.as_ref(), options).and_then(Ids::new).map_err(|error| error.in_file(path))
}

/// Reads one text an object, by the rules of [`read_ids`]; a text may come twice.
pub fn read_texts(path: &Path, options: &ReadOptions) -> Result<Vec<String>, DataError> {
    texts(path, options.id_column.as_ref(), options).map_err(|error| error.in_file(path))
}

/// Reads one whole number from 0 on an object, by the rules of [`read_ids`]; a number may come twice.
pub fn read_id_numbers(path: &Path, options: &ReadOptions) -> Result<Vec<u64>, DataError> {
    id_numbers(path, options).map_err(|error| error.in_file(path))
}

fn id_numbers(path: &Path, options: &ReadOptions) -> Result<Vec<u64>, DataError> {
    let bad = |row: usize, value: &str| DataError::BadValue {
        place: Place::row(row),
        value: shown(value),
        needed: ID_NUMBER,
    };
    if format_of(path, READABLE)? != Format::Npy {
        let texts = texts(path, options.id_column.as_ref(), options)?;
        return texts.iter().enumerate().map(|(row, text)| text.parse().map_err(|_| bad(row, text))).collect();
    }
    // Kept as numbers: a hundred million of them as texts would exhaust the memory.
    let numbers: Vec<u64> = integers(path, ID_NUMBER)?;
    if numbers.is_empty() { Err(DataError::NoRows) } else { Ok(numbers) }
}

fn texts(path: &Path, column: Option<&ColumnRef>, options: &ReadOptions) -> Result<Vec<String>, DataError> {
    let texts = match format_of(path, READABLE)? {
        Format::Npy => from_npy(path)?,
        Format::Text => from_text(path, column, options)?,
        Format::Parquet => {
            return Err(DataError::UnknownFormat { extension: "parquet".into(), readable: READABLE });
        }
    };
    if texts.is_empty() { Err(DataError::NoRows) } else { Ok(texts) }
}

fn from_npy(path: &Path) -> Result<Vec<String>, DataError> {
    Ok(integers::<i128>(path, "a whole number")?.iter().map(i128::to_string).collect())
}

fn integers<T: TryFrom<i128> + Copy>(path: &Path, needed: &'static str) -> Result<Vec<T>, DataError> {
    let one_column = |shape: &[usize]| match shape {
        [_] | [_, 1] => Ok(()),
        _ => Err(DataError::WrongShape {
            found: shape_text(shape),
            needed: "one number an object is needed, shape (n,) or (n, 1)",
        }),
    };
    read_integers_as(path, one_column, needed)
}

fn from_text(path: &Path, column: Option<&ColumnRef>, options: &ReadOptions) -> Result<Vec<String>, DataError> {
    let mut records = Records::open(path, options.delimiter)?;
    if !records.advance()? {
        return Err(DataError::NoRows);
    }
    let width = records.width();
    let names = records.names()?;
    let by_name = column.is_some_and(|column| column.stands_in(&names));
    let has_header = by_name || options.header == HeaderLine::Present;
    let column = match column {
        Some(column) => column.resolve(has_header.then_some(names.as_slice()), width)?,
        None if width == 1 => 0,
        None => {
            return Err(DataError::WrongShape {
                found: format!("(n, {width})"),
                needed: "one column is needed; give a file with one, or name the column",
            });
        }
    };
    let mut texts = Vec::new();
    if !has_header {
        texts.push(cell(&records, column, 0)?);
    }
    let mut lines = texts.len();
    while records.advance()? {
        if let Some(line) = records.blank_line().filter(|_| width == 1) {
            return Err(DataError::BlankLine { line });
        }
        if records.width() != width {
            let place = Place::line(records.line(), lines);
            return Err(DataError::Ragged { place, found: records.width(), expected: width });
        }
        texts.push(cell(&records, column, lines)?);
        lines += 1;
    }
    if !has_header && options.header == HeaderLine::Detect && first_is_header(&texts) {
        texts.remove(0);
    }
    Ok(texts)
}

fn cell(records: &Records, column: usize, row: usize) -> Result<String, DataError> {
    let text = records.cell(column, row, None)?;
    if text.is_empty() {
        let place = Place::line(records.line(), row).column(column, None);
        return Err(DataError::BadValue { place, value: shown(text), needed: "a label: it is empty" });
    }
    Ok(text.to_owned())
}

fn first_is_header(texts: &[String]) -> bool {
    // Wide enough for unsigned ids: the first of them is no header because it is large.
    let is_integer = |text: &String| text.parse::<i128>().is_ok();
    let Some((first, rest)) = texts.split_first() else { return false };
    let usual = USUAL_NAMES.iter().any(|name| first.eq_ignore_ascii_case(name));
    usual || (!is_integer(first) && !rest.is_empty() && rest.iter().all(is_integer))
}
