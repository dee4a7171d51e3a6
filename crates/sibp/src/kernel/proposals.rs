//! Proposes whole columns, with the probability of each proposal.

use crate::fault::{Fault, planted};
use crate::state::Proposal;
use rand::{Rng, RngExt};

/// Proposes the owners of a new bit.
pub trait ColumnProposal {
    /// Its births, as they are counted.
    const BIRTH: Proposal;
    /// The deaths that reverse them, as they are counted.
    const DEATH: Proposal;
    /// Proposes a column of bytes, 0 or 1 an object, possibly empty, with a lower bound on its log probability.
    fn propose<R: Rng>(&self, n_objects: usize, rng: &mut R) -> (Vec<u8>, f64);
    /// Log probability of proposing this column.
    fn log_probability(&self, column: &[u8]) -> f64;
    /// An upper bound on the log probability of any column with this many owners, found without a pass over objects.
    fn log_probability_bound(&self, n_objects: usize, n_owners: usize) -> f64;
}

/// Coins of one unknown bias, uniform on (0, 1): every number of owners is equally probable.
#[derive(Debug, Clone, Copy)]
pub struct BiasedCoins;

impl ColumnProposal for BiasedCoins {
    const BIRTH: Proposal = Proposal::CoinBirth;
    const DEATH: Proposal = Proposal::CoinDeath;

    fn propose<R: Rng>(&self, n_objects: usize, rng: &mut R) -> (Vec<u8>, f64) {
        let bias: f64 = rng.random();
        let column: Vec<u8> = (0..n_objects).map(|_| u8::from(rng.random::<f64>() < bias)).collect();
        let log_probability = self.log_probability(&column);
        (column, log_probability)
    }

    fn log_probability(&self, column: &[u8]) -> f64 {
        self.log_probability_bound(column.len(), owners(column))
    }

    /// ln[m! (N-m)! / (N+1)!].
    fn log_probability_bound(&self, n_objects: usize, n_owners: usize) -> f64 {
        let (n, m) = (n_objects as f64, n_owners as f64);
        libm::lgamma(m + 1.0) + libm::lgamma(n - m + 1.0) - libm::lgamma(n + 2.0)
    }
}

/// Probability that a proposed column includes a member of the neighbourhood, and that it excludes a non-member.
const FAITHFUL: f64 = 0.98;

/// The neighbourhood of a random object, each membership kept with probability 0.98.
#[derive(Debug, Clone, Copy)]
pub struct AroundNeighbourhood<'a> {
    /// Members of each object's neighbourhood.
    neighbourhoods: &'a [Vec<u32>],
    /// Size of the largest neighbourhood.
    largest: usize,
}

impl<'a> AroundNeighbourhood<'a> {
    /// Builds proposals around the neighbourhoods of all objects.
    pub fn new(neighbourhoods: &'a [Vec<u32>]) -> Self {
        Self { neighbourhoods, largest: neighbourhoods.iter().map(Vec::len).max().unwrap_or(0) }
    }

    /// Log probability of a column that differs from a known centre's neighbourhood for this many objects.
    fn log_around(n_objects: usize, n_unfaithful: usize) -> f64 {
        n_objects as f64 * FAITHFUL.ln() - n_unfaithful as f64 * (FAITHFUL.ln() - (1.0 - FAITHFUL).ln())
    }
}

impl ColumnProposal for AroundNeighbourhood<'_> {
    const BIRTH: Proposal = Proposal::NeighbourhoodBirth;
    const DEATH: Proposal = Proposal::NeighbourhoodDeath;

    fn propose<R: Rng>(&self, n_objects: usize, rng: &mut R) -> (Vec<u8>, f64) {
        let centre = rng.random_range(0..n_objects);
        let mut column: Vec<u8> = (0..n_objects).map(|_| u8::from(rng.random::<f64>() >= FAITHFUL)).collect();
        let of_centre = Self::log_around(n_objects, owners(&column));
        for &member in &self.neighbourhoods[centre] {
            column[member as usize] ^= 1;
        }
        (column, of_centre - (n_objects as f64).ln())
    }

    /// The probability is a mixture over all centres.
    fn log_probability(&self, column: &[u8]) -> f64 {
        let n_owners = owners(column);
        let log_of = |members: &Vec<u32>| {
            let inside: usize = members.iter().map(|&member| usize::from(column[member as usize])).sum();
            Self::log_around(column.len(), (members.len() - inside) + (n_owners - inside))
        };
        let logs: Vec<f64> = self.neighbourhoods.iter().map(log_of).collect();
        let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if planted(Fault::BestCentreOnly) {
            return best - (column.len() as f64).ln();
        }
        let sum: f64 = logs.iter().map(|log| (log - best).exp()).sum();
        best + (sum / column.len() as f64).ln()
    }

    /// No neighbourhood has more owners inside than members.
    fn log_probability_bound(&self, n_objects: usize, n_owners: usize) -> f64 {
        Self::log_around(n_objects, n_owners.saturating_sub(self.largest))
    }
}

/// How many objects own the column.
pub fn owners(column: &[u8]) -> usize {
    column.iter().map(|&bit| usize::from(bit)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    /// Both proposals are probabilities over all columns.
    #[test]
    fn probabilities_sum_to_one() {
        let neighbourhoods = vec![vec![0, 1], vec![0, 1, 3], vec![2], vec![1, 2, 3]];
        let around = AroundNeighbourhood::new(&neighbourhoods);
        let columns = (0..16u8).map(|bits| (0..4).map(|at| bits >> at & 1).collect::<Vec<u8>>());
        let (mut coins_total, mut around_total) = (0.0, 0.0);
        for column in columns {
            coins_total += BiasedCoins.log_probability(&column).exp();
            around_total += around.log_probability(&column).exp();
        }
        assert!((coins_total - 1.0f64).abs() < 1e-12);
        assert!((around_total - 1.0f64).abs() < 1e-12);
    }

    /// What is known without a pass over all neighbourhoods holds for the probability itself.
    #[test]
    fn bounds_hold() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let neighbourhoods: Vec<Vec<u32>> =
            (0..9).map(|at| (0..9).filter(|o| (o * at + at) % 4 == 1).collect()).collect();
        let around = AroundNeighbourhood::new(&neighbourhoods);
        for _ in 0..500 {
            let (column, at_least) = around.propose(9, &mut rng);
            let log_probability = around.log_probability(&column);
            assert!(at_least <= log_probability + 1e-12);
            let random: Vec<u8> = (0..9).map(|_| rng.random_range(0..2)).collect();
            for column in [column, random] {
                let bound = around.log_probability_bound(9, owners(&column));
                assert!(around.log_probability(&column) <= bound + 1e-12, "{column:?}");
            }
        }
    }
}
