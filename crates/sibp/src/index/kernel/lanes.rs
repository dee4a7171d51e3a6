//! Adds and splits 32 bytes at once, in plain Rust or by AVX2.
#![allow(unsafe_code)]

use crate::backing::Line;

/// Every byte 1, in words of eight.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The highest bit of every byte.
const HIGH: u64 = 0x80 * ONES;

/// The highest bit of each byte whose sum exceeds 255.
#[inline(always)]
fn carries(a: u64, b: u64) -> u64 {
    let sums = (a & !HIGH) + (b & !HIGH);
    ((a & b) | ((a | b) & sums)) & HIGH
}

/// 32 bytes.
///
/// # Safety
/// All but [`Portable`] may only be used inside functions compiled for their instruction set, on a machine that has it.
pub(super) unsafe trait Lanes: Copy {
    /// Reads 32 bytes.
    fn load(bytes: &[u8; 32]) -> Self;
    /// Writes 32 bytes.
    fn store(self) -> [u8; 32];
    /// Fills all bytes with one value.
    fn splat(byte: u8) -> Self;
    /// Adds byte by byte; no sum may exceed 255.
    fn add(self, other: Self) -> Self;
    /// Adds byte by byte; sums above 255 are 255.
    fn add_saturating(self, other: Self) -> Self;
    /// Subtracts byte by byte; no difference may be below 0.
    fn subtract(self, other: Self) -> Self;
    /// The bits of both.
    fn or(self, other: Self) -> Self;
    /// The bits of `mask`, moved to the right by `BY` within each byte: `(byte >> BY) & mask`, where
    /// `mask << BY` fits a byte.
    fn right<const BY: i32>(self, mask: u8) -> Self;
    /// The bits of `mask`, moved to the left by four: `(byte & mask) << 4`, where `mask` is at most 15.
    fn left_four(self, mask: u8) -> Self;
    /// Adds bytes of two half-byte numbers each: in the end [`Self::settle`] makes sums of the low halves and of the high
    /// halves of what was gathered, which may not exceed 255.
    fn gather(sums: [Self; 2], both: Self) -> [Self; 2];
    /// See [`Self::gather`].
    fn settle(gathered: [Self; 2]) -> [Self; 2];
    /// Brings a line into the cache, where the processor can be asked to.
    fn prefetch(line: &Line);
    /// Bit `i` tells whether byte `i` is below the bound, which is the same in all bytes.
    fn below(self, bound: Self) -> u32;
    /// Whether any byte of any of these is below the bound, which is the same in all bytes.
    fn any_below<const N: usize>(all: [Self; N], bound: Self) -> bool;
}

/// Plain Rust, for every machine: four words of eight bytes, which compilers make vectors of.
#[derive(Clone, Copy)]
pub(super) struct Portable([u64; 4]);

impl Portable {
    #[inline(always)]
    fn map(self, f: impl Fn(u64) -> u64) -> Self {
        Self(self.0.map(f))
    }

    #[inline(always)]
    fn with(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|word| f(self.0[word], other.0[word])))
    }
}

// SAFETY: no instructions beyond the target's own.
unsafe impl Lanes for Portable {
    #[inline(always)]
    fn load(bytes: &[u8; 32]) -> Self {
        let (words, _) = bytes.as_chunks::<8>();
        Self(std::array::from_fn(|word| u64::from_le_bytes(words[word])))
    }

