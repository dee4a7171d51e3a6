//! Offers presets, starting points and checks of what users may set.

use super::{Model, PreferencePrior};
use crate::bits::BitMatrix;
use crate::data::Features;
use crate::prior::hyper::{GammaPrior, LAPSE_RANGE, LapsePrior, VariancePrior};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use thiserror::Error;

/// How strictly to follow the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// Unit weights and a pseudo-weight: bits are added while they help. For codes that are searched.
    Hash,
    /// Gamma weights and no pseudo-weight: the paper's likelihood. Few bits, scale-free.
    Paper,
}

impl PreferencePrior {
    /// The priors of a preset.
    pub fn preset(preset: Preset) -> Self {
        let lapse = LapsePrior::Fixed(0.01);
        let gamma = GammaPrior::Gamma { shape: 1.0, rate: 1.0 };
        match preset {
            // Learned bits are searched by plain Hamming distance; given ones may be of any quality.
            Preset::Hash => {
                Self { weights: GammaPrior::Fixed(1.0), given_weights: Some(gamma), lapse, pseudo_weight: 10.0 }
            }
            Preset::Paper => Self { weights: gamma, given_weights: None, lapse, pseudo_weight: 0.0 },
        }
    }
}

/// Where a chain starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// This many columns of fair coins.
    Coins(usize),
    /// This many random hyperplanes through random objects.
    Hyperplanes(usize),
    /// This many columns with owner and links from the prior (dd-IBP).
    Links(usize),
    /// A draw from the prior.
    Prior,
}

impl Start {
    /// The first columns; `None` where the prior is to draw them.
    pub fn features<R: Rng>(&self, x: &Features, rng: &mut R) -> Option<BitMatrix> {
        match *self {
            Self::Prior | Self::Links(_) => None,
            Self::Coins(n_features) => Some(coins(x.n_objects(), n_features, rng)),
            Self::Hyperplanes(n_features) => Some(hyperplanes(x, n_features, rng)),
        }
    }
}

/// A text that names no start.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is no start; write coins:BITS, hyperplanes:BITS, links:BITS or prior")]
pub struct StartError(String);

impl FromStr for Start {
    type Err = StartError;

    /// `coins:20`, `hyperplanes:20`, `links:20` or `prior`.
    fn from_str(text: &str) -> Result<Self, StartError> {
        let wrong = || StartError(text.to_owned());
        let count = |n: &str| n.parse::<usize>().map_err(|_| wrong());
        match text.split_once(':') {
            None if text == "prior" => Ok(Self::Prior),
            Some(("coins", n)) => count(n).map(Self::Coins),
            Some(("hyperplanes", n)) => count(n).map(Self::Hyperplanes),
            Some(("links", n)) => count(n).map(Self::Links),
            _ => Err(wrong()),
        }
    }
}

fn coins<R: Rng>(n_objects: usize, n_features: usize, rng: &mut R) -> BitMatrix {
    let mut features = BitMatrix::new(n_objects);
    for _ in 0..n_features {
        let column: Vec<u8> = (0..n_objects).map(|_| u8::from(rng.random::<bool>())).collect();
        push_owned(&mut features, &column);
    }
    features
}

fn hyperplanes<R: Rng>(x: &Features, n_features: usize, rng: &mut R) -> BitMatrix {
    let mut features = BitMatrix::new(x.n_objects());
    for _ in 0..n_features {
        let direction: Vec<f64> = (0..x.n_inputs()).map(|_| StandardNormal.sample(rng)).collect();
        let height = |row: &[f64]| -> f64 { row.iter().zip(&direction).map(|(x, d)| x * d).sum() };
        let threshold = height(&x.row(rng.random_range(0..x.n_objects())));
        let column: Vec<u8> = x.rows().map(|row| u8::from(height(&row) >= threshold)).collect();
        push_owned(&mut features, &column);
    }
    features
}

/// A column that nobody owns is no feature.
fn push_owned(features: &mut BitMatrix, column: &[u8]) {
    if column.contains(&1) {
        features.push_column(column);
    }
}

/// Refuses a start that the model does not have.
pub(super) fn check_start(start: Start, model: &'static str, belongs: bool) -> Result<(), SettingsError> {
    if belongs { Ok(()) } else { Err(SettingsError::ForeignStart { start: format!("{start:?}"), model }) }
}

