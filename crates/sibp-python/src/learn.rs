//! Chooses settings on held-out objects, and extends codes by further bits.

use crate::arrays::{Bytes, InputArray, NamedClasses, Triplets, inputs, labels_of, triplets};
use crate::error::{value_error, wrong};
use crate::fit::{fit_error, given_bits};
use crate::options::{FitOptions, FromLabelsOptions, NumberOrPrior};
use crate::watching::interruptible;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sibp::codes::Codes;
use sibp::data::{Inputs, Labels};
use sibp::extend::{ExtendSettings, Extension, GrowingCode};
use sibp::model::{LapsePrior, ModelOptions, PreferencePrior, Preset};
use sibp::triplets::{FromLabels, Teacher, Triplet};
use sibp::tune::{AlreadySet, Candidate, Grid, Trial, TuneError, TuneSettings, Tuner};

/// Objects and what is said about them.
pub struct Lesson {
    inputs: Inputs,
    labels: Option<Labels>,
    triplets: Option<Vec<Triplet>>,
}

impl Lesson {
    /// Converts the arrays.
    pub fn new(x: &InputArray<'_>, labels: Option<NamedClasses<'_>>, asked: Option<&Triplets<'_>>) -> PyResult<Self> {
        let inputs = inputs(x)?;
        let n_objects = inputs.n_objects();
        let labels = labels.map(|(names, classes)| labels_of(names, &classes, n_objects)).transpose()?;
        let triplets = asked.map(|array| triplets(array, n_objects)).transpose()?;
        Ok(Self { inputs, labels, triplets })
    }

    fn teacher(&self, options: FromLabels) -> PyResult<Teacher<'_>> {
        match (&self.triplets, &self.labels) {
            (Some(triplets), _) => Ok(Teacher::Triplets(triplets)),
            (None, Some(labels)) => Ok(Teacher::Labels(labels, options)),
            (None, None) => Err(wrong("y", "labels or triplets are needed")),
        }
    }
}

/// Tries settings on held-out objects; `set` says which of transform, pseudo-weight, lapse rate and triplets per object the
/// user has chosen. Returns the place of the best trial, and all of them.
#[pyfunction]
#[pyo3(signature = (x, options, set, *, labels=None, triplets=None, given_bits=None, threads=0))]
#[expect(clippy::too_many_arguments, reason = "keywords of one Python function")]
pub fn tune<'py>(
    py: Python<'py>,
    x: InputArray<'py>,
    options: FitOptions,
    set: [bool; 4],
    labels: Option<NamedClasses<'py>>,
    triplets: Option<Triplets<'py>>,
    given_bits: Option<Bytes<'py>>,
    threads: usize,
) -> PyResult<(usize, Vec<Bound<'py, PyDict>>)> {
    let lesson = Lesson::new(&x, labels, triplets.as_ref())?;
    let n_objects = lesson.inputs.n_objects();
    let given = given_bits.map(|bits| self::given_bits(&bits, n_objects, &mut Vec::new())).transpose()?;
    let mut model = options.model()?;
    let preset = *model.preset.get_or_insert(Preset::suited_to(lesson.triplets.is_some()));
    let preference = model.preference(PreferencePrior::preset(preset));
    let from_labels = options.from_labels.with_seed(options.seed)?;
    let steps = options.input_transform.as_deref().unwrap_or(model.kind.about().transform);
    let start = Candidate {
        transform: steps.parse().map_err(|error| wrong("input_transform", error))?,
        pseudo_weight: preference.pseudo_weight,
        lapse: preference.lapse,
        per_object: from_labels.per_object,
    };
    let [transform, pseudo_weight, lapse, per_object] = set;
    let per_object = per_object || lesson.triplets.is_some();
    let set = AlreadySet { transform, pseudo_weight, lapse, per_object };
    let grid = Grid::for_inputs(&lesson.inputs).left_open(set, &preference);
    let teacher = lesson.teacher(from_labels)?;
    let settings = TuneSettings { threads, ..TuneSettings::new(options.seed) };
    let tuned = interruptible(py, |stop| {
        let tuner = Tuner { options: &model, inputs: &lesson.inputs, teacher, given: given.as_ref(), settings, stop };
        tuner.tune(start, &grid, &mut |_| ()).map_err(|error| match error {
            TuneError::Fit(error) => fit_error(error),
            error => value_error(error),
        })
    })??;
    let trials = tuned.trials.iter().map(|trial| trial_dict(py, trial)).collect::<PyResult<_>>()?;
    Ok((tuned.best_ix, trials))
}

