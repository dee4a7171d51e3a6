//! Holds an encoder: what gives codes to objects, small enough to go wherever the objects are.

use crate::arrays::{Bytes, codes_of_bits, matrix};
use crate::encode::{ROWS, coding_error, in_whole};
use crate::error::{detached, file_error, wrong};
use numpy::{PyArray1, PyArray2, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use sibp::codes::Codes;
use sibp::data::{DataError, Filling, Inputs};
use sibp::format::{FORMAT, Fitted, FormatError, HASH_FORMAT, PortableEncoder};
use sibp::hash::HashStack;
use sibp::parallel::{n_threads, try_for_each};
use sibp::pipeline::{Coder, CodingError, Reading};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// An encoder, as the command's file holds it.
#[pyclass(module = "sibp._sibp", frozen)]
pub struct Encoder {
    coder: Coder,
    /// Its file.
    bytes: Vec<u8>,
}

/// A matrix of inputs in either precision: C-contiguous, as the Python layer makes it.
#[derive(FromPyObject)]
pub enum Rows<'py> {
    Double(PyReadonlyArray2<'py, f64>),
    Single(PyReadonlyArray2<'py, f32>),
}

/// Rows that cannot be encoded, and why.
type Wrong = Vec<(usize, String)>;

/// Values in row order, without a copy.
#[derive(Clone, Copy)]
enum Values<'a> {
    Double(&'a [f64]),
    Single(&'a [f32]),
}

impl Values<'_> {
    /// Some of them, in double precision.
    fn part(self, range: std::ops::Range<usize>) -> Vec<f64> {
        match self {
            Self::Double(values) => values[range].to_vec(),
            Self::Single(values) => values[range].iter().map(|&value| f64::from(value)).collect(),
        }
    }
}

impl Rows<'_> {
    fn shape(&self) -> [usize; 2] {
        let shape = match self {
            Self::Double(rows) => rows.shape(),
            Self::Single(rows) => rows.shape(),
        };
        [shape[0], shape[1]]
    }

    fn values(&self) -> PyResult<Values<'_>> {
        let values = match self {
            Self::Double(rows) => rows.as_slice().map(Values::Double),
            Self::Single(rows) => rows.as_slice().map(Values::Single),
        };
        values.map_err(|_| wrong("X", "the array must be C-contiguous"))
    }
}

impl Encoder {
    /// Holds an encoder that was taken out of a model.
    pub fn of(encoder: PortableEncoder) -> PyResult<Self> {
        let bytes = encoder.to_bytes().map_err(|error| file_error(&error))?;
        Ok(Self { coder: encoder.into(), bytes })
    }

    /// Holds a hash, without the objects that it remembers.
    pub fn of_hash(stack: HashStack) -> PyResult<Self> {
        let bytes = stack.to_bytes().map_err(|error| file_error(&error))?;
        Ok(Self { coder: stack.into(), bytes })
    }

    fn of_model(model: &Fitted) -> PyResult<Self> {
        Self::of(model.portable(Reading::default()).map_err(coding_error)?)
    }

    /// The numbers that stand for missing values.
    fn fills(&self) -> Option<&[f64]> {
        match self.coder.filling()? {
            Filling::Mean { values } | Filling::Median { values } => Some(values),
            Filling::Drop => None,
        }
    }
}

/// The kind of file that was found in place of an encoder.
fn found(error: &FormatError) -> Option<&str> {
    match error.problem() {
        FormatError::OtherKind { found, .. } => Some(found),
        _ => None,
    }
}

