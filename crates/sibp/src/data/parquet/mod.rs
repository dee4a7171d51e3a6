//! Reads input tables from Parquet files, a row group at a time, with plain column readers (no Arrow).
//!
//! Inputs are all numeric columns that are neither ids nor labels, or one column of lists of equal length.
//! Columns named `__index_level_0__` and so on, in which pandas keeps a frame's index, are left out unless
//! they are named as id or label column.

mod column;
mod guard;
mod thrift;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use parquet::basic::Type as PhysicalType;
use parquet::file::reader::{FileReader, RowGroupReader};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::schema::types::ColumnDescPtr;

use super::numbers::Precision;
use super::options::{ReadOptions, Roles};
use super::source::{Block, Source};
use super::{DataError, Matching, Place};
use column::Column;

/// A Parquet file being read.
pub(crate) struct ParquetTable {
    reader: SerializedFileReader<File>,
    file: File,
    file_len: u64,
    columns: Vec<ColumnDescPtr>,
    names: Vec<String>,
    roles: Roles,
    input_names: Option<Vec<String>>,
    n_inputs: usize,
    n_rows: usize,
    next_group: usize,
    /// Rows decoded so far, over all row groups.
    n_decoded: usize,
    /// The current row group, and how many of its rows were handed out.
    group: Block,
    n_taken: usize,
}

