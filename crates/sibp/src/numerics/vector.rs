//! Eight doubles or words at a time, by the instructions of each level, with the same bits from all of them.
#![allow(unsafe_code)]

use super::simd::LANES;

/// Eight values, as they stand in memory.
pub type Chunk<T> = [T; LANES];

/// The sign of a double.
pub const SIGN: u64 = 1 << 63;
const MANTISSA: u64 = (1 << 52) - 1;
const ONE: u64 = 1023 << 52;

/// Operations on eight doubles and eight words. No operation contracts a·b + c.
///
/// # Safety
/// All but [`Portable`] may only be used inside functions compiled for their instruction set, on a machine that has it.
pub unsafe trait Vector {
    /// Eight doubles.
    type Doubles: Copy;
    /// Eight words.
    type Words: Copy;

    /// The same double in all lanes.
    fn splat(value: f64) -> Self::Doubles;
    /// Reads doubles.
    fn load(from: &Chunk<f64>) -> Self::Doubles;
    /// Writes doubles.
    fn store(values: Self::Doubles, to: &mut Chunk<f64>);
    /// Reads words.
    fn load_words(from: &Chunk<u64>) -> Self::Words;
    /// Writes words.
    fn store_words(words: Self::Words, to: &mut Chunk<u64>);
    /// Sums.
    fn add(a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// Products.
    fn multiply(a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// Negated where the highest bit of (`word` xor `flip`) is set.
    fn with_sign(values: Self::Doubles, words: Self::Words, flip: u64) -> Self::Doubles;
    /// Words shifted to the left.
    fn shift_left(words: Self::Words, by: u32) -> Self::Words;
    /// `yes` where the highest bit of the word is set, else `no`.
    fn select(words: Self::Words, yes: Self::Doubles, no: Self::Doubles) -> Self::Doubles;
    /// `yes` where `values` are 0, else `no`.
    fn select_zero(values: Self::Doubles, yes: Self::Doubles, no: Self::Doubles) -> Self::Doubles;
    /// Positive doubles as mantissas in [1, 2), and `exponents` plus theirs.
    fn split(values: Self::Doubles, exponents: Self::Words) -> (Self::Doubles, Self::Words);
}

/// Plain Rust, for every machine.
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
mod x86 {
    use super::{Chunk, MANTISSA, ONE, SIGN, Vector};
    use std::arch::x86_64::*;

    /// 512-bit vectors.
    pub struct Avx512;

    // SAFETY: the trait asks callers for AVX-512 F and DQ; loads and stores are within the arrays they are given.
    unsafe impl Vector for Avx512 {
        type Doubles = __m512d;
        type Words = __m512i;

        #[inline(always)]
        fn splat(value: f64) -> __m512d {
            // SAFETY: as said for the whole implementation; so below.
            unsafe { _mm512_set1_pd(value) }
        }

        #[inline(always)]
        fn load(from: &Chunk<f64>) -> __m512d {
            // SAFETY: as above; 64 bytes are read.
            unsafe { _mm512_loadu_pd(from.as_ptr()) }
        }

        #[inline(always)]
        fn store(values: __m512d, to: &mut Chunk<f64>) {
            // SAFETY: as above; 64 bytes are written.
            unsafe { _mm512_storeu_pd(to.as_mut_ptr(), values) }
        }

        #[inline(always)]
        fn load_words(from: &Chunk<u64>) -> __m512i {
            // SAFETY: as above; 64 bytes are read.
            unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
        }

        #[inline(always)]
        fn store_words(words: __m512i, to: &mut Chunk<u64>) {
            // SAFETY: as above; 64 bytes are written.
            unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), words) }
        }

        #[inline(always)]
        fn add(a: __m512d, b: __m512d) -> __m512d {
            // SAFETY: as above.
            unsafe { _mm512_add_pd(a, b) }
        }

        #[inline(always)]
        fn multiply(a: __m512d, b: __m512d) -> __m512d {
            // SAFETY: as above.
            unsafe { _mm512_mul_pd(a, b) }
        }

        #[inline(always)]
        fn with_sign(values: __m512d, words: __m512i, flip: u64) -> __m512d {
            // SAFETY: as above.
            unsafe {
                let flip = _mm512_xor_si512(_mm512_castpd_si512(values), _mm512_set1_epi64((flip & SIGN) as i64));
                // flip ^ (words & SIGN)
                let sign = _mm512_set1_epi64(SIGN as i64);
                _mm512_castsi512_pd(_mm512_ternarylogic_epi64::<0x78>(flip, words, sign))
            }
        }

