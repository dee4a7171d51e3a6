//! Adds up sums of planes, in bytes or in 16 bits, and finds those below a bound.

use super::PAIR;
use super::tables::Sums;
use crate::index::kernel::lanes::Lanes;
use crate::index::planes::STRIP;

/// Adds up the sums of sections and finds those below a bound.
pub(super) trait Total<W>: Copy {
    /// A bound, as sums are compared with it.
    type Bound: Copy;
    fn bound(bound: u16) -> Self::Bound;
    fn new(sums: Sums<W>) -> Self;
    fn plus(self, sums: Sums<W>) -> Self;
    /// Whether any sum is below the bound.
    fn any_below(&self, bound: Self::Bound) -> bool;
    /// The lanes of a strip below the bound.
    fn below(&self, strip: usize, bound: Self::Bound) -> u64;
}

/// Sums up to 255.
#[derive(Clone, Copy)]
pub(super) struct Narrow<W>(Sums<W>);

impl<W: Lanes> Total<W> for Narrow<W> {
    type Bound = W;

    #[inline(always)]
    fn bound(bound: u16) -> W {
        W::splat(bound as u8)
    }

    #[inline(always)]
    fn new(sums: Sums<W>) -> Self {
        Self(sums)
    }

    #[inline(always)]
    fn plus(self, sums: Sums<W>) -> Self {
        let [[a, b], [c, d]] = self.0;
        let [[e, f], [g, h]] = sums;
        Self([[a.add_saturating(e), b.add_saturating(f)], [c.add_saturating(g), d.add_saturating(h)]])
    }

    #[inline(always)]
    fn any_below(&self, bound: Self::Bound) -> bool {
        let [[a, b], [c, d]] = self.0;
        W::any_below([a, b, c, d], bound)
    }

    #[inline(always)]
    fn below(&self, strip: usize, bound: Self::Bound) -> u64 {
        let [first, last] = self.0[strip];
        u64::from(first.below(bound)) | u64::from(last.below(bound)) << (STRIP / 2)
    }
}

/// Sums of any size.
#[derive(Clone, Copy)]
pub(super) struct Wide([[u16; STRIP]; PAIR]);

impl<W: Lanes> Total<W> for Wide {
    type Bound = u16;

    #[inline(always)]
    fn bound(bound: u16) -> u16 {
        bound
    }

    #[inline(always)]
    fn new(sums: Sums<W>) -> Self {
        Self([widened(sums[0]), widened(sums[1])])
    }

    #[inline(always)]
    fn plus(mut self, sums: Sums<W>) -> Self {
        for (totals, halves) in self.0.iter_mut().zip(sums) {
            for (total, sum) in totals.iter_mut().zip(widened(halves)) {
                *total += sum;
            }
        }
        self
    }

    #[inline(always)]
    fn any_below(&self, bound: Self::Bound) -> bool {
        self.0.as_flattened().iter().fold(false, |any, &sum| any | (sum < bound))
    }

    #[inline(always)]
    fn below(&self, strip: usize, bound: Self::Bound) -> u64 {
        self.0[strip].iter().enumerate().fold(0, |lanes, (lane, &sum)| lanes | u64::from(sum < bound) << lane)
    }
}

/// The sums of a strip in 16 bits.
#[inline(always)]
fn widened<W: Lanes>(halves: [W; 2]) -> [u16; STRIP] {
    let mut sums = [0; STRIP];
    for (to, half) in sums.chunks_exact_mut(STRIP / 2).zip(halves) {
        for (to, byte) in to.iter_mut().zip(half.store()) {
            *to = u16::from(byte);
        }
    }
    sums
}
