//! Holds a fitted model: files, pickles, codes and preferences.

use crate::arrays::{
    Bytes, InputArray, NamedClasses, Triplets, bit_array, codes_of_bits, data_error, inputs, labels_of, matrix,
    packed_array, triplet_array, triplets,
};
use crate::encode::{ROWS, coding_error, encode};
use crate::encoder::Encoder;
use crate::error::{caught, detached, file_error, value_error, wrong};
use crate::fit::{self, Given, Running};
use crate::hash::Hash;
use crate::options::{CodeOptions, FitOptions, filling_of, settings_text};
use crate::read;
use numpy::{PyArray1, PyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyType};
use sibp::ask::{AskError, AskSettings, suggest};
use sibp::codes::Codes;
use sibp::data::{Filling, Inputs, Table};
use sibp::describe::code_warnings;
use sibp::extend::GrowingCode;
use sibp::format::Fitted;
use sibp::pipeline::{Asking, Coder, CodingError, MergeError, NamedPart, Objects};
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A fitted model, as the command's file holds it.
#[pyclass(module = "sibp._sibp", frozen)]
pub struct Model {
    pub file: Fitted,
}

#[pymethods]
impl Model {
    #[staticmethod]
    #[pyo3(signature = (x, options, *, labels=None, ids=None, triplets=None, judges=None, given_bits=None, input_names=None, filling=None, earlier=None, chain=None, threads=0, time_limit=None, on_progress=None, copy_every=5.0, patience=0.7))]
    #[expect(clippy::too_many_arguments, reason = "keywords of one Python function")]
    fn fit<'py>(
        py: Python<'py>,
        x: Option<InputArray<'py>>,
        options: FitOptions,
        labels: Option<NamedClasses<'py>>,
        ids: Option<Vec<String>>,
        triplets: Option<Triplets<'py>>,
        judges: Option<Vec<String>>,
        given_bits: Option<Bytes<'py>>,
        input_names: Option<Vec<String>>,
        filling: Option<(String, Vec<f64>)>,
        earlier: Option<Bound<'py, Self>>,
        chain: Option<usize>,
        threads: usize,
        time_limit: Option<f64>,
        on_progress: Option<Bound<'py, PyAny>>,
        copy_every: f64,
        patience: f64,
    ) -> PyResult<(Self, &'static str, Vec<String>)> {
        let n_rows = x.as_ref().map_or(0, |x| x.shape()[0]);
        let labels = labels.map(|(names, classes)| labels_of(names, &classes, n_rows)).transpose()?;
        let seconds = |name, value| Duration::try_from_secs_f64(value).map_err(|error| wrong(name, error));
        let filling = filling.map(|(rule, values)| filling_of(&rule, values)).transpose()?;
        let earlier = earlier.as_ref().map(|model| &model.get().file);
        let given = Given {
            x: x.as_ref(),
            labels,
            ids,
            triplets,
            judges,
            bits: given_bits,
            input_names,
            filling,
            earlier,
            chain,
        };
        let running = Running {
            threads,
            time_limit: time_limit.map(|limit| seconds("time_limit", limit)).transpose()?,
            began: Instant::now(),
            on_progress: on_progress.as_ref(),
            copy_every: seconds("copy_every", copy_every)?,
            patience: seconds("patience", patience)?,
        };
        let (file, end, warnings) = fit::run(py, given, &options, &running)?;
        Ok((Self { file }, end, warnings))
    }

    /// The model of all chains, from parts that hold one each; parts have names, for messages.
    #[staticmethod]
    #[pyo3(signature = (parts, *, x=None, threads=0))]
    fn merge<'py>(
        py: Python<'py>,
        parts: Vec<(String, Bound<'py, Self>)>,
        x: Option<InputArray<'py>>,
        threads: usize,
    ) -> PyResult<Self> {
        let named = |(name, part): &(String, Bound<'py, Self>)| NamedPart {
            name: name.clone(),
            model: part.get().file.clone(),
        };
        let (parts, inputs) = (parts.iter().map(named).collect(), x.as_ref().map(inputs).transpose()?);
        let merged = detached(py, || Fitted::merged(parts, inputs.as_ref(), threads))?;
        merged.map(|file| Self { file }).map_err(|error| match error {
            MergeError::NeedsInputs { .. } | MergeError::OtherInputs => wrong("X", error),
            MergeError::Data(error) => data_error(&error),
            error => wrong("parts", error),
        })
    }

    /// Which chain this is and of how many, for a part; `None` for a whole model.
    #[getter]
    fn part(&self) -> Option<(usize, usize)> {
        self.file.info.part.as_ref().map(|part| (part.chain, part.of))
    }

    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(Self { file: detached(py, || Fitted::load(&path))?.map_err(|error| file_error(&error))? })
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        detached(py, || self.file.save(&path))?.map_err(|error| file_error(&error))
    }

    #[classmethod]
    fn from_bytes(_: &Bound<'_, PyType>, py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        Ok(Self { file: detached(py, || Fitted::from_bytes(data))?.map_err(|error| file_error(&error))? })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = detached(py, || self.file.to_bytes())?.map_err(|error| file_error(&error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let from_bytes = slf.get_type().getattr("from_bytes")?;
        Ok((from_bytes, (slf.get().to_bytes(slf.py())?,)))
    }

    /// Settings as JSON.
    #[getter]
    fn settings(&self) -> String {
        settings_text(&self.file)
    }

    /// Number of given bits.
    #[getter]
    fn n_given_bits(&self) -> usize {
        self.file.info.given.as_ref().map_or(0, |given| given.codes.n_bits())
    }

    /// Names of the classes and the class of every training object.
    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> Option<(Vec<String>, Bound<'py, PyArray1<u32>>)> {
        let labels = self.file.info.labels.as_ref()?;
        Some((labels.names().to_vec(), PyArray1::from_slice(py, labels.class_of())))
    }

    /// Ids of the training objects, where the file holds them.
    #[getter]
    fn ids(&self) -> Option<Vec<String>> {
        self.file.info.ids.as_ref().map(|ids| ids.texts().to_vec())
    }

    /// Names of those who judged triplets, where they are known.
    #[getter]
    fn judges(&self) -> Option<Vec<String>> {
        self.file.info.judges.clone()
    }

    /// Posterior mean lapse rate of each judge; none where they have no rates of their own.
    fn judge_lapses(&self) -> Vec<f64> {
        read::judge_lapses(&self.file)
    }

    /// Share of held-out triplets that a rehearsal agreed with, where there was one.
    #[getter]
    fn held_out_agreement(&self) -> Option<f64> {
        self.file.info.calibration.map(|found| found.agreement)
    }

    /// Whether all chains did all sweeps.
    #[getter]
    fn finished(&self) -> bool {
        self.file.finished()
    }

    /// Codes of objects, packed or as 0 and 1.
    #[pyo3(signature = (x, options, *, given_bits=None, packed=false, threads=0))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        x: InputArray<'py>,
        options: CodeOptions,
        given_bits: Option<Bytes<'py>>,
        packed: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let given = self.given(given_bits.as_ref(), x.shape()[0])?;
        encode(py, &self.coder(&options)?, &x, given.as_ref(), packed, threads)
    }

    /// Codes of the training objects, packed or as 0 and 1.
    #[pyo3(signature = (options, *, packed=false))]
    fn codes<'py>(&self, py: Python<'py>, options: CodeOptions, packed: bool) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let coder = self.coder(&options)?;
        if packed { packed_array(py, coder.database()) } else { bit_array(py, coder.database()) }
    }

    /// What the bits mean, in hexadecimal.
    fn fingerprint(&self, options: CodeOptions) -> PyResult<String> {
        Ok(self.coder(&options)?.fingerprint().hex())
    }

    /// Weight of each bit of a code.
    fn weights<'py>(&self, py: Python<'py>, options: CodeOptions) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, self.coder(&options)?.weights()))
    }

    /// Probability of every bit of every object (probit models only).
    #[pyo3(signature = (x, options, *, given_bits=None))]
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        x: InputArray<'py>,
        options: CodeOptions,
        given_bits: Option<Bytes<'py>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let given = self.given(given_bits.as_ref(), x.shape()[0])?;
        let (coder, inputs) = (self.coder(&options)?, inputs(&x)?);
        let values = detached(py, || coder.probabilities(&inputs, given.as_ref()))?.map_err(coding_error)?;
        matrix(py, values, [inputs.n_objects(), coder.n_bits()])
    }

    /// Posterior mean probability of each triplet over the rows of `x`, or over the training objects without it;
    /// recalibrated unless told otherwise.
    #[pyo3(signature = (x, asked, options, *, given_bits=None, calibrated=true, threads=0))]
    #[expect(clippy::too_many_arguments, reason = "keywords of one Python function")]
    fn preferences<'py>(
        &self,
        py: Python<'py>,
        x: Option<InputArray<'py>>,
        asked: Triplets<'py>,
        options: CodeOptions,
        given_bits: Option<Bytes<'py>>,
        calibrated: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (given, inputs) = match &x {
            Some(x) => (self.given(given_bits.as_ref(), x.shape()[0])?, Some(inputs(x)?)),
            None => (None, None),
        };
        let n_objects = inputs.as_ref().map_or(self.file.info.n_objects, Inputs::n_objects);
        let (asked, reading) = (triplets(&asked, n_objects)?, options.reading()?);
        let asking = Asking { encoder: reading.encoder, calibrated, seed: reading.seed, threads, ..Asking::default() };
        let average = || {
            let recognised = |table: Table| {
                let rows = self.file.training_rows(&table);
                (table, rows)
            };
            let (table, training) =
                inputs.map_or_else(|| self.file.training_objects(), |inputs| recognised(Table::from(inputs)));
            let objects = Objects { inputs: &table.inputs, known: given.as_ref(), training: &training };
            self.file.preferences(objects, &asked, &asking)
        };
        Ok(PyArray1::from_vec(py, detached(py, average)?.map_err(coding_error)?.probabilities))
    }

    /// The questions to ask next about the rows of `x`, or about the training objects, and the kind of each.
    #[pyo3(signature = (n, seed, *, x=None, answered=None, pool=None, given_bits=None, threads=0))]
    #[expect(clippy::too_many_arguments, reason = "keywords of one Python function")]
    fn suggest<'py>(
        &self,
        py: Python<'py>,
        n: usize,
        seed: u64,
        x: Option<InputArray<'py>>,
        answered: Option<Triplets<'py>>,
        pool: Option<Triplets<'py>>,
        given_bits: Option<Bytes<'py>>,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyArray2<i64>>, Vec<&'static str>)> {
        let info = &self.file.info;
        let n_objects = x.as_ref().map_or(info.n_objects, |x| x.shape()[0]);
        let given = x.as_ref().map(|_| self.given(given_bits.as_ref(), n_objects)).transpose()?.flatten();
        let of = |array: Option<&Triplets<'py>>| array.map(|array| triplets(array, n_objects)).transpose();
        let (answered, pool) = (of(answered.as_ref())?.unwrap_or_default(), of(pool.as_ref())?);
        let rows = x.as_ref().map(inputs).transpose()?;
        let choose = || {
            let everyone = || (0..n_objects as u32).map(Some).collect();
            let (table, training) = match rows {
                Some(rows) => {
                    let table = Table::from(rows);
                    let training = self.file.training_rows(&table);
                    (table, training)
                }
                None => (Table::from(Inputs::none(n_objects)), everyone()),
            };
            let objects = Objects { inputs: &table.inputs, known: given.as_ref(), training: &training };
            let settings =
                AskSettings { answered: &answered, pool: pool.as_deref(), threads, ..AskSettings::new(n, seed) };
            suggest(&self.file, objects, &settings)
        };
        let questions = detached(py, choose)?.map_err(|error| match error {
            AskError::Coding(error) => coding_error(error),
            error => value_error(error),
        })?;
        let asked: Vec<_> = questions.iter().map(|question| question.triplet).collect();
        Ok((triplet_array(py, &asked)?, questions.iter().map(|question| question.kind.name()).collect()))
    }

    /// The training object that each row is, or -1: by its inputs, where a single training object has them.
    fn training_rows<'py>(&self, py: Python<'py>, x: InputArray<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let table = Table::from(inputs(&x)?);
        let n_objects = table.inputs.n_objects();
        let found = detached(py, || self.file.training_rows(&table))?;
        let row = |at: usize| found.get(at).copied().flatten().map_or(-1, i64::from);
        Ok(PyArray1::from_vec(py, (0..n_objects).map(row).collect()))
    }

    /// The numbers of every sweep, for each chain.
    fn traces<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        caught(|| read::traces(py, &self.file))?
    }

    /// The kept draws, for each chain.
    fn draws<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        caught(|| read::draws(py, &self.file))?
    }

    /// The rule by which missing values of its inputs were treated, with a number for each input where some take their place.
    #[getter]
    fn filling(&self) -> Option<(&'static str, Vec<f64>)> {
        self.file.info.transform.filling().map(|filling| match filling {
            Filling::Mean { values } => ("mean", values.clone()),
            Filling::Median { values } => ("median", values.clone()),
            Filling::Drop => ("drop", Vec::new()),
        })
    }

    /// What a search by these codes would suffer from, in words.
    fn code_warnings(&self, options: CodeOptions) -> PyResult<Vec<String>> {
        let draws = options.reading()?.draws;
        caught(|| code_warnings(&self.file, draws))
    }

    /// All that `sibp inspect` warns of.
    fn warnings(&self, options: CodeOptions) -> PyResult<Vec<String>> {
        let draws = options.reading()?.draws;
        caught(|| self.file.describe(draws).warnings)
    }

    /// Why two rows of `x` are near or far.
    #[pyo3(signature = (x, pair, options, *, given_bits=None))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        x: InputArray<'py>,
        pair: [usize; 2],
        options: CodeOptions,
        given_bits: Option<Bytes<'py>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let given = self.given(given_bits.as_ref(), x.shape()[0])?;
        let (coder, inputs) = (self.coder(&options)?, inputs(&x)?);
        let found = detached(py, || coder.explain(&inputs, given.as_ref(), pair))?.map_err(coding_error)?;
        read::explanation(py, &found)
    }

    /// What gives codes to objects, without draws and training objects.
    fn encoder(&self, options: CodeOptions) -> PyResult<Encoder> {
        let reading = options.reading()?;
        Encoder::of(caught(|| self.file.portable(reading))?.map_err(coding_error)?)
    }

    /// The bits as a hash, which can be extended.
    fn to_hash(&self, options: CodeOptions) -> PyResult<Hash> {
        let reading = options.reading()?;
        let stack = caught(|| self.file.to_stack("model", reading))?.map_err(value_error)?;
        Ok(Hash::of(GrowingCode::new(stack)))
    }

    /// R-hat and effective draws of every traced number.
    fn diagnostics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        read::diagnostics(py, &self.file)
    }

    /// Seconds that one thread needs to transform and encode inputs that are already in the library's form, to compare
    /// with.
    fn _seconds_of_library(&self, py: Python<'_>, x: InputArray<'_>, options: CodeOptions) -> PyResult<f64> {
        let coder = self.coder(&options)?;
        let inputs = inputs(&x)?;
        let rows: Vec<usize> = (0..inputs.n_objects()).collect();
        let parts: Vec<Inputs> = rows.chunks(ROWS).map(|rows| inputs.select(rows)).collect();
        let work = || {
            let began = std::time::Instant::now();
            let code = |part: &Inputs| coder.encode_rows(part, None, 0, 1).map(|codes| drop(black_box(codes)));
            parts.iter().try_for_each(code).map(|()| began.elapsed().as_secs_f64())
        };
        detached(py, work)?.map_err(coding_error)
    }
}