        #[inline(always)]
        fn shift_left(words: __m512i, by: u32) -> __m512i {
            // SAFETY: as above.
            unsafe { _mm512_sll_epi64(words, _mm_cvtsi32_si128(by as i32)) }
        }

        #[inline(always)]
        fn select(words: __m512i, yes: __m512d, no: __m512d) -> __m512d {
            // SAFETY: as above.
            unsafe { _mm512_mask_blend_pd(_mm512_movepi64_mask(words), no, yes) }
        }

        #[inline(always)]
        fn select_zero(values: __m512d, yes: __m512d, no: __m512d) -> __m512d {
            // SAFETY: as above.
            unsafe {
                let zero = _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(values, _mm512_setzero_pd());
                _mm512_mask_blend_pd(zero, no, yes)
            }
        }

        #[inline(always)]
        fn split(values: __m512d, exponents: __m512i) -> (__m512d, __m512i) {
            // SAFETY: as above.
            unsafe {
                let bits = _mm512_castpd_si512(values);
                let biased = _mm512_srli_epi64::<52>(bits);
                let exponents = _mm512_add_epi64(exponents, _mm512_sub_epi64(biased, _mm512_set1_epi64(1023)));
                let mantissa = _mm512_and_si512(bits, _mm512_set1_epi64(MANTISSA as i64));
                (_mm512_castsi512_pd(_mm512_or_si512(mantissa, _mm512_set1_epi64(ONE as i64))), exponents)
            }
        }
    }

    /// 256-bit vectors, two at a time.
    pub struct Avx2;

    // SAFETY: the trait asks callers for AVX2; loads and stores are within the arrays they are given.
    unsafe impl Vector for Avx2 {
        type Doubles = [__m256d; 2];
        type Words = [__m256i; 2];

        #[inline(always)]
        fn splat(value: f64) -> [__m256d; 2] {
            // SAFETY: as said for the whole implementation; so below.
            unsafe { [_mm256_set1_pd(value); 2] }
        }

        #[inline(always)]
        fn load(from: &Chunk<f64>) -> [__m256d; 2] {
            // SAFETY: as above; 64 bytes are read.
            unsafe { [_mm256_loadu_pd(from.as_ptr()), _mm256_loadu_pd(from.as_ptr().add(4))] }
        }

        #[inline(always)]
        fn store(values: [__m256d; 2], to: &mut Chunk<f64>) {
            // SAFETY: as above; 64 bytes are written.
            unsafe {
                _mm256_storeu_pd(to.as_mut_ptr(), values[0]);
                _mm256_storeu_pd(to.as_mut_ptr().add(4), values[1]);
            }
        }

        #[inline(always)]
        fn load_words(from: &Chunk<u64>) -> [__m256i; 2] {
            // SAFETY: as above; 64 bytes are read.
            unsafe { [_mm256_loadu_si256(from.as_ptr().cast()), _mm256_loadu_si256(from.as_ptr().add(4).cast())] }
        }

        #[inline(always)]
        fn store_words(words: [__m256i; 2], to: &mut Chunk<u64>) {
            // SAFETY: as above; 64 bytes are written.
            unsafe {
                _mm256_storeu_si256(to.as_mut_ptr().cast(), words[0]);
                _mm256_storeu_si256(to.as_mut_ptr().add(4).cast(), words[1]);
            }
        }

        #[inline(always)]
        fn add(a: [__m256d; 2], b: [__m256d; 2]) -> [__m256d; 2] {
            // SAFETY: as above.
            unsafe { [_mm256_add_pd(a[0], b[0]), _mm256_add_pd(a[1], b[1])] }
        }

        #[inline(always)]
        fn multiply(a: [__m256d; 2], b: [__m256d; 2]) -> [__m256d; 2] {
            // SAFETY: as above.
            unsafe { [_mm256_mul_pd(a[0], b[0]), _mm256_mul_pd(a[1], b[1])] }
        }

        #[inline(always)]
        fn with_sign(values: [__m256d; 2], words: [__m256i; 2], flip: u64) -> [__m256d; 2] {
            // SAFETY: as above.
            unsafe {
                let (sign, flip) = (_mm256_set1_epi64x(SIGN as i64), _mm256_set1_epi64x((flip & SIGN) as i64));
                let first = _mm256_xor_si256(_mm256_and_si256(words[0], sign), flip);
                let second = _mm256_xor_si256(_mm256_and_si256(words[1], sign), flip);
                [
                    _mm256_xor_pd(values[0], _mm256_castsi256_pd(first)),
                    _mm256_xor_pd(values[1], _mm256_castsi256_pd(second)),
                ]
            }
        }

        #[inline(always)]
        fn shift_left(words: [__m256i; 2], by: u32) -> [__m256i; 2] {
            // SAFETY: as above.
            unsafe {
                let by = _mm_cvtsi32_si128(by as i32);
                [_mm256_sll_epi64(words[0], by), _mm256_sll_epi64(words[1], by)]
            }
        }

        #[inline(always)]
        fn select(words: [__m256i; 2], yes: [__m256d; 2], no: [__m256d; 2]) -> [__m256d; 2] {
            // SAFETY: as above.
            unsafe {
                [
                    _mm256_blendv_pd(no[0], yes[0], _mm256_castsi256_pd(words[0])),
                    _mm256_blendv_pd(no[1], yes[1], _mm256_castsi256_pd(words[1])),
                ]
            }
        }

        #[inline(always)]
        fn select_zero(values: [__m256d; 2], yes: [__m256d; 2], no: [__m256d; 2]) -> [__m256d; 2] {
            // SAFETY: as above.
            unsafe {
                let first = _mm256_cmp_pd::<_CMP_EQ_OQ>(values[0], _mm256_setzero_pd());
                let second = _mm256_cmp_pd::<_CMP_EQ_OQ>(values[1], _mm256_setzero_pd());
                [_mm256_blendv_pd(no[0], yes[0], first), _mm256_blendv_pd(no[1], yes[1], second)]
            }
        }

        #[inline(always)]
        fn split(values: [__m256d; 2], exponents: [__m256i; 2]) -> ([__m256d; 2], [__m256i; 2]) {
            // SAFETY: as above.
            unsafe {
                let bits = [_mm256_castpd_si256(values[0]), _mm256_castpd_si256(values[1])];
                let (mantissa, one) = (_mm256_set1_epi64x(MANTISSA as i64), _mm256_set1_epi64x(ONE as i64));
                let mantissas = [
                    _mm256_castsi256_pd(_mm256_or_si256(_mm256_and_si256(bits[0], mantissa), one)),
                    _mm256_castsi256_pd(_mm256_or_si256(_mm256_and_si256(bits[1], mantissa), one)),
                ];
                let bias = _mm256_set1_epi64x(1023);
                let exponents = [
                    _mm256_add_epi64(exponents[0], _mm256_sub_epi64(_mm256_srli_epi64::<52>(bits[0]), bias)),
                    _mm256_add_epi64(exponents[1], _mm256_sub_epi64(_mm256_srli_epi64::<52>(bits[1]), bias)),
                ];
                (mantissas, exponents)
            }
        }
    }
}

