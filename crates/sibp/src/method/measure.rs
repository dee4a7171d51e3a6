//! Measures a method on one split: accuracy of every reading, bits and time.

use super::{Examples, Method, MethodError};
use crate::data::{Inputs, Labels};
use crate::run::RunControl;
use std::time::Instant;

/// The accuracy of a reading of a method on one split.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Name of the reading.
    pub name: String,
    /// Share of correct classes, by number of neighbours; a single entry for a classifier.
    pub accuracy: Vec<f64>,
    /// Bits of a code, where there are codes.
    pub n_bits: Option<usize>,
    /// Seconds that training took, for all readings of the method together.
    pub training_seconds: f64,
}

/// Trains on the examples and measures on the other objects, by votes of these numbers of neighbours.
pub fn measure(
    method: &dyn Method,
    examples: &Examples<'_>,
    (inputs, labels): (&Inputs, &Labels),
    neighbours: &[usize],
    seed: u64,
    control: &RunControl<'_>,
) -> Result<Vec<Measured>, MethodError> {
    let began = Instant::now();
    let readings = method.train(examples, seed, control)?;
    let training_seconds = began.elapsed().as_secs_f64();
    let most = neighbours.iter().copied().max().unwrap_or(0);
    let measured = |reading: super::Row| {
        let answer = reading.trained.answer(inputs, most)?;
        let accuracy = answer.accuracy(labels.class_of(), neighbours)?;
        Ok(Measured { name: reading.name, accuracy, n_bits: reading.trained.n_bits(), training_seconds })
    };
    readings.into_iter().map(measured).collect()
}
