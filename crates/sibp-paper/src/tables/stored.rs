//! Holds what one method reached on one repeat, as it is kept.

use serde::{Deserialize, Serialize};
use sibp::method::Measured;

/// A result of a method on a repeat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stored {
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

impl Stored {
    /// What was measured by a fit that `n_sharing` results share.
    pub fn new(measured: &[Measured], n_sharing: usize) -> Self {
        let seconds = measured.first().map_or(0.0, |one| one.training_seconds) / n_sharing as f64;
        let reading =
            |one: &Measured| StoredReading { name: one.name.clone(), accuracy: one.accuracy.clone(), bits: one.n_bits };
        Self { readings: measured.iter().map(reading).collect(), seconds }
    }
}
