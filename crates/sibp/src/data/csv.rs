//! Reads comma- and tab-separated text: records with their true line numbers, and tables of inputs.

use std::fs::File;
use std::io::{Chain, Read};
use std::path::Path;

use csv::{ByteRecord, ReaderBuilder, Terminator};

use super::error::shown;
use super::missing::says_missing;
use super::options::{HeaderLine, ReadOptions, Roles};
use super::source::{Block, Source};
use super::{DataError, Matching, Place};

/// The records of a text file. Cells are trimmed, blank lines are passed over.
pub(crate) struct Records {
    reader: csv::Reader<Chain<File, &'static [u8]>>,
    record: ByteRecord,
    line: u64,
    next_line: u64,
    blank_line: Option<u64>,
}

impl Records {
    /// Opens the file; the ending of its name decides what separates cells unless `delimiter` is given.
    pub fn open(path: &Path, delimiter: Option<u8>) -> Result<Self, DataError> {
        let file = File::open(path).map_err(|error| DataError::io("open", &error))?;
        let tabs = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("tsv") || e.eq_ignore_ascii_case("tab"));
        // Lines end at \n alone, and a last one is added: only so does the position after a record tell its line
        // for CRLF files and after blank lines. The \r goes with the trimming of cells.
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .terminator(Terminator::Any(b'\n'))
            .delimiter(delimiter.unwrap_or(if tabs { b'\t' } else { b',' }))
            .buffer_capacity(1 << 16)
            .from_reader(file.chain(&b"\n"[..]));
        Ok(Self { reader, record: ByteRecord::new(), line: 0, next_line: 1, blank_line: None })
    }

    /// Goes to the next record; `false` at the end of the file.
    pub fn advance(&mut self) -> Result<bool, DataError> {
        self.blank_line = None;
        loop {
            if !self.reader.read_byte_record(&mut self.record).map_err(broken)? {
                return Ok(false);
            }
            let n_inside = self.record.as_slice().iter().filter(|&&b| b == b'\n').count() as u64;
            let after = self.reader.position().line();
            self.line = after.saturating_sub(1 + n_inside);
            if self.line > self.next_line {
                self.blank_line.get_or_insert(self.next_line);
            }
            self.next_line = after;
            if self.record.len() > 1 || !self.record[0].trim_ascii().is_empty() {
                return Ok(true);
            }
            self.blank_line.get_or_insert(self.line);
        }
    }

    /// Line on which the record begins.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The line number of a blank line just before the record.
    pub fn blank_line(&self) -> Option<u64> {
        self.blank_line
    }

    /// Number of cells.
    pub fn width(&self) -> usize {
        self.record.len()
    }

    /// One cell, trimmed.
    pub fn cell(&self, column: usize, row: usize, name: Option<&str>) -> Result<&str, DataError> {
        let bytes = self.record.get(column).unwrap_or_default();
        std::str::from_utf8(bytes).map(str::trim).map_err(|_| DataError::BadValue {
            place: Place::line(self.line, row).column(column, name),
            value: shown(&String::from_utf8_lossy(bytes)),
            needed: "UTF-8 text; save the file as UTF-8",
        })
    }

    /// All cells of a header.
    pub fn names(&self) -> Result<Vec<String>, DataError> {
        (0..self.width()).map(|c| self.cell(c, 0, None).map(str::to_owned)).collect()
    }
}

fn broken(error: csv::Error) -> DataError {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => DataError::io("read", &error),
        other => DataError::Broken { format: "csv", reason: format!("{other:?}") },
    }
}

/// A table of numbers with optional id and label columns.
pub(crate) struct CsvTable {
    records: Records,
    width: usize,
    names: Option<Vec<String>>,
    input_names: Option<Vec<String>>,
    roles: Roles,
    next_row: usize,
    /// Whether the first record is data that is still to be returned.
    waiting: bool,
}

