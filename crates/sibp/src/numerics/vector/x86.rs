//! Implements the vector operations for x86-64: AVX-512 and AVX2.

use super::{Chunk, LANES, MANTISSA, ONE, Portable, SIGN, Vector};
use std::arch::x86_64::*;

/// 512-bit vectors.
#[derive(Clone, Copy)]
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
    fn subtract(a: __m512d, b: __m512d) -> __m512d {
        // SAFETY: as above.
        unsafe { _mm512_sub_pd(a, b) }
    }

    #[inline(always)]
    fn clamp(values: __m512d, limit: f64) -> __m512d {
        // SAFETY: as above.
        unsafe { _mm512_min_pd(_mm512_max_pd(values, _mm512_set1_pd(-limit)), _mm512_set1_pd(limit)) }
    }

    #[inline(always)]
    fn from_exponent(values: __m512d) -> __m512d {
        // SAFETY: as above.
        unsafe {
            let shifted = _mm512_slli_epi64::<52>(_mm512_castpd_si512(values));
            _mm512_castsi512_pd(_mm512_add_epi64(shifted, _mm512_set1_epi64(ONE as i64)))
        }
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
    fn select_lanes(lanes: u8, yes: __m512d, no: __m512d) -> __m512d {
        // SAFETY: as above.
        unsafe { _mm512_mask_blend_pd(lanes, no, yes) }
    }

    #[inline(always)]
    fn pack(values: __m512d, lanes: u8, to: &mut Chunk<f64>) {
        // In a register, then stored whole: compressing into memory is slow on some processors.
        // SAFETY: as above.
        Self::store(unsafe { _mm512_maskz_compress_pd(lanes, values) }, to);
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
#[derive(Clone, Copy)]
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
    fn subtract(a: [__m256d; 2], b: [__m256d; 2]) -> [__m256d; 2] {
        // SAFETY: as above.
        unsafe { [_mm256_sub_pd(a[0], b[0]), _mm256_sub_pd(a[1], b[1])] }
    }

    #[inline(always)]
    fn clamp(values: [__m256d; 2], limit: f64) -> [__m256d; 2] {
        // SAFETY: as above.
        unsafe {
            let (low, high) = (_mm256_set1_pd(-limit), _mm256_set1_pd(limit));
            [_mm256_min_pd(_mm256_max_pd(values[0], low), high), _mm256_min_pd(_mm256_max_pd(values[1], low), high)]
        }
    }

    #[inline(always)]
    fn from_exponent(values: [__m256d; 2]) -> [__m256d; 2] {
        // SAFETY: as above.
        unsafe {
            let one = _mm256_set1_epi64x(ONE as i64);
            let shifted = [
                _mm256_slli_epi64::<52>(_mm256_castpd_si256(values[0])),
                _mm256_slli_epi64::<52>(_mm256_castpd_si256(values[1])),
            ];
            [
                _mm256_castsi256_pd(_mm256_add_epi64(shifted[0], one)),
                _mm256_castsi256_pd(_mm256_add_epi64(shifted[1], one)),
            ]
        }
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
    fn select_lanes(lanes: u8, yes: [__m256d; 2], no: [__m256d; 2]) -> [__m256d; 2] {
        Self::select(Self::load_words(&std::array::from_fn(|lane| u64::from(lanes) << (63 - lane))), yes, no)
    }

    #[inline(always)]
    fn pack(values: [__m256d; 2], lanes: u8, to: &mut Chunk<f64>) {
        let mut plain = [0.0; LANES];
        Self::store(values, &mut plain);
        Portable::pack(plain, lanes, to);
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
