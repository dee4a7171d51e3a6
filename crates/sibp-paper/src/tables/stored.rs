//! Holds the stored result of one method on one repeat.

use serde::{Deserialize, Serialize};
use sibp::method::Measured;

/// A result of a method on a repeat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    /// One entry for each way to read the fit.
    pub readings: Vec<StoredReading>,
    /// Training time; a share of it where several results use one fit.
    pub seconds: f64,
}

/// The accuracy of one reading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredReading {
    pub name: String,
    /// Share of correct classes by number of neighbours; a single value for a classifier.
    pub accuracy: Vec<f64>,
    /// Bits of a code, where there are codes.
    pub bits: Option<usize>,
}

impl Stored {
    /// Stores the measurements of a fit that `n_sharing` results share.
    pub fn new(measured: &[Measured], n_sharing: usize) -> Self {
        let seconds = measured.first().map_or(0.0, |one| one.training_seconds) / n_sharing as f64;
        let reading =
            |one: &Measured| StoredReading { name: one.name.clone(), accuracy: one.accuracy.clone(), bits: one.n_bits };
        Self { readings: measured.iter().map(reading).collect(), seconds }
    }
}
