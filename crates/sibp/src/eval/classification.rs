//! Measures predicted classes: accuracy and confusion matrix.

use super::error::{EvalError, same_length};

/// Share of predictions that equal the truth.
///
/// ```
/// use sibp::eval::{EvalError, accuracy};
/// assert_eq!(accuracy(&[1, 2, 2, 0], &[1, 2, 0, 0])?, 0.75);
/// assert!(accuracy(&[1], &[]).is_err());
/// # Ok::<(), EvalError>(())
/// ```
pub fn accuracy(predicted: &[u32], truth: &[u32]) -> Result<f64, EvalError> {
    same_length("predictions", "object", truth.len(), predicted.len())?;
    if truth.is_empty() {
        return Err(EvalError::TooFew { what: "objects", least: 1 });
    }
    let right = predicted.iter().zip(truth).filter(|(p, t)| p == t).count();
    Ok(right as f64 / truth.len() as f64)
}

/// Counts of objects by true and predicted class.
///
/// ```
/// use sibp::eval::{ConfusionMatrix, EvalError};
/// let matrix = ConfusionMatrix::new(3, &[1, 2, 2, 0], &[1, 2, 0, 0])?;
/// assert_eq!(matrix.count(0, 2), 1);
/// assert_eq!((matrix.recall(0), matrix.precision(2)), (Some(0.5), Some(0.5)));
/// assert_eq!(matrix.accuracy(), 0.75);
/// # Ok::<(), EvalError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfusionMatrix {
    n_classes: usize,
    /// `counts[truth * n_classes + predicted]`
    counts: Vec<usize>,
}

impl ConfusionMatrix {
    /// Counts pairs of classes, all below `n_classes`.
    pub fn new(n_classes: usize, predicted: &[u32], truth: &[u32]) -> Result<Self, EvalError> {
        same_length("predictions", "object", truth.len(), predicted.len())?;
        if truth.is_empty() {
            return Err(EvalError::TooFew { what: "objects", least: 1 });
        }
        for (object, (&p, &t)) in predicted.iter().zip(truth).enumerate() {
            let class = p.max(t);
            if class as usize >= n_classes {
                return Err(EvalError::UnknownClass { object, class, n_classes });
            }
        }
        let mut counts = vec![0; n_classes * n_classes];
        for (&p, &t) in predicted.iter().zip(truth) {
            counts[t as usize * n_classes + p as usize] += 1;
        }
        Ok(Self { n_classes, counts })
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// Number of objects of class `truth` that were predicted as class `predicted`.
    pub fn count(&self, truth: usize, predicted: usize) -> usize {
        self.row(truth)[predicted]
    }

    /// Predictions for the objects of class `truth`, counted by class number.
    pub fn row(&self, truth: usize) -> &[usize] {
        &self.counts[truth * self.n_classes..(truth + 1) * self.n_classes]
    }

    /// Share of all objects whose class was predicted correctly.
    pub fn accuracy(&self) -> f64 {
        let right: usize = (0..self.n_classes).map(|class| self.count(class, class)).sum();
        right as f64 / self.counts.iter().sum::<usize>() as f64
    }

    /// Share of the objects of `class` that were predicted as it; `None` if there are none.
    pub fn recall(&self, class: usize) -> Option<f64> {
        share(self.count(class, class), self.row(class).iter().sum())
    }

    /// Share of the objects predicted as `class` that are of it; `None` if none were.
    pub fn precision(&self, class: usize) -> Option<f64> {
        share(self.count(class, class), (0..self.n_classes).map(|truth| self.count(truth, class)).sum())
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn matrix_agrees_with_accuracy(pairs in prop::collection::vec((0u32..4, 0u32..4), 1..50)) {
            let (predicted, truth): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
            let matrix = ConfusionMatrix::new(4, &predicted, &truth).unwrap();
            prop_assert_eq!(matrix.accuracy(), accuracy(&predicted, &truth).unwrap());
            let total: usize = (0..4).flat_map(|class| matrix.row(class)).sum();
            prop_assert_eq!(total, truth.len());
        }
    }

    #[test]
    fn unknown_classes_are_named() {
        let refused = ConfusionMatrix::new(2, &[0, 5], &[0, 1]);
        assert_eq!(refused, Err(EvalError::UnknownClass { object: 1, class: 5, n_classes: 2 }));
    }
}
