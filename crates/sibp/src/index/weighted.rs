//! Searches by weighted and expected Hamming distance: what each stored bit costs each query.

use super::error::IndexError;
use super::parallel;
use super::planes::BLOCK;
use super::scan::Scan;
use super::select::Select;
use crate::codes::Codes;

/// For every query, what a stored 0 and a stored 1 cost at each bit.
#[derive(Debug)]
pub(crate) struct Costs {
    n_queries: usize,
    n_bits: usize,
    /// `costs[query · n_bits + bit] = [cost of 0, cost of 1]`.
    costs: Vec<[f64; 2]>,
}

impl Costs {
    /// A differing bit costs its weight.
    pub fn of_codes(queries: &Codes, weights: &[f32]) -> Result<Self, IndexError> {
        check_weights(weights, queries.n_bits())?;
        let cost = |q: usize, bit: usize| {
            let weight = f64::from(weights[bit]);
            if queries.get(q, bit) { [weight, 0.0] } else { [0.0, weight] }
        };
        let n_bits = queries.n_bits();
        let costs = (0..queries.n_objects()).flat_map(|q| (0..n_bits).map(move |bit| cost(q, bit))).collect();
        Ok(Self { n_queries: queries.n_objects(), n_bits, costs })
    }

    /// A bit costs its weight times the probability that it differs.
    pub fn of_probabilities(probabilities: &[f32], n_bits: usize, weights: &[f32]) -> Result<Self, IndexError> {
        check_weights(weights, n_bits)?;
        if !probabilities.len().is_multiple_of(n_bits) {
            return Err(IndexError::ProbabilityCount { n_bits, found: probabilities.len() });
        }
        if let Some(at) = probabilities.iter().position(|p| !(0.0..=1.0).contains(p)) {
            let (query, bit) = (at / n_bits, at % n_bits);
            return Err(IndexError::Probability { query, bit, value: probabilities[at] });
        }
        let cost = |(&p, &w): (&f32, &f32)| [f64::from(w) * f64::from(p), f64::from(w) * (1.0 - f64::from(p))];
        let costs = probabilities.iter().zip(weights.iter().cycle()).map(cost).collect();
        Ok(Self { n_queries: probabilities.len() / n_bits, n_bits, costs })
    }

    pub fn row(&self, query: usize) -> &[[f64; 2]] {
        &self.costs[query * self.n_bits..(query + 1) * self.n_bits]
    }
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

/// Sums of costs by byte value, one table of 256 a plane.
struct ByteSums(Vec<[f64; 256]>);

impl ByteSums {
    fn new(costs: &[[f64; 2]]) -> Self {
        Self(costs.chunks(8).map(byte_sums).collect())
    }

    /// The distance as the search defines it.
    fn distance(&self, code: impl Iterator<Item = u8>) -> f32 {
        self.0.iter().zip(code).fold(0.0, |sum, (table, byte)| sum + table[byte as usize]) as f32
    }
}

fn byte_sums(costs: &[[f64; 2]]) -> [f64; 256] {
    let mut sums = [0.0; 256];
    for (byte, sum) in sums.iter_mut().enumerate() {
        for (bit, cost) in costs.iter().enumerate() {
            *sum += cost[byte >> (7 - bit) & 1];
        }
    }
    sums
}

/// Rows of (bits of the f32 distance, id) of every query; `k` cuts the joined rows.
pub(super) fn run<S: Select>(
    scan: &Scan,
    costs: &Costs,
    k: usize,
    select: &(dyn Fn() -> S + Sync),
) -> Vec<Vec<(u32, u64)>> {
    let planes = &scan.index.planes;
    let parts = parallel::parts(costs.n_queries, planes.n_blocks(), scan.threads, 1);
    parallel::run(&parts, k, &|part| {
        let row = |query| {
            let sums = ByteSums::new(costs.row(query));
            let mut select = select();
            for block in part.blocks.clone() {
                let mut lanes = scan.lanes(block);
                while lanes != 0 {
                    let row = block * BLOCK + lanes.trailing_zeros() as usize;
                    lanes &= lanes - 1;
                    let key = sums.distance(planes.row_bytes(row)).to_bits();
                    if key < select.bound() {
                        select.offer(key, scan.index.ids.get(row));
                    }
                }
            }
            select.finish()
        };
        part.queries.clone().map(row).collect()
    })
}
