//! Holds a classic hash: fit, files, pickles and codes.

use crate::arrays::{Bytes, InputArray, NamedClasses, Triplets, codes_of_bits, data_error, inputs, labels_of};
use crate::encode::encode;
use crate::encoder::Encoder;
use crate::error::{detached, file_error, value_error, wrong};
use crate::learn::{self, ExtendOptions, Lesson};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use sibp::codes::Codes;
use sibp::data::{Inputs, Labels};
use sibp::extend::GrowingCode;
use sibp::hash::{
    Hash as Method, HashBlock, HashStack, HcSdhSettings, ItqSettings, LearnError, LogisticSettings, SdhSettings,
    SpectralHash, fit_attributes, fit_hcsdh, fit_itq, fit_lsh, fit_sdh,
};
use sibp::transform::{InputTransform, Transform};
use std::path::PathBuf;

/// A fitted hash, as the command's file holds it.
#[pyclass(module = "sibp._sibp", frozen)]
pub struct Hash {
    /// The bits, and the objects that later bits are to keep in mind.
    pub code: GrowingCode,
}

impl Hash {
    /// Holds codes.
    pub fn of(code: GrowingCode) -> Self {
        Self { code }
    }
}

#[pymethods]
impl Hash {
    /// Fits by the method's name; the numbers of the bits whose regression did not settle come with it.
    #[staticmethod]
    #[pyo3(signature = (x, method, *, n_bits=0, seed=0, targets=None, labels=None, input_transform="centre", input_names=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of one Python function")]
    fn fit<'py>(
        py: Python<'py>,
        x: InputArray<'py>,
        method: &str,
        n_bits: usize,
        seed: u64,
        targets: Option<Bytes<'py>>,
        labels: Option<NamedClasses<'py>>,
        input_transform: &str,
        input_names: Option<Vec<String>>,
    ) -> PyResult<(Self, Vec<usize>)> {
        let steps: InputTransform = input_transform.parse().map_err(|error| wrong("input_transform", error))?;
        let inputs = inputs(&x)?;
        let targets = targets.map(|targets| codes_of_bits(&targets, "y")).transpose()?;
        let labels = labels.map(|(names, classes)| labels_of(names, &classes, inputs.n_objects())).transpose()?;
        let learned_from = LearnedFrom { targets, labels };
        let fitted = detached(py, || {
            let (transform, inputs) = Transform::fit_apply(&steps, &inputs).map_err(|error| data_error(&error))?;
            let (hash, unfinished) = by_name(method, &inputs, n_bits, seed, &learned_from)?;
            let block = HashBlock::new(method, transform, hash);
            let stack = HashStack::new(vec![block]).and_then(|stack| stack.named(input_names));
            Ok((stack.map_err(value_error)?, unfinished))
        })?;
        fitted.map(|(stack, unfinished)| (Self::of(GrowingCode::new(stack)), unfinished))
    }

    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(Self { code: detached(py, || GrowingCode::load(&path))?.map_err(|error| file_error(&error))? })
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        detached(py, || self.code.save(&path))?.map_err(|error| file_error(&error))
    }

    #[classmethod]
    fn from_bytes(_: &Bound<'_, PyType>, py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        Ok(Self { code: detached(py, || GrowingCode::from_bytes(data))?.map_err(|error| file_error(&error))? })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = detached(py, || self.code.to_bytes())?.map_err(|error| file_error(&error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let from_bytes = slf.get_type().getattr("from_bytes")?;
        Ok((from_bytes, (slf.get().to_bytes(slf.py())?,)))
    }

    /// (method, input transform, number of bits) of every block.
    #[getter]
    fn blocks(&self) -> Vec<(String, String, usize)> {
        let blocks = self.code.stack.blocks().iter();
        blocks.map(|b| (b.source.clone(), b.transform.chosen().to_string(), b.hash.n_bits())).collect()
    }

    #[getter]
    fn n_bits(&self) -> usize {
        self.code.stack.n_bits()
    }

    #[getter]
    fn n_inputs(&self) -> usize {
        self.code.stack.n_inputs()
    }

    /// What the bits mean, in hexadecimal.
    fn fingerprint(&self) -> String {
        self.code.stack.fingerprint().hex()
    }

    #[getter]
    fn input_names(&self) -> Option<Vec<String>> {
        self.code.stack.input_names().map(<[String]>::to_vec)
    }

    /// Weight of each bit of a code.
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.code.stack.weights())
    }

    /// Learns further bits behind the old ones, and reports how.
    #[pyo3(signature = (x, options, *, labels=None, triplets=None, given_bits=None, remember=None, threads=0))]
    #[expect(clippy::too_many_arguments, reason = "keywords of one Python function")]
    fn extend<'py>(
        &self,
        py: Python<'py>,
        x: InputArray<'py>,
        options: ExtendOptions,
        labels: Option<NamedClasses<'py>>,
        triplets: Option<Triplets<'py>>,
        given_bits: Option<Bytes<'py>>,
        remember: Option<(InputArray<'py>, NamedClasses<'py>)>,
        threads: usize,
    ) -> PyResult<(Self, Bound<'py, PyDict>)> {
        let lesson = Lesson::new(&x, labels, triplets.as_ref())?;
        let known = given_bits.map(|bits| codes_of_bits(&bits, "given_bits")).transpose()?;
        let remembered = remember.map(|(x, labels)| Lesson::new(&x, Some(labels), None)).transpose()?;
        let (code, report) =
            learn::extend(py, self.code.clone(), &lesson, known.as_ref(), remembered.as_ref(), &options, threads)?;
        Ok((Self::of(code), learn::report(py, &report)?))
    }

    /// The bits alone, without remembered objects, to go where other objects are.
    fn encoder(&self) -> PyResult<Encoder> {
        Encoder::of_hash(self.code.stack.clone())
    }

    /// Codes of objects, packed or as 0 and 1.
    #[pyo3(signature = (x, *, packed=false, threads=0))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        x: InputArray<'py>,
        packed: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<u8>>> {
        encode(py, &self.code.stack.clone().into(), &x, None, packed, threads)
    }
}

