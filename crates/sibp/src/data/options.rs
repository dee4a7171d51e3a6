//! States how a table is to be read: its header and its id and label columns.

use super::matching::{Matching, matched};
use super::{DataError, Missing, Storage};

/// Whether a text file's first line names the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HeaderLine {
    /// A header if it contains an id or label column asked for by name, or all input columns asked for by name; if none of
    /// its cells is a number; or if it numbers at least three columns from 0 on, as pandas does.
    #[default]
    Detect,
    /// The first line is a header.
    Present,
    /// The first line is data.
    Absent,
}

/// A column by name or by number (from 0).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnRef {
    /// The column with this name; a text of digits that is no name counts as a number.
    Name(String),
    /// The column at this position.
    Index(usize),
}

impl From<&str> for ColumnRef {
    fn from(text: &str) -> Self {
        Self::Name(text.to_owned())
    }
}

impl ColumnRef {
    /// Whether the column's name stands in a file's first line, so that the line must be a header.
    /// A name that is a number could as well be a value.
    pub(crate) fn stands_in(&self, first: &[String]) -> bool {
        matches!(self, Self::Name(name) if name.parse::<f64>().is_err() && first.contains(name))
    }

    /// Finds the column among `width` columns.
    pub(crate) fn resolve(&self, names: Option<&[String]>, width: usize) -> Result<usize, DataError> {
        let found = match self {
            Self::Index(index) => Some(*index),
            Self::Name(name) => {
                names.and_then(|names| names.iter().position(|n| n == name)).or_else(|| name.parse().ok())
            }
        };
        found.filter(|&index| index < width).ok_or_else(|| DataError::NoColumn {
            asked: match self {
                Self::Name(name) => format!("{name:?}"),
                Self::Index(index) => index.to_string(),
            },
            known: known(names, width),
        })
    }
}

/// Lists the columns for an error message.
fn known(names: Option<&[String]>, width: usize) -> String {
    match names {
        None => format!("numbered 0 to {} (there is no header)", width.saturating_sub(1)),
        Some(names) => listed(names),
    }
}

/// Lists names for a message, of many the first few.
pub(crate) fn listed<T: AsRef<str>>(names: &[T]) -> String {
    const MOST: usize = 12;
    let first = names.iter().take(MOST).map(|name| format!("{:?}", name.as_ref())).collect::<Vec<_>>().join(", ");
    if names.len() > MOST { format!("{first} and {} more", names.len() - MOST) } else { first }
}

/// Options for reading a table. The default takes every column as an input.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadOptions {
    /// Whether a text file's first line names the columns.
    pub header: HeaderLine,
    /// The column of ids, which is then no input.
    pub id_column: Option<ColumnRef>,
    /// The column of labels, which is then no input.
    pub label_column: Option<ColumnRef>,
    /// Columns that are no inputs, whose texts are kept as they are.
    pub keep: Vec<ColumnRef>,
    /// Columns that are no inputs and are passed over.
    pub ignore: Vec<ColumnRef>,
    /// Names of the inputs, in order, as a model knows them. In a file that names its columns they are found by these
    /// names, and other columns are passed over; in a file without names, columns stay as they are.
    pub input_names: Option<Vec<String>>,
    /// What is done where a value is missing. What is read in chunks can be filled with given numbers only.
    pub missing: Missing,
    /// The byte between the cells of a text file; by default a tab in `.tsv` and `.tab`, a comma elsewhere.
    pub delimiter: Option<u8>,
    /// Where a table that is read whole is kept.
    pub storage: Storage,
}

/// The role of each column: id, label, kept text or input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Roles {
    pub id: Option<usize>,
    pub label: Option<usize>,
    pub kept: Vec<usize>,
    pub inputs: Vec<usize>,
    pub matching: Matching,
}

impl Roles {
    /// Finds the named columns; `skip` tells which of the others are no inputs either.
    pub fn new(
        options: &ReadOptions,
        names: Option<&[String]>,
        width: usize,
        skip: impl Fn(usize) -> bool,
    ) -> Result<Self, DataError> {
        let find = |column: &Option<ColumnRef>| column.as_ref().map(|c| c.resolve(names, width)).transpose();
        let (id, label) = (find(&options.id_column)?, find(&options.label_column)?);
        let kept = options.keep.iter().map(|c| c.resolve(names, width)).collect::<Result<Vec<_>, _>>()?;
        let ignored = options.ignore.iter().map(|c| c.resolve(names, width)).collect::<Result<Vec<_>, _>>()?;
        let apart = |c: usize| Some(c) == id || Some(c) == label || kept.contains(&c) || ignored.contains(&c);
        let others: Vec<usize> = (0..width).filter(|&c| !apart(c) && !skip(c)).collect();
        let (inputs, matching) = match (&options.input_names, names) {
            (Some(wanted), Some(names)) => matched(wanted, names, &others)?,
            _ => (others, Matching::default()),
        };
        if inputs.is_empty() {
            return Err(DataError::NoInputs);
        }
        Ok(Self { id, label, kept, inputs, matching })
    }
}
