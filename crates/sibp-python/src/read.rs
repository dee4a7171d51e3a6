//! Reads draws and traces of a fitted model into arrays.

use crate::arrays::{InputArray, bit_array, data_error, values};
use crate::error::{detached, wrong};
use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use sibp::data::{DataError, Filling, Missing};
use sibp::format::Fitted;
use sibp::pipeline::{BitOfTwo, Explanation};
use sibp::trace::Draw;
use sibp::trace::diagnostics::diagnose;

/// A dictionary of columns for each chain.
pub fn traces<'py>(py: Python<'py>, file: &Fitted) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let of_chain = |chain: &sibp::trace::ChainRecord| {
        let columns = PyDict::new(py);
        for name in chain.trace.names() {
            columns.set_item(name, PyArray1::from_vec(py, chain.trace.column(name).unwrap_or_default()))?;
        }
        Ok(columns)
    };
    file.chains.iter().map(of_chain).collect()
}

/// A list of draws for each chain.
pub fn draws<'py>(py: Python<'py>, file: &Fitted) -> PyResult<Bound<'py, PyList>> {
    let chains = PyList::empty(py);
    for chain in &file.chains {
        let draws: Vec<_> = chain.all_draws().map(|draw| of_draw(py, draw)).collect::<PyResult<_>>()?;
        chains.append(draws)?;
    }
    Ok(chains)
}

fn of_draw<'py>(py: Python<'py>, draw: &Draw) -> PyResult<Bound<'py, PyDict>> {
    let (scalars, tensors) = (PyDict::new(py), PyDict::new(py));
    for (name, value) in &draw.scalars {
        scalars.set_item(name, value)?;
    }
    for (name, tensor) in &draw.tensors {
        tensors.set_item(name, PyArray1::from_slice(py, &tensor.values).reshape(tensor.shape.clone())?)?;
    }
    let words = PyDict::new(py);
    words.set_item("sweep", draw.sweep)?;
    words.set_item("bits", bit_array(py, &draw.bits)?)?;
    words.set_item("weights", PyArray1::from_slice(py, &draw.weights))?;
    words.set_item("scalars", scalars)?;
    words.set_item("tensors", tensors)?;
    Ok(words)
}

/// Posterior mean lapse rate of each judge, over all kept draws of all chains; none where judges have no rates of their
/// own.
pub fn judge_lapses(file: &Fitted) -> Vec<f64> {
    let draws: Vec<&Draw> = file.chains.iter().flat_map(|chain| chain.all_draws()).collect();
    let mut sums = vec![0.0; file.info.judges.as_ref().map_or(0, Vec::len)];
    for draw in &draws {
        let Ok(lapses) = draw.tensor("judge_lapses", &[sums.len()]) else { return Vec::new() };
        sums.iter_mut().zip(lapses).for_each(|(sum, lapse)| *sum += lapse);
    }
    sums.iter().map(|sum| sum / draws.len() as f64).collect()
}

/// (R-hat, effective draws) by name; `None` where no measure is defined.
pub fn diagnostics<'py>(py: Python<'py>, file: &Fitted) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    for diagnostic in detached(py, || diagnose(&file.chains))? {
        found.set_item(diagnostic.name, (diagnostic.r_hat, diagnostic.ess))?;
    }
    Ok(found)
}

/// Why two objects are near or far; inputs and objects by their numbers.
pub fn explanation<'py>(py: Python<'py>, found: &Explanation) -> PyResult<Bound<'py, PyDict>> {
    let of_bit = |bit: &BitOfTwo| {
        let words = PyDict::new(py);
        words.set_item("bit", bit.bit)?;
        words.set_item("agrees", bit.agrees())?;
        words.set_item("a", bit.has[0])?;
        words.set_item("b", bit.has[1])?;
        words.set_item("probabilities", bit.probabilities.map(|[a, b]| (a, b)))?;
        words.set_item("weight", bit.weight)?;
        words.set_item("share", bit.share)?;
        let drivers: Vec<(usize, f64)> = bit.drivers.iter().map(|driver| (driver.input, driver.correlation)).collect();
        words.set_item("drivers", drivers)?;
        words.set_item("owners", bit.owners.clone())?;
        Ok(words)
    };
    let words = PyDict::new(py);
    words.set_item("distance", found.distance)?;
    words.set_item("weighted", found.weighted)?;
    words.set_item("bits", found.bits.iter().map(of_bit).collect::<PyResult<Vec<_>>>()?)?;
    Ok(words)
}

/// The number that takes the place of missing values (NaN) of each column, by a rule.
#[pyfunction]
pub fn filling_values(py: Python<'_>, x: InputArray<'_>, rule: &str) -> PyResult<Vec<f64>> {
    let missing = match rule {
        "mean" => Missing::Mean,
        "median" => Missing::Median,
        other => return Err(wrong("missing", format!("{other:?} gives no numbers"))),
    };
    let (n_columns, rows) = (x.shape()[1], values(&x)?);
    let filling = detached(py, || Filling::of_rows(&missing, n_columns, rows))?;
    match filling.map_err(|error| match error {
        DataError::EmptyColumn { column } => wrong("X", format!("column {column} has no value at all; leave it out")),
        error => data_error(&error),
    })? {
        Some(Filling::Mean { values } | Filling::Median { values }) => Ok(values),
        _ => Ok(Vec::new()),
    }
}
