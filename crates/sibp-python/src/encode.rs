//! Encodes input arrays in place, a few rows at a time on several threads, straight into the array that is returned.

use crate::arrays::{InputArray, data_error, matrix, values};
use crate::error::{detached, value_error, wrong};
use numpy::{PyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use sibp::codes::Codes;
use sibp::data::{DataError, Inputs};
use sibp::parallel::{n_threads, try_for_each};
use sibp::pipeline::{Coder, CodingError};

/// Rows that a thread takes at once: few enough to stay in its cache.
pub const ROWS: usize = 512;

/// Codes of all rows of `x`, packed or as a 0/1 matrix.
pub fn encode<'py>(
    py: Python<'py>,
    coder: &Coder,
    x: &InputArray<'py>,
    given: Option<&Codes>,
    packed: bool,
    threads: usize,
) -> PyResult<Bound<'py, PyArray2<u8>>> {
    let (n_objects, n_inputs) = (x.shape()[0], x.shape()[1]);
    let expected = coder.n_inputs();
    if n_inputs != expected {
        return Err(wrong("X", format!("{n_inputs} columns, but the model was fitted to {expected}")));
    }
    let n_columns = if packed { coder.n_bits().div_ceil(8) } else { coder.n_bits() };
    let values = values(x)?;
    let codes = detached(py, || {
        let mut codes = vec![0; n_objects * n_columns];
        fill((coder, given), values, packed, threads, &mut codes, n_columns).map(|()| codes)
    })?;
    matrix(py, codes.map_err(coding_error)?, [n_objects, n_columns])
}

fn fill(
    (coder, given): (&Coder, Option<&Codes>),
    values: &[f64],
    packed: bool,
    threads: usize,
    codes: &mut [u8],
    n_columns: usize,
) -> Result<(), CodingError> {
    let n_inputs = coder.n_inputs();
    if n_columns == 0 {
        return Ok(check_finite(values, n_inputs)?);
    }
    let parts = values.chunks(ROWS * n_inputs).zip(codes.chunks_mut(ROWS * n_columns));
    try_for_each(n_threads(threads), parts, |at, (values, codes)| {
        let (first, n_rows) = (at * ROWS, values.len() / n_inputs);
        let known = given.map(|given| given.select(&(first..first + n_rows).collect::<Vec<_>>()));
        let inputs = Inputs::new(n_rows, n_inputs, values.to_vec()).map_err(CodingError::from);
        let coded = inputs.and_then(|inputs| coder.encode_rows(&inputs, known.as_ref(), first as u64, 1));
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

/// Moves the row number of an error from a chunk to the whole array.
pub fn in_whole(error: CodingError, first: usize) -> CodingError {
    match error {
        CodingError::Data(DataError::NotFinite { row, column, value }) => {
            DataError::NotFinite { row: row + first, column, value }.into()
        }
        other => other,
    }
}

/// Turns a failure to encode into a Python exception.
pub fn coding_error(error: CodingError) -> PyErr {
    match error {
        CodingError::Data(error) => data_error(&error),
        CodingError::NoGivenBits { n_bits, .. } => {
            wrong("given_bits", format!("the model was fitted with {n_bits}: give those of these objects"))
        }
        CodingError::NotDistilled => {
            wrong("code", "the model holds no distilled code; fit it with distil=BITS, or choose another code")
        }
        CodingError::UnusedGivenBits => wrong("given_bits", "the model was fitted without given bits"),
        CodingError::GivenShape { n_objects, n_bits, rows, bits } => {
            wrong("given_bits", format!("their shape is ({rows}, {bits}) instead of ({n_objects}, {n_bits})"))
        }
        error => value_error(error),
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
