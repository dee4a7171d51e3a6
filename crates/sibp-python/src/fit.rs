//! Fits a model on a thread of its own while the caller's thread listens for Ctrl-C and shows progress.

use crate::arrays::{Bytes, InputArray, Triplets, codes_of_bits, data_error, inputs, n_mentioned, triplets};
use crate::error::{detached, panicked, value_error, wrong};
use crate::options::FitOptions;
use crate::watching::{LOOK, WakeOnDrop};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use sibp::data::{Filling, Ids, Inputs, Labels, Table};
use sibp::format::{Fitted as Model, GivenBits};
use sibp::model::SettingsError;
use sibp::pipeline::{Fit, FitError, Prepared, Teaching};
use sibp::run::{Checkpoint, Clock, Progress, RunControl, RunEnd, RunError};
use sibp::trace::ChainRecord;
use sibp::transform::InputTransform;
use sibp::triplets::{DEFAULT_PER_OBJECT, Judgements, Judges, TripletSet, check};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The data that a model is fitted to.
pub struct Given<'a, 'py> {
    /// `None` for objects of which only triplets tell.
    pub x: Option<&'a InputArray<'py>>,
    pub labels: Option<Labels>,
    pub ids: Option<Vec<String>>,
    pub triplets: Option<Triplets<'py>>,
    /// Who gave each triplet.
    pub judges: Option<Vec<String>>,
    pub bits: Option<Bytes<'py>>,
    pub input_names: Option<Vec<String>>,
    /// What took the place of missing values, so that objects to encode are treated alike.
    pub filling: Option<Filling>,
    /// The fit that is to go on with more sweeps.
    pub earlier: Option<&'a Model>,
    /// The chain that is run alone, from 1.
    pub chain: Option<usize>,
}

/// Settings that decide when and where a fit runs, but not its draws.
pub struct Running<'a, 'py> {
    pub threads: usize,
    pub time_limit: Option<Duration>,
    /// When the fit began, from which the limit counts.
    pub began: Instant,
    pub on_progress: Option<&'a Bound<'py, PyAny>>,
    /// Time between two copies of what was drawn, for Ctrl-C in a sweep that takes long.
    pub copy_every: Duration,
    /// Time that Ctrl-C waits for the current sweep before the last copy is used instead.
    pub patience: Duration,
}