/// Defines a function that runs an always-inlined body, generic over [`Vector`], at the level of this machine, and one
/// that runs it at a given level that the machine has.
macro_rules! by_vectors {
    ($(#[$doc:meta])* $name:ident, $name_at:ident = $body:ident($($arg:ident: $kind:ty),*) $(-> $out:ty)?) => {
        $(#[$doc])*
        pub fn $name($($arg: $kind),*) $(-> $out)? {
            $name_at($crate::numerics::simd::level(), $($arg),*)
        }

        #[allow(unsafe_code)]
        fn $name_at(level: $crate::numerics::simd::Level, $($arg: $kind),*) $(-> $out)? {
            #[cfg(target_arch = "x86_64")]
            {
                use $crate::numerics::{simd::Level, vector::{Avx2, Avx512}};
                #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
                fn avx512($($arg: $kind),*) $(-> $out)? { $body::<Avx512>($($arg),*) }
                #[target_feature(enable = "avx2")]
                fn avx2($($arg: $kind),*) $(-> $out)? { $body::<Avx2>($($arg),*) }
                assert!(level <= $crate::numerics::simd::level(), "this machine lacks the instructions");
                match level {
                    // SAFETY: the machine has this level.
                    Level::Avx512 => return unsafe { avx512($($arg),*) },
                    // SAFETY: the machine has this level.
                    Level::Avx2 => return unsafe { avx2($($arg),*) },
                    Level::Portable => {}
                }
            }
            $body::<$crate::numerics::vector::Portable>($($arg),*)
        }
    };
}
pub(crate) use by_vectors;
