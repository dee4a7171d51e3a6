//! Compares queries with blocks by AVX2: table lookups of half bytes on 32 codes at once.
//!
//! The halves of a plane are taken apart once for all queries of a tile. Few queries take several strips at once: that
//! fills the registers, and a lone query, which waits for memory, reads it from front to back.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::ops::Range;

use super::tables::Half;
use super::{Hit, SECTION, TILE};
use crate::backing::Line;
use crate::index::planes::{Planes, STRIP, STRIPS};

/// Lines prefetched for a lone query; 8 KiB.
const AHEAD: usize = 128;

/// Byte sums of `Q` queries and the 64 codes of each of `S` strips.
type Sums<const Q: usize, const S: usize> = [[[__m256i; 2]; S]; Q];

/// 16-bit sums of `Q` queries and `S` strips.
type Totals<const Q: usize, const S: usize> = [[[u16; STRIP]; S]; Q];

/// Adds up table entries in bytes, saturating at 255.
///
/// # Safety
/// The processor must have AVX2; the blocks must exist.
#[target_feature(enable = "avx2")]
pub unsafe fn sums(
    planes: &Planes,
    blocks: Range<usize>,
    n_queries: usize,
    tables: &[[[Half; 2]; TILE]],
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    assert_eq!(tables.len(), planes.n_planes(), "tables for every plane");
    // SAFETY: passed on.
    unsafe {
        match n_queries {
            1 => sums_for::<1, 4>(planes, blocks, tables, bounds, hit),
            2 => sums_for::<2, 2>(planes, blocks, tables, bounds, hit),
            3 => sums_for::<3, 1>(planes, blocks, tables, bounds, hit),
            _ => sums_for::<4, 1>(planes, blocks, tables, bounds, hit),
        }
    }
}

#[target_feature(enable = "avx2")]
unsafe fn sums_for<const Q: usize, const S: usize>(
    planes: &Planes,
    blocks: Range<usize>,
    tables: &[[[Half; 2]; TILE]],
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    for strip in (blocks.start * STRIPS..blocks.end * STRIPS).step_by(S) {
        let mut sums: Sums<Q, S> = [[[_mm256_setzero_si256(); 2]; S]; Q];
        let mut tables = tables.as_ptr();
        for group in planes.groups() {
            let first = strip / STRIPS * group.n_planes * STRIPS + strip % STRIPS;
            for p in 0..group.n_planes {
                // SAFETY: the block exists, and the tile has tables for every plane.
                unsafe {
                    look_up(&mut sums, group.lines.as_ptr().add(first + p * STRIPS), &*tables);
                    tables = tables.add(1);
                }
            }
        }
        report(&sums, strip, bounds, hit);
    }
}

/// Adds up table entries like [`sums`], in 16-bit counters.
///
/// # Safety
/// As for [`sums`].
#[target_feature(enable = "avx2")]
pub unsafe fn wide_sums(
    planes: &Planes,
    blocks: Range<usize>,
    n_queries: usize,
    tables: &[[[Half; 2]; TILE]],
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    assert_eq!(tables.len(), planes.n_planes(), "tables for every plane");
    // SAFETY: passed on.
    unsafe {
        match n_queries {
            1 => wide_sums_for::<1, 4>(planes, blocks, tables, bounds, hit),
            2 => wide_sums_for::<2, 2>(planes, blocks, tables, bounds, hit),
            3 => wide_sums_for::<3, 1>(planes, blocks, tables, bounds, hit),
            _ => wide_sums_for::<4, 1>(planes, blocks, tables, bounds, hit),
        }
    }
}

#[target_feature(enable = "avx2")]
unsafe fn wide_sums_for<const Q: usize, const S: usize>(
    planes: &Planes,
    blocks: Range<usize>,
    tables: &[[[Half; 2]; TILE]],
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    for strip in (blocks.start * STRIPS..blocks.end * STRIPS).step_by(S) {
        let mut totals: Totals<Q, S> = [[[0; STRIP]; S]; Q];
        let mut tables = tables.as_ptr();
        for group in planes.groups() {
            let first = strip / STRIPS * group.n_planes * STRIPS + strip % STRIPS;
            for from in (0..group.n_planes).step_by(SECTION) {
                let mut sums: Sums<Q, S> = [[[_mm256_setzero_si256(); 2]; S]; Q];
                for p in from..(from + SECTION).min(group.n_planes) {
                    // SAFETY: the block exists, and the tile has tables for every plane.
                    unsafe {
                        look_up(&mut sums, group.lines.as_ptr().add(first + p * STRIPS), &*tables);
                        tables = tables.add(1);
                    }
                }
                add_wide(&mut totals, &sums);
            }
        }
        report_wide(&totals, strip, bounds, hit);
    }
}