impl ParquetTable {
    /// Checks the footer, finds the columns and decodes the first row group.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self, DataError> {
        let mut file = File::open(path).map_err(|error| DataError::io("open", &error))?;
        let file_len = file.metadata().map_err(|error| DataError::io("open", &error))?.len();
        guard::check_footer(&mut file, file_len)?;
        let second = file.try_clone().map_err(|error| DataError::io("open", &error))?;
        let reader = contained(|| SerializedFileReader::new(second).map_err(|error| broken(error.to_string())))?;
        let meta = reader.metadata().file_metadata();
        let n_rows = usize::try_from(meta.num_rows()).unwrap_or(0);
        let columns: Vec<ColumnDescPtr> = meta.schema_descr().columns().to_vec();
        let names: Vec<String> = columns.iter().map(column_name).collect();
        // The values in a list have no names.
        let is_list = columns.iter().any(|column| column.max_rep_level() > 0);
        let options = if is_list { &ReadOptions { input_names: None, ..options.clone() } } else { options };
        let roles = Roles::new(options, Some(&names), columns.len(), |c| names[c].starts_with("__index_level_"))?;
        let mut table = Self {
            reader,
            file,
            file_len,
            columns,
            names,
            roles,
            input_names: None,
            n_inputs: 0,
            n_rows,
            next_group: 0,
            n_decoded: 0,
            group: Block::default(),
            n_taken: 0,
        };
        table.check_columns()?;
        if !table.next_group()? {
            return Err(DataError::NoRows);
        }
        Ok(table)
    }

    /// Columns that are read.
    fn used(&self) -> impl Iterator<Item = usize> {
        let Roles { id, label, kept, inputs, .. } = &self.roles;
        inputs.iter().chain(id).chain(label).chain(kept).copied()
    }

    /// Checks that the inputs are flat numeric columns, or one column of lists.
    fn check_columns(&mut self) -> Result<(), DataError> {
        for &c in &self.roles.inputs {
            column::check_numeric(&self.columns[c], &self.names[c])?;
        }
        let is_list = |c: usize| self.columns[c].max_rep_level() > 0;
        let first_list = self.used().find(|&c| is_list(c));
        let single = self.roles.inputs.len() == 1 && self.columns[self.roles.inputs[0]].max_rep_level() == 1;
        match first_list {
            Some(c) if !(single && c == self.roles.inputs[0]) => Err(DataError::WrongType {
                what: format!("column {:?}", self.names[c]),
                found: "a list".into(),
                needed: "only one column of plain lists may hold the inputs, beside an id and a label column",
            }),
            Some(_) => Ok(()),
            None => {
                self.n_inputs = self.roles.inputs.len();
                self.input_names = Some(self.roles.inputs.iter().map(|&c| self.names[c].clone()).collect());
                Ok(())
            }
        }
    }

    /// Decodes the next row group that has rows; `false` at the end of the file.
    fn next_group(&mut self) -> Result<bool, DataError> {
        self.group = Block::default();
        self.n_taken = 0;
        while self.group.n_rows == 0 {
            if self.next_group == self.reader.num_row_groups() {
                return Ok(false);
            }
            self.check_pages(self.next_group)?;
            let decoded = contained(|| {
                let group = self.reader.get_row_group(self.next_group).map_err(|e| broken(e.to_string()))?;
                self.decode(&*group)
            })?;
            (self.group, self.n_inputs) = decoded;
            self.next_group += 1;
            self.n_decoded += self.group.n_rows;
        }
        Ok(true)
    }

    fn check_pages(&mut self, group: usize) -> Result<(), DataError> {
        let used: Vec<usize> = self.used().collect();
        let meta = self.reader.metadata().row_group(group);
        for c in used {
            let (start, len) = meta.columns().get(c).ok_or_else(|| broken("a row group lacks a column"))?.byte_range();
            guard::check_pages(&mut self.file, self.file_len, start, len)?;
        }
        Ok(())
    }

    /// Decodes a row group, and tells its number of inputs.
    fn decode(&self, group: &dyn RowGroupReader) -> Result<(Block, usize), DataError> {
        let n_rows = usize::try_from(group.metadata().num_rows()).map_err(|_| broken("it has too many rows"))?;
        let mut block = Block { n_rows, ..Block::default() };
        let mut n_inputs = self.n_inputs;
        if self.columns[self.roles.inputs[0]].max_rep_level() > 0 {
            (block.values, n_inputs) = self.decode_list(group, n_rows)?;
        } else {
            let mut columns = Vec::with_capacity(self.roles.inputs.len());
            for &c in &self.roles.inputs {
                let column = column::numbers(reader_of(group, c)?, &self.columns[c])?;
                columns.push(self.with_gaps(c, column, n_rows)?);
            }
            block.values = (0..n_rows * n_inputs).map(|i| columns[i % n_inputs][i / n_inputs]).collect();
        }
        self.check_finite(&block.values, n_inputs)?;
        if let Some(c) = self.roles.id {
            block.ids = self.decode_texts(group, c, n_rows)?;
        }
        if let Some(c) = self.roles.label {
            block.labels = self.decode_texts(group, c, n_rows)?;
        }
        let kept = self.roles.kept.iter().map(|&c| self.decode_texts(group, c, n_rows));
        let kept = kept.collect::<Result<Vec<_>, _>>()?;
        block.kept = (0..n_rows).flat_map(|row| kept.iter().map(move |column| column[row].clone())).collect();
        Ok((block, n_inputs))
    }

    fn decode_texts(&self, group: &dyn RowGroupReader, c: usize, n_rows: usize) -> Result<Vec<String>, DataError> {
        let column = column::texts(reader_of(group, c)?, &self.columns[c], &self.names[c])?;
        self.without_nulls(c, column, n_rows)
    }

    /// The numbers of a flat column, one a row, with NaN for nulls.
    fn with_gaps(&self, c: usize, column: Column<f64>, n_rows: usize) -> Result<Vec<f64>, DataError> {
        let full = self.columns[c].max_def_level();
        if column.definition.iter().all(|&level| level >= full) {
            return self.without_nulls(c, column, n_rows);
        }
        let mut values = column.values.into_iter();
        let number = |&level: &i16| if level < full { Some(f64::NAN) } else { values.next() };
        let numbers: Option<Vec<f64>> = column.definition.iter().map(number).collect();
        match numbers.filter(|numbers| numbers.len() == n_rows) {
            Some(numbers) => Ok(numbers),
            None => Err(broken(format!("column {:?} has not {n_rows} values in a row group", self.names[c]))),
        }
    }

    /// The values of a flat column, one a row.
    fn without_nulls<V>(&self, c: usize, column: Column<V>, n_rows: usize) -> Result<Vec<V>, DataError> {
        let full = self.columns[c].max_def_level();
        if let Some(row) = column.definition.iter().position(|&level| level < full) {
            return Err(self.missing(c, row));
        }
        if column.values.len() != n_rows {
            let (found, name) = (column.values.len(), &self.names[c]);
            return Err(broken(format!("column {name:?} has {found} values in a row group of {n_rows} rows")));
        }
        Ok(column.values)
    }

    /// The values of the list column and the common length of its lists.
    fn decode_list(&self, group: &dyn RowGroupReader, n_rows: usize) -> Result<(Vec<f64>, usize), DataError> {
        let c = self.roles.inputs[0];
        let column = column::numbers(reader_of(group, c)?, &self.columns[c])?;
        let full = self.columns[c].max_def_level();
        let starts: Vec<usize> = (0..column.repetition.len()).filter(|&i| column.repetition[i] == 0).collect();
        if starts.len() != n_rows || column.definition.len() != column.repetition.len() {
            return Err(broken(format!("column {:?} has not {n_rows} lists", self.names[c])));
        }
        if column.values.len() != column.definition.iter().filter(|&&level| level == full).count() {
            return Err(broken(format!("column {:?} has fewer values than it says", self.names[c])));
        }
        let mut n_inputs = self.n_inputs;
        for (row, &start) in starts.iter().enumerate() {
            let end = starts.get(row + 1).copied().unwrap_or(column.definition.len());
            let levels = &column.definition[start..end];
            if levels.iter().any(|&level| level != full) {
                return Err(self.missing(c, row));
            }
            if n_inputs == 0 {
                n_inputs = levels.len();
            }
            if levels.len() != n_inputs {
                return Err(DataError::BadValue {
                    place: Place::row(self.n_decoded + row).column(c, Some(&self.names[c])),
                    value: format!("a list of {} values", levels.len()),
                    needed: "as long as the first list; all must have the same length",
                });
            }
        }
        Ok((column.values, n_inputs))
    }

    fn missing(&self, c: usize, row: usize) -> DataError {
        DataError::BadValue {
            place: Place::row(self.n_decoded + row).column(c, Some(&self.names[c])),
            value: "null".into(),
            needed: "a value; fill it in or leave out the row",
        }
    }

    fn check_finite(&self, values: &[f64], n_inputs: usize) -> Result<(), DataError> {
        let Some(at) = values.iter().position(|v| v.is_infinite()) else { return Ok(()) };
        let (row, column) = (self.n_decoded + at / n_inputs, at % n_inputs);
        let name = &self.names[self.roles.inputs.get(column).copied().unwrap_or(self.roles.inputs[0])];
        Err(DataError::BadValue {
            place: Place::row(row).column(column, Some(name)),
            value: values[at].to_string(),
            needed: "a finite number",
        })
    }
}