/// Refuses a schedule without steps, or with a kernel that the model does not have.
pub(super) fn check_schedule<M: Model>(model: &M, name: &'static str) -> Result<(), SettingsError> {
    let steps = &model.schedule().steps;
    if steps.is_empty() {
        return Err(SettingsError::EmptySchedule);
    }
    match steps.iter().find(|step| M::transition(step.kernel).is_none()) {
        Some(step) => Err(SettingsError::ForeignKernel { kernel: format!("{:?}", step.kernel), model: name }),
        None => Ok(()),
    }
}

/// A setting that no run can use.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SettingsError {
    /// A number must be positive and finite.
    #[error("{name} is {value}; it must be positive and finite")]
    NotPositive {
        /// Which setting.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// The pseudo-weight must be at least 0.
    #[error("the pseudo-weight is {value}; it must be 0 or more, and finite")]
    PseudoWeight {
        /// Its value.
        value: f64,
    },
    /// The lapse rate must lie strictly between 0 and 1.
    #[error("the lapse rate is {value}; it must lie between {} and 1 - {}", LAPSE_RANGE.0, LAPSE_RANGE.0)]
    Lapse {
        /// Its value.
        value: f64,
    },
    /// Distances between classes need labels.
    #[error("output distances are between classes, but the objects have no labels")]
    NoClasses,
    /// A schedule without steps draws nothing.
    #[error("the schedule is empty; name at least one kernel")]
    EmptySchedule,
    /// The window of a decay must be 0 or more.
    #[error("the width of the window is {width}; it must be 0 or more, and finite")]
    Window {
        /// Its value.
        width: f64,
    },
    /// A start that this model does not have.
    #[error("chains of the {model} model cannot start from {start}")]
    ForeignStart {
        /// The start.
        start: String,
        /// The model.
        model: &'static str,
    },
    /// A kernel that this model does not have.
    #[error("the schedule names {kernel}, which the {model} model does not have")]
    ForeignKernel {
        /// The kernel.
        kernel: String,
        /// The model.
        model: &'static str,
    },
}

/// Checks the priors that all supervised models share.
pub(super) fn check_preference(prior: &PreferencePrior) -> Result<(), SettingsError> {
    check_gamma("weight", prior.weights)?;
    if !(prior.pseudo_weight >= 0.0 && prior.pseudo_weight.is_finite()) {
        return Err(SettingsError::PseudoWeight { value: prior.pseudo_weight });
    }
    match prior.lapse {
        LapsePrior::Fixed(value) if !(LAPSE_RANGE.0..=LAPSE_RANGE.1).contains(&value) => {
            Err(SettingsError::Lapse { value })
        }
        LapsePrior::Fixed(_) => Ok(()),
        LapsePrior::Beta { a, b } => positive("lapse prior", a).and_then(|()| positive("lapse prior", b)),
    }
}

/// Checks a Gamma prior or fixed value.
pub(super) fn check_gamma(name: &'static str, prior: GammaPrior) -> Result<(), SettingsError> {
    match prior {
        GammaPrior::Fixed(value) => positive(name, value),
        GammaPrior::Gamma { shape, rate } => positive(name, shape).and_then(|()| positive(name, rate)),
    }
}

/// Checks an inverse-Gamma prior or fixed value.
pub(super) fn check_variance(name: &'static str, prior: VariancePrior) -> Result<(), SettingsError> {
    match prior {
        VariancePrior::Fixed(value) => positive(name, value),
        VariancePrior::InverseGamma { shape, rate } => positive(name, shape).and_then(|()| positive(name, rate)),
    }
}

/// Refuses what is not positive and finite.
pub(super) fn positive(name: &'static str, value: f64) -> Result<(), SettingsError> {
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(SettingsError::NotPositive { name, value }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_are_read_from_text() {
        assert_eq!("hyperplanes:8".parse(), Ok(Start::Hyperplanes(8)));
        assert_eq!("coins:3".parse(), Ok(Start::Coins(3)));
        assert_eq!("prior".parse(), Ok(Start::Prior));
        for bad in ["coins", "coins:x", "prior:2", ""] {
            assert!(bad.parse::<Start>().is_err(), "{bad}");
        }
    }
}