impl CsvTable {
    /// Reads the first line and finds the columns.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self, DataError> {
        let mut records = Records::open(path, options.delimiter)?;
        if !records.advance()? {
            return Err(DataError::NoRows);
        }
        let width = records.width();
        let first = records.names()?;
        let has_header = match options.header {
            HeaderLine::Present => true,
            HeaderLine::Absent => false,
            HeaderLine::Detect => is_header(&first, options),
        };
        let names = has_header.then_some(first);
        let roles = Roles::new(options, names.as_deref(), width, |_| false)?;
        let waiting = !has_header || records.advance()?;
        if !waiting {
            return Err(DataError::NoRows);
        }
        let input_names = names.as_ref().map(|names| roles.inputs.iter().map(|&c| names[c].clone()).collect());
        Ok(Self { records, width, names, input_names, roles, next_row: 0, waiting })
    }

    fn name(&self, column: usize) -> Option<&str> {
        self.names.as_ref().map(|names| names[column].as_str())
    }

    fn place(&self) -> Place {
        Place::line(self.records.line(), self.next_row)
    }

    fn number(&self, column: usize) -> Result<f64, DataError> {
        let text = self.records.cell(column, self.next_row, self.name(column))?;
        if says_missing(text) {
            return Ok(f64::NAN);
        }
        let needed = match text.parse::<f64>() {
            Ok(value) if value.is_finite() => return Ok(value),
            Ok(_) => "a finite number",
            Err(_) => "a number; name id and label columns as such and leave out other text",
        };
        let place = self.place().column(column, self.name(column));
        Err(DataError::BadValue { place, value: shown(text), needed })
    }

    fn text(&self, column: usize, needed: &'static str) -> Result<String, DataError> {
        let text = self.records.cell(column, self.next_row, self.name(column))?;
        if text.is_empty() {
            let place = self.place().column(column, self.name(column));
            return Err(DataError::BadValue { place, value: String::new(), needed });
        }
        Ok(text.to_owned())
    }

    fn take_record(&self, block: &mut Block) -> Result<(), DataError> {
        // In a table of one column a blank line is a missing value.
        if let Some(line) = self.records.blank_line().filter(|_| self.width == 1) {
            return Err(DataError::BlankLine { line });
        }
        if self.records.width() != self.width {
            let (found, expected) = (self.records.width(), self.width);
            return Err(DataError::Ragged { place: self.place(), found, expected });
        }
        for &column in &self.roles.inputs {
            block.values.push(self.number(column)?);
        }
        if let Some(column) = self.roles.id {
            block.ids.push(self.text(column, "an id: it is empty")?);
        }
        if let Some(column) = self.roles.label {
            block.labels.push(self.text(column, "a label: it is empty")?);
        }
        for &column in &self.roles.kept {
            block.kept.push(self.records.cell(column, self.next_row, self.name(column))?.to_owned());
        }
        block.n_rows += 1;
        Ok(())
    }
}

impl Source for CsvTable {
    fn n_inputs(&self) -> usize {
        self.roles.inputs.len()
    }

    fn input_names(&self) -> Option<&[String]> {
        self.input_names.as_deref()
    }

    fn matching(&self) -> Matching {
        self.roles.matching.clone()
    }

    fn read(&mut self, max_rows: usize, block: &mut Block) -> Result<(), DataError> {
        for _ in 0..max_rows {
            if !self.waiting {
                break;
            }
            self.take_record(block)?;
            self.next_row += 1;
            self.waiting = self.records.advance()?;
        }
        Ok(())
    }
}

/// Whether a line numbers its columns from 0 on, as pandas names those of an array; the column of a frame's index, which
/// has no name, may stand before them. Of fewer than three columns it may well be data.
fn counts_columns(first: &[String]) -> bool {
    let named = if first.first().is_some_and(String::is_empty) { &first[1..] } else { first };
    named.len() >= 3 && named.iter().enumerate().all(|(at, name)| *name == at.to_string())
}

/// Decides whether the first line is a header, see [`HeaderLine::Detect`]. Text in an id or label column decides
/// nothing.
fn is_header(first: &[String], options: &ReadOptions) -> bool {
    let asked = || options.id_column.iter().chain(&options.label_column).chain(&options.keep).chain(&options.ignore);
    let named = asked().any(|c| c.stands_in(first));
    let apart = |column: usize| asked().any(|c| c.resolve(None, first.len()) == Ok(column));
    // Names that are numbers, such as those of an unnamed pandas frame, are told by the names that a model knows.
    let wanted = options.input_names.as_ref().is_some_and(|names| names.iter().all(|name| first.contains(name)));
    let no_number = (0..first.len()).all(|c| apart(c) || first[c].parse::<f64>().is_err());
    named || wanted || no_number || counts_columns(first)
}