/// The result of a fit: the model, why the run ended, and warnings for the user.
pub type Outcome = (Model, &'static str, Vec<String>);

/// Checks everything, then runs.
pub fn run(py: Python<'_>, given: Given<'_, '_>, options: &FitOptions, running: &Running<'_, '_>) -> PyResult<Outcome> {
    let earlier = given.earlier;
    // A rehearsal beforehand might take all the time that there is.
    let (mut prepared, warnings) = prepare(py, given, options, running.time_limit.is_none())?;
    if let Some(earlier) = earlier {
        prepared.settle_as(&earlier.info.settings);
    }
    let records = match earlier {
        None => {
            prepared = settled(py, prepared, running.threads)?;
            None
        }
        // There is nothing left to do.
        Some(file) if file.finished() && file.info.settings == prepared.info.settings => {
            file.check_resume(&prepared.info).map_err(value_error)?;
            return Ok((file.clone(), "unchanged", warnings));
        }
        Some(file) => Some(file.clone().records_for(&prepared.info).map_err(value_error)?),
    };
    let (chains, end, interrupted) = watched(py, &Arc::new(prepared), running, records)?;
    let end = match end {
        RunEnd::Finished => "finished",
        RunEnd::TimeLimit => "time-limit",
        RunEnd::Stopped if interrupted => "interrupted",
        RunEnd::Stopped => "stopped",
    };
    Ok((chains, end, warnings))
}

fn prepare(
    py: Python<'_>,
    given: Given<'_, '_>,
    options: &FitOptions,
    until_flat: bool,
) -> PyResult<(Prepared, Vec<String>)> {
    let model = options.model()?;
    let mut warnings = Vec::new();
    let ids = given.ids.map(|texts| Ids::new(texts).map_err(|error| wrong("ids", error))).transpose()?;
    let inputs = match (given.x, &ids, &given.triplets) {
        (Some(x), ..) => inputs(x)?,
        (None, Some(ids), _) => Inputs::none(ids.len()),
        (None, None, Some(array)) => Inputs::none(n_mentioned(array)),
        (None, None, None) => return Err(wrong("X", "inputs are needed; objects without them need triplets")),
    };
    let n_objects = inputs.n_objects();
    let bits = given.bits.map(|bits| given_bits(&bits, n_objects, &mut warnings)).transpose()?;
    let table = Table { inputs, ids, labels: given.labels, input_names: given.input_names, filling: given.filling };
    let judges = given.judges.map(Judges::from_names).transpose().map_err(|error| wrong("judges", error))?;
    let judged = given.triplets.map(|array| triplets(&array, n_objects)).transpose()?;
    let judged = judged.map(|triplets| Judgements::new(triplets, judges)).transpose();
    let judged = judged.map_err(|error| wrong("judges", error))?;
    let transform = options.input_transform.as_deref().map(str::parse).transpose();
    let transform: Option<InputTransform> = transform.map_err(|error| wrong("input_transform", error))?;
    let from_labels = options.from_labels.with_seed(options.seed)?;
    let teaching = match (judged, &table.labels) {
        (Some(judgements), _) => Teaching::Triplets(judgements),
        (None, Some(_)) => Teaching::Labels(from_labels),
        (None, None) => Teaching::Nothing,
    };
    let fit = Fit::new(table, teaching).model(model).transform(transform).given(bits).max_bits(options.max_bits);
    let fit = fit.seed(options.seed).effort(options.effort()?).until_flat(until_flat);
    let fit = fit.sweeps(options.sweeps).chains(options.chains).draws(options.draws);
    let fit = fit.unsupervised_bits(options.unsupervised_bits).only_chain(given.chain);
    let distil = options.distil;
    let fit = match distil {
        Some(n_bits) => fit.distils((n_bits > 0).then_some(n_bits)),
        None => fit,
    };
    let work = move || {
        let prepared = fit.prepare(None).map_err(fit_error)?;
        if distil.is_some_and(|n_bits| n_bits > 0) && prepared.distils.is_none() {
            let name = prepared.info.model.about().name;
            return Err(wrong("distil", format!("the model {name} makes no such code; leave it out or give 0")));
        }
        if let Some(report) = &prepared.labels_report {
            let asked = (from_labels.per_object != DEFAULT_PER_OBJECT).then_some(from_labels.per_object);
            warnings.extend(of_labels(report, asked));
        }
        warnings.extend(of_triplets(&prepared.observations.triplets));
        Ok((prepared, warnings))
    };
    detached(py, work)?
}

/// Turns a fit error into an exception that names the wrong argument.
pub fn fit_error(error: FitError) -> PyErr {
    match error {
        FitError::Data(error) => data_error(&error),
        FitError::Labels(error) => wrong("y", error),
        FitError::Triplets(error) => wrong("triplets", error),
        FitError::Model(error) => setting(&error),
        FitError::NoInputs { .. } => wrong("X", error),
        FitError::NothingToTransform { .. } => wrong("input_transform", error),
        error => value_error(error),
    }
}

pub fn given_bits(bits: &Bytes<'_>, n_objects: usize, warnings: &mut Vec<String>) -> PyResult<GivenBits> {
    let codes = codes_of_bits(bits, "given_bits")?;
    let (n_rows, n_bits) = (codes.n_objects(), codes.n_bits());
    if n_rows != n_objects {
        return Err(wrong("given_bits", format!("{n_rows} rows for {n_objects} objects; give one row each")));
    }
    if n_bits == 0 {
        return Err(wrong("given_bits", "there are no columns; leave them out instead"));
    }
    if n_bits > n_objects {
        return Err(wrong("given_bits", format!("{n_bits} bits for {n_objects} objects; are they transposed?")));
    }
    for bit in 0..n_bits {
        let owners = (0..n_rows).filter(|&row| codes.get(row, bit)).count();
        if owners == 0 || owners == n_rows {
            warnings.push(format!("given_bits: bit {bit} is the same for all objects; it explains no triplet"));
        }
    }
    Ok(GivenBits { source: "array".to_owned(), codes, predictor: None })
}

/// Warns of small classes: of those too small for a number of near objects only where somebody asked for it.
fn of_labels(report: &sibp::triplets::FromLabelsReport, asked: Option<usize>) -> Vec<String> {
    let mut words = Vec::new();
    if report.n_alone > 0 {
        words.push(format!("y: {} objects are alone in their class; they are only ever far", report.n_alone));
    }
    if let (Some(asked), n @ 1..) = (asked, report.n_short_of_near) {
        words.push(format!("y: {n} objects have fewer than {asked} others in their class; all of those are near"));
    }
    words
}

fn of_triplets(triplets: &TripletSet) -> Vec<String> {
    let report = check(triplets);
    let mut words = Vec::new();
    if report.n_duplicates > 0 {
        words.push(format!("triplets: {} repeat an earlier one; they count again", report.n_duplicates));
    }
    if report.n_contradicted_questions > 0 {
        let n = report.n_contradicted_questions;
        words.push(format!("triplets: {n} questions are answered both ways; the lapse rate absorbs what it can"));
    }
    words
}

/// Names a wrong setting by the estimator's parameter.
fn setting(error: &SettingsError) -> PyErr {
    let parameter = match error {
        SettingsError::PseudoWeight { .. } => "pseudo_weight",
        SettingsError::Lapse { .. } => "lapse",
        SettingsError::Slope { .. } => "link",
        SettingsError::NotPositive { name, .. } if *name == "weight" => "weights",
        SettingsError::NotPositive { name, .. } if name.starts_with("lapse") => "lapse",
        SettingsError::NotPositive { name, .. } if name.starts_with("decay") => "decay",
        SettingsError::EmptySchedule | SettingsError::ForeignKernel { .. } => "schedule",
        SettingsError::NoClasses => return wrong("y", "output distances are between classes: give labels"),
        SettingsError::Window { .. } => "decay",
        SettingsError::ForeignStart { .. } => "start",
        SettingsError::NotPositive { .. } => return value_error(error),
    };
    wrong(parameter, error)
}

/// The latest progress of every chain, and the last copy of what they drew.
struct Watch {
    stop: AtomicBool,
    latest: Mutex<Vec<Option<Progress>>>,
    copy: Mutex<Option<Vec<ChainRecord>>>,
}

/// Runs until the end or Ctrl-C, which keeps what was drawn (in a sweep that takes long: up to the last copy); a second
/// Ctrl-C gives it up.
fn watched(
    py: Python<'_>,
    prepared: &Arc<Prepared>,
    running: &Running<'_, '_>,
    records: Option<Vec<ChainRecord>>,
) -> PyResult<(Model, RunEnd, bool)> {
    let sweeps = prepared.info.settings.sweeps;
    let latest = Mutex::new(vec![None; prepared.info.settings.chains]);
    let watch = Arc::new(Watch { stop: AtomicBool::new(false), latest, copy: Mutex::new(None) });
    let mut worker = Some(start(prepared, &watch, running, records));
    let mut interrupted: Option<Instant> = None;
    loop {
        if let Some(done) = worker.take_if(|worker| worker.is_finished()) {
            let outcome = done.join().map_err(|panic| panicked(panic.as_ref()))?;
            show(py, running, &watch, sweeps)?;
            let (fitted, end) = outcome.map_err(value_error)?;
            return Ok((fitted, end, interrupted.is_some()));
        }
        if interrupted.is_some_and(|at| at.elapsed() >= running.patience) {
            let copy = py.detach(|| watch.copy.lock().unwrap_or_else(PoisonError::into_inner).take());
            if let Some(chains) = copy {
                // The worker ends by itself after its sweep; there is no need to wait for it.
                let fitted = Model { info: prepared.info.clone(), chains, distilled: None };
                return Ok((fitted, RunEnd::Stopped, true));
            }
        }
        py.detach(|| thread::park_timeout(LOOK));
        // Ctrl-C may also arrive while the progress callback runs.
        if let Err(error) = py.check_signals().and_then(|()| show(py, running, &watch, sweeps)) {
            watch.stop.store(true, Ordering::Relaxed);
            if interrupted.is_some() || !error.is_instance_of::<PyKeyboardInterrupt>(py) {
                return Err(error);
            }
            interrupted = Some(Instant::now());
        }
    }
}

/// The fit with its number of sweeps fixed; Ctrl-C gives it up, as nothing is drawn yet.
fn settled(py: Python<'_>, mut prepared: Prepared, threads: usize) -> PyResult<Prepared> {
    let stop = Arc::new(AtomicBool::new(false));
    let (raised, caller) = (Arc::clone(&stop), thread::current());
    let worker = thread::spawn(move || {
        let _wake = WakeOnDrop(caller);
        let control = RunControl { threads, stop: &raised, ..RunControl::default() };
        prepared.settle(&control).map(|()| prepared)
    });
    while !worker.is_finished() {
        py.detach(|| thread::park_timeout(LOOK));
        py.check_signals().inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
    }
    worker.join().map_err(|panic| panicked(panic.as_ref()))?.map_err(value_error)
}

type Worker = JoinHandle<Result<(Model, RunEnd), RunError>>;

fn start(
    prepared: &Arc<Prepared>,
    watch: &Arc<Watch>,
    running: &Running<'_, '_>,
    records: Option<Vec<ChainRecord>>,
) -> Worker {
    let (prepared, watch) = (Arc::clone(prepared), Arc::clone(watch));
    let (threads, time_limit, every) = (running.threads, running.time_limit, running.copy_every);
    let clock = Clock::Since(running.began);
    let caller = thread::current();
    thread::spawn(move || {
        // Also after a panic, so that the waiting thread wakes up.
        let _wake = WakeOnDrop(caller);
        let note = |progress: &Progress| {
            let mut latest = watch.latest.lock().unwrap_or_else(PoisonError::into_inner);
            // The rehearsal at the end counts as one chain more, which is not shown.
            if let Some(latest) = latest.get_mut(progress.chain_ix) {
                *latest = Some(*progress);
            }
        };
        let copy = |records: &[&ChainRecord]| {
            let copied = records.iter().map(|&record| record.clone()).collect();
            *watch.copy.lock().unwrap_or_else(PoisonError::into_inner) = Some(copied);
            Ok(())
        };
        let checkpoint = Some(Checkpoint { every, save: &copy });
        let (stop, on_progress) = (&watch.stop, &note);
        prepared.run(
            &RunControl { threads, time_limit, clock, stop, on_progress, checkpoint, ..RunControl::default() },
            records,
        )
    })
}

/// Calls the progress callback with the state of each chain, (sweep, bits, share of triplets, log likelihood), and the number
/// of sweeps that each will do.
fn show(py: Python<'_>, running: &Running<'_, '_>, watch: &Watch, sweeps: u64) -> PyResult<()> {
    let Some(on_progress) = running.on_progress else { return Ok(()) };
    let latest = py.detach(|| watch.latest.lock().unwrap_or_else(PoisonError::into_inner).clone());
    let words: Vec<(u64, usize, f64, f64)> = latest
        .iter()
        .map(|p| p.map_or((0, 0, 0.0, 0.0), |p| (p.sweep, p.n_bits, p.satisfied, p.log_likelihood)))
        .collect();
    on_progress.call1((words, sweeps)).map(drop)
}