/// Adds the table entries of both half bytes of `S` lines.
///
/// # Safety
/// There must be so many lines.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn look_up<const Q: usize, const S: usize>(
    sums: &mut Sums<Q, S>,
    lines: *const Line,
    tables: &[[Half; 2]; TILE],
) {
    for s in 0..S {
        let mut halves = [[_mm256_setzero_si256(); 2]; 2];
        for (at, halves) in halves.iter_mut().enumerate() {
            // SAFETY: half a line is 32 aligned bytes.
            *halves = split(unsafe { _mm256_load_si256(lines.add(s).cast::<__m256i>().add(at)) });
        }
        if Q == 1 {
            _mm_prefetch::<_MM_HINT_T0>(lines.wrapping_add(s + AHEAD).cast());
        }
        for (sums, tables) in sums.iter_mut().zip(tables) {
            let [high, low] = [spread(&tables[0]), spread(&tables[1])];
            for (sum, half) in sums[s].iter_mut().zip(&halves) {
                // Two entries never overflow, and a plain addition is the cheaper one.
                let both = _mm256_add_epi8(_mm256_shuffle_epi8(high, half[0]), _mm256_shuffle_epi8(low, half[1]));
                *sum = _mm256_adds_epu8(*sum, both);
            }
        }
    }
}

/// The high and the low halves of bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn split(bytes: __m256i) -> [__m256i; 2] {
    let mask = _mm256_set1_epi8(15);
    [_mm256_and_si256(_mm256_srli_epi16::<4>(bytes), mask), _mm256_and_si256(bytes, mask)]
}

/// A table in both halves of a register.
#[inline]
#[target_feature(enable = "avx2")]
fn spread(table: &Half) -> __m256i {
    // SAFETY: a table is 16 aligned bytes.
    _mm256_broadcastsi128_si256(unsafe { _mm_load_si128(table.0.as_ptr().cast()) })
}

/// Adds byte sums to 16-bit ones, which saturate.
#[inline]
#[target_feature(enable = "avx2")]
fn add_wide<const Q: usize, const S: usize>(totals: &mut Totals<Q, S>, sums: &Sums<Q, S>) {
    for (totals, sums) in totals.as_flattened_mut().iter_mut().zip(sums.as_flattened()) {
        for (total, byte) in totals.iter_mut().zip(store(sums).0) {
            *total = total.saturating_add(u16::from(byte));
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(sums: &[__m256i; 2]) -> Line {
    let mut bytes = Line::ZERO;
    // SAFETY: a line is two aligned registers.
    unsafe {
        _mm256_store_si256(bytes.0.as_mut_ptr().cast(), sums[0]);
        _mm256_store_si256(bytes.0.as_mut_ptr().add(STRIP / 2).cast(), sums[1]);
    }
    bytes
}

/// Reports the lanes below each query's bound; of several strips one comparison decides that there are none.
#[inline]
#[target_feature(enable = "avx2")]
fn report<const Q: usize, const S: usize>(sums: &Sums<Q, S>, strip: usize, bounds: &mut [u16; TILE], hit: &mut Hit) {
    for (q, strips) in sums.iter().enumerate() {
        let first = strips[0][0];
        let least = strips.as_flattened()[1..].iter().fold(first, |least, &sum| _mm256_min_epu8(least, sum));
        if S > 1 && below(least, bounds[q]) == 0 {
            continue;
        }
        for (s, both) in strips.iter().enumerate() {
            let lanes = both.map(|sum| u64::from(below(sum, bounds[q])));
            if lanes != [0, 0] {
                bounds[q] = hit(q, strip + s, lanes[0] | lanes[1] << 32, &store(both).0.map(u16::from));
            }
        }
    }
}

/// The lanes whose sums are below a bound of at most 255.
#[inline]
#[target_feature(enable = "avx2")]
fn below(sums: __m256i, bound: u16) -> u32 {
    let Some(most) = bound.checked_sub(1) else { return 0 };
    // There is no unsigned comparison: a sum is at most `most` where the lesser of both is the sum itself.
    let least = _mm256_min_epu8(sums, _mm256_set1_epi8(most as i8));
    _mm256_movemask_epi8(_mm256_cmpeq_epi8(least, sums)) as u32
}

/// Reports the lanes below each query's bound.
#[inline]
#[target_feature(enable = "avx2")]
fn report_wide<const Q: usize, const S: usize>(
    totals: &Totals<Q, S>,
    strip: usize,
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    for ((q, strips), bound) in totals.iter().enumerate().zip(bounds) {
        for (s, totals) in strips.iter().enumerate() {
            let lanes = totals.iter().enumerate().fold(0, |lanes, (lane, sum)| lanes | u64::from(sum < bound) << lane);
            if lanes != 0 {
                *bound = hit(q, strip + s, lanes, totals);
            }
        }
    }
}
