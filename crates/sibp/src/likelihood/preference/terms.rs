//! Multiplies preference probabilities, eight at a time.
//!
//! No loop takes a logarithm or divides: numerators and denominators are multiplied apart, exponents are split off
//! now and then, and one logarithm ends it all. Every term is computed from exact A and B, so that even one that
//! almost vanishes keeps its digits.

use crate::numerics::simd::LANES;
use crate::numerics::vector::{Chunk, SIGN, Vector, by_vectors};
use std::marker::PhantomData;

/// The constants of the preference probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scoring {
    /// Share of A that counts for the triplet: 1 - lapse/2.
    sure: f64,
    /// Share of B that counts for it: lapse/2.
    slip: f64,
    half_pseudo: f64,
    pseudo: f64,
}

impl Scoring {
    /// `lapse` in (0, 1), `pseudo_weight` at least 0.
    pub fn new(lapse: f64, pseudo_weight: f64) -> Self {
        Self { sure: 1.0 - lapse / 2.0, slip: lapse / 2.0, half_pseudo: pseudo_weight / 2.0, pseudo: pseudo_weight }
    }

    /// The largest log probability a triplet can have.
    pub fn log_best(&self) -> f64 {
        self.sure.ln()
    }

    /// Probability of a triplet with sums `a` and `b`.
    pub fn probability(&self, a: f64, b: f64) -> f64 {
        let total = a + b + self.pseudo;
        if total > 0.0 { (self.sure * a + self.slip * b + self.half_pseudo) / total } else { 0.5 }
    }
}

/// [`Scoring`] in all lanes.
struct ScoringLanes<V: Vector> {
    sure: V::Doubles,
    slip: V::Doubles,
    half_pseudo: V::Doubles,
    pseudo: V::Doubles,
}

impl<V: Vector> ScoringLanes<V> {
    #[inline(always)]
    fn new(scoring: &Scoring) -> Self {
        Self {
            sure: V::splat(scoring.sure),
            slip: V::splat(scoring.slip),
            half_pseudo: V::splat(scoring.half_pseudo),
            pseudo: V::splat(scoring.pseudo),
        }
    }

    /// Numerators and denominators of probabilities. `EMPTY`: A + B + pseudo may be 0, which is one half.
    #[inline(always)]
    fn fractions<const EMPTY: bool>(&self, (a, b): (V::Doubles, V::Doubles)) -> (V::Doubles, V::Doubles) {
        let top = V::add(V::add(V::multiply(self.sure, a), V::multiply(self.slip, b)), self.half_pseudo);
        let bottom = V::add(V::add(a, b), self.pseudo);
        if EMPTY {
            (V::select_zero(bottom, V::splat(0.5), top), V::select_zero(bottom, V::splat(1.0), bottom))
        } else {
            (top, bottom)
        }
    }
}

/// Chunks that are multiplied before exponents are split off. Weights lie above 2^-30 and lapse rates above 2^-20, so
/// that eight factors stay far within the range of a double.
const CHUNKS_A_SPLIT: usize = 8;

/// `mantissa` times two to the `exponent`: a product that no double could hold.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Product {
    mantissa: f64,
    exponent: i64,
}

/// A product of many positive factors, lane by lane.
struct ProductLanes<V: Vector> {
    mantissas: V::Doubles,
    exponents: V::Words,
}

impl<V: Vector> ProductLanes<V> {
    #[inline(always)]
    fn new() -> Self {
        Self { mantissas: V::splat(1.0), exponents: V::load_words(&[0; LANES]) }
    }

    #[inline(always)]
    fn times(&mut self, factors: V::Doubles) {
        self.mantissas = V::multiply(self.mantissas, factors);
    }

    #[inline(always)]
    fn split(&mut self) {
        (self.mantissas, self.exponents) = V::split(self.mantissas, self.exponents);
    }

    /// The product of all lanes, whose exponents have been split off.
    #[inline(always)]
    fn product(self) -> Product {
        let (mut mantissas, mut exponents) = ([0.0; LANES], [0; LANES]);
        V::store(self.mantissas, &mut mantissas);
        V::store_words(self.exponents, &mut exponents);
        let exponent = exponents.iter().fold(0u64, |sum, &exponent| sum.wrapping_add(exponent));
        let [a, b, c, d, e, f, g, h] = mantissas;
        Product { mantissa: ((a * e) * (c * g)) * ((b * f) * (d * h)), exponent: exponent as i64 }
    }
}

/// A fraction of products.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fraction {
    numerator: Product,
    denominator: Product,
}

impl Fraction {
    /// Its logarithm. Kept out of the vector loops, where calling it costs dearly.
    pub fn ln(&self) -> f64 {
        let exponent = self.numerator.exponent - self.denominator.exponent;
        (self.numerator.mantissa / self.denominator.mantissa).ln() + exponent as f64 * std::f64::consts::LN_2
    }
}

/// Words whose highest bits say which of the lanes of the last chunk hold a term.
const LAST_LANES: [Chunk<u64>; LANES] = {
    let mut masks = [[0; LANES]; LANES];
    let mut rest = 0;
    while rest < LANES {
        let mut lane = 0;
        while lane < rest {
            masks[rest][lane] = SIGN;
            lane += 1;
        }
        rest += 1;
    }
    masks
};

