//! Evaluates and samples the distance-dependent IBP (Gershman, Frazier & Blei 2015): owners, links, and which objects
//! reach which.

use super::ibp::draw_poisson;
use super::proximity::Proximity;
use crate::bits::BitMatrix;
use crate::numerics::simd::axpy;
use rand::Rng;

/// A bit as the process makes it: every object links to one object, and those that reach the owner own the bit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedColumn {
    /// The object that brought the bit. Its own link does not affect who owns the bit.
    pub owner: u32,
    /// The object that each object links to.
    pub links: Vec<u32>,
}

impl LinkedColumn {
    /// Draws links from the prior, for a given owner.
    pub fn draw_with_owner<R: Rng>(owner: usize, proximity: &Proximity, rng: &mut R) -> Self {
        let links = (0..proximity.n_objects()).map(|object_ix| proximity.draw_link(object_ix, rng) as u32).collect();
        Self { owner: owner as u32, links }
    }

    /// Draws an owner with probability ∝ 1/h, and links from the prior.
    pub fn draw<R: Rng>(proximity: &Proximity, rng: &mut R) -> Self {
        Self::draw_with_owner(proximity.draw_owner(rng), proximity, rng)
    }

    /// The column of the bit: 1 for each object whose links lead to the owner.
    pub fn bits(&self) -> Vec<u8> {
        const UNKNOWN: u8 = 2;
        const ON_PATH: u8 = 3;
        let mut bits = vec![UNKNOWN; self.links.len()];
        bits[self.owner as usize] = 1;
        let mut path = Vec::new();
        for start in 0..self.links.len() {
            let mut at = start;
            while bits[at] == UNKNOWN {
                bits[at] = ON_PATH;
                path.push(at);
                at = self.links[at] as usize;
            }
            // A path that meets itself is a cycle, which never reaches the owner.
            let end = if bits[at] == ON_PATH { 0 } else { bits[at] };
            for object_ix in path.drain(..) {
                bits[object_ix] = end;
            }
        }
        bits
    }

    /// ln[(1/h of the owner) Π f/h]: all of a bit's density but α.
    pub fn log_weight(&self, proximity: &Proximity) -> f64 {
        let link = |(i, &j): (usize, &u32)| proximity.row(i)[j as usize].ln() - proximity.sum(i).ln();
        self.links.iter().enumerate().map(link).sum::<f64>() - proximity.sum(self.owner as usize).ln()
    }
}

/// ln of a column's weight with owner and links summed over: Σ (1/h of the owner) Π f/h over all that give these bits.
///
/// An object that does not own the bit links to another such object. The links of the owners form a tree with the
/// bringer as its root, and weighted trees are counted by eliminating one object after another (the matrix-tree
/// theorem, in the form of Grassmann, Taksar & Heyman, which subtracts nothing and so loses no digits).
pub fn log_column(bits: &[u8], proximity: &Proximity) -> f64 {
    let (owners, others): (Vec<usize>, Vec<usize>) = (0..bits.len()).partition(|&object_ix| bits[object_ix] == 1);
    let apart = |&i: &usize| -> f64 { others.iter().map(|&j| proximity.row(i)[j]).sum::<f64>().ln() };
    let sums: f64 = (0..bits.len()).map(|object_ix| proximity.sum(object_ix).ln()).sum();
    others.iter().map(apart).sum::<f64>() + log_trees(&owners, proximity) - sums
}

/// ln of the sum over all trees that join these objects, with each of them as root, of the product of proximities.
fn log_trees(members: &[usize], proximity: &Proximity) -> f64 {
    let n = members.len();
    let mut flow: Vec<f64> = members.iter().flat_map(|&i| members.iter().map(move |&j| proximity.row(i)[j])).collect();
    let (mut log_product, mut out) = (0.0, vec![0.0; n]);
    for last in (1..n).rev() {
        let (rest, row) = flow.split_at_mut(last * n);
        let row = &row[..last];
        out[last] = row.iter().sum();
        log_product += f64::ln(out[last]);
        for to in rest.chunks_exact_mut(n) {
            let through = to[last] / out[last];
            axpy(through, row, &mut to[..last]);
        }
    }
    // Weights of the roots relative to the first, as far as they are known.
    let mut roots = vec![1.0; n];
    for at in 1..n {
        roots[at] = (0..at).map(|i| roots[i] * flow[i * n + at]).sum::<f64>() / out[at];
    }
    log_product + roots.iter().sum::<f64>().ln()
}

/// Draws all bits: object i brings Poisson(α/h_i).
pub fn draw<R: Rng>(concentration: f64, proximity: &Proximity, rng: &mut R) -> Vec<LinkedColumn> {
    let mut columns = Vec::new();
    for owner in 0..proximity.n_objects() {
        for _ in 0..draw_poisson(concentration / proximity.sum(owner), rng) {
            columns.push(LinkedColumn::draw_with_owner(owner, proximity, rng));
        }
    }
    columns
}

/// Log density of an unordered set of columns, owners and links summed over: αᴷ e^(-α Σ 1/h) Π weights.
pub fn log_density(bits: &BitMatrix, concentration: f64, proximity: &Proximity) -> f64 {
    let k = bits.n_bits();
    let columns: f64 = (0..k).map(|bit_ix| log_column(&bits.column(bit_ix), proximity)).sum();
    k as f64 * concentration.ln() - concentration * proximity.total_rate() + columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Streams};
    use rand::RngExt;

    #[test]
    fn bits_are_those_of_a_walk_along_the_links() {
        let mut rng = Streams::new(1, 0).rng(Purpose::Verify, 0, 0);
        for _ in 0..2000 {
            let n = rng.random_range(1..12);
            let links: Vec<u32> = (0..n).map(|_| rng.random_range(0..n)).collect();
            let column = LinkedColumn { owner: rng.random_range(0..n), links };
            let reaches = |start: u32| {
                let mut at = start;
                for _ in 0..n {
                    if at == column.owner {
                        break;
                    }
                    at = column.links[at as usize];
                }
                u8::from(at == column.owner)
            };
            assert_eq!(column.bits(), (0..n).map(reaches).collect::<Vec<_>>(), "{column:?}");
        }
    }
}
