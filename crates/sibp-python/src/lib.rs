//! Binds the library to Python: arrays in and out, with the interpreter's lock released during the work.
//!
//! The conventions of scikit-learn live in `python/sibp`; this crate only converts, calls and reports progress.

mod arrays;
mod encode;
mod encoder;
mod error;
mod fit;
mod hash;
mod index;
mod learn;
mod model;
mod options;
mod read;
mod triplets;
mod watching;

use pyo3::prelude::*;

/// The native part of the package `sibp`.
#[pymodule]
fn _sibp(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Model>()?;
    module.add_class::<hash::Hash>()?;
    module.add_class::<encoder::Encoder>()?;
    module.add_class::<index::HammingIndex>()?;
    module.add_function(wrap_pyfunction!(triplets::triplets_from_labels, module)?)?;
    module.add_function(wrap_pyfunction!(triplets::triplet_agreement, module)?)?;
    module.add_function(wrap_pyfunction!(triplets::chains_of, module)?)?;
    module.add_function(wrap_pyfunction!(learn::tune, module)?)?;
    module.add_function(wrap_pyfunction!(read::filling_values, module)?)?;
    module.add_function(wrap_pyfunction!(error::panic_on_purpose, module)?)?;
    Ok(())
}
