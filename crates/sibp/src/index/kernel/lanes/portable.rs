//! Adds, splits and looks up 32 bytes at once in plain Rust.
#![allow(unsafe_code)]

use super::Lanes;
use crate::index::kernel::tables::Half;

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

/// Plain Rust, for every machine: four words of eight bytes, which compilers make vectors of.
#[derive(Clone, Copy)]
pub(in super::super) struct Portable([u64; 4]);

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
    type Table = Half;
    const REGISTERS: usize = 2;

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
    fn table(table: &Half) -> Half {
        *table
    }

    #[inline(always)]
    fn look_up(self, table: Half) -> Self {
        Self::load(&self.store().map(|index| table.0[usize::from(index & 15)]))
    }

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
