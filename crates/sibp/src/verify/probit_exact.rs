//! Integrates the probit model of a few objects with one input: the weight of every column, and of every code.

use super::ExactPosterior;
use crate::data::Features;
use crate::likelihood::preference::{PreferenceSums, Scoring};
use crate::likelihood::probit::log_intensity;
use crate::model::Observations;
use crate::numerics::normal::log_cdf;

/// ∫∫ h(t) N(g; 0, σg²) Π Φ(±(x g + t)) dg dt for every column that somebody owns, indexed by its bits.
///
/// Both integrands decay like Gaussians, so the trapezoidal rule converges faster than any power of the step.
#[derive(Debug, Clone)]
pub struct ColumnWeights {
    weights: Vec<f64>,
}

const STEP: f64 = 0.05;
/// Beyond this many deviations nothing is left.
const REACH: f64 = 9.0;

impl ColumnWeights {
    /// Integrates for objects with one input each.
    ///
    /// # Panics
    /// With more than one input, or more than eight objects.
    pub fn new(x: &Features, variance: f64) -> Self {
        assert!(x.n_inputs() == 1 && x.n_objects() <= 8, "one input and at most eight objects can be integrated");
        let (n, deviation) = (x.n_objects(), variance.sqrt());
        let largest = x.values().iter().fold(0.0f64, |largest, v| largest.max(v.abs()));
        let mut weights = vec![0.0; 1 << n];
        let lowest = -REACH * (1.0 + deviation * largest);
        let steps = |low: f64, high: f64| (0..=((high - low) / STEP) as usize).map(move |at| low + at as f64 * STEP);
        for u in steps(-REACH, REACH) {
            let density = (-0.5 * u * u).exp() / (2.0 * std::f64::consts::PI).sqrt() * STEP;
            for t in steps(lowest, REACH) {
                let measure = density * log_intensity(t).exp() * STEP;
                let logs: Vec<[f64; 2]> =
                    x.values().iter().map(|x| x * deviation * u + t).map(|eta| [log_cdf(-eta), log_cdf(eta)]).collect();
                for (bits, weight) in weights.iter_mut().enumerate().skip(1) {
                    let log: f64 = logs.iter().enumerate().map(|(object_ix, log)| log[bits >> object_ix & 1]).sum();
                    *weight += measure * log.exp();
                }
            }
        }
        Self { weights }
    }

    /// Λ(σg²): the expected number of features for α = 1.
    pub fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// The posterior over codes given triplets, with unit weights and the rest fixed.
    pub fn posterior(&self, data: &Observations, concentration: f64, scoring: &Scoring) -> ExactPosterior {
        ExactPosterior::enumerate(data.features.n_objects(), 9, |features| {
            let k = features.n_features();
            let mut sums = PreferenceSums::default();
            sums.rebuild(&data.triplets, features, &vec![1.0; k]);
            let bits = |f: usize| features.column(f).iter().rev().fold(0, |bits, &bit| bits << 1 | usize::from(bit));
            let columns: f64 = (0..k).map(|f| self.weights[bits(f)].ln()).sum();
            k as f64 * concentration.ln() + columns + sums.log_likelihood(scoring)
        })
    }
}
