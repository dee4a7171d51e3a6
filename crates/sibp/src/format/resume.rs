//! Loads the checkpoint of an interrupted run or a model that is to go on, and refuses when anything has changed.

use super::{Fitted, FormatError, ModelInfo};
use crate::run::RunSettings;
use crate::trace::{ChainRecord, RecordError};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a run cannot be resumed.
#[derive(Debug, Error)]
pub enum ResumeError {
    /// A setting or data set that decides the draws has changed.
    #[error("cannot resume: {field} was {expected} and is now {got}; use the same, or start anew without resuming")]
    Changed {
        /// What changed.
        field: String,
        /// What the interrupted run had.
        expected: String,
        /// What there is now.
        got: String,
    },
    /// More sweeps are done than the run is to have.
    #[error(
        "cannot go on to {sweeps} sweeps: {done} are done already; ask for at least as many, or start anew without resuming"
    )]
    FewerSweeps {
        /// Sweeps done.
        done: u64,
        /// Sweeps that the run would have.
        sweeps: u64,
    },
    /// A run of that many sweeps would keep draws that were not kept.
    #[error(
        "cannot go on from {done} to {sweeps} sweeps: draws are kept from the last half of a run, and some of the earlier \
         sweeps that {sweeps} sweeps at once would keep were not; go on to at least {} sweeps, or start anew without \
         resuming", 2 * done
    )]
    DrawsNotKept {
        /// Sweeps done.
        done: u64,
        /// Sweeps that the run would have.
        sweeps: u64,
    },
    /// A record cannot come from the run that it stands in.
    #[error("cannot resume chain {chain_ix}: {problem}")]
    Record {
        /// Which chain.
        chain_ix: usize,
        /// What is wrong.
        problem: RecordError,
    },
    /// There is neither a checkpoint nor a model.
    #[error("nothing to resume: there is neither {} nor {}", checkpoint.display(), model.display())]
    Nothing {
        /// Where a checkpoint would be.
        checkpoint: PathBuf,
        /// Where the model would be.
        model: PathBuf,
    },
    /// The checkpoint or model cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FormatError),
}

/// Path of the checkpoint of a run that writes `out`: `<out>.checkpoint`.
pub fn checkpoint_path(out: &Path) -> PathBuf {
    let mut name = OsString::from(out.as_os_str());
    name.push(".checkpoint");
    PathBuf::from(name)
}

/// Loads a run that is to go on: its checkpoint where that can be read, else the model at `out`, finished or not.
pub fn load_for_resume(out: &Path) -> Result<Fitted, ResumeError> {
    let checkpoint = checkpoint_path(out);
    let damaged = match present(&checkpoint) {
        Some(Ok(file)) => return Ok(file),
        Some(Err(problem)) => Some(problem),
        None => None,
    };
    match (present(out), damaged) {
        (Some(Ok(file)), _) => Ok(file),
        (_, Some(problem)) | (Some(Err(problem)), None) => Err(problem.into()),
        (None, None) => Err(ResumeError::Nothing { checkpoint, model: out.to_owned() }),
    }
}

fn present(path: &Path) -> Option<Result<Fitted, FormatError>> {
    match Fitted::load(path) {
        Err(error) if matches!(error.problem(), FormatError::Io { reason, .. } if reason.kind() == std::io::ErrorKind::NotFound) => {
            None
        }
        result => Some(result),
    }
}

impl ModelInfo {
    /// Refuses to resume with anything changed that decides the draws or stands in the file. `now` is what the
    /// resumed run would use; the error names the first field that differs.
    pub fn check_resume(&self, now: &ModelInfo) -> Result<(), ResumeError> {
        compare_infos(self, now)
    }
}

pub(super) fn compare_infos(before: &ModelInfo, now: &ModelInfo) -> Result<(), ResumeError> {
    let (before, now) = (json(before)?, json(now)?);
    // Changed data change what is derived from them too: report the cause, not its consequence.
    for field in ["digests", "settings"] {
        compare(field, &before[field], &now[field])?;
    }
    compare("", &before, &now)
}

impl Fitted {
    /// See [`ModelInfo::check_resume`].
    pub fn check_resume(&self, now: &ModelInfo) -> Result<(), ResumeError> {
        self.info.check_resume(now)
    }

    /// The description of this run, were it to have as many sweeps and to keep as many draws as another: all that may
    /// differ when a run goes on.
    pub fn info_for(&self, settings: &RunSettings) -> ModelInfo {
        let settings = RunSettings { sweeps: settings.sweeps, draws: settings.draws, ..self.info.settings };
        ModelInfo { settings, ..self.info.clone() }
    }

    /// Records from which the run `now` goes on, to the bytes that it would have written at once. A finished model goes on
    /// if the draws that the longer run keeps are there, as they are when its sweeps at least double.
    pub fn records_for(self, now: &ModelInfo) -> Result<Vec<ChainRecord>, ResumeError> {
        self.info_for(&now.settings).check_resume(now)?;
        let (plan, sweeps) = (now.settings.plan(), now.settings.sweeps);
        let done = self.chains.iter().map(|chain| chain.sweeps_done).max().unwrap_or(0);
        let replanned = |(chain_ix, chain): (usize, ChainRecord)| {
            chain.replanned(&plan).map_err(|problem| match problem {
                RecordError::TooManySweeps { .. } => ResumeError::FewerSweeps { done, sweeps },
                RecordError::WrongDraws { .. } => ResumeError::DrawsNotKept { done, sweeps },
                problem => ResumeError::Record { chain_ix, problem },
            })
        };
        self.chains.into_iter().enumerate().map(replanned).collect()
    }
}

fn json(info: &ModelInfo) -> Result<Value, FormatError> {
    // A run calibrates at its end; until then there is nothing to compare.
    let info = ModelInfo { calibration: None, ..info.clone() };
    serde_json::to_value(info.head()).map_err(|error| FormatError::Metadata { key: "model", reason: error.to_string() })
}

/// Finds the first difference, recursively.
fn compare(field: &str, before: &Value, now: &Value) -> Result<(), ResumeError> {
    let below = |key: &str| if field.is_empty() { key.to_owned() } else { format!("{field}.{key}") };
    match (before, now) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().try_for_each(|(key, value)| compare(&below(key), value, &b[key]))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().try_for_each(|(at, (a, b))| compare(&below(&at.to_string()), a, b))
        }
        _ if before == now => Ok(()),
        _ => Err(ResumeError::Changed { field: field.to_owned(), expected: shown(before), got: shown(now) }),
    }
}

/// Formats a value, shortened to fit a terminal.
fn shown(value: &Value) -> String {
    const MOST: usize = 80;
    let text = match value {
        Value::Null => "nothing".to_owned(),
        other => other.to_string(),
    };
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}
