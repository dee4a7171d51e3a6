//! Keeps texts beside the codes: one row of cells a code, in memory or in a mapped file.
//!
//! A row is its cells one after the other, each a 32-bit length and UTF-8 bytes; `ends` says where each row ends.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

use super::error::IndexError;
use crate::backing::Backing;

/// Named columns of texts, a row an object.
///
/// ```
/// use sibp::index::Texts;
/// let mut texts = Texts::new(vec!["title".into(), "price".into()]);
/// texts.push(&["Emma", "7.50"])?;
/// assert_eq!((texts.len(), texts.cell(0, 1)), (1, "7.50"));
/// assert!(texts.push(&["one cell"]).is_err());
/// # Ok::<(), sibp::index::IndexError>(())
/// ```
#[derive(Debug)]
pub struct Texts {
    columns: Vec<String>,
    bytes: Backing<u8>,
    ends: Backing<u64>,
}

impl Texts {
    /// No rows yet, of these columns.
    pub fn new(columns: Vec<String>) -> Self {
        Self::from_parts(columns, Backing::Owned(Vec::new()), Backing::Owned(Vec::new()))
    }

    pub(crate) fn from_parts(columns: Vec<String>, bytes: Backing<u8>, ends: Backing<u64>) -> Self {
        Self { columns, bytes, ends }
    }

    /// Names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a row, which must have a cell a column.
    pub fn push<S: AsRef<str>>(&mut self, cells: &[S]) -> Result<(), IndexError> {
        if cells.len() != self.columns.len() {
            return Err(IndexError::CellCount { expected: self.columns.len(), found: cells.len() });
        }
        write_cells(self.bytes.make_owned(), cells)?;
        let end = self.bytes.len() as u64;
        self.ends.make_owned().push(end);
        Ok(())
    }

    /// One cell; empty where a damaged file holds no text.
    pub fn cell(&self, row: usize, column: usize) -> &str {
        read_cells(self.record(row)).nth(column).unwrap_or_default()
    }

    /// The cells of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = &str> {
        read_cells(self.record(row))
    }

    /// Some of the rows, in memory.
    ///
    /// # Panics
    /// When the range ends after the last row.
    pub fn rows(&self, rows: std::ops::Range<usize>) -> Self {
        let mut part = Self::new(self.columns.clone());
        rows.for_each(|row| part.push_record(self.record(row)));
        part
    }

    fn push_record(&mut self, record: &[u8]) {
        self.bytes.make_owned().extend_from_slice(record);
        let end = self.bytes.len() as u64;
        self.ends.make_owned().push(end);
    }

    /// The stored bytes of a row; none where a damaged file says nonsense.
    pub(crate) fn record(&self, row: usize) -> &[u8] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        self.bytes.get(place(start)..place(self.ends[row])).unwrap_or_default()
    }

    /// Appends the rows of another table of the same columns.
    pub(crate) fn append(&mut self, other: &Self) {
        (0..other.len()).for_each(|row| self.push_record(other.record(row)));
    }

    /// Drops the given rows (sorted, distinct).
    pub(crate) fn remove_rows(&mut self, rows: &[usize]) {
        let mut left = Self::new(std::mem::take(&mut self.columns));
        let mut drop = rows.iter().peekable();
        for row in 0..self.len() {
            if drop.next_if(|&&r| r == row).is_none() {
                left.push_record(self.record(row));
            }
        }
        *self = left;
    }

    /// The first row whose bytes are not one cell a column, for checking files.
    pub(crate) fn fault(&self) -> Option<usize> {
        (0..self.len()).find(|&row| {
            let record = self.record(row);
            let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
            let whole = self.ends[row].checked_sub(start) == Some(record.len() as u64);
            let cells: Vec<&str> = read_cells(record).collect();
            let used: usize = cells.iter().map(|cell| cell.len() + 4).sum();
            !whole || cells.len() != self.columns.len() || used != record.len()
        })
    }

    /// Rows whose first cell is one of `names`; `None` where there is none. One pass over all rows.
    pub(crate) fn find<S: AsRef<str>>(&self, names: &[S]) -> Vec<Option<usize>> {
        let mut wanted: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, name) in names.iter().enumerate() {
            wanted.entry(name.as_ref()).or_default().push(at);
        }
        let mut found = vec![None; names.len()];
        for row in 0..self.len() {
            for &at in wanted.get(self.cell(row, 0)).into_iter().flatten() {
                found[at] = Some(row);
            }
        }
        found
    }
}

/// Appends the cells of a row to `bytes`.
pub(crate) fn write_cells<S: AsRef<str>>(bytes: &mut Vec<u8>, cells: &[S]) -> Result<(), IndexError> {
    for cell in cells.iter().map(AsRef::as_ref) {
        let length = u32::try_from(cell.len()).map_err(|_| IndexError::CellLength { n_bytes: cell.len() })?;
        bytes.extend(length.to_le_bytes());
        bytes.extend(cell.as_bytes());
    }
    Ok(())
}

/// The cells of a record, up to the first that is no text.
pub(crate) fn read_cells(mut record: &[u8]) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (length, rest) = record.split_first_chunk::<4>()?;
        let (cell, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        record = rest;
        std::str::from_utf8(cell).ok()
    })
}

/// Names that were seen, each by 128 bits of its digest: 16 bytes a name, however long it is.
#[derive(Debug, Default)]
pub(crate) struct SeenNames(std::collections::HashSet<u128>);

impl SeenNames {
    /// Notes a name; `false` if it was seen before.
    pub fn insert(&mut self, name: &str) -> bool {
        self.0.insert(key(name))
    }

    /// Whether a name was seen.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains(&key(name))
    }
}

fn key(name: &str) -> u128 {
    Sha256::digest(name).iter().take(16).fold(0, |key, &byte| key << 8 | u128::from(byte))
}
