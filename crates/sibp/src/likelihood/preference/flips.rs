//! Scores and carries out flips of an object's bits over the triplets gathered for it.
//!
//! Every term is computed from exact A and B, so that even one that almost vanishes keeps its digits.

use super::products::{Fraction, Products, Terms};
use super::scoring::{Scoring, ScoringLanes};
use crate::numerics::simd::LANES;
use crate::numerics::vector::{Chunk, SIGN, Vector, by_vectors};
use std::marker::PhantomData;

/// One feature of the visited object as a change of every triplet it takes part in.
#[derive(Debug, Clone, Copy)]
pub struct Flip {
    /// Brings the feature's bit of a word to the place of the sign.
    shift: u32,
    /// The sign bit if the feature would be switched on.
    to: u64,
    /// Its weight.
    weight: f64,
}

impl Flip {
    /// Changes nothing.
    pub const NONE: Self = Self { shift: 0, to: 0, weight: 0.0 };

    /// Sets feature `feature_ix`, of this weight, to `to`.
    pub fn new(feature_ix: usize, to: bool, weight: f64) -> Self {
        Self { shift: 63 - (feature_ix % 64) as u32, to: if to { SIGN } else { 0 }, weight }
    }

    /// The weight, negative where the bit of the word is not the state it changes to.
    #[inline(always)]
    fn signed<V: Vector>(&self, words: V::Words) -> V::Doubles {
        V::with_sign(V::splat(self.weight), V::shift_left(words, self.shift), self.to)
    }
}

/// The triplets of one object in one role, side by side.
#[derive(Debug, Clone, Copy)]
pub struct Gathered<'a> {
    /// How many there are; the last chunk may hold more.
    pub n: usize,
    /// A of each triplet.
    pub a: &'a [Chunk<f64>],
    /// B of each triplet.
    pub b: &'a [Chunk<f64>],
    /// First word of each (see [`Role`]).
    pub first: &'a [Chunk<u64>],
    /// Second word of each.
    pub second: &'a [Chunk<u64>],
}

/// What the two words of a triplet mean, and what a flip does to its A and B.
trait Role {
    /// A + B is the same after any flip.
    const TOTAL_STAYS: bool;

    fn after<V: Vector>(
        flip: &Flip,
        sums: (V::Doubles, V::Doubles),
        words: (V::Words, V::Words),
    ) -> (V::Doubles, V::Doubles);
}

/// The object is the anchor. Words: whether near and far differ; near's bits.
struct Anchor;

impl Role for Anchor {
    const TOTAL_STAYS: bool = true;

    #[inline(always)]
    fn after<V: Vector>(
        flip: &Flip,
        (a, b): (V::Doubles, V::Doubles),
        (matters, near): (V::Words, V::Words),
    ) -> (V::Doubles, V::Doubles) {
        let change = flip.signed::<V>(near);
        let nothing = V::splat(0.0);
        let change = V::select(V::shift_left(matters, flip.shift), change, nothing);
        (V::add(a, change), V::add(b, V::with_sign(change, V::load_words(&[SIGN; LANES]), 0)))
    }
}

/// The object is near or far: exactly one state of its bit counts. Words: which one; whether it counts for A.
struct Other;

impl Role for Other {
    const TOTAL_STAYS: bool = false;

    #[inline(always)]
    fn after<V: Vector>(
        flip: &Flip,
        (a, b): (V::Doubles, V::Doubles),
        (counts, for_a): (V::Words, V::Words),
    ) -> (V::Doubles, V::Doubles) {
        let change = flip.signed::<V>(counts);
        let for_a = V::shift_left(for_a, flip.shift);
        (V::select(for_a, V::add(a, change), a), V::select(for_a, b, V::add(b, change)))
    }
}

/// Triplets of an object in one role, after a flip.
struct After<'a, V: Vector, R, const EMPTY: bool> {
    triplets: Gathered<'a>,
    flip: Flip,
    scoring: ScoringLanes<V>,
    role: PhantomData<R>,
}

impl<V: Vector, R: Role, const EMPTY: bool> Terms<V> for After<'_, V, R, EMPTY> {
    #[inline(always)]
    fn fractions(&self, chunk: usize) -> (V::Doubles, V::Doubles) {
        let triplets = &self.triplets;
        let sums = (V::load(&triplets.a[chunk]), V::load(&triplets.b[chunk]));
        let words = (V::load_words(&triplets.first[chunk]), V::load_words(&triplets.second[chunk]));
        let (top, bottom) = self.scoring.fractions::<EMPTY>(R::after::<V>(&self.flip, sums, words));
        if R::TOTAL_STAYS { (top, V::splat(1.0)) } else { (top, bottom) }
    }
}

