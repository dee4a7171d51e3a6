//! Searches codes exactly by Hamming distance.

use crate::arrays::{Bytes, codes_of_packed, matrix, packed_array};
use crate::error::{detached, index_file_error, value_error, wrong};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyType;
use sibp::codes::Codes;
use sibp::fingerprint::Fingerprint;
use sibp::index::{HammingIndex as Index, IndexError, Metric, Search, Texts};
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

/// The parts from which a pickled index is rebuilt: width, codes, ids, texts and what made the codes.
type Parts<'py> = (usize, Bound<'py, PyArray2<u8>>, Bound<'py, PyArray1<u64>>, Option<TextParts>, Option<String>);
/// Names of the columns, whether the first one is of ids, and the rows.
type TextParts = (Vec<String>, bool, Vec<Vec<String>>);
/// Distances and ids of all queries one after the other, and where each query's row starts.
type Found<'py> = (Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>);

/// What is searched for.
enum Asked {
    Codes(Codes),
    Probabilities(Vec<f32>),
}

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

    /// What made the codes, in hexadecimal.
    #[getter]
    fn encoder(&self, py: Python<'_>) -> PyResult<Option<String>> {
        detached(py, || self.read().encoder().map(|encoder| encoder.hex()))
    }

    #[setter]
    fn set_encoder(&self, py: Python<'_>, encoder: Option<String>) -> PyResult<()> {
        let encoder = encoder.map(|text| fingerprint(&text)).transpose()?;
        detached(py, || self.write().set_encoder(encoder))
    }

    /// Whether ids are texts.
    #[getter]
    fn is_named(&self, py: Python<'_>) -> PyResult<bool> {
        detached(py, || self.read().is_named())
    }

    /// Names of the columns of texts; text ids are the first one.
    #[getter]
    fn columns(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        detached(py, || self.read().texts().map_or(Vec::new(), |texts| texts.columns().to_vec()))
    }

    /// Adds codes under numbers or under texts.
    #[pyo3(signature = (codes, ids=None, names=None))]
    fn add(
        &self,
        py: Python<'_>,
        codes: Bytes<'_>,
        ids: Option<PyReadonlyArray1<'_, u64>>,
        names: Option<Vec<String>>,
    ) -> PyResult<()> {
        let codes = self.codes(py, &codes, "codes")?;
        let ids = ids.map(|ids| numbers(&ids));
        let given = ids.is_some() || names.is_some();
        let added = detached(py, || {
            let mut index = self.write();
            let Some(names) = names else { return index.add(&codes, ids.as_deref()) };
            if index.is_empty() && index.texts().is_none() {
                let encoder = index.encoder();
                *index = Index::new(index.n_bits())?.with_columns(vec!["id".to_owned()], true);
                index.set_encoder(encoder);
            }
            let mut texts = Texts::new(vec!["id".to_owned()]);
            names.iter().try_for_each(|name| texts.push(std::slice::from_ref(name)))?;
            index.add_with_texts(&codes, None, Some(&texts))
        })?;
        added.map_err(|error| wrong(if given { "ids" } else { "codes" }, error))
    }

    fn remove(&self, py: Python<'_>, ids: PyReadonlyArray1<'_, u64>) -> PyResult<()> {
        let ids = numbers(&ids);
        detached(py, || self.write().remove(&ids))?.map_err(|error| wrong("ids", error))
    }

    /// The numbers under which texts are stored.
    fn numbers_of<'py>(&self, py: Python<'py>, names: Vec<String>) -> PyResult<Vec<Option<u64>>> {
        detached(py, || {
            let index = self.read();
            index.named_positions(&names).into_iter().map(|row| row.map(|row| index.id_of_row(row))).collect()
        })
    }

    /// The texts that are stored under numbers; empty where there are none.
    fn texts_of(&self, py: Python<'_>, ids: PyReadonlyArray1<'_, u64>) -> PyResult<Vec<Vec<String>>> {
        let ids = numbers(&ids);
        detached(py, || {
            let index = self.read();
            let cells =
                |row: usize| index.texts().map_or(Vec::new(), |texts| texts.row(row).map(str::to_owned).collect());
            index.positions(&ids).into_iter().map(|row| row.map_or(Vec::new(), cells)).collect()
        })
    }

    fn extend(&self, py: Python<'_>, codes: Bytes<'_>, n_bits: usize) -> PyResult<()> {
        let codes = codes_of_packed(&codes, n_bits, "codes")?;
        detached(py, || self.write().extend(&codes))?.map_err(|error| wrong("codes", error))
    }

    #[getter]
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        Ok(PyArray1::from_vec(py, detached(py, || self.read().ids().collect::<Vec<_>>())?))
    }

    #[getter]
    fn packed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        packed_array(py, &detached(py, || self.read().codes())?)
    }

    /// The nearest codes of every query, or those within a radius; queries are codes or, with `probabilities`, rows of bit
    /// probabilities.
    #[pyo3(signature = (queries, k, radius, n_threads=None, *, weights=None, probabilities=None, among=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of one Python function")]
    fn search<'py>(
        &self,
        py: Python<'py>,
        queries: Option<Bytes<'py>>,
        k: usize,
        radius: Option<f32>,
        n_threads: Option<usize>,
        weights: Option<PyReadonlyArray1<'py, f32>>,
        probabilities: Option<PyReadonlyArray2<'py, f32>>,
        among: Option<PyReadonlyArray1<'py, u64>>,
    ) -> PyResult<Found<'py>> {
        let asked = match (queries, probabilities) {
            (Some(codes), None) => Asked::Codes(self.codes(py, &codes, "queries")?),
            (None, Some(rows)) => Asked::Probabilities(rows.as_array().iter().copied().collect()),
            _ => return Err(wrong("queries", "give codes or probabilities")),
        };
        let weights: Option<Vec<f32>> = weights.map(|weights| weights.as_array().iter().copied().collect());
        let among = among.map(|ids| numbers(&ids));
        let found = detached(py, || {
            let index = self.read();
            let ones = vec![1.0; index.n_bits()];
            let weights = weights.as_deref();
            let metric = match (&asked, weights) {
                (Asked::Probabilities(_), weights) => Metric::Expected(weights.unwrap_or(&ones)),
                (Asked::Codes(_), Some(weights)) => Metric::Weighted(weights),
                (Asked::Codes(_), None) => Metric::Hamming,
            };
            let rows = among.as_ref().map(|ids| index.rows(ids));
            let search = radius.map_or(Search::nearest(k), Search::within);
            let search = search.metric(metric).threads(n_threads.unwrap_or(0)).among(rows.as_ref());
            match &asked {
                Asked::Codes(codes) => index.search(codes, &search),
                Asked::Probabilities(values) => index.search(values.as_slice(), &search),
            }
        })?;
        let found = found.map_err(|error| match error {
            IndexError::Weight { .. } | IndexError::WeightCount { .. } | IndexError::WeightSum { .. } => {
                wrong("weights", error)
            }
            IndexError::Radius { .. } => wrong("radius", error),
            _ => wrong("queries", error),
        })?;
        let distances = PyArray1::from_vec(py, found.all_distances().to_vec());
        let offsets = PyArray1::from_vec(py, found.offsets().iter().map(|&at| at as u64).collect());
        Ok((distances, PyArray1::from_vec(py, found.all_ids().to_vec()), offsets))
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

    /// Share of the votes of the `k` nearest that each class gets, for every query.
    #[pyo3(signature = (queries, classes, k, n_classes, n_threads=None))]
    fn tally<'py>(
        &self,
        py: Python<'py>,
        queries: Bytes<'py>,
        classes: PyReadonlyArray1<'py, u32>,
        k: usize,
        n_classes: usize,
        n_threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let classes: Vec<u32> = classes.as_array().iter().copied().collect();
        let class_of_id = |id: u64| {
            let class = classes.get(usize::try_from(id).ok()?).copied();
            class.filter(|&class| (class as usize) < n_classes)
        };
        let queries = self.codes(py, &queries, "queries")?;
        let threads = n_threads.unwrap_or(0);
        let counted = detached(py, || self.read().tally(&queries, Metric::Hamming, threads, class_of_id, k))?;
        let counted = counted.map_err(value_error)?;
        let mut shares = vec![0.0; counted.len() * n_classes];
        for (row, votes) in shares.chunks_exact_mut(n_classes.max(1)).zip(&counted) {
            let all: f64 = votes.iter().map(|vote| vote.votes).sum();
            votes.iter().for_each(|vote| row[vote.class as usize] = vote.votes / all);
        }
        matrix(py, shares, [counted.len(), n_classes])
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
        ids: PyReadonlyArray1<'_, u64>,
        texts: Option<TextParts>,
        encoder: Option<String>,
    ) -> PyResult<Self> {
        let codes = codes_of_packed(&codes, n_bits, "codes")?;
        let (ids, encoder) = (numbers(&ids), encoder.map(|text| fingerprint(&text)).transpose()?);
        let built = detached(py, || {
            let mut index = Index::new(n_bits)?;
            let mut stored = None;
            if let Some((columns, named, rows)) = texts {
                let mut texts = Texts::new(columns.clone());
                rows.iter().try_for_each(|row| texts.push(row))?;
                index = index.with_columns(columns, named);
                stored = Some(texts);
            }
            index.add_with_texts(&codes, Some(&ids), stored.as_ref())?;
            index.set_encoder(encoder);
            Ok::<_, IndexError>(index)
        })?;
        built.map(Self::of).map_err(value_error)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        let (py, index) = (slf.py(), slf.get());
        let texts = detached(py, || {
            let index = index.read();
            index.texts().map(|texts| {
                let rows = (0..texts.len()).map(|row| texts.row(row).map(str::to_owned).collect()).collect();
                (texts.columns().to_vec(), index.is_named(), rows)
            })
        })?;
        let parts = (index.n_bits(py)?, index.packed(py)?, index.ids(py)?, texts, index.encoder(py)?);
        Ok((slf.get_type().getattr("_of_parts")?, parts))
    }
}

fn numbers(ids: &PyReadonlyArray1<'_, u64>) -> Vec<u64> {
    ids.as_array().iter().copied().collect()
}

fn fingerprint(text: &str) -> PyResult<Fingerprint> {
    Fingerprint::from_hex(text).ok_or_else(|| wrong("encoder", format!("{text:?} is no fingerprint")))
}
