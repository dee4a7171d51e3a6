//! Builds and scores triplets.

use crate::arrays::{Bytes, InputArray, Triplets, codes_of_packed, inputs, triplet_array, triplets};
use crate::error::{detached, wrong};
use crate::options::{FromLabelsOptions, named};
use numpy::{PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use sibp::data::Labels;
use sibp::eval::hamming_agreement;
use sibp::pipeline::{Effort, Lesson};
use sibp::triplets::TripletSet;

/// Triplets of objects of the same and of other classes; `x` decides which are nearest.
#[pyfunction]
pub fn triplets_from_labels<'py>(
    py: Python<'py>,
    x: InputArray<'py>,
    classes: PyReadonlyArray1<'py, u32>,
    options: FromLabelsOptions,
    seed: u64,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let classes: Vec<u32> = classes.as_array().iter().copied().collect();
    let n_classes = classes.iter().max().map_or(0, |&class| class + 1);
    let labels = Labels::from_classes((0..n_classes).map(|class| class.to_string()).collect(), classes);
    let (options, inputs) = (options.with_seed(seed)?, inputs(&x)?);
    let built = detached(py, || options.build(&labels, &inputs))?.map_err(|error| wrong("y", error))?;
    triplet_array(py, &built.triplets)
}

/// The number of chains of a fit to given triplets, or of any other fit, by its effort.
#[pyfunction]
pub fn chains_of(effort: &str, by_triplets: bool) -> PyResult<usize> {
    let lesson = if by_triplets { Lesson::Judgements } else { Lesson::Classes };
    Ok(named::<Effort>("effort", effort)?.work(lesson).chains)
}

/// Share of triplets whose near object differs from the anchor in fewer bits than the far one; ties count against.
#[pyfunction]
pub fn triplet_agreement(py: Python<'_>, array: Triplets<'_>, packed: Bytes<'_>, n_bits: usize) -> PyResult<f64> {
    let codes = codes_of_packed(&packed, n_bits, "codes")?;
    let set = TripletSet::new(codes.n_objects(), triplets(&array, codes.n_objects())?);
    let set = set.map_err(|error| wrong("triplets", error))?;
    let agreement = detached(py, || hamming_agreement(&set, &codes))?;
    agreement.map(|agreement| agreement.share()).map_err(|error| wrong("triplets", error))
}
