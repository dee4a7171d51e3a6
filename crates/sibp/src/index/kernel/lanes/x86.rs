//! Adds, splits and looks up 32 bytes at once by one register of AVX2 or two of SSSE3.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::Lanes;
use crate::index::kernel::tables::Half;

/// A register of AVX2.
#[derive(Clone, Copy)]
pub(in super::super) struct Avx2([__m256i; 1]);

/// Two registers of SSSE3.
#[derive(Clone, Copy)]
pub(in super::super) struct Ssse3([__m128i; 2]);

/// Implements [`Lanes`] by the named instructions on each register: loops over registers, or closures, would be calls
/// where compilers do not inline them.
macro_rules! lanes {
    (
        $lanes:ident, $register:ty, [$($at:literal),+], load $load:ident, store $store:ident, splat $splat:ident,
        add $add:ident, add_saturating $adds:ident, subtract $sub:ident, subtract_saturating $subs:ident, min $min:ident,
        and $and:ident, or $or:ident, right $srl:ident, left $sll:ident, look_up $shuffle:ident,
        equal $equal:ident, signs $signs:ident, zero $zero:ident, table $table:ident
    ) => {
        impl $lanes {
            /// The signs of a register whose bytes are all negative.
            const ALL: u32 = u32::MAX >> (32 - size_of::<$register>());
        }

        // SAFETY: only the instructions of these lanes are used, which whoever uses them has.
        unsafe impl Lanes for $lanes {
            type Table = $register;
            const REGISTERS: usize = [$($at),+].len();

            #[inline(always)]
            fn load(bytes: &[u8; 32]) -> Self {
                let first: *const $register = bytes.as_ptr().cast();
                // SAFETY: the registers hold 32 bytes, and are read from any alignment.
                Self(unsafe { [$($load(first.add($at))),+] })
            }

            #[inline(always)]
            fn store(self) -> [u8; 32] {
                let mut bytes = [0; 32];
                let first: *mut $register = bytes.as_mut_ptr().cast();
                // SAFETY: the registers hold 32 bytes, and are written to any alignment.
                unsafe { $($store(first.add($at), self.0[$at]);)+ }
                bytes
            }

            #[inline(always)]
            fn splat(byte: u8) -> Self {
                // SAFETY: as the trait demands.
                Self(unsafe { [$splat(byte as i8); Self::REGISTERS] })
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: as the trait demands.
                Self(unsafe { [$($add(self.0[$at], other.0[$at])),+] })
            }

            #[inline(always)]
            fn add_saturating(self, other: Self) -> Self {
                // SAFETY: as the trait demands.
                Self(unsafe { [$($adds(self.0[$at], other.0[$at])),+] })
            }

            #[inline(always)]
            fn subtract(self, other: Self) -> Self {
                // SAFETY: as the trait demands.
                Self(unsafe { [$($sub(self.0[$at], other.0[$at])),+] })
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                // SAFETY: as the trait demands.
                Self(unsafe { [$($or(self.0[$at], other.0[$at])),+] })
            }

            #[inline(always)]
            fn right<const BY: i32>(self, mask: u8) -> Self {
                // SAFETY: as the trait demands.
                Self(unsafe { [$($and($srl::<BY>(self.0[$at]), $splat(mask as i8))),+] })
            }

            #[inline(always)]
            fn left_four(self, mask: u8) -> Self {
                // SAFETY: as the trait demands.
                Self(unsafe { [$($sll::<4>($and(self.0[$at], $splat(mask as i8)))),+] })
            }

            // The first sums are of both halves, modulo 256, until the high halves are taken off: that saves a mask.
            #[inline(always)]
            fn gather([all, high]: [Self; 2], both: Self) -> [Self; 2] {
                [all.add(both), high.add(both.right::<4>(15))]
            }

            #[inline(always)]
            fn settle([all, high]: [Self; 2]) -> [Self; 2] {
                [all.subtract(high.left_four(15)), high]
            }

            #[inline(always)]
            fn table(table: &Half) -> $register {
                // SAFETY: as the trait demands; a table is 16 aligned bytes.
                unsafe { $table(_mm_load_si128(table.0.as_ptr().cast())) }
            }

            #[inline(always)]
            fn look_up(self, table: $register) -> Self {
                // SAFETY: as the trait demands.
                Self(unsafe { [$($shuffle(table, self.0[$at])),+] })
            }

            // There is no unsigned comparison: what a bound exceeds leaves something when it is taken off.
            #[inline(always)]
            fn below(self, bound: Self) -> u32 {
                let mut lanes = 0;
                // SAFETY: as the trait demands.
                unsafe {
                    $(
                        let nothing = $equal($subs(bound.0[$at], self.0[$at]), $zero());
                        lanes |= ($signs(nothing) as u32 ^ Self::ALL) << ($at * size_of::<$register>());
                    )+
                }
                lanes
            }

            #[inline(always)]
            fn any_below<const N: usize>(all: [Self; N], bound: Self) -> bool {
                let mut least = bound.0[0];
                for lanes in all {
                    // SAFETY: as the trait demands.
                    unsafe { $(least = $min(least, lanes.0[$at]);)+ }
                }
                // SAFETY: as the trait demands.
                unsafe { $signs($equal(least, bound.0[0])) as u32 != Self::ALL }
            }
        }
    };
}

lanes!(
    Avx2, __m256i, [0], load _mm256_loadu_si256, store _mm256_storeu_si256, splat _mm256_set1_epi8,
    add _mm256_add_epi8, add_saturating _mm256_adds_epu8, subtract _mm256_sub_epi8,
    subtract_saturating _mm256_subs_epu8, min _mm256_min_epu8, and _mm256_and_si256, or _mm256_or_si256,
    right _mm256_srli_epi16, left _mm256_slli_epi16, look_up _mm256_shuffle_epi8, equal _mm256_cmpeq_epi8,
    signs _mm256_movemask_epi8, zero _mm256_setzero_si256, table _mm256_broadcastsi128_si256
);
lanes!(
    Ssse3, __m128i, [0, 1], load _mm_loadu_si128, store _mm_storeu_si128, splat _mm_set1_epi8, add _mm_add_epi8,
    add_saturating _mm_adds_epu8, subtract _mm_sub_epi8, subtract_saturating _mm_subs_epu8, min _mm_min_epu8,
    and _mm_and_si128, or _mm_or_si128, right _mm_srli_epi16, left _mm_slli_epi16, look_up _mm_shuffle_epi8,
    equal _mm_cmpeq_epi8, signs _mm_movemask_epi8, zero _mm_setzero_si128, table identity
);

/// A register of SSSE3 holds a table once.
#[inline(always)]
fn identity(table: __m128i) -> __m128i {
    table
}