/// What a hash learns from beside the inputs.
struct LearnedFrom {
    targets: Option<Codes>,
    labels: Option<Labels>,
}

impl LearnedFrom {
    fn targets(&self) -> PyResult<&Codes> {
        self.targets.as_ref().ok_or_else(|| wrong("y", "attributes are learned from bits that people gave"))
    }

    fn labels(&self) -> PyResult<&Labels> {
        self.labels.as_ref().ok_or_else(|| wrong("y", "this hash is learned from labels"))
    }
}

fn by_name(
    method: &str,
    inputs: &Inputs,
    n_bits: usize,
    seed: u64,
    learned_from: &LearnedFrom,
) -> PyResult<(Method, Vec<usize>)> {
    let named = |error: LearnError| match error {
        LearnError::NoBits | LearnError::TooManyBits { .. } | LearnError::TooFewBits { .. } => wrong("n_bits", error),
        LearnError::Length { .. } | LearnError::OneClass { .. } => wrong("y", error),
        _ => wrong("X", error),
    };
    let linear = match method {
        "spectral" => {
            return Ok((Method::Spectral(SpectralHash::fit(inputs, n_bits).map_err(named)?), Vec::new()));
        }
        "attributes" => {
            let fit = fit_attributes(inputs, learned_from.targets()?, &LogisticSettings::default()).map_err(named)?;
            return Ok((Method::Linear(fit.hash), fit.unfinished));
        }
        "itq" => fit_itq(inputs, &ItqSettings::new(n_bits, seed)),
        "lsh" => fit_lsh(inputs, n_bits, seed),
        "sdh" => fit_sdh(inputs, learned_from.labels()?, &SdhSettings::new(n_bits, seed)),
        "hcsdh" => fit_hcsdh(inputs, learned_from.labels()?, &HcSdhSettings::new(n_bits, seed)),
        _ => return Err(wrong("method", format!("{method:?} is unknown"))),
    };
    Ok((Method::Linear(linear.map_err(named)?), Vec::new()))
}
