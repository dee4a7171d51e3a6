//! Compares queries with blocks by AVX2: table lookups of half bytes on 32 codes at once.
//!
//! The halves of a plane are taken apart once for all queries of a tile.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::ops::Range;

use super::tables::Half;
use super::{Hit, SECTION, TILE};
use crate::backing::Line;
use crate::index::planes::{Planes, STRIP, STRIPS};

/// Byte sums of `Q` queries and the 64 codes of a strip.
type Sums<const Q: usize> = [[__m256i; 2]; Q];

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
            1 => sums_for::<1>(planes, blocks, tables, bounds, hit),
            2 => sums_for::<2>(planes, blocks, tables, bounds, hit),
            3 => sums_for::<3>(planes, blocks, tables, bounds, hit),
            _ => sums_for::<4>(planes, blocks, tables, bounds, hit),
        }
    }
}

#[target_feature(enable = "avx2")]
unsafe fn sums_for<const Q: usize>(
    planes: &Planes,
    blocks: Range<usize>,
    tables: &[[[Half; 2]; TILE]],
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    for strip in blocks.start * STRIPS..blocks.end * STRIPS {
        let mut sums: Sums<Q> = [[_mm256_setzero_si256(); 2]; Q];
        let mut tables = tables.as_ptr();
        for group in planes.groups() {
            let first = strip / STRIPS * group.n_planes * STRIPS + strip % STRIPS;
            for p in 0..group.n_planes {
                // SAFETY: the block exists, and the tile has tables for every plane.
                unsafe {
                    look_up(&mut sums, &*group.lines.as_ptr().add(first + p * STRIPS), &*tables);
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
    match n_queries {
        1 => wide_sums_for::<1>(planes, blocks, tables, bounds, hit),
        2 => wide_sums_for::<2>(planes, blocks, tables, bounds, hit),
        3 => wide_sums_for::<3>(planes, blocks, tables, bounds, hit),
        _ => wide_sums_for::<4>(planes, blocks, tables, bounds, hit),
    }
}

#[target_feature(enable = "avx2")]
fn wide_sums_for<const Q: usize>(
    planes: &Planes,
    blocks: Range<usize>,
    tables: &[[[Half; 2]; TILE]],
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    for strip in blocks.start * STRIPS..blocks.end * STRIPS {
        let mut totals = [[0u16; STRIP]; Q];
        let mut sums: Sums<Q> = [[_mm256_setzero_si256(); 2]; Q];
        for (p, (line, tables)) in planes.strip(strip).zip(tables).enumerate() {
            look_up(&mut sums, line, tables);
            if p % SECTION == SECTION - 1 {
                flush(&mut sums, &mut totals);
            }
        }
        flush(&mut sums, &mut totals);
        for (q, (totals, bound)) in totals.iter().zip(bounds.iter_mut()).enumerate() {
            let lanes = totals.iter().enumerate().fold(0, |lanes, (lane, s)| lanes | u64::from(s < bound) << lane);
            if lanes != 0 {
                *bound = hit(q, strip, lanes, totals);
            }
        }
    }
}

/// Adds the table entries of both half bytes of a line.
#[inline]
#[target_feature(enable = "avx2")]
fn look_up<const Q: usize>(sums: &mut Sums<Q>, line: &Line, tables: &[[Half; 2]; TILE]) {
    let mask = _mm256_set1_epi8(15);
    let mut halves = [[_mm256_setzero_si256(); 2]; 2];
    for (halves, part) in halves.iter_mut().zip(line.0.chunks_exact(STRIP / 2)) {
        // SAFETY: half a line is 32 aligned bytes.
        let code = unsafe { _mm256_load_si256(part.as_ptr().cast()) };
        *halves = [_mm256_and_si256(_mm256_srli_epi16::<4>(code), mask), _mm256_and_si256(code, mask)];
    }
    for (sums, tables) in sums.iter_mut().zip(tables) {
        let [high, low] = [spread(&tables[0]), spread(&tables[1])];
        for (sum, half) in sums.iter_mut().zip(&halves) {
            // Two entries never overflow, and a plain addition is the cheaper one.
            let both = _mm256_add_epi8(_mm256_shuffle_epi8(high, half[0]), _mm256_shuffle_epi8(low, half[1]));
            *sum = _mm256_adds_epu8(*sum, both);
        }
    }
}

/// Moves byte sums into 16 bits, which saturate.
#[inline]
#[target_feature(enable = "avx2")]
fn flush<const Q: usize>(sums: &mut Sums<Q>, totals: &mut [[u16; STRIP]; Q]) {
    for (sums, totals) in sums.iter_mut().zip(totals) {
        for (total, byte) in totals.iter_mut().zip(store(sums).0) {
            *total = total.saturating_add(u16::from(byte));
        }
        *sums = [_mm256_setzero_si256(); 2];
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

#[inline]
#[target_feature(enable = "avx2")]
fn spread(table: &Half) -> __m256i {
    // SAFETY: a table is 16 aligned bytes.
    _mm256_broadcastsi128_si256(unsafe { _mm_load_si128(table.0.as_ptr().cast()) })
}

/// Reports the lanes below each query's bound.
#[inline]
#[target_feature(enable = "avx2")]
fn report<const Q: usize>(sums: &Sums<Q>, strip: usize, bounds: &mut [u16; TILE], hit: &mut Hit) {
    for (q, both) in sums.iter().enumerate() {
        let Some(most) = bounds[q].checked_sub(1) else { continue };
        // There is no unsigned comparison: a sum is at most `most` where the lesser of both is the sum itself.
        let most = _mm256_set1_epi8(most as i8);
        let lanes = both.map(|sum| {
            let below = _mm256_cmpeq_epi8(_mm256_min_epu8(sum, most), sum);
            u64::from(_mm256_movemask_epi8(below) as u32)
        });
        if lanes != [0, 0] {
            bounds[q] = hit(q, strip, lanes[0] | lanes[1] << 32, &store(both).0.map(u16::from));
        }
    }
}
