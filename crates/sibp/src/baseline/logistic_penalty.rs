//! Chooses the penalty of logistic regression by cross-validation on the training objects.

use super::{Classifier, LinearClassifier, fit_logistic};
use crate::data::Inputs;
use crate::hash::{LearnError, LogisticSettings, one_each};

/// Penalties tried.
const PENALTIES: [f64; 4] = [0.1, 1.0, 10.0, 100.0];
const FOLDS: usize = 5;

/// One-vs-rest logistic regression with the penalty of the best mean accuracy over five folds (the larger of equals).
pub fn fit_logistic_cross_validated(x: &Inputs, classes: &[u32], seed: u64) -> Result<LinearClassifier, LearnError> {
    one_each("classes", x.n_objects(), classes.len())?;
    let mut best = (f64::NEG_INFINITY, PENALTIES[0]);
    for l2 in PENALTIES {
        let score = cross_validate(x, classes, l2, seed)?;
        if score >= best.0 {
            best = (score, l2);
        }
    }
    fit_logistic(x, classes, &settings(best.1))
}

fn settings(l2: f64) -> LogisticSettings {
    LogisticSettings { l2, ..LogisticSettings::default() }
}

fn cross_validate(x: &Inputs, classes: &[u32], l2: f64, seed: u64) -> Result<f64, LearnError> {
    let n = classes.len();
    // Rows of a class often stand together, so folds go round them, from a start given by the seed.
    let fold = |row: usize| (row + (seed % FOLDS as u64) as usize) % FOLDS;
    let mut sum = 0.0;
    for held in 0..FOLDS {
        let (test, train): (Vec<usize>, Vec<usize>) = (0..n).partition(|&row| fold(row) == held);
        if test.is_empty() || train.is_empty() {
            continue;
        }
        let of = |rows: &[usize]| rows.iter().map(|&row| classes[row]).collect::<Vec<u32>>();
        let fitted = fit_logistic(&x.select(&train), &of(&train), &settings(l2))?;
        let named = fitted.predict(&x.select(&test))?;
        sum += named.iter().zip(of(&test)).filter(|(a, b)| **a == *b).count() as f64 / test.len() as f64;
    }
    Ok(sum / FOLDS as f64)
}
