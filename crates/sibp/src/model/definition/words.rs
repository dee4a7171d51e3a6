//! Describes priors and starting states in words.

use crate::model::{Link, PreferencePrior, Start};
use crate::prior::hyper::{GammaPrior, LapsePrior, SlopePrior, VariancePrior};

pub(super) fn preference(preference: &PreferencePrior) -> Vec<(&'static str, String)> {
    let lapse = match preference.lapse {
        LapsePrior::Fixed(value) => format!("{value} (fixed)"),
        LapsePrior::Beta { a, b } => format!("Beta({a}, {b})"),
    };
    let link = match preference.link {
        Link::Ratio => ("pseudo-weight", preference.pseudo_weight.to_string()),
        Link::Logistic(SlopePrior::Fixed(slope)) => ("link", format!("logistic, slope {slope} (fixed)")),
        Link::Logistic(SlopePrior::LogNormal { mean, deviation }) => {
            ("link", format!("logistic, ln slope ~ N({mean}, {deviation}²)"))
        }
    };
    vec![("weights", gamma(preference.weights)), ("lapse rate", lapse), link]
}

pub(super) fn gamma(prior: GammaPrior) -> String {
    match prior {
        GammaPrior::Fixed(value) => format!("{value} (fixed)"),
        GammaPrior::Gamma { shape, rate } => format!("Gamma({shape}, {rate})"),
    }
}

pub(super) fn inverse_gamma(prior: VariancePrior) -> String {
    match prior {
        VariancePrior::Fixed(value) => format!("{value} (fixed)"),
        VariancePrior::InverseGamma { shape, rate } => format!("inverse Gamma({shape}, {rate:.4})"),
    }
}

impl Start {
    /// Describes the starting state in words.
    pub fn words(self) -> String {
        match self {
            Self::Coins(n) => format!("{n} columns of fair coins"),
            Self::Sets(n) => format!("{n} bits that tell sets of near objects apart"),
            Self::Hyperplanes(n) => format!("{n} random hyperplanes"),
            Self::Links(n) => format!("{n} columns with links from the prior"),
            Self::Prior => "a draw from the prior".into(),
        }
    }
}
