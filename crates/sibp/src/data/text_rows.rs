//! Reads named columns of a text file as they are, some rows at a time.

use std::path::{Path, PathBuf};

use super::csv::Records;
use super::options::ReadOptions;
use super::table::{Format, format_of};
use super::{ColumnRef, DataError, Place};

/// The rows of a text file with a header, of which only some columns are looked at.
pub struct TextRows {
    path: PathBuf,
    records: Records,
    columns: Vec<usize>,
    names: Vec<String>,
    width: usize,
    n_rows: usize,
}

impl TextRows {
    /// Opens a `.csv`, `.tsv` or `.txt` file whose first line names its columns.
    pub fn open(path: &Path, columns: &[ColumnRef]) -> Result<Self, DataError> {
        Self::opened(path, columns).map_err(|error| error.in_file(path))
    }

    fn opened(path: &Path, columns: &[ColumnRef]) -> Result<Self, DataError> {
        const READABLE: &str = ".csv, .tsv, .txt";
        if format_of(path, READABLE)? != Format::Text {
            let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            return Err(DataError::UnknownFormat { extension, readable: READABLE });
        }
        let mut records = Records::open(path, ReadOptions::default().delimiter)?;
        if !records.advance()? {
            return Err(DataError::NoRows);
        }
        let (width, names) = (records.width(), records.names()?);
        let columns = columns.iter().map(|c| c.resolve(Some(&names), width)).collect::<Result<Vec<_>, _>>()?;
        let names = columns.iter().map(|&c| names[c].clone()).collect();
        Ok(Self { path: path.to_owned(), records, columns, names, width, n_rows: 0 })
    }

    /// Names of the columns that are looked at.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Rows read so far.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The cells of the next row; nothing at the end of the file.
    pub fn next_row(&mut self) -> Result<Option<Vec<String>>, DataError> {
        self.row().map_err(|error| error.in_file(&self.path))
    }

    fn row(&mut self) -> Result<Option<Vec<String>>, DataError> {
        if !self.records.advance()? {
            return Ok(None);
        }
        if self.records.width() != self.width {
            let place = Place::line(self.records.line(), self.n_rows);
            return Err(DataError::Ragged { place, found: self.records.width(), expected: self.width });
        }
        let cell = |&column: &usize| self.records.cell(column, self.n_rows, None).map(str::to_owned);
        let cells = self.columns.iter().map(cell).collect::<Result<Vec<_>, _>>()?;
        self.n_rows += 1;
        Ok(Some(cells))
    }
}
