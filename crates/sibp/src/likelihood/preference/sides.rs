//! Finds the triplets in which one bit counts, and scores them with another weight of it.

use super::PreferenceSums;
use super::products::{Fraction, Products, Terms};
use super::scoring::{Lanes, Scoring, by_form};
use crate::numerics::simd::LANES;
use crate::numerics::vector::{Chunk, Vector, by_vectors, chunk_of};
use crate::triplets::TripletSet;

/// The bit counts for a triplet.
pub(super) const FOR: u8 = 1;
/// The bit counts against a triplet.
pub(super) const AGAINST: u8 = 2;

/// The effect of a bit on every triplet: it counts for it, against it or not at all; entries behind the last triplet
/// are 0.
#[derive(Debug, Clone, Default)]
pub struct Sides(pub(super) Vec<Chunk<u8>>);

impl Sides {
    /// Computes the sides of a bit with this column.
    pub fn fill(&mut self, triplets: &TripletSet, column: &[u8]) {
        self.0.resize(triplets.len().div_ceil(LANES), [0; LANES]);
        let sides = self.0.as_flattened_mut();
        sides[triplets.len()..].fill(0);
        for anchor_ix in 0..triplets.n_objects() {
            let (range, anchor) = (triplets.anchored(anchor_ix), column[anchor_ix]);
            for (side, t) in sides[range.clone()].iter_mut().zip(&triplets.triplets()[range]) {
                let (near, far) = (column[t.near as usize], column[t.far as usize]);
                let (matters, with_far) = (near ^ far, near ^ anchor);
                *side = matters << (matters & with_far);
            }
        }
    }

    /// Log likelihood of all triplets if the bit's weight changed by `change`.
    pub fn log_likelihood(&self, sums: &PreferenceSums, change: f64, scoring: &Scoring) -> f64 {
        probability((&sums.a, &sums.b), &self.0, change, &sums.slips, scoring).ln()
    }

    /// Changes the bit's weight by `change` in all sums.
    pub fn add(&self, sums: &mut PreferenceSums, change: f64) {
        add((&mut sums.a, &mut sums.b), &self.0, change);
    }
}

/// A mask of the lanes in which bit `bit` is set.
#[inline(always)]
pub(super) fn lanes(sides: &Chunk<u8>, bit: u8) -> u8 {
    let bits = u64::from_le_bytes(*sides) >> bit.trailing_zeros() & 0x0101_0101_0101_0101;
    // Moves the lowest bit of byte i to bit 56 + i.
    (bits.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// All triplets, with a change of the bit's weight.
struct Changed<'a, V: Vector, L> {
    sums: (&'a [f64], &'a [f64]),
    sides: &'a [Chunk<u8>],
    change: V::Doubles,
    lanes: L,
}

impl<V: Vector, L: Lanes<V>> Terms<V> for Changed<'_, V, L> {
    #[inline(always)]
    fn fractions(&self, at: usize) -> (V::Doubles, V::Doubles) {
        let (a, b) = (V::load(&chunk_of(self.sums.0, at)), V::load(&chunk_of(self.sums.1, at)));
        let (counts_for, against) = (lanes(&self.sides[at], FOR), lanes(&self.sides[at], AGAINST));
        let new_a = V::select_lanes(counts_for, V::add(a, self.change), a);
        let new_b = V::select_lanes(against, V::add(b, self.change), b);
        self.lanes.fractions((new_a, new_b), at)
    }
}

#[inline(always)]
fn probability_body<V: Vector>(
    sums: (&[f64], &[f64]),
    sides: &[Chunk<u8>],
    change: f64,
    slips: &[f64],
    scoring: &Scoring,
) -> Fraction {
    let (n, change) = (sums.0.len(), V::splat(change));
    let mut products = Products::<V>::new();
    by_form!(V, scoring, slips, lanes => products.times_all(n, &Changed::<V, _> { sums, sides, change, lanes }));
    products.fraction()
}