/// Numerators and denominators by the chunk. A trait, as closures would not be compiled for the caller's instructions.
trait Terms<V: Vector> {
    fn fractions(&self, chunk: usize) -> (V::Doubles, V::Doubles);
}

/// Numerators and denominators multiplied so far.
struct Products<V: Vector> {
    numerator: ProductLanes<V>,
    denominator: ProductLanes<V>,
}

impl<V: Vector> Products<V> {
    #[inline(always)]
    fn new() -> Self {
        Self { numerator: ProductLanes::new(), denominator: ProductLanes::new() }
    }

    #[inline(always)]
    fn times(&mut self, (top, bottom): (V::Doubles, V::Doubles)) {
        self.numerator.times(top);
        self.denominator.times(bottom);
    }

    /// Multiplies `n` terms; what a last, partly filled chunk holds beyond them does not count.
    #[inline(always)]
    fn times_all<T: Terms<V>>(&mut self, n: usize, terms: &T) {
        let n_whole = n / LANES;
        let mut chunk = 0;
        while chunk < n_whole {
            let end = n_whole.min(chunk + CHUNKS_A_SPLIT);
            while chunk < end {
                self.times(terms.fractions(chunk));
                chunk += 1;
            }
            self.split();
        }
        if !n.is_multiple_of(LANES) {
            let (top, bottom) = terms.fractions(n_whole);
            let (lanes, one) = (V::load_words(&LAST_LANES[n % LANES]), V::splat(1.0));
            self.times((V::select(lanes, top, one), V::select(lanes, bottom, one)));
            self.split();
        }
    }

    #[inline(always)]
    fn split(&mut self) {
        self.numerator.split();
        self.denominator.split();
    }

    #[inline(always)]
    fn fraction(self) -> Fraction {
        Fraction { numerator: self.numerator.product(), denominator: self.denominator.product() }
    }
}

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

/// Sums of triplets in memory, to which the same is added.
struct Shifted<'a, V: Vector, const EMPTY: bool> {
    whole: (&'a [Chunk<f64>], &'a [Chunk<f64>]),
    last: (Chunk<f64>, Chunk<f64>),
    add: (V::Doubles, V::Doubles),
    scoring: ScoringLanes<V>,
}

impl<V: Vector, const EMPTY: bool> Terms<V> for Shifted<'_, V, EMPTY> {
    #[inline(always)]
    fn fractions(&self, chunk: usize) -> (V::Doubles, V::Doubles) {
        let (a, b) = match chunk < self.whole.0.len() {
            true => (V::load(&self.whole.0[chunk]), V::load(&self.whole.1[chunk])),
            false => (V::load(&self.last.0), V::load(&self.last.1)),
        };
        self.scoring.fractions::<EMPTY>((V::add(a, self.add.0), V::add(b, self.add.1)))
    }
}

#[inline(always)]
fn probability_body<V: Vector>(a: &[f64], b: &[f64], add: (f64, f64), scoring: &Scoring) -> Fraction {
    let n = a.len().min(b.len());
    let ((a, a_rest), (b, b_rest)) = (a[..n].as_chunks::<LANES>(), b[..n].as_chunks::<LANES>());
    let mut last = ([0.0; LANES], [0.0; LANES]);
    last.0[..a_rest.len()].copy_from_slice(a_rest);
    last.1[..b_rest.len()].copy_from_slice(b_rest);
    let (whole, add) = ((a, &b[..a.len()]), (V::splat(add.0), V::splat(add.1)));
    let lanes = ScoringLanes::<V>::new(scoring);
    let mut products = Products::new();
    if scoring.pseudo > 0.0 {
        products.times_all(n, &Shifted::<V, false> { whole, last, add, scoring: lanes });
    } else {
        products.times_all(n, &Shifted::<V, true> { whole, last, add, scoring: lanes });
    }
    products.fraction()
}

by_vectors! {
    /// Probability of triplets with sums `a` and `b`, to which `add` is added.
    probability, probability_at = probability_body(a: &[f64], b: &[f64], add: (f64, f64), scoring: &Scoring) -> Fraction
}

/// Log probability of triplets with sums `a + add_a` and `b + add_b`.
pub fn log_likelihood(a: &[f64], b: &[f64], add_a: f64, add_b: f64, scoring: &Scoring) -> f64 {
    probability(a, b, (add_a, add_b), scoring).ln()
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
                let after = after_flip_at(level, anchored, others, flip, &scoring);
                let (a, b) = (&a.as_flattened()[..others.n], &b.as_flattened()[..others.n]);
                (after, probability_at(level, a, b, (0.5, 0.25), &scoring), new_a, new_b)
            };
            let results: Vec<_> = levels.iter().map(|&level| at(level)).collect();
            assert!(results.iter().all(|result| result == &results[0]), "case {case}: {levels:?}");
        }
    }

    /// Far more factors than a double could hold, each as small as they come.
    #[test]
    fn long_products_of_small_probabilities_do_not_vanish() {
        let n = 100_001;
        let scoring = Scoring::new(1e-9, 0.0);
        let (a, b) = (vec![0.0; n], vec![crate::likelihood::preference::WEIGHT_GRID; n]);
        let log = log_likelihood(&a, &b, 0.0, 0.0, &scoring);
        let exact = n as f64 * 0.5e-9f64.ln();
        assert!((log / exact - 1.0).abs() < 1e-13, "{log} {exact}");
    }
}