impl<'a> Gathered<'a> {
    /// The same, in slices of one length, which a loop need not check apart.
    #[inline(always)]
    fn trimmed(&self) -> Gathered<'a> {
        let n_chunks = self.n.div_ceil(LANES);
        Gathered {
            n: self.n,
            a: &self.a[..n_chunks],
            b: &self.b[..n_chunks],
            first: &self.first[..n_chunks],
            second: &self.second[..n_chunks],
        }
    }

    #[inline(always)]
    fn multiply_after<V: Vector, R: Role>(&self, flip: Flip, scoring: &Scoring, products: &mut Products<V>) {
        let (triplets, lanes, role) = (self.trimmed(), ScoringLanes::<V>::new(scoring), PhantomData::<R>);
        if scoring.pseudo > 0.0 {
            products.times_all(self.n, &After::<V, R, false> { triplets, flip, scoring: lanes, role });
        } else {
            products.times_all(self.n, &After::<V, R, true> { triplets, flip, scoring: lanes, role });
        }
    }
}

#[inline(always)]
fn after_flip_body<V: Vector>(anchored: Gathered<'_>, others: Gathered<'_>, flip: Flip, scoring: &Scoring) -> Fraction {
    let mut products = Products::<V>::new();
    anchored.multiply_after::<V, Anchor>(flip, scoring, &mut products);
    others.multiply_after::<V, Other>(flip, scoring, &mut products);
    products.fraction()
}

by_vectors! {
    /// Probability of an object's triplets after a flip, up to denominators that no flip changes.
    after_flip, after_flip_at = after_flip_body(
        anchored: Gathered<'_>,
        others: Gathered<'_>,
        flip: Flip,
        scoring: &Scoring
    ) -> Fraction
}

/// A and B of some triplets, to be changed.
pub type SumsMut<'a> = (&'a mut [Chunk<f64>], &'a mut [Chunk<f64>]);
/// Both words of some triplets.
pub type Words<'a> = (&'a [Chunk<u64>], &'a [Chunk<u64>]);

#[inline(always)]
fn apply<V: Vector, R: Role>(sums: SumsMut<'_>, words: Words<'_>, flip: Flip) {
    let n = sums.0.len();
    let (a, b, first, second) = (sums.0, &mut sums.1[..n], &words.0[..n], &words.1[..n]);
    for chunk in 0..n {
        let words = (V::load_words(&first[chunk]), V::load_words(&second[chunk]));
        let (new_a, new_b) = R::after::<V>(&flip, (V::load(&a[chunk]), V::load(&b[chunk])), words);
        V::store(new_a, &mut a[chunk]);
        V::store(new_b, &mut b[chunk]);
    }
}

#[inline(always)]
fn apply_flip_body<V: Vector>((a, b): SumsMut<'_>, (first, second): Words<'_>, n_anchored: usize, flip: Flip) {
    let ((a_anchored, a_others), (b_anchored, b_others)) = (a.split_at_mut(n_anchored), b.split_at_mut(n_anchored));
    let (first, second) = (first.split_at(n_anchored), second.split_at(n_anchored));
    apply::<V, Anchor>((a_anchored, b_anchored), (first.0, second.0), flip);
    apply::<V, Other>((a_others, b_others), (first.1, second.1), flip);
}

by_vectors! {
    /// Carries a flip out on an object's sums, of which the first `n_anchored` chunks are of triplets it anchors.
    apply_flip, apply_flip_at = apply_flip_body(sums: SumsMut<'_>, words: Words<'_>, n_anchored: usize, flip: Flip)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::simd::{Level, level};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const N: usize = 150;

    /// Chunks of numbers or words, with more lanes than any test uses.
    fn chunks<T>(mut draw: impl FnMut() -> T) -> Vec<Chunk<T>> {
        (0..N.div_ceil(LANES)).map(|_| std::array::from_fn(|_| draw())).collect()
    }

    /// All instruction sets of the machine give the same bits, whatever the number of triplets.
    #[test]
    fn every_level_gives_the_same_bits() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let levels: Vec<Level> =
            [Level::Portable, Level::Avx2, Level::Avx512].into_iter().filter(|&l| l <= level()).collect();
        for case in 0..2_000 {
            let pseudo_weight = if case % 2 == 0 { 0.0 } else { 7.5 };
            let scoring = Scoring::new(10f64.powf(-6.0 * rng.random::<f64>()), pseudo_weight);
            let mut sums = || chunks(|| f64::from(rng.random_range(0..40u8)) / 4.0);
            let (a, b) = (sums(), sums());
            let (first, second) = (chunks(|| rng.random::<u64>()), chunks(|| rng.random::<u64>()));
            let flip = Flip::new(rng.random_range(0..64), rng.random(), 0.25 + f64::from(rng.random_range(0..9u8)));
            let mut gathered = || Gathered { n: rng.random_range(0..=N), a: &a, b: &b, first: &first, second: &second };
            let (anchored, others) = (gathered(), gathered());
            let at = |level: Level| {
                let (mut new_a, mut new_b) = (a.clone(), b.clone());
                apply_flip_at(level, (&mut new_a, &mut new_b), (&first, &second), 3, flip);
                (after_flip_at(level, anchored, others, flip, &scoring), new_a, new_b)
            };
            let results: Vec<_> = levels.iter().map(|&level| at(level)).collect();
            assert!(results.iter().all(|result| result == &results[0]), "case {case}: {levels:?}");
        }
    }
}
