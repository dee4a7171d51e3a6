//! Predicts a class from linear scores: by the largest score, or by votes between pairs of classes.

use super::Classifier;
use crate::data::Inputs;
use crate::hash::{LearnError, LinearHash};

/// How scores decide between classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// A score for each class against all others; the largest wins, among equal ones the first class.
    OneVsRest,
    /// A score for each pair of classes, in the order (0, 1), (0, 2), ..., (1, 2), ...: a positive one is a vote for
    /// the first of the pair, else for the second. Most votes win, among equal ones the first class. This is
    /// LIBSVM's rule.
    Pairwise,
}

impl Scheme {
    /// Number of scores for so many classes.
    pub fn n_scores(self, n_classes: usize) -> usize {
        match self {
            Self::OneVsRest => n_classes,
            Self::Pairwise => n_classes * n_classes.saturating_sub(1) / 2,
        }
    }

    /// Position of the winning class.
    pub(super) fn decide(self, n_classes: usize, scores: &[f64]) -> usize {
        match self {
            Self::OneVsRest => largest(scores),
            Self::Pairwise => {
                let mut votes = vec![0.0; n_classes];
                for ((first, second), score) in pairs(n_classes).zip(scores) {
                    votes[if *score > 0.0 { first } else { second }] += 1.0;
                }
                largest(&votes)
            }
        }
    }
}

/// Every pair of classes, in the order of [`Scheme::Pairwise`].
pub(super) fn pairs(n_classes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n_classes).flat_map(move |first| (first + 1..n_classes).map(move |second| (first, second)))
}

/// Position of the first largest value.
fn largest(values: &[f64]) -> usize {
    (1..values.len()).fold(0, |best, at| if values[at] > values[best] { at } else { best })
}

/// A linear classifier: classes, and the linear scores that decide between them.
///
/// ```
/// use sibp::{baseline::{Classifier, LinearClassifier, Scheme}, hash::{LearnError, LinearHash}, data::Inputs};
/// let scores = LinearHash::new(1, vec![1.0, -1.0], vec![0.0, 0.0])?;
/// let model = LinearClassifier::new(vec![3, 8], Scheme::OneVsRest, scores)?;
/// assert_eq!(model.predict(&Inputs::new(2, 1, vec![5.0, -5.0]).unwrap())?, [3, 8]);
/// # Ok::<(), LearnError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LinearClassifier {
    classes: Vec<u32>,
    scheme: Scheme,
    scores: LinearHash,
}

impl LinearClassifier {
    /// Takes the class numbers, and as many projections as the scheme needs.
    pub fn new(classes: Vec<u32>, scheme: Scheme, scores: LinearHash) -> Result<Self, LearnError> {
        let (expected, got) = (scheme.n_scores(classes.len()), scores.thresholds().len());
        if expected != got {
            return Err(LearnError::Parts { what: "scores", expected, got });
        }
        Ok(Self { classes, scheme, scores })
    }

    /// The class numbers.
    pub fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// How the scores decide.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The scores: projection minus threshold.
    pub fn scores(&self) -> &LinearHash {
        &self.scores
    }
}

impl Classifier for LinearClassifier {
    fn predict(&self, inputs: &Inputs) -> Result<Vec<u32>, LearnError> {
        let mut predicted = Vec::with_capacity(inputs.n_objects());
        self.scores.for_each_margin(inputs, |_, scores| {
            predicted.push(self.classes[self.scheme.decide(self.classes.len(), scores)]);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_vote_and_ties_go_to_the_first() {
        assert_eq!(pairs(3).collect::<Vec<_>>(), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(Scheme::Pairwise.decide(3, &[-1.0, -1.0, 1.0]), 1);
        assert_eq!(Scheme::Pairwise.decide(3, &[1.0, -1.0, 1.0]), 0);
        assert_eq!(Scheme::OneVsRest.decide(3, &[-1.0, 2.0, 2.0]), 1);
        let scores = LinearHash::new(1, vec![1.0, -1.0], vec![0.0, 0.0]).unwrap();
        let refused = LinearClassifier::new(vec![3, 8, 9], Scheme::Pairwise, scores);
        assert_eq!(refused, Err(LearnError::Parts { what: "scores", expected: 3, got: 2 }));
    }
}
