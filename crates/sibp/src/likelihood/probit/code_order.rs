//! Compares the order in which codes rank objects with that of learned codes.

use crate::codes::Codes;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Random triples of objects whose order is looked at.
const TRIPLES: usize = 40_000;

/// How learned codes order pairs of objects by their distance from a third.
pub struct CodeOrder {
    /// The learned bits, by column.
    columns: Vec<Vec<bool>>,
    /// Three objects, and how much nearer the second is to the first than the third is.
    triples: Vec<([usize; 3], f64)>,
}

impl CodeOrder {
    /// Of random triples of the objects with these columns of bits.
    pub fn of(columns: Vec<Vec<bool>>) -> Self {
        let n = columns.first().map_or(0, Vec::len);
        let codes = codes_of(n, &columns);
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let triple = |_| {
            let objects: [usize; 3] = std::array::from_fn(|_| rng.random_range(0..n));
            (objects, nearer(&codes, objects))
        };
        let n_triples = if n == 0 { 0 } else { TRIPLES };
        let triples = (0..n_triples).map(triple).filter(|(_, nearer)| *nearer > 0.0).collect();
        Self { columns, triples }
    }

    /// The share of these orders, each as important as its difference, that other codes agree with. Their bits are the
    /// learned ones where margins are positive.
    pub fn agreement(&self, margins: &[Vec<f64>]) -> f64 {
        let is_one = |(&bit, &margin): (&bool, &f64)| bit == (margin > 0.0);
        let columns: Vec<Vec<bool>> = self
            .columns
            .iter()
            .zip(margins)
            .map(|(bits, margins)| bits.iter().zip(margins).map(is_one).collect())
            .collect();
        let codes = codes_of(columns.first().map_or(0, Vec::len), &columns);
        let (mut agreed, mut total) = (0.0, 0.0);
        for (objects, weight) in &self.triples {
            let found = nearer(&codes, *objects);
            agreed += weight * if found == 0.0 { 0.5 } else { f64::from(u8::from(found > 0.0)) };
            total += weight;
        }
        agreed / f64::max(total, 1.0)
    }
}

/// Codes with these columns.
fn codes_of(n: usize, columns: &[Vec<bool>]) -> Codes {
    let mut codes = Codes::zeros(n, columns.len());
    for (bit, column) in columns.iter().enumerate() {
        (0..n).filter(|&object| column[object]).for_each(|object| codes.set(object, bit, true));
    }
    codes
}

/// How much nearer the second object is to the first than the third is.
fn nearer(codes: &Codes, [a, b, c]: [usize; 3]) -> f64 {
    let to = |other: usize| f64::from(codes.distance(a, codes.row(other)));
    to(c) - to(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_learned_bits_agree_and_their_opposites_do_too_but_not_one_of_two() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let columns: Vec<Vec<bool>> = (0..2).map(|_| (0..50).map(|_| rng.random()).collect()).collect();
        let order = CodeOrder::of(columns);
        let margins = |signs: [f64; 2]| signs.map(|sign| vec![sign; 50]);
        assert_eq!(order.agreement(&margins([1.0, 1.0])), 1.0);
        assert_eq!(order.agreement(&margins([-1.0, 1.0])), 1.0);
        let mut half = margins([1.0, 1.0]);
        half[1].iter_mut().step_by(2).for_each(|margin| *margin = -1.0);
        let found = order.agreement(&half);
        assert!(found > 0.55 && found < 0.95, "{found}");
    }
}
