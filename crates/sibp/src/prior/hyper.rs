//! Defines priors of positive numbers, each of which may also be fixed. All distributions are (shape, rate).

use rand::Rng;
use rand_distr::{Beta, Distribution, Gamma, StandardNormal};
use serde::{Deserialize, Serialize};

/// A positive number that is fixed or has a Gamma prior: concentration and weights.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GammaPrior {
    /// Always this value.
    Fixed(f64),
    /// Gamma(shape, rate).
    Gamma {
        /// Shape.
        shape: f64,
        /// Rate.
        rate: f64,
    },
}

impl GammaPrior {
    /// A draw from the prior.
    pub fn draw<R: Rng>(&self, rng: &mut R) -> f64 {
        match *self {
            Self::Fixed(value) => value,
            Self::Gamma { shape, rate } => draw_gamma(shape, rate, rng),
        }
    }

    /// Log density up to a constant; 0 when fixed.
    pub fn log_density(&self, value: f64) -> f64 {
        match *self {
            Self::Fixed(_) => 0.0,
            Self::Gamma { shape, rate } => {
                shape * rate.ln() - libm::lgamma(shape) + (shape - 1.0) * value.ln() - rate * value
            }
        }
    }
}

/// A variance that is fixed or has an inverse-Gamma prior.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VariancePrior {
    /// Always this value.
    Fixed(f64),
    /// Inverse-Gamma(shape, rate).
    InverseGamma {
        /// Shape.
        shape: f64,
        /// Rate.
        rate: f64,
    },
}

impl VariancePrior {
    /// A draw from the prior.
    pub fn draw<R: Rng>(&self, rng: &mut R) -> f64 {
        self.draw_given(0.0, 0.0, rng)
    }

    /// A draw given `n_values` Gaussian values (known mean) whose squared deviations sum to `sum_of_squares`.
    pub fn draw_given<R: Rng>(&self, n_values: f64, sum_of_squares: f64, rng: &mut R) -> f64 {
        match *self {
            Self::Fixed(value) => value,
            Self::InverseGamma { shape, rate } => {
                1.0 / draw_gamma(shape + 0.5 * n_values, rate + 0.5 * sum_of_squares, rng)
            }
        }
    }

    /// Log density; 0 when fixed.
    pub fn log_density(&self, value: f64) -> f64 {
        match *self {
            Self::Fixed(_) => 0.0,
            Self::InverseGamma { shape, rate } => {
                shape * rate.ln() - libm::lgamma(shape) - (shape + 1.0) * value.ln() - rate / value
            }
        }
    }
}

/// A lapse rate that is fixed or has a Beta prior.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LapsePrior {
    /// Always this value.
    Fixed(f64),
    /// Beta(a, b).
    Beta {
        /// First parameter.
        a: f64,
        /// Second parameter.
        b: f64,
    },
}

/// Lapse rates stay within these bounds; beyond them products of probabilities lose their range.
pub const LAPSE_RANGE: (f64, f64) = (1e-9, 1.0 - 1e-9);

impl LapsePrior {
    /// A draw from the prior.
    pub fn draw<R: Rng>(&self, rng: &mut R) -> f64 {
        let value = match *self {
            Self::Fixed(value) => value,
            Self::Beta { a, b } => Beta::new(a, b).map_or(LAPSE_RANGE.0, |beta| beta.sample(rng)),
        };
        value.clamp(LAPSE_RANGE.0, LAPSE_RANGE.1)
    }

    /// Log density up to a constant; 0 when fixed.
    pub fn log_density(&self, value: f64) -> f64 {
        match *self {
            Self::Fixed(_) => 0.0,
            Self::Beta { a, b } => (a - 1.0) * value.ln() + (b - 1.0) * (-value).ln_1p(),
        }
    }
}

/// A slope of the logistic link that is fixed, or whose logarithm has a normal prior.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlopePrior {
    /// Always this value.
    Fixed(f64),
    /// ln slope ~ N(mean, deviation²).
    LogNormal {
        /// Mean of the logarithm.
        mean: f64,
        /// Standard deviation of the logarithm.
        deviation: f64,
    },
}

/// Slopes stay within these bounds, which are far from any that judgements tell apart.
pub const SLOPE_RANGE: (f64, f64) = (1e-6, 1e6);

impl SlopePrior {
    /// A draw from the prior.
    pub fn draw<R: Rng>(&self, rng: &mut R) -> f64 {
        let value = match *self {
            Self::Fixed(value) => value,
            Self::LogNormal { mean, deviation } => {
                let normal: f64 = StandardNormal.sample(rng);
                (mean + deviation * normal).exp()
            }
        };
        value.clamp(SLOPE_RANGE.0, SLOPE_RANGE.1)
    }

    /// Log density up to a constant; 0 when fixed.
    pub fn log_density(&self, value: f64) -> f64 {
        match *self {
            Self::Fixed(_) => 0.0,
            Self::LogNormal { mean, deviation } => {
                let deviations = (value.ln() - mean) / deviation;
                -0.5 * deviations * deviations - deviation.ln() - value.ln()
            }
        }
    }
}

/// A Gamma draw by shape and rate, kept away from 0 so that logarithms stay finite.
///
/// # Panics
/// When shape or rate is not positive: settings are checked before a run.
pub fn draw_gamma<R: Rng>(shape: f64, rate: f64, rng: &mut R) -> f64 {
    match Gamma::new(shape, 1.0 / rate) {
        Ok(gamma) => gamma.sample(rng).max(f64::MIN_POSITIVE),
        Err(error) => panic!("Gamma({shape}, {rate}): {error}"),
    }
}
