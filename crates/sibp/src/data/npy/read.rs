//! Reads `.npy` arrays: matrices in chunks of rows, integer arrays and byte matrices whole.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use super::header::{Header, broken, shape_text};
use crate::data::numbers::{Numbers, Precision};
use crate::data::source::{Block, Source};
use crate::data::{DataError, Place};

/// Bytes asked from the system at once while a chunk is read.
const PIECE: usize = 1 << 20;

/// A two-dimensional array, read in chunks of rows.
pub(crate) struct NpyRows {
    input: BufReader<File>,
    header: Header,
    n_rows: usize,
    n_inputs: usize,
    next_row: usize,
    /// All values in row order, of an array that is stored column by column.
    turned: Option<Vec<f64>>,
}

impl NpyRows {
    /// Checks the header against the file's length and the shape for two dimensions.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let (input, header) = open(path)?;
        let &[n_rows, n_inputs] = header.shape.as_slice() else {
            return Err(DataError::WrongShape {
                found: shape_text(&header.shape),
                needed: "a matrix is needed, a row an object (X.reshape(-1, 1) makes one of a single input, \
                         X.reshape(1, -1) of a single object)",
            });
        };
        if n_rows == 0 {
            return Err(DataError::NoRows);
        }
        if n_inputs == 0 {
            return Err(DataError::NoInputs);
        }
        Ok(Self { input, header, n_rows, n_inputs, next_row: 0, turned: None })
    }

    /// Reads a column-major array whole and turns it.
    fn turn(&mut self) -> Result<Vec<f64>, DataError> {
        let mut columns = Vec::new();
        decode(&mut self.input, &self.header, self.n_rows * self.n_inputs, &mut columns)?;
        let at = |i: usize| columns[(i % self.n_inputs) * self.n_rows + i / self.n_inputs];
        Ok((0..columns.len()).map(at).collect())
    }
}

impl Source for NpyRows {
    fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    fn n_rows(&self) -> Option<usize> {
        Some(self.n_rows)
    }

    fn precision(&self) -> Precision {
        if self.header.element.fits_single() { Precision::Single } else { Precision::Double }
    }

    fn map(&self) -> Result<Option<Numbers>, DataError> {
        let Some(precision) = self.header.element.as_kept() else { return Ok(None) };
        if self.header.fortran_order || !self.header.len.is_multiple_of(self.header.element.size()) {
            return Ok(None);
        }
        let n_values = self.n_rows * self.n_inputs;
        let numbers = Numbers::mapped(self.input.get_ref(), precision, self.header.len, n_values);
        numbers.map(Some).map_err(|error| DataError::io("map", &error))
    }

    fn read(&mut self, max_rows: usize, block: &mut Block) -> Result<(), DataError> {
        let n_rows = max_rows.min(self.n_rows - self.next_row);
        let (start, n_values) = (block.values.len(), n_rows * self.n_inputs);
        if self.header.fortran_order {
            let turned = match self.turned.take() {
                Some(turned) => turned,
                None => self.turn()?,
            };
            block.values.extend_from_slice(&turned[self.next_row * self.n_inputs..][..n_values]);
            self.turned = Some(turned);
        } else {
            decode(&mut self.input, &self.header, n_values, &mut block.values)?;
        }
        if let Some(at) = block.values[start..].iter().position(|v| v.is_infinite()) {
            let (row, column) = (self.next_row + at / self.n_inputs, at % self.n_inputs);
            return Err(DataError::NotFinite { row, column, value: block.values[start + at] });
        }
        self.next_row += n_rows;
        block.n_rows += n_rows;
        Ok(())
    }
}

/// Reads whole numbers in row order, after `check` has seen the array's shape. Floats are refused.
pub(crate) fn read_integers(
    path: &Path,
    check: impl Fn(&[usize]) -> Result<(), DataError>,
) -> Result<Vec<i64>, DataError> {
    read_integers_as(path, check, "at most 2^63 - 1")
}

