//! Checks the codes that are drawn for an unseen object under the linear Gaussian model, Eq. (16), against their exact
//! posterior: every code with every number of bits that only the object has.

use super::Verdict;
use crate::codes::Codes;
use crate::data::Inputs;
use crate::encode::{Encoder, EncoderChoice, GaussianEncoder};
use crate::trace::{Draw, Tensor};
use std::collections::BTreeMap;

/// Objects with the same inputs, each with a stream of its own: independent draws of the same code.
const N_OBJECTS: usize = 40_000;
/// Numbers of new bits that are told apart.
const MOST_NEW: usize = 3;
/// Largest distance in standard errors, of 2² × 4 states.
const LIMIT: f64 = 4.7;

const NOISE: f64 = 0.3;
const IMAGE: f64 = 2.0;
const CONCENTRATION: f64 = 4.0;
const IMAGES: [[f64; 2]; 2] = [[1.0, 0.4], [-0.5, 0.9]];
const SPREAD: [[f64; 2]; 2] = [[0.3, 0.1], [0.1, 0.4]];
/// Training objects that have each bit, of five.
const OWNERS: [f64; 2] = [3.0, 2.0];
const N_TRAINING: f64 = 5.0;
const X: [f64; 2] = [1.1, 1.6];

/// Checks the shares of all states.
pub fn gaussian_codes(seed: u64) -> Verdict {
    let draw = draw();
    let encoder = GaussianEncoder::new(&draw, 2, EncoderChoice::Gibbs, seed).and_then(|e| e.with_new_bits(&draw));
    let encoder = match encoder {
        Ok(encoder) => encoder,
        Err(error) => panic!("the draw is complete: {error}"),
    };
    let inputs = match Inputs::new(N_OBJECTS, 2, X.repeat(N_OBJECTS)) {
        Ok(inputs) => inputs,
        Err(error) => panic!("the inputs are finite: {error}"),
    };
    let mut counts = BTreeMap::new();
    for code in encoder.draws(&inputs, 0, 1).unwrap_or_default().into_iter().flatten() {
        let bits = [code.bits[0], code.bits[1]];
        *counts.entry((bits, code.n_new.min(MOST_NEW))).or_insert(0.0) += 1.0;
    }
    let n = N_OBJECTS as f64;
    let score = |(state, expected): (([bool; 2], usize), f64)| {
        let found = counts.get(&state).copied().unwrap_or(0.0) / n;
        (format!("{state:?}"), (found - expected) / (expected * (1.0 - expected) / n).sqrt())
    };
    Verdict::with_limit(posterior().into_iter().map(score).collect::<Vec<_>>(), LIMIT)
}

/// Prior times density of the inputs, for all codes and numbers of new bits.
fn posterior() -> Vec<(([bool; 2], usize), f64)> {
    let mut weights: BTreeMap<([bool; 2], usize), f64> = BTreeMap::new();
    for bits in [[false, false], [false, true], [true, false], [true, true]] {
        for n_new in 0..40 {
            *weights.entry((bits, n_new.min(MOST_NEW))).or_insert(0.0) += weight(bits, n_new);
        }
    }
    let total: f64 = weights.values().sum();
    weights.into_iter().map(|(state, weight)| (state, weight / total)).collect()
}

fn weight(bits: [bool; 2], n_new: usize) -> f64 {
    let z = bits.map(|bit| f64::from(u8::from(bit)));
    let owned = |bit: usize| OWNERS[bit] / (N_TRAINING + 1.0);
    let prior: f64 = (0..2).map(|bit| if bits[bit] { owned(bit) } else { 1.0 - owned(bit) }).product();
    let rate = CONCENTRATION / (N_TRAINING + 1.0);
    let poisson = rate.powi(n_new as i32) / (1..=n_new).map(|i| i as f64).product::<f64>();
    let spread: f64 = (0..4).map(|at| z[at / 2] * SPREAD[at / 2][at % 2] * z[at % 2]).sum();
    let variance = NOISE * (1.0 + spread) + n_new as f64 * IMAGE;
    let square: f64 = (0..2).map(|i| (X[i] - z[0] * IMAGES[0][i] - z[1] * IMAGES[1][i]).powi(2)).sum();
    // Two inputs: the density's constant is one over the variance.
    prior * poisson * (-0.5 * square / variance).exp() / variance
}

fn draw() -> Draw {
    let mut bits = Codes::zeros(N_TRAINING as usize, 2);
    for (bit, owners) in OWNERS.iter().enumerate() {
        (0..*owners as usize).for_each(|object| bits.set(object, bit, true));
    }
    let square = |values: [[f64; 2]; 2]| Tensor { shape: vec![2, 2], values: values.concat() };
    let scalars = [("noise_variance", NOISE), ("feature_variance", IMAGE), ("concentration", CONCENTRATION)];
    Draw {
        sweep: 1,
        bits,
        encoded: None,
        weights: vec![1.0; 2],
        scalars: scalars.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        tensors: [("images".to_owned(), square(IMAGES)), ("spread".to_owned(), square(SPREAD))].into(),
    }
}
