//! Computes an upper bound on the gain of any flip of an object's bits under the ratio, so that hopeless flips need no pass over its
//! triplets.
//!
//! A flip of weight w moves w from B to A or back where the object is the anchor; elsewhere it adds w to A or B, or
//! subtracts it. A gain grows with w, so the largest weight gives an upper bound for all.

use super::Scoring;
use crate::numerics::simd::{LANES, at_every_level};
use crate::numerics::vector::Chunk;

/// A and B of triplets in whole chunks, of which the first `n` count.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// Number of triplets.
    pub n: usize,
    /// A of each triplet.
    pub a: &'a [Chunk<f64>],
    /// B of each triplet.
    pub b: &'a [Chunk<f64>],
}

/// Largest ratio of the new probability to the old one. An anchor moves weight from B to A; elsewhere A grows or B
/// shrinks.
#[inline(always)]
fn ratio<const ANCHOR: bool>(a: f64, b: f64, weight: f64, scoring: &Scoring) -> f64 {
    let less = if b < weight { b } else { weight };
    let new = if ANCHOR {
        scoring.highest(a + less, b - less)
    } else {
        let (grown, shrunk) = (scoring.highest(a + weight, b), scoring.highest(a, b - less));
        if grown > shrunk { grown } else { shrunk }
    };
    new / scoring.probability(a, b)
}

#[inline(always)]
fn product<const ANCHOR: bool>(triplets: Evidence<'_>, weight: f64, scoring: &Scoring) -> f64 {
    let mut products = [1.0; LANES];
    for (chunk, (a, b)) in triplets.a.iter().zip(triplets.b).enumerate() {
        for lane in 0..LANES {
            let ratio = ratio::<ANCHOR>(a[lane], b[lane], weight, scoring);
            products[lane] *= if chunk * LANES + lane < triplets.n { ratio } else { 1.0 };
        }
    }
    products.iter().product()
}

#[inline(always)]
fn largest_ratio_body(anchored: Evidence<'_>, others: Evidence<'_>, weight: f64, scoring: &Scoring) -> f64 {
    product::<true>(anchored, weight, scoring) * product::<false>(others, weight, scoring)
}

at_every_level! {
    /// An upper bound on the factor by which any flip of a bit of at most this weight raises the probability of the
    /// triplets; infinite where it overflows a double.
    largest_ratio = largest_ratio_body(anchored: Evidence<'_>, others: Evidence<'_>, weight: f64, scoring: &Scoring) -> f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn gives_the_same_bits_as_without_vectors() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for n in 0..40 {
            let scoring = Scoring::ratio(0.01, if n % 2 == 0 { 0.0 } else { 10.0 });
            let mut sums = || -> Vec<Chunk<f64>> {
                (0..5).map(|_| std::array::from_fn(|_| f64::from(rng.random_range(0..30u8)) / 4.0)).collect()
            };
            let (a, b) = (sums(), sums());
            let (anchored, others) = (Evidence { n, a: &a, b: &b }, Evidence { n: 40 - n, a: &b, b: &a });
            let found = largest_ratio(anchored, others, 1.25, &scoring);
            assert!(found >= 1.0, "{n} anchored triplets");
            assert_eq!(found, largest_ratio_body(anchored, others, 1.25, &scoring));
        }
    }
}
