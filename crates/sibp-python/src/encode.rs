//! Encodes inputs where they lie, a few rows at a time on several threads, straight into the array that is returned.

use crate::arrays::{Inputs, data_error, matrix, values};
use crate::error::{detached, wrong};
use numpy::{PyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use sibp::codes::Codes;
use sibp::data::{DataError, Features};
use sibp::parallel::{n_threads, try_for_each};

/// Rows that a thread takes at once: few enough to stay in its cache.
pub const ROWS: usize = 512;

/// Something that encodes rows, of which the first has this number in the whole array.
pub trait EncodeRows: Sync {
    /// Inputs it reads, before any transform.
    fn n_inputs(&self) -> usize;
    /// Bits it gives.
    fn n_bits(&self) -> usize;
    /// Codes of some rows.
    fn encode(&self, features: &Features, first_row: u64) -> Result<Codes, DataError>;
}

/// Codes of all rows of `x`, packed or as a 0/1 matrix.
pub fn encode<'py>(
    py: Python<'py>,
    encoder: &dyn EncodeRows,
    x: &Inputs<'py>,
    packed: bool,
    threads: usize,
) -> PyResult<Bound<'py, PyArray2<u8>>> {
    let (n_objects, n_inputs) = (x.shape()[0], x.shape()[1]);
    let expected = encoder.n_inputs();
    if n_inputs != expected {
        return Err(wrong("X", format!("{n_inputs} columns, but the model was fitted to {expected}")));
    }
    let n_columns = if packed { encoder.n_bits().div_ceil(8) } else { encoder.n_bits() };
    let values = values(x)?;
    let codes = detached(py, || {
        let mut codes = vec![0; n_objects * n_columns];
        fill(encoder, values, packed, threads, &mut codes, n_columns).map(|()| codes)
    })?;
    matrix(py, codes.map_err(|error| data_error(&error))?, [n_objects, n_columns])
}

fn fill(
    encoder: &dyn EncodeRows,
    values: &[f64],
    packed: bool,
    threads: usize,
    codes: &mut [u8],
    n_columns: usize,
) -> Result<(), DataError> {
    let n_inputs = encoder.n_inputs();
    if n_columns == 0 {
        return check_finite(values, n_inputs);
    }
    let parts = values.chunks(ROWS * n_inputs).zip(codes.chunks_mut(ROWS * n_columns));
    try_for_each(n_threads(threads), parts, |at, (values, codes)| {
        let first = at * ROWS;
        let features = Features::new(values.len() / n_inputs, n_inputs, values.to_vec());
        let coded = features.and_then(|features| encoder.encode(&features, first as u64));
        let coded = coded.map_err(|error| in_whole(error, first))?;
        if packed {
            codes.copy_from_slice(coded.bytes())
        } else {
            unpack(&coded, codes)
        }
        Ok(())
    })
}

fn check_finite(values: &[f64], n_inputs: usize) -> Result<(), DataError> {
    let wrong = |at: usize| DataError::NotFinite { row: at / n_inputs, column: at % n_inputs, value: values[at] };
    values.iter().position(|value| !value.is_finite()).map_or(Ok(()), |at| Err(wrong(at)))
}

/// The place of a mistake in the whole array.
fn in_whole(error: DataError, first: usize) -> DataError {
    match error {
        DataError::NotFinite { row, column, value } => DataError::NotFinite { row: row + first, column, value },
        other => other,
    }
}

/// Writes a byte for each bit.
pub fn unpack(codes: &Codes, bits: &mut [u8]) {
    let n_bits = codes.n_bits();
    if n_bits == 0 {
        return;
    }
    for (row, bits) in bits.chunks_exact_mut(n_bits).enumerate() {
        for (byte, bits) in codes.row(row).iter().zip(bits.chunks_mut(8)) {
            bits.iter_mut().enumerate().for_each(|(at, bit)| *bit = (byte >> (7 - at)) & 1);
        }
    }
}
