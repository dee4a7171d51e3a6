//! Classifies by logistic regressions, one class against the rest.

use super::LinearClassifier;
use super::linear_classifier::{Scheme, distinct};
use crate::data::Inputs;
use crate::hash::{LearnError, LogisticSettings, fit_problems, one_each};

/// Fits one regression for each class against the rest; the largest score wins.
///
/// ```
/// use sibp::{baseline::{Classifier, fit_logistic}, data::Inputs, hash::LogisticSettings};
/// let inputs = Inputs::new(4, 1, vec![0.0, 1.0, 8.0, 9.0])?;
/// let model = fit_logistic(&inputs, &[3, 3, 1, 1], &LogisticSettings::default())?;
/// assert_eq!(model.predict(&inputs)?, [3, 3, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_logistic(
    inputs: &Inputs,
    classes: &[u32],
    settings: &LogisticSettings,
) -> Result<LinearClassifier, LearnError> {
    one_each("classes", inputs.n_objects(), classes.len())?;
    let names = distinct(classes);
    let (scores, _) = fit_problems(inputs, names.len(), |bit, object| classes[object] == names[bit], settings)?;
    LinearClassifier::new(names, Scheme::OneVsRest, scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_does_not_matter_when_standardised() {
        let values: Vec<f64> = (0..60).map(|at| ((at * 31) % 17) as f64).collect();
        let scaled = values.iter().enumerate().map(|(at, v)| v * [1e-6, 1.0, 1e6][at % 3] + 5.0).collect();
        let classes: Vec<u32> = (0..20).map(|at| (at * 7 % 3) as u32).collect();
        let fit = |values| {
            let inputs = Inputs::new(20, 3, values).unwrap();
            fit_logistic(&inputs, &classes, &LogisticSettings::default()).unwrap()
        };
        let (plain, scaled) = (fit(values), fit(scaled));
        for (at, (a, b)) in plain.scores().weights().iter().zip(scaled.scores().weights()).enumerate() {
            assert!((a - b * [1e-6, 1.0, 1e6][at % 3]).abs() < 1e-6 * a.abs().max(1e-3), "{a} {b}");
        }
    }

    #[test]
    fn settings_are_checked() {
        let inputs = Inputs::new(2, 1, vec![0.0, 1.0]).unwrap();
        let refused = fit_logistic(&inputs, &[0, 1], &LogisticSettings { l2: 0.0, ..Default::default() });
        assert_eq!(refused.unwrap_err().to_string(), "l2 is 0; it must be positive and finite");
    }
}