#[pymethods]
impl Encoder {
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = detached(py, || PortableEncoder::load(&path))?;
        match read {
            Ok(encoder) => Self::of(encoder),
            Err(error) => match found(&error) {
                Some(HASH_FORMAT) => Self::of_hash(HashStack::load(&path).map_err(|error| file_error(&error))?),
                Some(FORMAT) => Self::of_model(&Fitted::load(&path).map_err(|error| file_error(&error))?),
                _ => Err(file_error(&error)),
            },
        }
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let save = || match PortableEncoder::from_bytes(&self.bytes) {
            Ok(encoder) => encoder.save(&path),
            Err(_) => HashStack::from_bytes(&self.bytes)?.save(&path),
        };
        detached(py, save)?.map_err(|error| file_error(&error))
    }

    #[classmethod]
    fn from_bytes(_: &Bound<'_, PyType>, py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let read = detached(py, || PortableEncoder::from_bytes(data))?;
        match read {
            Ok(encoder) => Self::of(encoder),
            Err(error) => match found(&error) {
                Some(HASH_FORMAT) => Self::of_hash(HashStack::from_bytes(data).map_err(|error| file_error(&error))?),
                Some(FORMAT) => Self::of_model(&Fitted::from_bytes(data).map_err(|error| file_error(&error))?),
                _ => Err(file_error(&error)),
            },
        }
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let from_bytes = slf.get_type().getattr("from_bytes")?;
        Ok((from_bytes, (slf.get().to_bytes(slf.py()),)))
    }

    #[getter]
    fn n_bits(&self) -> usize {
        self.coder.n_bits()
    }

    #[getter]
    fn n_inputs(&self) -> usize {
        self.coder.n_inputs()
    }

    /// Given bits that must be told for every object.
    #[getter]
    fn n_given_bits(&self) -> usize {
        self.coder.n_needed()
    }

    #[getter]
    fn input_names(&self) -> Option<Vec<String>> {
        self.coder.input_names().map(<[String]>::to_vec)
    }

    /// What the bits mean, in hexadecimal.
    #[getter]
    fn fingerprint(&self) -> String {
        self.coder.fingerprint().hex()
    }

    /// Weight of each bit of a code.
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.coder.weights())
    }

    /// Packed codes of objects. Rows that cannot be encoded are an error; with `collect`, they get zeros, and come back
    /// with what is wrong with each.
    #[pyo3(signature = (x, *, given_bits=None, threads=1, collect=false))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        x: Rows<'py>,
        given_bits: Option<Bytes<'py>>,
        threads: usize,
        collect: bool,
    ) -> PyResult<(Bound<'py, PyArray2<u8>>, Wrong)> {
        let ([n_objects, n_inputs], expected) = (x.shape(), self.coder.n_inputs());
        if n_inputs != expected {
            return Err(wrong("X", format!("{n_inputs} columns, but the model was fitted to {expected}")));
        }
        let given = given_bits.map(|bits| codes_of_bits(&bits, "given_bits")).transpose()?;
        if let Some(given) = given.as_ref().filter(|given| given.n_objects() != n_objects) {
            return Err(wrong("given_bits", format!("{} rows for {n_objects} objects", given.n_objects())));
        }
        let (values, n_bytes) = (x.values()?, self.coder.n_bits().div_ceil(8));
        let encoding = Encoding { encoder: self, values, given: given.as_ref(), wrong: Mutex::default(), collect };
        let work = || {
            let mut codes = vec![0; n_objects * n_bytes];
            let done = encoding.fill(&mut codes, n_bytes, threads);
            done.map(|()| codes)
        };
        let codes = detached(py, work)?.map_err(coding_error)?;
        let mut wrong = encoding.wrong.into_inner().unwrap_or_else(PoisonError::into_inner);
        wrong.sort_unstable();
        Ok((matrix(py, codes, [n_objects, n_bytes])?, wrong))
    }
}

/// The work of one call.
struct Encoding<'a> {
    encoder: &'a Encoder,
    values: Values<'a>,
    given: Option<&'a Codes>,
    wrong: Mutex<Wrong>,
    collect: bool,
}

impl Encoding<'_> {
    fn fill(&self, codes: &mut [u8], n_bytes: usize, threads: usize) -> Result<(), CodingError> {
        let parts = codes.chunks_mut((ROWS * n_bytes).max(1));
        try_for_each(n_threads(threads), parts, |at, codes| {
            let (first, n_rows) = (at * ROWS, codes.len() / n_bytes);
            match self.rows(first, n_rows) {
                Ok(coded) => codes.copy_from_slice(coded.bytes()),
                Err(error) if self.collect && names_row(&error) => self.one_by_one(first, codes, n_bytes)?,
                Err(error) => return Err(in_whole(error, first)),
            }
            Ok(())
        })
    }

    /// Codes of some rows, in which missing values are filled in where there is a rule for that.
    fn rows(&self, first: usize, n_rows: usize) -> Result<Codes, CodingError> {
        let coder = &self.encoder.coder;
        let n_inputs = coder.n_inputs();
        let mut values = self.values.part(first * n_inputs..(first + n_rows) * n_inputs);
        if let Some(fills) = self.encoder.fills() {
            for row in values.chunks_exact_mut(n_inputs) {
                row.iter_mut().zip(fills).filter(|(value, _)| value.is_nan()).for_each(|(value, fill)| *value = *fill);
            }
        }
        let known = self.given.map(|given| given.select(&(first..first + n_rows).collect::<Vec<_>>()));
        let inputs = Inputs::new(n_rows, n_inputs, values)?;
        coder.encode_rows(&inputs, known.as_ref(), first as u64, 1)
    }

    fn one_by_one(&self, first: usize, codes: &mut [u8], n_bytes: usize) -> Result<(), CodingError> {
        for (row, code) in (first..).zip(codes.chunks_exact_mut(n_bytes)) {
            match self.rows(row, 1) {
                Ok(coded) => code.copy_from_slice(coded.bytes()),
                Err(error) if names_row(&error) => {
                    self.wrong.lock().unwrap_or_else(PoisonError::into_inner).push((row, words(&error)));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn names_row(error: &CodingError) -> bool {
    matches!(error, CodingError::Data(DataError::NotFinite { .. }))
}

fn words(error: &CodingError) -> String {
    match error {
        CodingError::Data(DataError::NotFinite { column, value, .. }) => {
            format!("input {column} is {}", if value.is_nan() { "NaN" } else { "infinite" })
        }
        error => error.to_string(),
    }
}