impl Model {
    /// Given bits of `n_objects` objects to encode, where the caller has some; missing or wrong bits are reported
    /// before any work is done.
    fn given(&self, bits: Option<&Bytes<'_>>, n_objects: usize) -> PyResult<Option<Codes>> {
        let expected = self.file.info.given.as_ref();
        match (expected, bits) {
            (None, Some(_)) => Err(coding_error(CodingError::UnusedGivenBits)),
            (None, None) => Ok(None),
            (Some(given), None) if given.predictor.is_none() => {
                let (n_bits, source_name) = (given.codes.n_bits(), given.source.clone());
                Err(coding_error(CodingError::NoGivenBits { n_bits, source_name }))
            }
            (Some(_), None) => Ok(None),
            (Some(given), Some(bits)) => {
                let codes = codes_of_bits(bits, "given_bits")?;
                let (rows, bits, n_bits) = (codes.n_objects(), codes.n_bits(), given.codes.n_bits());
                match (rows, bits) == (n_objects, n_bits) {
                    true => Ok(Some(codes)),
                    false => Err(coding_error(CodingError::GivenShape { n_objects, n_bits, rows, bits })),
                }
            }
        }
    }

    /// Builds the coder. Codes without bits are allowed: scikit-learn's users expect an array of no columns, not an
    /// exception.
    fn coder(&self, options: &CodeOptions) -> PyResult<Coder> {
        let reading = options.reading()?;
        caught(|| self.file.coder_or_empty(reading))?.map_err(coding_error)
    }
}
