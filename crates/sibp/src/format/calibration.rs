//! Holds the one number that recalibrates preference probabilities.

use crate::eval::probability_agreement;
use serde::{Deserialize, Serialize};

/// How probabilities of triplets are recalibrated: their log odds are multiplied by the sharpness.
///
/// A pseudo-weight keeps probabilities near one half however good the codes are, because it rewards ever more bits; so
/// probabilities by the likelihood rank triplets well, and are far too timid.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The factor of the log odds.
    pub sharpness: f64,
    /// Held-out triplets that it was fitted to.
    pub n_triplets: usize,
    /// Share of them that the probabilities agree with, ties counting half: the held-out agreement of the fit.
    pub agreement: f64,
    /// Held-out objects, or triplets where these were held out: what the share is a mean of. Earlier files do not tell.
    #[serde(default)]
    pub n_held: usize,
}

/// Bounds of the sharpness.
const SHARPNESS: (f64, f64) = (0.01, 100.0);

impl Calibration {
    /// Maximises the likelihood of held-out triplets with these probabilities, and of half a triplet of typical odds in
    /// either direction: where all agree, they are as sure as their number allows. `None` without any.
    pub fn fit(probabilities: &[f64], n_held: usize) -> Option<Self> {
        if probabilities.is_empty() {
            return None;
        }
        let odds: Vec<f64> = probabilities.iter().map(|&p| log_odds(p)).collect();
        let typical = odds.iter().map(|odds| odds.abs()).sum::<f64>() / odds.len() as f64;
        let slope = |ln_sharpness: f64| -> f64 {
            let sharpness = ln_sharpness.exp();
            let pull = |odds: f64| odds / (1.0 + (sharpness * odds).exp());
            odds.iter().map(|&odds| pull(odds)).sum::<f64>() + 0.5 * (pull(typical) + pull(-typical))
        };
        // The log likelihood is concave: its slope falls through zero once.
        let (mut low, mut high) = (SHARPNESS.0.ln(), SHARPNESS.1.ln());
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if slope(middle) > 0.0 { low = middle } else { high = middle }
        }
        Some(Self {
            sharpness: (0.5 * (low + high)).exp(),
            n_triplets: probabilities.len(),
            agreement: probability_agreement(probabilities),
            n_held,
        })
    }

    /// Whether guesses would agree as often, but for two standard errors.
    pub fn is_chance(&self) -> bool {
        self.n_held > 0 && self.agreement < 0.5 + 1.0 / (self.n_held as f64).sqrt()
    }

    /// The recalibrated probability.
    pub fn sharpen(&self, probability: f64) -> f64 {
        1.0 / (1.0 + (-self.sharpness * log_odds(probability)).exp())
    }
}

fn log_odds(p: f64) -> f64 {
    let p = p.clamp(1e-12, 1.0 - 1e-12);
    p.ln() - (-p).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of triplets with probability 0.6, 90 % agree: the log odds of 0.9 are 5.42 times those of 0.6. Half a triplet more
    /// in either direction makes 900.5 of 1001.
    #[test]
    fn few_objects_may_agree_by_chance() {
        let found = |agreement: f64, n_held| Calibration { sharpness: 1.0, n_triplets: 999, agreement, n_held };
        assert!(found(0.55, 100).is_chance() && !found(0.65, 100).is_chance());
        assert!(!found(0.55, 1000).is_chance() && !found(0.3, 0).is_chance());
    }

    #[test]
    fn timid_probabilities_become_true_ones() {
        let probabilities: Vec<f64> = (0..1000).map(|at| if at % 10 == 0 { 0.4 } else { 0.6 }).collect();
        let calibration = Calibration::fit(&probabilities, 100).unwrap();
        assert!((calibration.sharpen(0.6) - 900.5 / 1001.0).abs() < 1e-9, "{calibration:?}");
        assert!((calibration.sharpen(0.4) - 100.5 / 1001.0).abs() < 1e-9 && calibration.sharpen(0.5) == 0.5);
        assert_eq!((calibration.agreement, calibration.n_triplets), (0.9, 1000));
        assert_eq!(Calibration::fit(&[], 0), None);
        let all_agree = Calibration::fit(&[0.7; 10], 10).unwrap();
        assert!((all_agree.sharpen(0.7) - 10.5 / 11.0).abs() < 1e-9, "as sure as ten triplets allow: {all_agree:?}");
    }
}
