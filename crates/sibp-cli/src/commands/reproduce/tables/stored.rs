//! Keeps the result of one method on one repeat in a small file, with the settings it was made by.

use super::super::results::save;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sibp::method::Measured;
use std::path::Path;

/// A result as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    /// What it was made by; another setting makes it worthless.
    pub settings: Map<String, Value>,
    /// One a way to read the fit.
    pub readings: Vec<StoredReading>,
    /// Training time; its share of a fit that several results have in common.
    pub seconds: f64,
}

/// What one reading reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredReading {
    pub name: String,
    /// Share of right classes by number of neighbours; one for a classifier.
    pub accuracy: Vec<f64>,
    /// Bits of a code, where there are codes.
    pub bits: Option<usize>,
}

/// What stands in a result file.
pub enum Found {
    /// The result.
    Done(Stored),
    /// A result of other settings; their names.
    Other(Vec<String>),
    /// Nothing, or nothing that can be read.
    Nothing,
}

impl Stored {
    /// What was measured by a fit that `n_sharing` results share.
    pub fn new(settings: Map<String, Value>, measured: &[Measured], n_sharing: usize) -> Self {
        let seconds = measured.first().map_or(0.0, |one| one.training_seconds) / n_sharing as f64;
        let reading =
            |one: &Measured| StoredReading { name: one.name.clone(), accuracy: one.accuracy.clone(), bits: one.n_bits };
        Self { settings, readings: measured.iter().map(reading).collect(), seconds }
    }

    /// Reads a result file and compares its settings.
    pub fn find(path: &Path, settings: &Map<String, Value>) -> Found {
        let read = std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        let Some(stored) = read else { return Found::Nothing };
        let keys = settings.keys().chain(stored.settings.keys().filter(|key| !settings.contains_key(*key)));
        let differs = |key: &&String| settings.get(*key) != stored.settings.get(*key);
        let other: Vec<String> = keys.filter(differs).cloned().collect();
        if other.is_empty() { Found::Done(stored) } else { Found::Other(other) }
    }

    /// Writes it, atomically.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_vec(self).context("a result cannot be written as JSON")?;
        save(path, &text)
    }
}
