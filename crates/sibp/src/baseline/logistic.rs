//! Classifies by logistic regressions, one class against the rest.

use super::LinearClassifier;
use super::linear_classifier::{Scheme, distinct};
use crate::data::Features;
use crate::hash::{LearnError, LogisticSettings, fit_problems, one_each};

/// Fits one regression for each class against the rest; the largest score wins.
///
/// ```
/// use sibp::{baseline::{Classifier, fit_logistic}, data::Features, hash::LogisticSettings};
/// let features = Features::new(4, 1, vec![0.0, 1.0, 8.0, 9.0])?;
/// let model = fit_logistic(&features, &[3, 3, 1, 1], &LogisticSettings::default())?;
/// assert_eq!(model.predict(&features)?, [3, 3, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_logistic(
    features: &Features,
    classes: &[u32],
    settings: &LogisticSettings,
) -> Result<LinearClassifier, LearnError> {
    one_each("classes", features.n_objects(), classes.len())?;
    let names = distinct(classes);
    let (scores, _) = fit_problems(features, names.len(), |bit, object| classes[object] == names[bit], settings)?;
    LinearClassifier::new(names, Scheme::OneVsRest, scores)
}
