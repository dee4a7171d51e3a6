//! Classifies by the nearest codes of training objects.

use super::{Answer, MethodError, Trained};
use crate::codes::Codes;
use crate::data::Inputs;
use crate::hash::HashStack;
use crate::index::{HammingIndex, Metric, Search};
use crate::pipeline::Coder;

/// Codes of training objects, and the coder of other objects.
pub struct CodeSearch {
    coder: Coder,
    /// Predictor of the bits that stand before those of the coder.
    before: Option<HashStack>,
    database: Codes,
    classes: Vec<u32>,
    weights: Option<Vec<f32>>,
}

impl CodeSearch {
    /// Searches the coder's own codes of the training objects, which have these classes.
    pub fn new(coder: Coder, classes: &[u32]) -> Self {
        let database = coder.database().clone();
        Self { coder, before: None, database, classes: classes.to_vec(), weights: None }
    }

    /// Searches these codes of training objects; other objects are encoded by a hash.
    pub fn of_hash(hash: HashStack, database: Codes, classes: &[u32]) -> Self {
        Self { coder: hash.into(), before: None, database, classes: classes.to_vec(), weights: None }
    }

    /// Puts given bits before the learned ones: `given` for training objects, `predicted` for others.
    pub fn behind(mut self, given: &Codes, predicted: HashStack) -> Self {
        self.database = Codes::side_by_side(&[given, &self.database]);
        self.before = Some(predicted);
        self
    }

    /// Compares by weighted Hamming distance, one weight a bit.
    pub fn weighted(mut self, weights: impl IntoIterator<Item = f64>) -> Self {
        self.weights = Some(weights.into_iter().map(|weight| weight as f32).collect());
        self
    }

    /// Encodes other objects.
    pub fn encode(&self, inputs: &Inputs) -> Result<Codes, MethodError> {
        let learned = self.coder.encode_rows(inputs, None, 0, 1)?;
        match &self.before {
            Some(before) => Ok(Codes::side_by_side(&[&before.encode(inputs)?, &learned])),
            None => Ok(learned),
        }
    }

    /// Codes of the training objects.
    pub fn database(&self) -> &Codes {
        &self.database
    }
}

impl Trained for CodeSearch {
    /// Without bits all training objects are equally near.
    fn answer(&self, inputs: &Inputs, most: usize) -> Result<Answer, MethodError> {
        if self.database.n_bits() == 0 {
            let all: Vec<(f64, u32)> = self.classes.iter().map(|&class| (0.0, class)).collect();
            return Ok(Answer::Neighbours(vec![all; inputs.n_objects()]));
        }
        let metric = self.weights.as_ref().map_or(Metric::Hamming, |weights| Metric::Weighted(weights));
        let index = HammingIndex::from_codes(&self.database)?;
        let found = index.search(&self.encode(inputs)?, &Search::nearest(most).with_ties().metric(metric))?;
        let named = |(distance, id): (f32, u64)| (f64::from(distance), self.classes[id as usize]);
        Ok(Answer::Neighbours((0..found.n_queries()).map(|query| found.row(query).map(named).collect()).collect()))
    }

    fn n_bits(&self) -> Option<usize> {
        Some(self.database.n_bits())
    }
}
