//! Checks the user's settings.

use super::{Link, Model, PreferencePrior, Start};
use crate::prior::hyper::{GammaPrior, LAPSE_RANGE, LapsePrior, SLOPE_RANGE, SlopePrior, VariancePrior};
use thiserror::Error;

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
    /// The slope must be a number of ordinary size.
    #[error("the slope is {value}; it must lie between {} and {}", SLOPE_RANGE.0, SLOPE_RANGE.1)]
    Slope {
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
    check_link(prior.link)?;
    match prior.lapse {
        LapsePrior::Fixed(value) if !(LAPSE_RANGE.0..=LAPSE_RANGE.1).contains(&value) => {
            Err(SettingsError::Lapse { value })
        }
        LapsePrior::Fixed(_) => Ok(()),
        LapsePrior::Beta { a, b } => positive("lapse prior", a).and_then(|()| positive("lapse prior", b)),
    }
}

fn check_link(link: Link) -> Result<(), SettingsError> {
    match link {
        Link::Ratio => Ok(()),
        Link::Logistic(SlopePrior::Fixed(value)) if (SLOPE_RANGE.0..=SLOPE_RANGE.1).contains(&value) => Ok(()),
        Link::Logistic(SlopePrior::Fixed(value)) => Err(SettingsError::Slope { value }),
        Link::Logistic(SlopePrior::LogNormal { mean, deviation }) => {
            if !mean.is_finite() {
                return Err(SettingsError::Slope { value: mean });
            }
            positive("deviation of the slope's prior", deviation)
        }
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

/// Refuses numbers that are not positive and finite.
pub(super) fn positive(name: &'static str, value: f64) -> Result<(), SettingsError> {
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(SettingsError::NotPositive { name, value }) }
}
