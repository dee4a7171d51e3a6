//! Adds, splits, looks up and counts 32 bytes at once by two registers of AArch64, all of whose processors have them.
#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::{Counts, Lanes};
use crate::index::kernel::tables::Half;

/// Two registers.
#[derive(Clone, Copy)]
pub(in super::super) struct Neon([uint8x16_t; 2]);

impl Neon {
    #[inline(always)]
    fn map(self, f: impl Fn(uint8x16_t) -> uint8x16_t) -> Self {
        Self([f(self.0[0]), f(self.0[1])])
    }

    #[inline(always)]
    fn with(self, other: Self, f: impl Fn(uint8x16_t, uint8x16_t) -> uint8x16_t) -> Self {
        Self([f(self.0[0], other.0[0]), f(self.0[1], other.0[1])])
    }
}

// SAFETY: every processor of the target has these instructions.
unsafe impl Lanes for Neon {
    type Table = uint8x16_t;
    const REGISTERS: usize = 2;

    #[inline(always)]
    fn load(bytes: &[u8; 32]) -> Self {
        let first = bytes.as_ptr();
        // SAFETY: two registers hold 32 bytes, and are read from any alignment.
        Self(unsafe { [vld1q_u8(first), vld1q_u8(first.add(16))] })
    }

    #[inline(always)]
    fn store(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        let first = bytes.as_mut_ptr();
        // SAFETY: two registers hold 32 bytes, and are written to any alignment.
        unsafe {
            vst1q_u8(first, self.0[0]);
            vst1q_u8(first.add(16), self.0[1]);
        }
        bytes
    }

    #[inline(always)]
    fn splat(byte: u8) -> Self {
        // SAFETY: every processor of the target has the instruction, here and below.
        Self([unsafe { vdupq_n_u8(byte) }; 2])
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| unsafe { vaddq_u8(a, b) })
    }

    #[inline(always)]
    fn add_saturating(self, other: Self) -> Self {
        self.with(other, |a, b| unsafe { vqaddq_u8(a, b) })
    }

    #[inline(always)]
    fn subtract(self, other: Self) -> Self {
        self.with(other, |a, b| unsafe { vsubq_u8(a, b) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.with(other, |a, b| unsafe { vorrq_u8(a, b) })
    }

    #[inline(always)]
    fn right<const BY: i32>(self, mask: u8) -> Self {
        // A shift to the left by less than nothing, since the one to the right does not take 0.
        self.map(|bytes| unsafe { vandq_u8(vshlq_u8(bytes, vdupq_n_s8(-BY as i8)), vdupq_n_u8(mask)) })
    }

    #[inline(always)]
    fn left_four(self, mask: u8) -> Self {
        self.map(|bytes| unsafe { vshlq_n_u8::<4>(vandq_u8(bytes, vdupq_n_u8(mask))) })
    }

    // The first sums are of both halves, modulo 256, until the high halves are taken off: that saves a mask.
    #[inline(always)]
    fn gather([all, high]: [Self; 2], both: Self) -> [Self; 2] {
        [all.add(both), high.with(both, |sums, bytes| unsafe { vaddq_u8(sums, vshrq_n_u8::<4>(bytes)) })]
    }

    #[inline(always)]
    fn settle([all, high]: [Self; 2]) -> [Self; 2] {
        [all.with(high, |all, high| unsafe { vsubq_u8(all, vshlq_n_u8::<4>(high)) }), high]
    }

    #[inline(always)]
    fn table(table: &Half) -> uint8x16_t {
        // SAFETY: a table is 16 bytes.
        unsafe { vld1q_u8(table.0.as_ptr()) }
    }

    #[inline(always)]
    fn look_up(self, table: uint8x16_t) -> Self {
        self.map(|bytes| unsafe { vqtbl1q_u8(table, bytes) })
    }

    #[inline(always)]
    fn below(self, bound: Self) -> u32 {
        const LANES: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        let below = self.with(bound, |a, b| unsafe { vandq_u8(vcltq_u8(a, b), vld1q_u8(LANES.as_ptr())) });
        let eight = |half: uint8x8_t| u32::from(unsafe { vaddv_u8(half) });
        let sixteen = |lanes: uint8x16_t| unsafe { eight(vget_low_u8(lanes)) | eight(vget_high_u8(lanes)) << 8 };
        sixteen(below.0[0]) | sixteen(below.0[1]) << 16
    }

    #[inline(always)]
    fn any_below<const N: usize>(all: [Self; N], bound: Self) -> bool {
        let mut least = bound;
        for lanes in all {
            least = least.with(lanes, |a, b| unsafe { vminq_u8(a, b) });
        }
        let [a, b] = least.0;
        unsafe { vminvq_u8(vminq_u8(a, b)) < vgetq_lane_u8::<0>(bound.0[0]) }
    }
}

impl Counts for Neon {
    #[inline(always)]
    fn differing(self, other: Self) -> Self {
        self.with(other, |a, b| unsafe { vcntq_u8(veorq_u8(a, b)) })
    }
}
