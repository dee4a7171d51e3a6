//! Computes x·g of all objects and bits by one matrix product, in parts that threads can share.

use super::{Basis, ColumnFit};
use crate::numerics::linalg::{Mat, product, view};
use crate::numerics::normal_table::log_cdf;
use crate::parallel::{PART, map, parts};

/// x·g of every object and bit.
pub struct Heights {
    /// Objects x bits, in column order, a part after the other.
    parts: Vec<Mat<f64>>,
}

impl Heights {
    /// Computes all heights by one matrix product.
    pub fn new(basis: &Basis, fits: &[ColumnFit], threads: usize) -> Self {
        let (k, width) = (fits.len(), basis.width());
        let coefficients: Vec<f64> = fits.iter().flat_map(|fit| fit.coefficients.iter().copied()).collect();
        let coefficients = basis.towards_rows(k, &coefficients);
        let coefficients = view(&coefficients, k, width);
        let ranges: Vec<_> = parts(basis.n_objects()).collect();
        let part = |at: usize| {
            let n = ranges[at].len();
            product(view(&basis.rows_of(ranges[at].clone()), n, width), coefficients.transpose(), 1.0)
        };
        Self { parts: map(threads, ranges.len(), part) }
    }

    /// Heights of one bit, part after part.
    pub fn column(&self, bit_ix: usize) -> impl Iterator<Item = &[f64]> {
        self.parts.iter().map(move |part| part.col_as_slice(bit_ix))
    }

    /// The parts: objects x bits each.
    pub fn parts(&self) -> &[Mat<f64>] {
        &self.parts
    }

    /// ln Φ(x·g + t) - ln Φ(-(x·g + t)) of every object and bit.
    pub fn log_odds(&self, fits: &[ColumnFit], threads: usize) -> Odds {
        let k = fits.len();
        let part = |at: usize| {
            let heights = &self.parts[at];
            let mut odds = vec![0.0; heights.nrows() * k];
            for (bit_ix, fit) in fits.iter().enumerate() {
                for (row, height) in heights.col_as_slice(bit_ix).iter().enumerate() {
                    let x = height + fit.stick;
                    odds[row * k + bit_ix] = log_cdf(x) - log_cdf(-x);
                }
            }
            odds
        };
        Odds { n_bits: k, parts: map(threads, self.parts.len(), part) }
    }
}

/// Log odds of every bit given the inputs, objects x bits.
pub struct Odds {
    n_bits: usize,
    parts: Vec<Vec<f64>>,
}

impl Odds {
    /// Log odds of one object's bits.
    pub fn row(&self, object_ix: usize) -> &[f64] {
        let (part, row) = (object_ix / PART, object_ix % PART);
        &self.parts[part][row * self.n_bits..(row + 1) * self.n_bits]
    }
}