fn trial_dict<'py>(py: Python<'py>, trial: &Trial) -> PyResult<Bound<'py, PyDict>> {
    let (found, candidate) = (PyDict::new(py), &trial.candidate);
    found.set_item("input_transform", candidate.transform.to_string())?;
    found.set_item("pseudo_weight", candidate.pseudo_weight)?;
    match candidate.lapse {
        LapsePrior::Fixed(rate) => found.set_item("lapse", rate)?,
        LapsePrior::Beta { a, b } => found.set_item("lapse", (a, b))?,
    }
    found.set_item("per_object", candidate.per_object)?;
    found.set_item("score", trial.served())?;
    found.set_item("agreement", trial.agreement())?;
    found.set_item("n_bits", trial.n_bits)?;
    found.set_item("seconds", trial.seconds)?;
    Ok(found)
}

/// How further bits are learned.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct ExtendOptions {
    preset: Option<String>,
    input_transform: Option<String>,
    pseudo_weight: Option<f64>,
    lapse: Option<NumberOrPrior>,
    weights: Option<NumberOrPrior>,
    seed: u64,
    sweeps: u64,
    chains: usize,
    memory: usize,
    from_labels: FromLabelsOptions,
}

impl ExtendOptions {
    fn settings(&self, threads: usize) -> PyResult<ExtendSettings<'static>> {
        let own = ExtendSettings::default();
        let preset = self.preset.as_deref().map(|name| crate::options::named("preset", name)).transpose()?;
        let steps = self.input_transform.as_deref().map(str::parse).transpose();
        Ok(ExtendSettings {
            model: ModelOptions {
                preset: Some(preset.unwrap_or(Preset::Hash)),
                pseudo_weight: self.pseudo_weight,
                lapse: self.lapse.as_ref().map(NumberOrPrior::lapse),
                weights: self.weights.as_ref().map(NumberOrPrior::gamma),
                ..ModelOptions::default()
            },
            transform: steps.map_err(|error| wrong("input_transform", error))?.unwrap_or(own.transform.clone()),
            seed: self.seed,
            chains: self.chains,
            sweeps: self.sweeps,
            capacity: self.memory,
            threads,
            ..own
        })
    }
}

/// Extends codes; they come back longer, or as they were where no bit helped.
pub fn extend(
    py: Python<'_>,
    mut code: GrowingCode,
    lesson: &Lesson,
    known: Option<&Codes>,
    remembered: Option<&Lesson>,
    options: &ExtendOptions,
    threads: usize,
) -> PyResult<(GrowingCode, Extension)> {
    let (settings, from_labels) = (options.settings(threads)?, options.from_labels.with_seed(options.seed)?);
    let teacher = lesson.teacher(from_labels)?;
    let before = remembered.map(|lesson| Ok::<_, PyErr>((&lesson.inputs, lesson.teacher(from_labels)?))).transpose()?;
    interruptible(py, |stop| {
        let settings = ExtendSettings { stop, ..settings.clone() };
        if let Some((inputs, teacher)) = before {
            code.remember(inputs, teacher, &settings).map_err(value_error)?;
        }
        let report = code.learn(&lesson.inputs, teacher, known, &settings).map_err(value_error)?;
        Ok((code, report))
    })?
}

/// The report of an extension.
pub fn report<'py>(py: Python<'py>, report: &Extension) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    found.set_item("tried", report.n_tried)?;
    found.set_item("added", report.n_added)?;
    found.set_item("agreement_before", report.before)?;
    found.set_item("agreement_proposed", report.proposed)?;
    found.set_item("agreement_after", report.after)?;
    found.set_item("p", report.test.p)?;
    found.set_item("judged", report.n_judged)?;
    found.set_item("objects", report.n_objects)?;
    found.set_item("seconds", report.seconds)?;
    Ok(found)
}
