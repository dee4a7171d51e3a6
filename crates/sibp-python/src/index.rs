//! Searches codes exactly by Hamming distance.

use crate::arrays::{Bytes, codes_of_packed, matrix, packed_array};
use crate::error::{detached, index_file_error, value_error, wrong};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyType;
use sibp::codes::Codes;
use sibp::index::{HammingIndex as Index, Metric, Neighbours, Search};
use std::path::PathBuf;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Exact search among packed codes.
#[pyclass(module = "sibp._sibp", name = "HammingIndex", frozen)]
pub struct HammingIndex {
    index: RwLock<Index>,
}

impl HammingIndex {
    fn of(index: Index) -> Self {
        Self { index: RwLock::new(index) }
    }

    // A lock is only ever waited for while the interpreter's own is released, so the two cannot wait for each other.
    fn read(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Index> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn codes(&self, py: Python<'_>, packed: &Bytes<'_>, argument: &str) -> PyResult<Codes> {
        let n_bits = self.n_bits(py)?;
        codes_of_packed(packed, n_bits, argument)
    }
}

/// The parts from which a pickled index is rebuilt.
type Parts<'py> = (usize, Bound<'py, PyArray2<u8>>, Bound<'py, PyArray1<i64>>);

#[pymethods]
impl HammingIndex {
    #[new]
    fn new(n_bits: usize) -> PyResult<Self> {
        Index::new(n_bits).map(Self::of).map_err(|error| wrong("n_bits", error))
    }

    #[getter]
    fn n_bits(&self, py: Python<'_>) -> PyResult<usize> {
        detached(py, || self.read().n_bits())
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        detached(py, || self.read().len())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        detached(py, || {
            let index = self.read();
            format!("<HammingIndex of {} codes of {} bits>", index.len(), index.n_bits())
        })
    }

    #[pyo3(signature = (codes, ids=None))]
    fn add(&self, py: Python<'_>, codes: Bytes<'_>, ids: Option<PyReadonlyArray1<'_, i64>>) -> PyResult<()> {
        let codes = self.codes(py, &codes, "codes")?;
        let ids = ids.map(|ids| unsigned(&ids)).transpose()?;
        let added = detached(py, || self.write().add(&codes, ids.as_deref()))?;
        added.map_err(|error| wrong(if ids.is_some() { "ids" } else { "codes" }, error))
    }

    fn remove(&self, py: Python<'_>, ids: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let ids = unsigned(&ids)?;
        detached(py, || self.write().remove(&ids))?.map_err(|error| wrong("ids", error))
    }

    fn extend(&self, py: Python<'_>, codes: Bytes<'_>, n_bits: usize) -> PyResult<()> {
        let codes = codes_of_packed(&codes, n_bits, "codes")?;
        detached(py, || self.write().extend(&codes))?.map_err(|error| wrong("codes", error))
    }

    #[getter]
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let ids = detached(py, || self.read().ids().map(|id| id as i64).collect::<Vec<_>>())?;
        Ok(PyArray1::from_vec(py, ids))
    }

    #[getter]
    fn packed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        packed_array(py, &detached(py, || self.read().codes())?)
    }

    /// (distances, ids) of the nearest codes.
    #[pyo3(signature = (queries, k, n_threads=None, *, weights=None))]
    fn search<'py>(
        &self,
        py: Python<'py>,
        queries: Bytes<'py>,
        k: usize,
        n_threads: Option<usize>,
        weights: Option<PyReadonlyArray1<'py, f32>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyArray2<i64>>)> {
        if k == 0 {
            return Err(wrong("k", "it must be at least 1"));
        }
        let queries = self.codes(py, &queries, "queries")?;
        let threads = n_threads.unwrap_or(0);
        let shape = |n: usize| [queries.n_objects(), n / queries.n_objects().max(1)];
        let weights: Option<Vec<f32>> = weights.map(|weights| weights.as_array().iter().copied().collect());
        let metric = weights.as_ref().map_or(Metric::Hamming, |weights| Metric::Weighted(weights));
        let search = Search::nearest(k).metric(metric).threads(threads);
        let found = detached(py, || self.read().search(&queries, &search))?.map_err(|error| match metric {
            Metric::Hamming => value_error(error),
            _ => wrong("weights", error),
        })?;
        let shape = shape(found.all_ids().len());
        let distances = match metric {
            Metric::Hamming => {
                matrix(py, found.all_distances().iter().map(|&d| d as i32).collect::<Vec<_>>(), shape)?.into_any()
            }
            _ => matrix(py, found.all_distances().to_vec(), shape)?.into_any(),
        };
        Ok((distances, ids_of(py, &found, shape)?))
    }

    /// Class that the nearest codes of every query vote for; `classes` has one for each id.
    #[pyo3(signature = (queries, classes, k, n_threads=None))]
    fn vote<'py>(
        &self,
        py: Python<'py>,
        queries: Bytes<'py>,
        classes: PyReadonlyArray1<'py, u32>,
        k: usize,
        n_threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let queries = self.codes(py, &queries, "queries")?;
        let classes: Vec<u32> = classes.as_array().iter().copied().collect();
        let class_of_id = |id: u64| classes.get(usize::try_from(id).ok()?).copied();
        let threads = n_threads.unwrap_or(0);
        let elected = detached(py, || self.read().classify(&queries, Metric::Hamming, threads, class_of_id, &[k]))?;
        let winners = elected.map_err(value_error)?.pop().unwrap_or_default();
        Ok(PyArray1::from_vec(py, winners.iter().map(|vote| vote.class).collect()))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        detached(py, || self.read().save(&path))?.map_err(|error| index_file_error(&error))
    }

    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        detached(py, || Index::open(&path))?.map(Self::of).map_err(|error| index_file_error(&error))
    }

    #[classmethod]
    fn _of_parts(
        _: &Bound<'_, PyType>,
        py: Python<'_>,
        n_bits: usize,
        codes: Bytes<'_>,
        ids: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Self> {
        let index = Self::new(n_bits)?;
        index.add(py, codes, Some(ids))?;
        Ok(index)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        let (py, index) = (slf.py(), slf.get());
        let parts = (index.n_bits(py)?, index.packed(py)?, index.ids(py)?);
        Ok((slf.get_type().getattr("_of_parts")?, parts))
    }
}

fn ids_of<'py>(py: Python<'py>, found: &Neighbours<f32>, shape: [usize; 2]) -> PyResult<Bound<'py, PyArray2<i64>>> {
    matrix(py, found.all_ids().iter().map(|&id| id as i64).collect(), shape)
}

fn unsigned(ids: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<u64>> {
    let ids = ids.as_array();
    let id = |&id: &i64| u64::try_from(id).map_err(|_| wrong("ids", format!("{id} is negative")));
    ids.iter().map(id).collect()
}
