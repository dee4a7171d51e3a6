//! Evaluates and samples the Indian buffet process (Griffiths & Ghahramani 2005).

use crate::bits::BitMatrix;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, Poisson};

/// Logarithms that the process needs for a fixed number of objects.
#[derive(Debug, Clone)]
pub struct IbpTable {
    n_objects: usize,
    log_factorials: Vec<f64>,
    log_odds: Vec<f64>,
    harmonic: f64,
}

impl IbpTable {
    /// Tables for `n_objects` objects.
    pub fn new(n_objects: usize) -> Self {
        let mut log_factorials = vec![0.0; n_objects + 1];
        for n in 1..=n_objects {
            log_factorials[n] = log_factorials[n - 1] + (n as f64).ln();
        }
        let log_odds = (0..n_objects).map(|m| (m as f64).ln() - ((n_objects - m) as f64).ln()).collect();
        let harmonic = (1..=n_objects).map(|n| 1.0 / n as f64).sum();
        Self { n_objects, log_factorials, log_odds, harmonic }
    }

    /// H_N, the sum of 1/n.
    pub fn harmonic(&self) -> f64 {
        self.harmonic
    }

    /// ln π(m) = ln[(N-m)! (m-1)! / N!], the weight of a column with m owners.
    pub fn log_column(&self, n_owners: usize) -> f64 {
        let f = &self.log_factorials;
        f[self.n_objects - n_owners] + f[n_owners - 1] - f[self.n_objects]
    }

    /// Prior log odds that an object owns a bit which `others` of the other objects own.
    pub fn log_odds(&self, others: usize) -> f64 {
        self.log_odds[others]
    }

    /// Log density of an unordered set of columns: αᴷ e^(-αH) Π π(m).
    pub fn log_density(&self, bits: &BitMatrix, concentration: f64) -> f64 {
        let columns: f64 = bits.counts().iter().map(|&m| self.log_column(m as usize)).sum();
        bits.n_bits() as f64 * concentration.ln() - concentration * self.harmonic + columns
    }
}

/// Draws a bit matrix: customer n takes dish k with probability m_k/n, then Poisson(α/n) new dishes.
pub fn draw<R: Rng>(n_objects: usize, concentration: f64, rng: &mut R) -> BitMatrix {
    let mut columns: Vec<Vec<u8>> = Vec::new();
    let mut counts: Vec<usize> = Vec::new();
    for n in 0..n_objects {
        for (column, count) in columns.iter_mut().zip(&mut counts) {
            if rng.random::<f64>() * ((n + 1) as f64) < *count as f64 {
                column[n] = 1;
                *count += 1;
            }
        }
        for _ in 0..draw_poisson(concentration / (n + 1) as f64, rng) {
            let mut column = vec![0; n_objects];
            column[n] = 1;
            columns.push(column);
            counts.push(1);
        }
    }
    let mut bits = BitMatrix::new(n_objects);
    for column in &columns {
        bits.push_column(column);
    }
    bits
}

/// A Poisson count; 0 where the rate is too small for the library's sampler.
pub fn draw_poisson<R: Rng>(rate: f64, rng: &mut R) -> usize {
    match Poisson::new(rate) {
        Ok(poisson) => {
            let count: f64 = poisson.sample(rng);
            count as usize
        }
        Err(_) => 0,
    }
}
