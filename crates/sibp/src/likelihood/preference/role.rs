//! Defines the effect of a flip of an object's bit on a triplet, by the object's role there.
//!
//! Every term is computed from exact A and B, so that even a very small one keeps its precision.

use crate::fault::{Fault, planted};
use crate::numerics::simd::LANES;
use crate::numerics::vector::{Chunk, SIGN, Vector};

/// Both words of some triplets (see [`Role`]).
pub type Words<'a> = (&'a [Chunk<u64>], &'a [Chunk<u64>]);

/// A flip of one bit of an object, as a change of every triplet it takes part in.
#[derive(Debug, Clone, Copy)]
pub struct Flip {
    /// Shift that brings the bit to the sign position of its word.
    shift: u32,
    /// The sign bit, if the bit would be switched on.
    to: u64,
    /// Weight of the bit.
    weight: f64,
}

impl Flip {
    /// A flip that changes nothing.
    pub const NONE: Self = Self { shift: 0, to: 0, weight: 0.0 };

    /// Sets bit `bit_ix`, of this weight, to `to`.
    pub fn new(bit_ix: usize, to: bool, weight: f64) -> Self {
        Self { shift: 63 - (bit_ix % 64) as u32, to: if to { SIGN } else { 0 }, weight }
    }

    /// The weight, negative where the bit of the word differs from the state it changes to.
    #[inline(always)]
    fn signed<V: Vector>(&self, words: V::Words) -> V::Doubles {
        V::with_sign(V::splat(self.weight), V::shift_left(words, self.shift), self.to)
    }
}

/// The meaning of a triplet's two words for an object in this role, and the effect of a flip.
pub(super) trait Role: Copy {
    /// Whether A + B is the same after any flip.
    const TOTAL_STAYS: bool;

    /// A and B after a flip.
    fn after<V: Vector>(
        flip: &Flip,
        sums: (V::Doubles, V::Doubles),
        words: (V::Words, V::Words),
    ) -> (V::Doubles, V::Doubles);

    /// A after a flip, up to a constant that it has before, and the change of A + B.
    fn favour_and_change<V: Vector>(
        flip: &Flip,
        favour: V::Doubles,
        words: (V::Words, V::Words),
    ) -> (V::Doubles, V::Doubles);

    /// A - B after a flip.
    fn difference<V: Vector>(flip: &Flip, difference: V::Doubles, words: (V::Words, V::Words)) -> V::Doubles;
}

/// The object is the anchor. Words: whether near and far differ; near's bits.
#[derive(Clone, Copy)]
pub(super) struct Anchor;

impl Anchor {
    #[inline(always)]
    fn change<V: Vector>(flip: &Flip, (matters, near): (V::Words, V::Words)) -> V::Doubles {
        V::select(V::shift_left(matters, flip.shift), flip.signed::<V>(near), V::splat(0.0))
    }
}

impl Role for Anchor {
    const TOTAL_STAYS: bool = true;

    #[inline(always)]
    fn after<V: Vector>(
        flip: &Flip,
        (a, b): (V::Doubles, V::Doubles),
        words: (V::Words, V::Words),
    ) -> (V::Doubles, V::Doubles) {
        let change = Self::change::<V>(flip, words);
        (V::add(a, change), V::add(b, V::with_sign(change, V::load_words(&[SIGN; LANES]), 0)))
    }

    #[inline(always)]
    fn favour_and_change<V: Vector>(
        flip: &Flip,
        favour: V::Doubles,
        words: (V::Words, V::Words),
    ) -> (V::Doubles, V::Doubles) {
        (V::add(favour, Self::change::<V>(flip, words)), V::splat(0.0))
    }

    #[inline(always)]
    fn difference<V: Vector>(flip: &Flip, difference: V::Doubles, words: (V::Words, V::Words)) -> V::Doubles {
        let change = Self::change::<V>(flip, words);
        let once = V::add(difference, change);
        if planted(Fault::AnchorCountsOnce) { once } else { V::add(once, change) }
    }
}

/// The object is near or far: exactly one state of its bit counts. Words: which state; whether it counts for A.
#[derive(Clone, Copy)]
pub(super) struct Other;

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

    #[inline(always)]
    fn favour_and_change<V: Vector>(
        flip: &Flip,
        favour: V::Doubles,
        (counts, for_a): (V::Words, V::Words),
    ) -> (V::Doubles, V::Doubles) {
        let change = flip.signed::<V>(counts);
        (V::select(V::shift_left(for_a, flip.shift), V::add(favour, change), favour), change)
    }

    #[inline(always)]
    fn difference<V: Vector>(flip: &Flip, difference: V::Doubles, (counts, for_a): (V::Words, V::Words)) -> V::Doubles {
        // What is added to B is taken from the difference.
        let change = V::with_sign(flip.signed::<V>(counts), V::shift_left(for_a, flip.shift), SIGN);
        V::add(difference, change)
    }
}