    #[inline(always)]
    fn store(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (to, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(self.0) {
            *to = word.to_le_bytes();
        }
        bytes
    }

    #[inline(always)]
    fn splat(byte: u8) -> Self {
        Self([u64::from(byte) * ONES; 4])
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }

    #[inline(always)]
    fn add_saturating(self, other: Self) -> Self {
        self.with(other, |a, b| {
            let carried = carries(a, b);
            // Without its highest bits a sum stays in its byte; a byte that carries becomes 255.
            let sums = ((a & !HIGH) + (b & !HIGH)) ^ ((a ^ b) & HIGH);
            sums | ((carried << 1).wrapping_sub(carried >> 7))
        })
    }

    #[inline(always)]
    fn subtract(self, other: Self) -> Self {
        self.with(other, |a, b| a - b)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.with(other, |a, b| a | b)
    }

    #[inline(always)]
    fn right<const BY: i32>(self, mask: u8) -> Self {
        self.map(|word| (word >> BY) & (u64::from(mask) * ONES))
    }

    #[inline(always)]
    fn left_four(self, mask: u8) -> Self {
        self.map(|word| (word & (u64::from(mask) * ONES)) << 4)
    }

    #[inline(always)]
    fn gather([low, high]: [Self; 2], both: Self) -> [Self; 2] {
        [low.add(both.right::<0>(15)), high.add(both.right::<4>(15))]
    }

    #[inline(always)]
    fn settle(gathered: [Self; 2]) -> [Self; 2] {
        gathered
    }

    #[inline(always)]
    fn prefetch(_: &Line) {}

    #[inline(always)]
    fn below(self, bound: Self) -> u32 {
        let [bound, ..] = bound.store();
        self.store().iter().enumerate().fold(0, |lanes, (lane, byte)| lanes | u32::from(*byte < bound) << lane)
    }

    #[inline(always)]
    fn any_below<const N: usize>(all: [Self; N], bound: Self) -> bool {
        let [bound, ..] = bound.store();
        // A byte is not below the bound where adding what the bound lacks to 256 carries.
        let lacks = u64::from(bound.wrapping_neg()) * ONES;
        // A plain loop: compilers do not always inline `map` of arrays.
        let mut carried = HIGH;
        for lanes in all {
            for word in lanes.0 {
                carried &= carries(word, lacks);
            }
        }
        bound != 0 && carried != HIGH
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::Avx2;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Lanes, Line};
    use std::arch::x86_64::*;

    /// A register of AVX2.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx2(__m256i);

    // SAFETY: only AVX2 is used, which whoever uses this has.
    unsafe impl Lanes for Avx2 {
        #[inline(always)]
        fn load(bytes: &[u8; 32]) -> Self {
            // SAFETY: 32 bytes are read, of any alignment.
            Self(unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) })
        }

        #[inline(always)]
        fn store(self) -> [u8; 32] {
            let mut bytes = [0; 32];
            // SAFETY: 32 bytes are written, of any alignment.
            unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), self.0) };
            bytes
        }

        #[inline(always)]
        fn splat(byte: u8) -> Self {
            // SAFETY: as the trait demands.
            Self(unsafe { _mm256_set1_epi8(byte as i8) })
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: as the trait demands.
            Self(unsafe { _mm256_add_epi8(self.0, other.0) })
        }

        #[inline(always)]
        fn add_saturating(self, other: Self) -> Self {
            // SAFETY: as the trait demands.
            Self(unsafe { _mm256_adds_epu8(self.0, other.0) })
        }

        #[inline(always)]
        fn subtract(self, other: Self) -> Self {
            // SAFETY: as the trait demands.
            Self(unsafe { _mm256_sub_epi8(self.0, other.0) })
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            // SAFETY: as the trait demands.
            Self(unsafe { _mm256_or_si256(self.0, other.0) })
        }

        #[inline(always)]
        fn right<const BY: i32>(self, mask: u8) -> Self {
            // SAFETY: as the trait demands.
            Self(unsafe { _mm256_and_si256(_mm256_srli_epi16::<BY>(self.0), _mm256_set1_epi8(mask as i8)) })
        }

        #[inline(always)]
        fn left_four(self, mask: u8) -> Self {
            // SAFETY: as the trait demands.
            Self(unsafe { _mm256_slli_epi16::<4>(_mm256_and_si256(self.0, _mm256_set1_epi8(mask as i8))) })
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
        fn prefetch(line: &Line) {
            // SAFETY: reads nothing that a program sees.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.0.as_ptr().cast()) };
        }

        // There is no unsigned comparison: what a bound exceeds leaves something when it is taken off.
        #[inline(always)]
        fn below(self, bound: Self) -> u32 {
            // SAFETY: as the trait demands.
            unsafe {
                let nothing = _mm256_cmpeq_epi8(_mm256_subs_epu8(bound.0, self.0), _mm256_setzero_si256());
                !_mm256_movemask_epi8(nothing) as u32
            }
        }

        #[inline(always)]
        fn any_below<const N: usize>(all: [Self; N], bound: Self) -> bool {
            // SAFETY: as the trait demands.
            let least = all.into_iter().reduce(|a, b| Self(unsafe { _mm256_min_epu8(a.0, b.0) }));
            // SAFETY: as the trait demands.
            least.is_some_and(|least| unsafe {
                let left = _mm256_subs_epu8(bound.0, least.0);
                _mm256_testz_si256(left, left) == 0
            })
        }
    }
}
