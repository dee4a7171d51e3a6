//! Converts between numpy's arrays and the library's types. Input arrays are read in place, without a copy.

use crate::error::wrong;
use numpy::ndarray::ArrayView2;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use sibp::codes::Codes;
use sibp::data::{DataError, Inputs, Labels};
use sibp::triplets::Triplet;

/// A matrix of inputs: C-contiguous float64, as the Python layer makes it.
pub type InputArray<'py> = PyReadonlyArray2<'py, f64>;
/// A matrix of bytes: bits or packed codes.
pub type Bytes<'py> = PyReadonlyArray2<'py, u8>;
/// Triplets: columns anchor, near, far.
pub type Triplets<'py> = PyReadonlyArray2<'py, i64>;

/// Names of classes, and the class of every object.
pub type NamedClasses<'py> = (Vec<String>, PyReadonlyArray1<'py, u32>);

/// Values in row order, without a copy.
pub fn values<'a>(x: &'a InputArray<'_>) -> PyResult<&'a [f64]> {
    x.as_slice().map_err(|_| wrong("X", "the array must be C-contiguous"))
}

/// Copies an array into the library's inputs.
pub fn inputs(x: &InputArray<'_>) -> PyResult<Inputs> {
    let [n_objects, n_inputs] = shape(x.shape());
    Inputs::new(n_objects, n_inputs, values(x)?.to_vec()).map_err(|error| data_error(&error))
}

/// Words a data error as scikit-learn does, so that its users recognise it.
pub fn data_error(error: &DataError) -> PyErr {
    match error {
        DataError::NotFinite { row, column, value } => {
            let what = if value.is_nan() { "NaN" } else { "infinity" };
            wrong("X", format!("Input X contains {what} (row {row}, column {column}); replace or drop it"))
        }
        DataError::Empty { n_objects, n_inputs } => {
            let what = if *n_objects == 0 { "sample" } else { "feature" };
            wrong("X", format!("0 {what}(s) (shape=({n_objects}, {n_inputs})) while a minimum of 1 is required"))
        }
        _ => wrong("X", error),
    }
}

fn shape(shape: &[usize]) -> [usize; 2] {
    [shape[0], shape[1]]
}

/// Codes of a 0/1 matrix; `argument` names it.
pub fn codes_of_bits(bits: &Bytes<'_>, argument: &str) -> PyResult<Codes> {
    let bits = bits.as_array();
    let mut codes = Codes::zeros(bits.nrows(), bits.ncols());
    for ((row, column), &bit) in bits.indexed_iter() {
        match bit {
            0 => {}
            1 => codes.set(row, column, true),
            _ => return Err(wrong(argument, format!("row {row}, column {column}: {bit} is no bit; give 0 or 1"))),
        }
    }
    Ok(codes)
}

/// Codes of packed rows.
pub fn codes_of_packed(packed: &Bytes<'_>, n_bits: usize, argument: &str) -> PyResult<Codes> {
    let (rows, needed) = (packed.as_array(), n_bits.div_ceil(8));
    if rows.ncols() != needed {
        let found = rows.ncols();
        return Err(wrong(argument, format!("rows have {found} bytes, but codes of {n_bits} bits have {needed}")));
    }
    Codes::from_bytes(rows.nrows(), n_bits, in_row_order(&rows)).map_err(|error| wrong(argument, error))
}

fn in_row_order(bytes: &ArrayView2<'_, u8>) -> Vec<u8> {
    bytes.iter().copied().collect()
}

/// Packed rows as an array.
pub fn packed_array<'py>(py: Python<'py>, codes: &Codes) -> PyResult<Bound<'py, PyArray2<u8>>> {
    matrix(py, codes.bytes().to_vec(), [codes.n_objects(), codes.n_bytes()])
}

/// A 0/1 matrix as an array.
pub fn bit_array<'py>(py: Python<'py>, codes: &Codes) -> PyResult<Bound<'py, PyArray2<u8>>> {
    let mut bits = vec![0; codes.n_objects() * codes.n_bits()];
    crate::encode::unpack(codes, &mut bits);
    matrix(py, bits, [codes.n_objects(), codes.n_bits()])
}

/// Values in row order as a matrix.
pub fn matrix<T: numpy::Element>(
    py: Python<'_>,
    values: Vec<T>,
    shape: [usize; 2],
) -> PyResult<Bound<'_, PyArray2<T>>> {
    PyArray1::from_vec(py, values).reshape(shape)
}

/// Triplets as rows of an array.
pub fn triplet_array<'py>(py: Python<'py>, triplets: &[Triplet]) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let rows = triplets.iter().flat_map(|t| [t.anchor, t.near, t.far].map(i64::from)).collect();
    matrix(py, rows, [triplets.len(), 3])
}

/// Number of objects of which the last one is in a triplet.
pub fn n_mentioned(array: &Triplets<'_>) -> usize {
    let last = array.as_array().iter().copied().max().and_then(|last| usize::try_from(last).ok());
    last.map_or(0, |last| last.saturating_add(1))
}

/// Triplets of an array with three columns, each a row of `n_objects`.
pub fn triplets(array: &Triplets<'_>, n_objects: usize) -> PyResult<Vec<Triplet>> {
    let array = array.as_array();
    if array.ncols() != 3 {
        let found = array.ncols();
        return Err(wrong("triplets", format!("{found} columns instead of 3: anchor, near, far")));
    }
    let object = |triplet_ix: usize, role: usize, object: i64| {
        let known = usize::try_from(object).is_ok_and(|object| object < n_objects);
        let role = ["anchor", "near", "far"][role];
        let unknown =
            || wrong("triplets", format!("row {triplet_ix}: {role} is object {object}, but there are {n_objects}"));
        known.then_some(object).and_then(|object| u32::try_from(object).ok()).ok_or_else(unknown)
    };
    let rows = array.rows().into_iter().enumerate();
    rows.map(|(at, row)| {
        Ok(Triplet { anchor: object(at, 0, row[0])?, near: object(at, 1, row[1])?, far: object(at, 2, row[2])? })
    })
    .collect()
}

/// The classes of objects, with their names.
pub fn labels_of(names: Vec<String>, classes: &PyReadonlyArray1<'_, u32>, n_objects: usize) -> PyResult<Labels> {
    let class_of: Vec<u32> = classes.as_array().iter().copied().collect();
    if class_of.len() != n_objects {
        return Err(wrong("y", format!("{} labels for {n_objects} objects; give one each", class_of.len())));
    }
    if class_of.iter().any(|&class| class as usize >= names.len()) {
        return Err(wrong("y", "a class has no name"));
    }
    Ok(Labels::from_classes(names, class_of))
}
