//! Asks by the probabilities of an object's bits instead of the bits (`--expected`).

use sibp::codes::Codes;
use sibp::data::Features;
use sibp::encode::BitProbabilities;
use sibp::index::{IndexError, Neighbours, Scan};
use std::ops::Range;

/// Gives objects the probabilities of their bits.
#[derive(Debug)]
pub struct Expecter {
    /// Of a probit model's draws.
    pub bits: BitProbabilities,
    /// Weight of each bit, given ones first.
    pub weights: Vec<f32>,
}

impl Expecter {
    /// Queries for transformed features and the given bits of the same objects.
    pub fn expect(&self, features: &Features, given: Option<&Codes>) -> Expected {
        let probabilities = self.bits.rows(features, given).into_iter().map(|p| p as f32).collect();
        Expected { probabilities, weights: self.weights.clone() }
    }
}

/// Queries that were not cut to bits.
#[derive(Debug)]
pub struct Expected {
    /// Row by row.
    probabilities: Vec<f32>,
    weights: Vec<f32>,
}

impl Expected {
    /// The `k` codes of the smallest expected weighted distance to each query.
    pub fn nearest(&self, scan: &Scan, k: usize) -> Result<Neighbours<f32>, IndexError> {
        scan.nearest_expected(&self.probabilities, &self.weights, k)
    }

    /// Some of the queries.
    pub fn rows(&self, rows: Range<usize>) -> Self {
        let n_bits = self.weights.len();
        let probabilities = self.probabilities[rows.start * n_bits..rows.end * n_bits].to_vec();
        Self { probabilities, weights: self.weights.clone() }
    }
}
