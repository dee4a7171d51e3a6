//! Proposes whole columns, and tells how probable each proposal is.

use rand::{Rng, RngExt};

/// A way to propose the owners of a new feature.
pub trait ColumnProposal {
    /// A column of bytes, 0 or 1 an object; it may be empty.
    fn propose<R: Rng>(&self, n_objects: usize, rng: &mut R) -> Vec<u8>;
    /// Log probability of proposing this column.
    fn log_probability(&self, column: &[u8]) -> f64;
}

/// Coins of one unknown bias, uniform on (0, 1): every number of owners is equally probable.
#[derive(Debug, Clone, Copy)]
pub struct BiasedCoins;

impl ColumnProposal for BiasedCoins {
    fn propose<R: Rng>(&self, n_objects: usize, rng: &mut R) -> Vec<u8> {
        let bias: f64 = rng.random();
        (0..n_objects).map(|_| u8::from(rng.random::<f64>() < bias)).collect()
    }

    /// ln[m! (N-m)! / (N+1)!].
    fn log_probability(&self, column: &[u8]) -> f64 {
        let n = column.len() as f64;
        let m = owners(column) as f64;
        libm::lgamma(m + 1.0) + libm::lgamma(n - m + 1.0) - libm::lgamma(n + 2.0)
    }
}

/// Probability that a proposed column includes a member of the neighbourhood, and excludes a stranger.
const FAITHFUL: f64 = 0.98;

/// The neighbourhood of a random object, each membership kept with probability 0.98.
#[derive(Debug, Clone, Copy)]
pub struct AroundNeighbourhood<'a> {
    /// Members of each object's neighbourhood.
    pub neighbourhoods: &'a [Vec<u32>],
}

impl ColumnProposal for AroundNeighbourhood<'_> {
    fn propose<R: Rng>(&self, n_objects: usize, rng: &mut R) -> Vec<u8> {
        let centre = rng.random_range(0..n_objects);
        let mut column: Vec<u8> = (0..n_objects).map(|_| u8::from(rng.random::<f64>() >= FAITHFUL)).collect();
        for &member in &self.neighbourhoods[centre] {
            column[member as usize] ^= 1;
        }
        column
    }

    /// A mixture over all centres.
    fn log_probability(&self, column: &[u8]) -> f64 {
        let n_objects = column.len() as f64;
        let n_owners = owners(column);
        let log_odds = FAITHFUL.ln() - (1.0 - FAITHFUL).ln();
        let log_of = |members: &Vec<u32>| {
            let inside: usize = members.iter().map(|&member| usize::from(column[member as usize])).sum();
            let unfaithful = (members.len() - inside) + (n_owners - inside);
            -(unfaithful as f64) * log_odds
        };
        let logs: Vec<f64> = self.neighbourhoods.iter().map(log_of).collect();
        let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs.iter().map(|log| (log - best).exp()).sum();
        best + (sum / n_objects).ln() + n_objects * FAITHFUL.ln()
    }
}

/// How many objects own the column.
pub fn owners(column: &[u8]) -> usize {
    column.iter().map(|&bit| usize::from(bit)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both proposals are probabilities over all columns.
    #[test]
    fn probabilities_sum_to_one() {
        let neighbourhoods = vec![vec![0, 1], vec![0, 1, 3], vec![2], vec![1, 2, 3]];
        let around = AroundNeighbourhood { neighbourhoods: &neighbourhoods };
        let columns = (0..16u8).map(|bits| (0..4).map(|at| bits >> at & 1).collect::<Vec<u8>>());
        let (mut coins_total, mut around_total) = (0.0, 0.0);
        for column in columns {
            coins_total += BiasedCoins.log_probability(&column).exp();
            around_total += around.log_probability(&column).exp();
        }
        assert!((coins_total - 1.0f64).abs() < 1e-12);
        assert!((around_total - 1.0f64).abs() < 1e-12);
    }
}
