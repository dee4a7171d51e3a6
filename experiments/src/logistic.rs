//! Fits the logistic reference with its penalty chosen by cross-validation on the training half.

use anyhow::Result;
use sibp::baseline::{Classifier, LinearClassifier, LogisticSettings, fit_logistic};
use sibp::data::Features;
use sibp::eval::accuracy;

/// Penalties tried.
const PENALTIES: [f64; 4] = [0.1, 1.0, 10.0, 100.0];
const FOLDS: usize = 5;

/// One-vs-rest logistic regression with the penalty of the best mean accuracy over five folds (the larger of equals).
pub fn fit_cross_validated(x: &Features, classes: &[u32], seed: u64) -> Result<LinearClassifier> {
    let mut best = (f64::NEG_INFINITY, PENALTIES[0]);
    for l2 in PENALTIES {
        let score = cross_validate(x, classes, l2, seed)?;
        if score >= best.0 {
            best = (score, l2);
        }
    }
    Ok(fit_logistic(x, classes, &settings(best.1))?)
}

fn settings(l2: f64) -> LogisticSettings {
    LogisticSettings { l2, ..LogisticSettings::default() }
}

fn cross_validate(x: &Features, classes: &[u32], l2: f64, seed: u64) -> Result<f64> {
    let n = classes.len();
    // Rows of a class stand together in the split files, so folds go round them, from a start given by the seed.
    let fold = |row: usize| (row + seed as usize) % FOLDS;
    let mut sum = 0.0;
    for held in 0..FOLDS {
        let (test, train): (Vec<usize>, Vec<usize>) = (0..n).partition(|&row| fold(row) == held);
        let of = |rows: &[usize]| rows.iter().map(|&row| classes[row]).collect::<Vec<u32>>();
        let fitted = fit_logistic(&x.select(&train), &of(&train), &settings(l2))?;
        sum += accuracy(&fitted.predict(&x.select(&test))?, &of(&test))?;
    }
    Ok(sum / FOLDS as f64)
}
