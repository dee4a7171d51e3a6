//! Defines the interface of every table reader: it returns rows in order, a block at a time.

use super::numbers::{Numbers, Precision};
use super::{DataError, Matching};

/// Rows read so far; readers append to it.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub n_rows: usize,
    pub values: Vec<f64>,
    pub ids: Vec<String>,
    pub labels: Vec<String>,
    /// Kept texts, row by row.
    pub kept: Vec<String>,
}

/// A table being read from its first row to its last.
pub(crate) trait Source {
    /// Columns that are inputs.
    fn n_inputs(&self) -> usize;

    /// Names of those columns, if the file has names.
    fn input_names(&self) -> Option<&[String]> {
        None
    }

    /// How those columns were found among all.
    fn matching(&self) -> Matching {
        Matching::default()
    }

    /// Number of rows, where the format tells it beforehand.
    fn n_rows(&self) -> Option<usize> {
        None
    }

    /// The precision that holds every value exactly.
    fn precision(&self) -> Precision {
        Precision::Double
    }

    /// The whole table as a memory-mapped file, where its format allows that.
    fn map(&self) -> Result<Option<Numbers>, DataError> {
        Ok(None)
    }

    /// Appends up to `max_rows` more rows; none at the end of the file. Values are finite, or NaN where they are missing.
    fn read(&mut self, max_rows: usize, block: &mut Block) -> Result<(), DataError>;
}
