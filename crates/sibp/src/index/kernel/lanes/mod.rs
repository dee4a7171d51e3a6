//! Adds, splits and looks up 32 bytes at once, in plain Rust or by the instructions of a level.
#![allow(unsafe_code)]

#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::tables::Half;
use crate::backing::Line;
#[cfg(target_arch = "aarch64")]
pub(super) use neon::Neon;
pub(super) use portable::Portable;
#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Ssse3};

/// 32 bytes.
///
/// # Safety
/// All but [`Portable`] may only be used inside functions compiled for their instruction set, on a machine that has it.
pub(super) unsafe trait Lanes: Copy {
    /// A table of 16 entries, ready for look-ups.
    type Table: Copy;
    /// Registers that 32 bytes take.
    const REGISTERS: usize;
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
    /// Makes a table ready for look-ups.
    fn table(table: &Half) -> Self::Table;
    /// The entries of a table that bytes of at most 15 name.
    fn look_up(self, table: Self::Table) -> Self;
    /// Bit `i` tells whether byte `i` is below the bound, which is the same in all bytes.
    fn below(self, bound: Self) -> u32;
    /// Whether any byte of any of these is below the bound, which is the same in all bytes.
    fn any_below<const N: usize>(all: [Self; N], bound: Self) -> bool;
}

/// Lanes of processors that count the bits of bytes by an instruction: a few queries need no tables there.
#[cfg(target_arch = "aarch64")]
pub(super) trait Counts: Lanes {
    /// In how many bits each byte differs.
    fn differing(self, other: Self) -> Self;
}

/// Brings a line into the cache, where the processor can be asked to and the line exists.
#[inline(always)]
pub(super) fn prefetch(line: *const Line) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction, and it reads nothing that a program sees.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(line.cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the same.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) line, options(nostack, readonly, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = line;
}

/// Ends a function by an always-inlined body that is generic over lanes, compiled for an instruction level. The machine
/// must have that level.
macro_rules! with_lanes {
    ($level:expr, $body:ident::<$lanes:ident $(, $more:ty)?>($($arg:ident: $kind:ty),*)) => {
        #[cfg(target_arch = "x86_64")]
        {
            use $crate::index::kernel::lanes;
            use $crate::numerics::level::Level;
            #[target_feature(enable = "avx2,popcnt")]
            fn avx2($($arg: $kind),*) {
                type $lanes = lanes::Avx2;
                $body::<$lanes $(, $more)?>($($arg),*)
            }
            #[target_feature(enable = "ssse3,popcnt")]
            fn ssse3($($arg: $kind),*) {
                type $lanes = lanes::Ssse3;
                $body::<$lanes $(, $more)?>($($arg),*)
            }
            match $level {
                // SAFETY: the machine has this level.
                Level::Avx512 | Level::Avx512Words | Level::Avx2 => return unsafe { avx2($($arg),*) },
                // SAFETY: the machine has this level.
                Level::Ssse3 => return unsafe { ssse3($($arg),*) },
                Level::Neon | Level::Portable => {}
            }
        }
        #[cfg(target_arch = "aarch64")]
        if $level == $crate::numerics::level::Level::Neon {
            type $lanes = $crate::index::kernel::lanes::Neon;
            return $body::<$lanes $(, $more)?>($($arg),*);
        }
        type $lanes = $crate::index::kernel::lanes::Portable;
        $body::<$lanes $(, $more)?>($($arg),*)
    };
}
pub(super) use with_lanes;
