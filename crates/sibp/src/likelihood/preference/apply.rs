//! Applies flips to the sums of an object's triplets, and to the values derived from them for further flips.

use super::Scoring;
use super::role::{Anchor, Flip, Other, Role, Words};
use super::scoring::{Lanes, by_form};
use crate::numerics::vector::{Chunk, Vector, by_vectors};

/// A and B of some triplets.
pub type Sums<'a> = (&'a [Chunk<f64>], &'a [Chunk<f64>]);
/// A and B of some triplets, to be changed.
pub type SumsMut<'a> = (&'a mut [Chunk<f64>], &'a mut [Chunk<f64>]);

#[inline(always)]
fn apply<V: Vector, R: Role, L: Lanes<V>>(
    sums: SumsMut<'_>,
    gathered: SumsMut<'_>,
    words: Words<'_>,
    flip: Flip,
    (lanes, first_chunk): (L, usize),
) {
    let n = sums.0.len();
    let (a, b, first, second) = (sums.0, &mut sums.1[..n], &words.0[..n], &words.1[..n]);
    let gathered = (&mut gathered.0[..n], &mut gathered.1[..n]);
    for chunk in 0..n {
        let words = (V::load_words(&first[chunk]), V::load_words(&second[chunk]));
        let (new_a, new_b) = R::after::<V>(&flip, (V::load(&a[chunk]), V::load(&b[chunk])), words);
        V::store(new_a, &mut a[chunk]);
        V::store(new_b, &mut b[chunk]);
        let new = lanes.gathered::<R>((new_a, new_b), first_chunk + chunk);
        V::store(new.0, &mut gathered.0[chunk]);
        V::store(new.1, &mut gathered.1[chunk]);
    }
}

#[inline(always)]
fn apply_flip_body<V: Vector>(
    (a, b): SumsMut<'_>,
    gathered: SumsMut<'_>,
    (first, second): Words<'_>,
    n_anchored: usize,
    flip: Flip,
    (slips, scoring): (&[f64], &Scoring),
) {
    let ((a_anchored, a_others), (b_anchored, b_others)) = (a.split_at_mut(n_anchored), b.split_at_mut(n_anchored));
    let (anchored, others) = split(gathered, n_anchored);
    let (first, second) = (first.split_at(n_anchored), second.split_at(n_anchored));
    by_form!(V, scoring, slips, lanes => {
        apply::<V, Anchor, _>((a_anchored, b_anchored), anchored, (first.0, second.0), flip, (lanes, 0));
        apply::<V, Other, _>((a_others, b_others), others, (first.1, second.1), flip, (lanes, n_anchored));
    });
}

fn split((first, second): SumsMut<'_>, at: usize) -> (SumsMut<'_>, SumsMut<'_>) {
    let (first, second) = (first.split_at_mut(at), second.split_at_mut(at));
    ((first.0, second.0), (first.1, second.1))
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
        scoring: (&[f64], &Scoring)
    )
}

#[inline(always)]
fn gather<V: Vector, R: Role, L: Lanes<V>>((a, b): Sums<'_>, gathered: SumsMut<'_>, (lanes, first_chunk): (L, usize)) {
    let n = a.len();
    let (b, gathered) = (&b[..n], (&mut gathered.0[..n], &mut gathered.1[..n]));
    for chunk in 0..n {
        let new = lanes.gathered::<R>((V::load(&a[chunk]), V::load(&b[chunk])), first_chunk + chunk);
        V::store(new.0, &mut gathered.0[chunk]);
        V::store(new.1, &mut gathered.1[chunk]);
    }
}

#[inline(always)]
fn prepare_body<V: Vector>(
    (a, b): Sums<'_>,
    n_anchored: usize,
    gathered: SumsMut<'_>,
    (slips, scoring): (&[f64], &Scoring),
) {
    let (a, b) = (a.split_at(n_anchored), b.split_at(n_anchored));
    let (anchored, others) = split(gathered, n_anchored);
    by_form!(V, scoring, slips, lanes => {
        gather::<V, Anchor, _>((a.0, b.0), anchored, (lanes, 0));
        gather::<V, Other, _>((a.1, b.1), others, (lanes, n_anchored));
    });
}

by_vectors! {
    /// Converts sums to the values of [`super::flips::Gathered`].
    prepare, prepare_at = prepare_body(
        sums: Sums<'_>,
        n_anchored: usize,
        gathered: SumsMut<'_>,
        scoring: (&[f64], &Scoring)
    )
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
        for case in 0..500usize {
            let scoring =
                [Scoring::ratio(0.01, 0.0), Scoring::ratio(0.01, 7.5), Scoring::logistic(0.01, 0.4)][case % 3];
            let n_slips = if case % 2 == 0 { N * LANES } else { 0 };
            let slips: Vec<f64> = (0..n_slips).map(|at| 0.01 + 0.001 * at as f64).collect();
            let mut sums = || -> [Chunk<f64>; N] { [[0; LANES]; N].map(|chunk| chunk.map(|_: u8| draw(&mut rng))) };
            let (a, b) = (sums(), sums());
            let mut words = || -> [Chunk<u64>; N] { rng.random() };
            let (first, second) = (words(), words());
            let flip = Flip::new(rng.random_range(0..64), rng.random(), 0.25 + f64::from(rng.random_range(0..9u8)));
            let at = |level: Level| {
                let (mut new, mut gathered, mut anew) = ((a, b), (a, b), (a, b));
                prepare_at(level, (&a, &b), ANCHORED, (&mut gathered.0, &mut gathered.1), (&slips, &scoring));
                let parts = ((&mut new.0[..], &mut new.1[..]), (&mut gathered.0[..], &mut gathered.1[..]));
                apply_flip_at(level, parts.0, parts.1, (&first, &second), ANCHORED, flip, (&slips, &scoring));
                prepare_at(level, (&new.0, &new.1), ANCHORED, (&mut anew.0, &mut anew.1), (&slips, &scoring));
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