/// As [`read_integers`], for numbers of any range; `needed` says which.
pub(crate) fn read_integers_as<T: TryFrom<i128> + Copy>(
    path: &Path,
    check: impl Fn(&[usize]) -> Result<(), DataError>,
    needed: &'static str,
) -> Result<Vec<T>, DataError> {
    let (mut input, header) = open(path)?;
    check(&header.shape)?;
    let (element, n_values) = (header.element, values_of(&header)?);
    if !element.is_integer() {
        return Err(DataError::WrongType {
            what: "the array".into(),
            found: element.name(),
            needed: "whole numbers are needed; save y.astype('int64')",
        });
    }
    let n_columns = header.shape.get(1).copied().unwrap_or(1);
    let mut values = Vec::new();
    pieces(&mut input, &header, n_values, |bytes| {
        for cell in bytes.chunks_exact(element.size()) {
            let value = element.integer(cell);
            let row = Place::row(values.len() / n_columns.max(1));
            let place = || match header.shape.len() {
                1 => row.clone(),
                _ => row.clone().column(values.len() % n_columns.max(1), None),
            };
            let bad = || DataError::BadValue { place: place(), value: value.to_string(), needed };
            values.push(T::try_from(value).map_err(|_| bad())?);
        }
        Ok(())
    })?;
    if let ([n_rows, n_columns], true) = (header.shape.as_slice(), header.fortran_order) {
        values = (0..values.len()).map(|i| values[(i % n_columns) * n_rows + i / n_columns]).collect();
    }
    Ok(values)
}

/// Whether an array is one of booleans.
pub(crate) fn holds_booleans(path: &Path) -> Result<bool, DataError> {
    Ok(open(path)?.1.element.is_boolean())
}

/// A matrix of bytes in row order: 0/1 columns or packed codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByteMatrix {
    /// Number of rows.
    pub n_rows: usize,
    /// Bytes a row.
    pub n_columns: usize,
    /// The bytes, row by row.
    pub bytes: Vec<u8>,
}

/// Reads a `.npy` matrix of any type whose values are whole numbers from 0 to 255.
pub fn read_matrix_u8(path: &Path) -> Result<ByteMatrix, DataError> {
    byte_matrix(path).map_err(|error| error.in_file(path))
}

fn byte_matrix(path: &Path) -> Result<ByteMatrix, DataError> {
    let mut rows = NpyRows::open(path)?;
    let (n_rows, n_columns) = (rows.n_rows, rows.n_inputs);
    let mut bytes = Vec::new();
    loop {
        let mut block = Block::default();
        rows.read((PIECE / n_columns).max(1), &mut block)?;
        if block.n_rows == 0 {
            return Ok(ByteMatrix { n_rows, n_columns, bytes });
        }
        for value in block.values {
            let byte = value as u8;
            if f64::from(byte) != value {
                let place = Place::row(bytes.len() / n_columns).column(bytes.len() % n_columns, None);
                let needed = "a whole number from 0 to 255";
                return Err(DataError::BadValue { place, value: value.to_string(), needed });
            }
            bytes.push(byte);
        }
    }
}

fn open(path: &Path) -> Result<(BufReader<File>, Header), DataError> {
    let file = File::open(path).map_err(|error| DataError::io("open", &error))?;
    let meta = file.metadata().map_err(|error| DataError::io("open", &error))?;
    if !meta.is_file() {
        return Err(broken("it is a folder or a pipe; its length must be known"));
    }
    let mut input = BufReader::new(file);
    let header = Header::read(&mut input, meta.len())?;
    Ok((input, header))
}

fn values_of(header: &Header) -> Result<usize, DataError> {
    header.n_values().ok_or_else(|| broken("its shape is too large"))
}

/// Appends the next `n_values` values. The header was checked against the length of the file.
fn decode(input: &mut impl Read, header: &Header, n_values: usize, values: &mut Vec<f64>) -> Result<(), DataError> {
    values.reserve_exact(n_values);
    pieces(input, header, n_values, |bytes| {
        header.element.decode(bytes, values);
        Ok(())
    })
}

/// Hands the bytes of the next `n_values` values to `take`, a piece at a time.
fn pieces(
    input: &mut impl Read,
    header: &Header,
    n_values: usize,
    mut take: impl FnMut(&[u8]) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let mut left = n_values * header.element.size();
    let mut piece = vec![0u8; left.min(PIECE)];
    while left > 0 {
        let n_bytes = left.min(piece.len());
        input.read_exact(&mut piece[..n_bytes]).map_err(|error| DataError::io("read", &error))?;
        take(&piece[..n_bytes])?;
        left -= n_bytes;
    }
    Ok(())
}
