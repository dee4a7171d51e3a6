//! Answers by the nearest codes of training objects.

use super::{Answer, MethodError, Trained};
use crate::codes::Codes;
use crate::data::{Features, Transform};
use crate::encode::Encoder;
use crate::hash::HashStack;
use crate::index::{HammingIndex, Neighbours};

/// Codes of training objects, and the way from inputs to codes.
pub struct CodeSearch {
    /// Absent where all bits are given.
    learned: Option<(Transform, Box<dyn Encoder>)>,
    given: Option<HashStack>,
    database: Codes,
    classes: Vec<u32>,
    weights: Option<Vec<f32>>,
}

impl CodeSearch {
    /// Searches these codes of training objects of these classes by codes of transformed inputs.
    pub fn new(transform: Transform, encoder: Box<dyn Encoder>, database: Codes, classes: &[u32]) -> Self {
        let learned = Some((transform, encoder));
        Self { learned, given: None, database, classes: classes.to_vec(), weights: None }
    }

    /// Searches these codes of training objects by bits that a hash predicts.
    pub fn of_hash(hash: HashStack, database: Codes, classes: &[u32]) -> Self {
        Self { learned: None, given: Some(hash), database, classes: classes.to_vec(), weights: None }
    }

    /// The same with bits before the learned ones: those of training objects, and what predicts those of others.
    pub fn behind(mut self, given: &Codes, predicted: HashStack) -> Self {
        self.database = Codes::side_by_side(&[given, &self.database]);
        self.given = Some(predicted);
        self
    }

    /// The same by weighted distance, a weight a bit.
    pub fn weighted(mut self, weights: impl IntoIterator<Item = f64>) -> Self {
        self.weights = Some(weights.into_iter().map(|weight| weight as f32).collect());
        self
    }

    /// Codes of others.
    pub fn encode(&self, features: &Features) -> Result<Codes, MethodError> {
        let mut parts = Vec::new();
        if let Some(given) = &self.given {
            parts.push(given.encode(features)?);
        }
        if let Some((transform, encoder)) = &self.learned {
            parts.push(encoder.encode(&transform.apply(features)?, 0));
        }
        Ok(Codes::side_by_side(&parts.iter().collect::<Vec<_>>()))
    }

    /// Codes of the training objects.
    pub fn database(&self) -> &Codes {
        &self.database
    }

    fn ranked<D: Copy + Into<f64>>(&self, found: &Neighbours<D>) -> Answer {
        let named = |(distance, id): (D, u64)| (distance.into(), self.classes[id as usize]);
        Answer::Neighbours((0..found.n_queries()).map(|query| found.row(query).map(named).collect()).collect())
    }
}

impl Trained for CodeSearch {
    /// Without bits all training objects are equally near, and come in the order of their rows.
    fn answer(&self, features: &Features, most: usize) -> Result<Answer, MethodError> {
        if self.database.n_bits() == 0 {
            let all: Vec<(f64, u32)> = self.classes.iter().take(most).map(|&class| (0.0, class)).collect();
            return Ok(Answer::Neighbours(vec![all; features.n_objects()]));
        }
        let queries = self.encode(features)?;
        let index = HammingIndex::from_codes(&self.database)?;
        Ok(match &self.weights {
            Some(weights) => self.ranked(&index.search_weighted(&queries, weights, most, 1)?),
            None => self.ranked(&index.search(&queries, most, 1)?),
        })
    }

    fn n_bits(&self) -> Option<usize> {
        Some(self.database.n_bits())
    }
}
