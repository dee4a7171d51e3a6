//! Applies flips to the sums of an object's triplets, and to the values derived from them for further flips.

use super::Scoring;
use super::role::{Anchor, Flip, Other, Role, Words};
use crate::numerics::vector::{Chunk, Vector, by_vectors};

/// A and B of some triplets.
pub type Sums<'a> = (&'a [Chunk<f64>], &'a [Chunk<f64>]);
/// A and B of some triplets, to be changed.
pub type SumsMut<'a> = (&'a mut [Chunk<f64>], &'a mut [Chunk<f64>]);

#[inline(always)]
fn apply<V: Vector, R: Role>(sums: SumsMut<'_>, gathered: SumsMut<'_>, words: Words<'_>, flip: Flip, pseudo: f64) {
    let n = sums.0.len();
    let (a, b, first, second) = (sums.0, &mut sums.1[..n], &words.0[..n], &words.1[..n]);
    let (favour, total) = (&mut gathered.0[..n], &mut gathered.1[..n]);
    let (half, pseudo) = (V::splat(pseudo / 2.0), V::splat(pseudo));
    for chunk in 0..n {
        let words = (V::load_words(&first[chunk]), V::load_words(&second[chunk]));
        let (new_a, new_b) = R::after::<V>(&flip, (V::load(&a[chunk]), V::load(&b[chunk])), words);
        V::store(new_a, &mut a[chunk]);
        V::store(new_b, &mut b[chunk]);
        V::store(V::add(new_a, half), &mut favour[chunk]);
        if !R::TOTAL_STAYS {
            V::store(V::add(V::add(new_a, new_b), pseudo), &mut total[chunk]);
        }
    }
}

#[inline(always)]
fn apply_flip_body<V: Vector>(
    (a, b): SumsMut<'_>,
    (favour, total): SumsMut<'_>,
    (first, second): Words<'_>,
    n_anchored: usize,
    flip: Flip,
    scoring: &Scoring,
) {
    let ((a_anchored, a_others), (b_anchored, b_others)) = (a.split_at_mut(n_anchored), b.split_at_mut(n_anchored));
    let (favour, total) = (favour.split_at_mut(n_anchored), total.split_at_mut(n_anchored));
    let (first, second) = (first.split_at(n_anchored), second.split_at(n_anchored));
    let pseudo = scoring.pseudo;
    apply::<V, Anchor>((a_anchored, b_anchored), (favour.0, total.0), (first.0, second.0), flip, pseudo);
    apply::<V, Other>((a_others, b_others), (favour.1, total.1), (first.1, second.1), flip, pseudo);
}

by_vectors! {
    /// Applies a flip to an object's sums and derived values. The first `n_anchored` chunks hold the triplets it
    /// anchors.
    apply_flip, apply_flip_at = apply_flip_body(
        sums: SumsMut<'_>,
        gathered: SumsMut<'_>,
        words: Words<'_>,
        n_anchored: usize,
        flip: Flip,
        scoring: &Scoring
    )
}

#[inline(always)]
fn prepare_body<V: Vector>((a, b): Sums<'_>, n_anchored: usize, (favour, total): SumsMut<'_>, scoring: &Scoring) {
    let (half, pseudo, slips) = (V::splat(scoring.pseudo / 2.0), V::splat(scoring.pseudo), V::splat(scoring.slips));
    let n = a.len();
    let (b, favour, total) = (&b[..n], &mut favour[..n], &mut total[..n]);
    for chunk in 0..n {
        let (a, b) = (V::load(&a[chunk]), V::load(&b[chunk]));
        let sum = V::add(V::add(a, b), pseudo);
        // No bit matters to an anchor's triplet with A + B = 0: any number will do.
        let of_anchor = V::select_zero(sum, V::splat(1.0), V::multiply(slips, sum));
        V::store(V::add(a, half), &mut favour[chunk]);
        V::store(if chunk < n_anchored { of_anchor } else { sum }, &mut total[chunk]);
    }
}

by_vectors! {
    /// Converts sums to the values of [`super::flips::Gathered`].
    prepare, prepare_at = prepare_body(sums: Sums<'_>, n_anchored: usize, gathered: SumsMut<'_>, scoring: &Scoring)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::level::Level;
    use crate::numerics::simd::LANES;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// All instruction sets of the machine give the same bits, and what a flip leaves is what its sums give.
    #[test]
    fn every_level_gives_the_same_bits() {
        const N: usize = 9;
        const ANCHORED: usize = 3;
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        for case in 0..500 {
            let scoring = Scoring::new(0.01, if case % 2 == 0 { 0.0 } else { 7.5 });
            let mut sums = || -> [Chunk<f64>; N] { [[0; LANES]; N].map(|chunk| chunk.map(|_: u8| draw(&mut rng))) };
            let (a, b) = (sums(), sums());
            let mut words = || -> [Chunk<u64>; N] { rng.random() };
            let (first, second) = (words(), words());
            let flip = Flip::new(rng.random_range(0..64), rng.random(), 0.25 + f64::from(rng.random_range(0..9u8)));
            let at = |level: Level| {
                let (mut new, mut gathered, mut anew) = ((a, b), (a, b), (a, b));
                prepare_at(level, (&a, &b), ANCHORED, (&mut gathered.0, &mut gathered.1), &scoring);
                let parts = ((&mut new.0[..], &mut new.1[..]), (&mut gathered.0[..], &mut gathered.1[..]));
                apply_flip_at(level, parts.0, parts.1, (&first, &second), ANCHORED, flip, &scoring);
                prepare_at(level, (&new.0, &new.1), ANCHORED, (&mut anew.0, &mut anew.1), &scoring);
                assert_eq!(gathered, anew);
                (new, gathered)
            };
            let portable = at(Level::Portable);
            assert!(Level::available().into_iter().map(at).all(|found| found == portable), "case {case}");
        }
    }

    fn draw(rng: &mut ChaCha8Rng) -> f64 {
        20.0 + f64::from(rng.random_range(0..40u8)) / 4.0
    }
}
