//! Names the class whose linear score is largest: the form of one-vs-rest classifiers once fitted.

use super::{BaselineError, Classifier, LinearHash};
use crate::data::Features;

/// One linear score for each class.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearClassifier {
    classes: Vec<u32>,
    scores: LinearHash,
}

impl LinearClassifier {
    /// Takes the class numbers, ascending, and a projection for each.
    pub fn new(classes: Vec<u32>, scores: LinearHash) -> Result<Self, BaselineError> {
        let (expected, got) = (scores.thresholds().len(), classes.len());
        if expected != got {
            return Err(BaselineError::Parts { what: "classes", expected, got });
        }
        Ok(Self { classes, scores })
    }

    /// The class numbers, one for each score.
    pub fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// The scores: projection minus threshold.
    pub fn scores(&self) -> &LinearHash {
        &self.scores
    }
}

impl Classifier for LinearClassifier {
    /// The class of the largest score; among equal ones, the first.
    fn predict(&self, features: &Features) -> Result<Vec<u32>, BaselineError> {
        let mut predicted = Vec::with_capacity(features.n_objects());
        self.scores.for_each_margin(features, |_, scores| {
            let best = (1..scores.len()).fold(0, |best, at| if scores[at] > scores[best] { at } else { best });
            predicted.push(self.classes[best]);
        })?;
        Ok(predicted)
    }
}

/// The distinct classes in ascending order.
pub(super) fn distinct(classes: &[u32]) -> Vec<u32> {
    let mut distinct = classes.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}
