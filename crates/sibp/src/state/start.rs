//! Defines presets and starting states.

use super::{Link, PreferencePrior};
use crate::bits::BitMatrix;
use crate::data::Inputs;
use crate::prior::hyper::{GammaPrior, LapsePrior};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use thiserror::Error;

/// A preset of the priors: for hashing, or as in the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// Unit weights and a pseudo-weight: bits are added while they help. For codes that are searched.
    Hash,
    /// Gamma weights and no pseudo-weight: the paper's likelihood. Few bits, scale-free.
    Paper,
    /// Unit weights and a logistic link, whose slope and lapse rate are learned. For answers of people, who err.
    Judgements,
    /// The priors of `Hash`, in codes of which most bits are unsupervised. For classes that are not taught yet.
    Open,
}

impl Preset {
    /// The preset that suits what a model learns from: people, who give triplets, err; labels do not.
    pub fn suited_to(triplets: bool) -> Self {
        if triplets { Self::Judgements } else { Self::Hash }
    }
}

impl PreferencePrior {
    /// The priors of a preset.
    pub fn preset(preset: Preset) -> Self {
        let lapse = LapsePrior::Fixed(0.01);
        let gamma = GammaPrior::Gamma { shape: 1.0, rate: 1.0 };
        match preset {
            // Learned bits are searched by plain Hamming distance; given ones may be of any quality.
            Preset::Hash | Preset::Open => {
                let weights = GammaPrior::Fixed(1.0);
                Self { weights, given_weights: Some(gamma), lapse, pseudo_weight: 10.0, link: Link::Ratio }
            }
            Preset::Paper => Self { weights: gamma, given_weights: None, lapse, pseudo_weight: 0.0, link: Link::Ratio },
            Preset::Judgements => {
                Self { lapse: LapsePrior::Beta { a: 1.0, b: 20.0 }, link: Link::LOGISTIC, ..Self::preset(Preset::Hash) }
            }
        }
    }
}

/// The starting state of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// This many columns of fair coin flips.
    Coins(usize),
    /// This many random hyperplanes through random objects.
    Hyperplanes(usize),
    /// This many columns that half of the sets of objects own which near relations connect (the classes, where triplets come
    /// from labels), with the coefficients that suit them.
    Sets(usize),
    /// This many columns with owner and links from the prior (dd-IBP).
    Links(usize),
    /// A draw from the prior.
    Prior,
}

impl Start {
    /// Draws the first columns; `None` where the prior is to draw them.
    pub fn bits<R: Rng>(&self, x: &Inputs, rng: &mut R) -> Option<BitMatrix> {
        match *self {
            Self::Prior | Self::Links(_) => None,
            Self::Coins(n_bits) => Some(coins(x.n_objects(), n_bits, rng)),
            Self::Hyperplanes(n_bits) | Self::Sets(n_bits) => Some(hyperplanes(x, n_bits, rng)),
        }
    }
}

/// The error for a text that names no start.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is no start; write coins:BITS, hyperplanes:BITS, sets:BITS, links:BITS or prior")]
pub struct StartError(String);

impl FromStr for Start {
    type Err = StartError;

    /// `coins:20`, `hyperplanes:20`, `sets:20`, `links:20` or `prior`.
    fn from_str(text: &str) -> Result<Self, StartError> {
        let wrong = || StartError(text.to_owned());
        let count = |n: &str| n.parse::<usize>().map_err(|_| wrong());
        match text.split_once(':') {
            None if text == "prior" => Ok(Self::Prior),
            Some(("coins", n)) => count(n).map(Self::Coins),
            Some(("hyperplanes", n)) => count(n).map(Self::Hyperplanes),
            Some(("sets", n)) => count(n).map(Self::Sets),
            Some(("links", n)) => count(n).map(Self::Links),
            _ => Err(wrong()),
        }
    }
}

fn coins<R: Rng>(n_objects: usize, n_bits: usize, rng: &mut R) -> BitMatrix {
    let mut bits = BitMatrix::new(n_objects);
    for _ in 0..n_bits {
        let column: Vec<u8> = (0..n_objects).map(|_| u8::from(rng.random::<bool>())).collect();
        push_owned(&mut bits, &column);
    }
    bits
}

fn hyperplanes<R: Rng>(x: &Inputs, n_bits: usize, rng: &mut R) -> BitMatrix {
    let mut bits = BitMatrix::new(x.n_objects());
    for _ in 0..n_bits {
        let direction: Vec<f64> = (0..x.n_inputs()).map(|_| StandardNormal.sample(rng)).collect();
        let height = |row: &[f64]| -> f64 { row.iter().zip(&direction).map(|(x, d)| x * d).sum() };
        let threshold = height(&x.row(rng.random_range(0..x.n_objects())));
        let column: Vec<u8> = x.rows().map(|row| u8::from(height(&row) >= threshold)).collect();
        push_owned(&mut bits, &column);
    }
    bits
}

/// Appends a column, unless no object owns it.
fn push_owned(bits: &mut BitMatrix, column: &[u8]) {
    if column.contains(&1) {
        bits.push_column(column);
    }
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