by_vectors! {
    /// Probability of all triplets with a change of the bit's weight.
    probability, probability_at = probability_body(
        sums: (&[f64], &[f64]),
        sides: &[Chunk<u8>],
        change: f64,
        slips: &[f64],
        scoring: &Scoring
    ) -> Fraction
}

#[inline(always)]
fn add_body<V: Vector>((a, b): (&mut [f64], &mut [f64]), sides: &[Chunk<u8>], change: f64) {
    for (sums, side) in [(a, FOR), (b, AGAINST)] {
        let (whole, rest) = sums.as_chunks_mut::<LANES>();
        let n_whole = whole.len();
        for (sums, sides) in whole.iter_mut().zip(sides) {
            let old = V::load(sums);
            V::store(V::select_lanes(lanes(sides, side), V::add(old, V::splat(change)), old), sums);
        }
        for (sum, of_sum) in rest.iter_mut().zip(sides[n_whole..].as_flattened()) {
            *sum += if of_sum & side == 0 { 0.0 } else { change };
        }
    }
}

by_vectors! {
    /// Adds a change of the bit's weight to all sums.
    add, add_at = add_body(sums: (&mut [f64], &mut [f64]), sides: &[Chunk<u8>], change: f64)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::likelihood::preference::contribution;
    use crate::numerics::level::Level;
    use crate::triplets::Triplet;
    use rand::{Rng, RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Random sums of `n` triplets, and sides on which a bit stands there.
    pub fn draw<R: Rng>(n: usize, rng: &mut R) -> ([Vec<f64>; 2], Vec<Chunk<u8>>) {
        let sums = [(); 2].map(|()| (0..n).map(|_| 1.5 + f64::from(rng.random_range(0..40u8)) / 4.0).collect());
        let mut sides = vec![[0; LANES]; n.div_ceil(LANES)];
        sides.as_flattened_mut()[..n].iter_mut().for_each(|side| *side = rng.random_range(0..3));
        (sums, sides)
    }

    #[test]
    fn every_level_gives_the_same_bits() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for n in 0..200usize {
            let scoring = [Scoring::ratio(0.01, 0.0), Scoring::ratio(0.01, 7.5), Scoring::logistic(0.01, 0.4)][n % 3];
            let slips: Vec<f64> = (0..if n % 2 == 0 { n } else { 0 }).map(|at| 0.01 + 0.001 * at as f64).collect();
            let ([a, b], sides) = draw(n, &mut rng);
            let at = |level: Level| {
                let (mut new_a, mut new_b) = (a.clone(), b.clone());
                add_at(level, (&mut new_a, &mut new_b), &sides, -0.75);
                (probability_at(level, (&a, &b), &sides, -0.75, &slips, &scoring), new_a, new_b)
            };
            let portable = at(Level::Portable);
            assert!(Level::available().into_iter().map(at).all(|found| found == portable), "{n} triplets");
            let whole = PreferenceSums { a: portable.1, b: portable.2, slips: slips.clone() }.log_likelihood(&scoring);
            assert!((portable.0.ln() - whole).abs() < 1e-11);
            let bound = PreferenceSums { a, b, slips }.log_likelihood_without(0.75, &scoring);
            assert!(bound.map_or(n % 3 == 0, |bound| whole <= bound + 1e-11));
        }
    }

    #[test]
    fn sides_are_contributions() {
        let triplets = TripletSet::new(3, vec![Triplet { anchor: 0, near: 1, far: 2 }]).unwrap();
        for key in 0..8u8 {
            let [anchor, near, far] = [key & 1, key >> 1 & 1, key >> 2];
            let mut sums = PreferenceSums { a: vec![4.0], b: vec![4.0], slips: Vec::new() };
            let mut sides = Sides::default();
            sides.fill(&triplets, &[anchor, near, far]);
            sides.add(&mut sums, 1.0);
            let (a, b) = contribution(anchor == 1, near == 1, far == 1);
            assert_eq!(sums.of(0), (4.0 + a, 4.0 + b));
        }
    }
}
