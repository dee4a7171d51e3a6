//! Scores flips of an object's bits over the triplets gathered for it, several in one pass.

use super::Scoring;
use super::products::{Fraction, Products, Terms};
use super::role::{Anchor, Flip, Other, Role, Words};
use super::scoring::{Lanes, NO_SLIPS, by_form};
use crate::numerics::simd::LANES;
use crate::numerics::vector::{Chunk, Vector, by_vectors};
use std::marker::PhantomData;

/// Flips scored in one pass.
pub const GROUP: usize = 4;

/// The triplets of one object in one role, in contiguous arrays, with the words of several flips.
///
/// What is gathered of their sums depends on the form of the probability: see [`Lanes::gathered`].
#[derive(Debug, Clone, Copy)]
pub struct Gathered<'a, const N: usize> {
    /// Number of triplets; the last chunk may hold more.
    pub n: usize,
    /// The first value gathered of each triplet.
    pub first: &'a [Chunk<f64>],
    /// The second value gathered of each triplet.
    pub second: &'a [Chunk<f64>],
    /// Words of each triplet, flip by flip.
    pub words: [Words<'a>; N],
}

/// Triplets of an object in one role, after a flip.
#[derive(Clone, Copy)]
struct After<'a, R, L> {
    gathered: (&'a [Chunk<f64>], &'a [Chunk<f64>]),
    words: Words<'a>,
    flip: Flip,
    lanes: L,
    role: PhantomData<R>,
}

impl<V: Vector, R: Role, L: Lanes<V>> Terms<V> for After<'_, R, L> {
    #[inline(always)]
    fn fractions(&self, chunk: usize) -> (V::Doubles, V::Doubles) {
        let gathered = (V::load(&self.gathered.0[chunk]), V::load(&self.gathered.1[chunk]));
        let words = (V::load_words(&self.words.0[chunk]), V::load_words(&self.words.1[chunk]));
        self.lanes.after_flip::<R>(&self.flip, gathered, words)
    }
}

impl<const N: usize> Gathered<'_, N> {
    #[inline(always)]
    fn multiply_after<V: Vector, R: Role, L: Lanes<V>>(
        &self,
        flips: [Flip; N],
        lanes: L,
        products: &mut [Products<V>; N],
    ) {
        // Slices of equal length, so that the loop has no bounds checks.
        let n_chunks = self.n.div_ceil(LANES);
        let gathered = (&self.first[..n_chunks], &self.second[..n_chunks]);
        let words = (&self.words[0].0[..n_chunks], &self.words[0].1[..n_chunks]);
        let mut terms = [After::<R, L> { gathered, words, flip: flips[0], lanes, role: PhantomData }; N];
        for which in 1..N {
            terms[which].words = (&self.words[which].0[..n_chunks], &self.words[which].1[..n_chunks]);
            terms[which].flip = flips[which];
        }
        Products::times_each(products, self.n, &terms);
    }
}

#[inline(always)]
fn after_body<V: Vector, const N: usize>(
    anchored: Gathered<'_, N>,
    others: Gathered<'_, N>,
    flips: [Flip; N],
    scoring: &Scoring,
) -> [Fraction; N] {
    let mut products = [Products::<V>::new(); N];
    by_form!(V, scoring, NO_SLIPS, lanes => {
        anchored.multiply_after::<V, Anchor, _>(flips, lanes, &mut products);
        others.multiply_after::<V, Other, _>(flips, lanes, &mut products);
    });
    let mut fractions = [Fraction::ONE; N];
    for (fraction, products) in fractions.iter_mut().zip(products) {
        *fraction = products.fraction();
    }
    fractions
}

#[inline(always)]
fn after_flip_body<V: Vector>(
    anchored: Gathered<'_, 1>,
    others: Gathered<'_, 1>,
    flips: [Flip; 1],
    scoring: &Scoring,
) -> [Fraction; 1] {
    after_body::<V, 1>(anchored, others, flips, scoring)
}

#[inline(always)]
fn after_flips_body<V: Vector>(
    anchored: Gathered<'_, GROUP>,
    others: Gathered<'_, GROUP>,
    flips: [Flip; GROUP],
    scoring: &Scoring,
) -> [Fraction; GROUP] {
    after_body::<V, GROUP>(anchored, others, flips, scoring)
}

by_vectors! {
    /// Probability of an object's triplets after a flip, up to factors that no flip changes.
    after_flip, after_flip_at = after_flip_body(
        anchored: Gathered<'_, 1>,
        others: Gathered<'_, 1>,
        flips: [Flip; 1],
        scoring: &Scoring
    ) -> [Fraction; 1]
}

by_vectors! {
    /// Probabilities of an object's triplets after each of several flips; each equal to that of [`after_flip`].
    after_flips, after_flips_at = after_flips_body(
        anchored: Gathered<'_, GROUP>,
        others: Gathered<'_, GROUP>,
        flips: [Flip; GROUP],
        scoring: &Scoring
    ) -> [Fraction; GROUP]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::level::Level;
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
        let levels = Level::available();
        for case in 0..2_000usize {
            let lapse = 10f64.powf(-6.0 * rng.random::<f64>());
            let scoring =
                [Scoring::ratio(lapse, 0.0), Scoring::ratio(lapse, 7.5), Scoring::logistic(lapse, 0.4)][case % 3];
            let mut sums = || chunks(|| f64::from(rng.random_range(0..40u8)) / 4.0);
            let (a, b) = (sums(), sums());
            // Each flip has words of its own, as bits of different words have.
            let mut words = || chunks(|| rng.random::<u64>());
            let owned: [_; GROUP] = std::array::from_fn(|_| (words(), words()));
            let words = owned.each_ref().map(|(first, second)| (&first[..], &second[..]));
            let mut flip =
                || Flip::new(rng.random_range(0..64), rng.random(), 0.25 + f64::from(rng.random_range(0..9u8)));
            let flips = [flip(), flip(), Flip::NONE, flip()];
            let mut gathered = || Gathered { n: rng.random_range(0..=N), first: &a, second: &b, words };
            let (anchored, others) = (gathered(), gathered());
            let at = |level: Level| {
                let many = after_flips_at(level, anchored, others, flips, &scoring);
                for which in 0..GROUP {
                    let alone = |many: Gathered<'_, GROUP>| Gathered {
                        n: many.n,
                        first: &a,
                        second: &b,
                        words: [words[which]],
                    };
                    let [one] = after_flip_at(level, alone(anchored), alone(others), [flips[which]], &scoring);
                    assert_eq!(one, many[which]);
                }
                many
            };
            let results: Vec<_> = levels.iter().map(|&level| at(level)).collect();
            assert!(results.iter().all(|result| result == &results[0]), "case {case}: {levels:?}");
        }
    }
}
