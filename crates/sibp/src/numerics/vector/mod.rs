//! Operates on eight doubles or words at a time by SIMD instructions, with bit-identical results at every instruction
//! level.
#![allow(unsafe_code)]

use super::simd::LANES;

/// Eight values, as they are stored in memory.
pub type Chunk<T> = [T; LANES];

/// Chunk `at` of some values, padded with zeros.
#[inline(always)]
pub fn chunk_of(values: &[f64], at: usize) -> Chunk<f64> {
    let rest = &values[at * LANES..];
    match rest.first_chunk() {
        Some(chunk) => *chunk,
        None => std::array::from_fn(|lane| if lane < rest.len() { rest[lane] } else { 0.0 }),
    }
}

/// The sign bit of a double.
pub const SIGN: u64 = 1 << 63;
const MANTISSA: u64 = (1 << 52) - 1;
const ONE: u64 = 1023 << 52;

/// Operations on eight doubles and eight words. No operation contracts a·b + c.
///
/// # Safety
/// All but [`Portable`] may only be used inside functions compiled for their instruction set, on a machine that has it.
pub unsafe trait Vector: Copy {
    /// Eight doubles.
    type Doubles: Copy;
    /// Eight words.
    type Words: Copy;

    /// Fills all lanes with one double.
    fn splat(value: f64) -> Self::Doubles;
    /// Reads doubles.
    fn load(from: &Chunk<f64>) -> Self::Doubles;
    /// Writes doubles.
    fn store(values: Self::Doubles, to: &mut Chunk<f64>);
    /// Reads words.
    fn load_words(from: &Chunk<u64>) -> Self::Words;
    /// Writes words.
    fn store_words(words: Self::Words, to: &mut Chunk<u64>);
    /// Adds lane by lane.
    fn add(a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// Subtracts lane by lane.
    fn subtract(a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// Moves values beyond `limit`, on either side of zero, to it.
    fn clamp(values: Self::Doubles, limit: f64) -> Self::Doubles;
    /// Two to the power of the integers, below 1023 in size, that are in the lowest bits of `values`.
    fn from_exponent(values: Self::Doubles) -> Self::Doubles;
    /// Multiplies lane by lane.
    fn multiply(a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// Negates the lanes where the highest bit of (`word` xor `flip`) is set.
    fn with_sign(values: Self::Doubles, words: Self::Words, flip: u64) -> Self::Doubles;
    /// Shifts words to the left.
    fn shift_left(words: Self::Words, by: u32) -> Self::Words;
    /// `yes` where the highest bit of the word is set, else `no`.
    fn select(words: Self::Words, yes: Self::Doubles, no: Self::Doubles) -> Self::Doubles;
    /// `yes` where `values` are 0, else `no`.
    fn select_zero(values: Self::Doubles, yes: Self::Doubles, no: Self::Doubles) -> Self::Doubles;
    /// `yes` in the lanes whose bit is set, else `no`.
    fn select_lanes(lanes: u8, yes: Self::Doubles, no: Self::Doubles) -> Self::Doubles;
    /// Writes the lanes whose bit is set side by side; the values behind them are undefined.
    fn pack(values: Self::Doubles, lanes: u8, to: &mut Chunk<f64>);
    /// Splits positive doubles into mantissas in [1, 2) and exponents, which are added to `exponents`.
    fn split(values: Self::Doubles, exponents: Self::Words) -> (Self::Doubles, Self::Words);
}

/// Plain Rust, for every machine.
#[derive(Clone, Copy)]
pub struct Portable;

// SAFETY: no instructions beyond the target's own.
unsafe impl Vector for Portable {
    type Doubles = Chunk<f64>;
    type Words = Chunk<u64>;

    #[inline(always)]
    fn splat(value: f64) -> Chunk<f64> {
        [value; LANES]
    }

    #[inline(always)]
    fn load(from: &Chunk<f64>) -> Chunk<f64> {
        *from
    }

    #[inline(always)]
    fn store(values: Chunk<f64>, to: &mut Chunk<f64>) {
        *to = values;
    }

    #[inline(always)]
    fn load_words(from: &Chunk<u64>) -> Chunk<u64> {
        *from
    }

    #[inline(always)]
    fn store_words(words: Chunk<u64>, to: &mut Chunk<u64>) {
        *to = words;
    }

    #[inline(always)]
    fn add(a: Chunk<f64>, b: Chunk<f64>) -> Chunk<f64> {
        std::array::from_fn(|lane| a[lane] + b[lane])
    }

    #[inline(always)]
    fn subtract(a: Chunk<f64>, b: Chunk<f64>) -> Chunk<f64> {
        std::array::from_fn(|lane| a[lane] - b[lane])
    }

    #[inline(always)]
    fn clamp(values: Chunk<f64>, limit: f64) -> Chunk<f64> {
        values.map(|value| value.clamp(-limit, limit))
    }

    #[inline(always)]
    fn from_exponent(values: Chunk<f64>) -> Chunk<f64> {
        values.map(|value| f64::from_bits((value.to_bits() << 52).wrapping_add(ONE)))
    }

    #[inline(always)]
    fn multiply(a: Chunk<f64>, b: Chunk<f64>) -> Chunk<f64> {
        std::array::from_fn(|lane| a[lane] * b[lane])
    }

    #[inline(always)]
    fn with_sign(values: Chunk<f64>, words: Chunk<u64>, flip: u64) -> Chunk<f64> {
        std::array::from_fn(|lane| f64::from_bits(values[lane].to_bits() ^ (words[lane] ^ flip) & SIGN))
    }

    #[inline(always)]
    fn shift_left(words: Chunk<u64>, by: u32) -> Chunk<u64> {
        words.map(|word| word << by)
    }

    #[inline(always)]
    fn select(words: Chunk<u64>, yes: Chunk<f64>, no: Chunk<f64>) -> Chunk<f64> {
        std::array::from_fn(|lane| if words[lane] & SIGN != 0 { yes[lane] } else { no[lane] })
    }

    #[inline(always)]
    fn select_zero(values: Chunk<f64>, yes: Chunk<f64>, no: Chunk<f64>) -> Chunk<f64> {
        std::array::from_fn(|lane| if values[lane] == 0.0 { yes[lane] } else { no[lane] })
    }

    #[inline(always)]
    fn select_lanes(lanes: u8, yes: Chunk<f64>, no: Chunk<f64>) -> Chunk<f64> {
        std::array::from_fn(|lane| if lanes >> lane & 1 == 1 { yes[lane] } else { no[lane] })
    }

    #[inline(always)]
    fn pack(values: Chunk<f64>, lanes: u8, to: &mut Chunk<f64>) {
        let mut end = 0;
        for (lane, value) in values.into_iter().enumerate() {
            // Every lane is written, and overwritten by the next one where it does not count.
            to[end] = value;
            end += usize::from(lanes >> lane & 1 == 1);
        }
    }

    #[inline(always)]
    fn split(values: Chunk<f64>, exponents: Chunk<u64>) -> (Chunk<f64>, Chunk<u64>) {
        (
            values.map(|value| f64::from_bits(value.to_bits() & MANTISSA | ONE)),
            std::array::from_fn(|lane| exponents[lane].wrapping_add((values[lane].to_bits() >> 52).wrapping_sub(1023))),
        )
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86;

/// Defines a function that runs an always-inlined body, generic over [`Vector`], at the machine's instruction level,
/// and one that runs it at a given level that the machine has.
macro_rules! by_vectors {
    ($(#[$doc:meta])* $name:ident, $name_at:ident = $body:ident($($arg:ident: $kind:ty),*) $(-> $out:ty)?) => {
        $(#[$doc])*
        pub fn $name($($arg: $kind),*) $(-> $out)? {
            $name_at($crate::numerics::level::Level::detect(), $($arg),*)
        }

        #[allow(unsafe_code)]
        fn $name_at(level: $crate::numerics::level::Level, $($arg: $kind),*) $(-> $out)? {
            use $crate::numerics::{level::{Level, compiled_for}, vector};
            assert!(level <= Level::detect(), "this machine lacks the instructions");
            compiled_for! {
                level, ($($arg: $kind),*) $(-> $out)?,
                $body::<vector::Avx512>, $body::<vector::Avx2>, $body::<vector::Portable>
            }
        }
    };
}
pub(crate) use by_vectors;