impl Source for ParquetTable {
    fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    fn input_names(&self) -> Option<&[String]> {
        self.input_names.as_deref()
    }

    fn matching(&self) -> Matching {
        self.roles.matching.clone()
    }

    fn n_rows(&self) -> Option<usize> {
        Some(self.n_rows)
    }

    fn precision(&self) -> Precision {
        let single = |&c: &usize| self.columns[c].physical_type() == PhysicalType::FLOAT;
        if self.roles.inputs.iter().all(single) { Precision::Single } else { Precision::Double }
    }

    fn read(&mut self, max_rows: usize, block: &mut Block) -> Result<(), DataError> {
        let mut left = max_rows;
        while left > 0 {
            if self.n_taken == self.group.n_rows && !self.next_group()? {
                break;
            }
            let (from, to) = (self.n_taken, self.group.n_rows.min(self.n_taken.saturating_add(left)));
            block.values.extend_from_slice(&self.group.values[from * self.n_inputs..to * self.n_inputs]);
            block.ids.extend(self.group.ids.iter().take(to).skip(from).cloned());
            block.labels.extend(self.group.labels.iter().take(to).skip(from).cloned());
            let n_kept = self.roles.kept.len();
            block.kept.extend_from_slice(&self.group.kept[from * n_kept..to * n_kept]);
            block.n_rows += to - from;
            left -= to - from;
            self.n_taken = to;
        }
        Ok(())
    }
}

/// The path of a flat column; the name of the whole list for a list's element.
fn column_name(column: &ColumnDescPtr) -> String {
    let path = column.path();
    match path.parts().first() {
        Some(root) if column.max_rep_level() > 0 => root.clone(),
        _ => path.string(),
    }
}

fn reader_of(group: &dyn RowGroupReader, c: usize) -> Result<parquet::column::reader::ColumnReader, DataError> {
    group.get_column_reader(c).map_err(|error| broken(error.to_string()))
}

fn broken(reason: impl Into<String>) -> DataError {
    DataError::Broken { format: "parquet", reason: reason.into() }
}

/// Runs the parquet library and turns a panic into an error: it still panics on some damaged pages.
fn contained<T>(work: impl FnOnce() -> Result<T, DataError>) -> Result<T, DataError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(broken("its pages are damaged")))
}
