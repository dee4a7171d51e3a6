//! Defines the cost of each stored bit for each query, and the order of summation that defines a weighted distance.

use std::borrow::Cow;
use std::ops::Range;

use super::error::IndexError;
use super::planes::STRIP;
use crate::backing::Line;
use crate::codes::Codes;

/// The costs of stored bits for every query of a search.
#[derive(Debug)]
pub(crate) enum Costs<'a> {
    /// A differing bit costs its weight.
    Weighted { queries: &'a Codes, by_difference: ByteSums },
    /// A bit costs its weight times the probability that it differs.
    Expected { n_bits: usize, probabilities: &'a [f32], weights: &'a [f32] },
}

impl<'a> Costs<'a> {
    pub fn weighted(queries: &'a Codes, weights: &[f32]) -> Result<Self, IndexError> {
        check_weights(weights, queries.n_bits())?;
        let costs: Vec<[f64; 2]> = weights.iter().map(|&w| [0.0, f64::from(w)]).collect();
        Ok(Self::Weighted { queries, by_difference: ByteSums::new(&costs) })
    }

    pub fn expected(probabilities: &'a [f32], n_bits: usize, weights: &'a [f32]) -> Result<Self, IndexError> {
        check_weights(weights, n_bits)?;
        if !probabilities.len().is_multiple_of(n_bits) {
            return Err(IndexError::ProbabilityCount { n_bits, found: probabilities.len() });
        }
        if let Some(at) = probabilities.iter().position(|p| !(0.0..=1.0).contains(p)) {
            let (query, bit) = (at / n_bits, at % n_bits);
            return Err(IndexError::Probability { query, bit, value: probabilities[at] });
        }
        Ok(Self::Expected { n_bits, probabilities, weights })
    }

    pub fn n_queries(&self) -> usize {
        match self {
            Self::Weighted { queries, .. } => queries.n_objects(),
            Self::Expected { n_bits, probabilities, .. } => probabilities.len() / n_bits,
        }
    }

    /// The distances of one query.
    pub fn scorer(&self, query: usize) -> Scorer<'_> {
        match self {
            Self::Weighted { queries, by_difference } => {
                Scorer { flip: queries.row(query).to_vec(), sums: Cow::Borrowed(by_difference) }
            }
            Self::Expected { n_bits, probabilities, weights } => {
                let row = &probabilities[query * n_bits..(query + 1) * n_bits];
                let costs: Vec<[f64; 2]> = row.iter().zip(*weights).map(|(&p, &w)| expected_cost(p, w)).collect();
                Scorer { flip: vec![0; n_bits.div_ceil(8)], sums: Cow::Owned(ByteSums::new(&costs)) }
            }
        }
    }
}

fn expected_cost(probability: f32, weight: f32) -> [f64; 2] {
    let (p, w) = (f64::from(probability), f64::from(weight));
    [w * p, w * (1.0 - p)]
}

fn check_weights(weights: &[f32], n_bits: usize) -> Result<(), IndexError> {
    if weights.len() != n_bits {
        return Err(IndexError::WeightCount { expected: n_bits, found: weights.len() });
    }
    if let Some(bit) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
        return Err(IndexError::Weight { bit, value: weights[bit] });
    }
    let sum: f64 = weights.iter().map(|&w| f64::from(w)).sum();
    if sum > f64::from(f32::MAX) {
        return Err(IndexError::WeightSum { sum });
    }
    Ok(())
}

/// Sums of costs by the value of a byte, one table for each byte plane.
#[derive(Debug, Clone)]
pub(crate) struct ByteSums(Vec<[f64; 256]>);

impl ByteSums {
    fn new(costs: &[[f64; 2]]) -> Self {
        Self(costs.chunks(8).map(byte_sums).collect())
    }
}

/// Adds the costs of a byte's bits in order; unused bits, which are 0 in codes, cost nothing.
fn byte_sums(costs: &[[f64; 2]]) -> [f64; 256] {
    let mut sums = [0.0; 256];
    for bit in 0..8 {
        let cost = costs.get(bit).copied().unwrap_or([0.0, 0.0]);
        // The first 2^bit entries hold the sums over the bits before; doubling from the back reads each before it is
        // overwritten.
        for value in (0..1 << bit).rev() {
            let sum: f64 = sums[value];
            sums[2 * value] = sum + cost[0];
            sums[2 * value + 1] = sum + cost[1];
        }
    }
    sums
}

/// One query's exact distances.
#[derive(Debug)]
pub(crate) struct Scorer<'a> {
    /// Xored into a code before its bytes are looked up.
    flip: Vec<u8>,
    sums: Cow<'a, ByteSums>,
}

impl Scorer<'_> {
    /// The distance of a code: the bytes' sums are added in order in f64 and rounded once to f32.
    pub fn distance(&self, code: impl Iterator<Item = u8>) -> f32 {
        let sums = self.sums.0.iter().zip(&self.flip).zip(code);
        sums.fold(0.0, |sum, ((table, flip), byte)| sum + table[usize::from(byte ^ flip)]) as f32
    }

    /// The distances of all codes of a strip, given its lines; equal to [`Self::distance`] of each.
    pub fn distances<'l>(&self, lines: impl Iterator<Item = &'l Line>) -> [f32; STRIP] {
        let mut totals = [0.0; STRIP];
        for ((table, flip), line) in self.sums.0.iter().zip(&self.flip).zip(lines) {
            for (total, byte) in totals.iter_mut().zip(&line.0) {
                *total += table[usize::from(byte ^ flip)];
            }
        }
        totals.map(|total: f64| total as f32)
    }

    /// The cost of each value of some bits of a byte, above their cheapest value; bits count from the lowest. Exact up
    /// to a few roundings of f64.
    pub fn part_costs(&self, plane: usize, bits: Range<u32>) -> Vec<f64> {
        let (table, flip) = (&self.sums.0[plane], self.flip[plane]);
        // Costs of the other bits are the same for all values, and cancel with the minimum.
        let costs = (0..1u8 << bits.len()).map(|value| table[usize::from(value << bits.start ^ flip)]);
        let costs: Vec<f64> = costs.collect();
        let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
        costs.into_iter().map(|cost| cost - least).collect()
    }

    /// The smallest and the largest distance that any code can have, up to a few roundings of f64.
    pub fn range(&self) -> (f64, f64) {
        let least = |table: &[f64; 256]| table.iter().copied().fold(f64::INFINITY, f64::min);
        let most = |table: &[f64; 256]| table.iter().copied().fold(0.0, f64::max);
        (self.sums.0.iter().map(least).sum(), self.sums.0.iter().map(most).sum())
    }
}
