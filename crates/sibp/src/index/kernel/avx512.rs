//! Compares queries with blocks by AVX-512: xor, VPOPCNTB and add on 64 codes at once.
//!
//! Four queries meet the four strips of a block in 16 registers of byte counters, so loads are a small part of the
//! work.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::ops::Range;

use super::{Hit, QueryTile, SAFE_PLANES, TILE};
use crate::backing::Line;
use crate::index::planes::{Group, Planes, STRIP, STRIPS};

/// Lines prefetched for a lone query, which is limited by memory bandwidth; 8 KiB.
const AHEAD: usize = 128;

/// Byte counters of `Q` queries and a block.
pub(super) type Counts<const Q: usize> = [[__m512i; STRIPS]; Q];

/// 16-bit counters of `Q` queries and a block, two registers a strip.
pub(super) type Totals<const Q: usize> = [[[__m512i; 2]; STRIPS]; Q];

/// Compares a tile with blocks by byte counters.
///
/// # Safety
/// The processor must have AVX-512 F, BW and BITALG; the blocks must exist and the tile be as wide as the planes.
#[target_feature(enable = "avx512f,avx512bw,avx512bitalg")]
pub unsafe fn narrow(planes: &Planes, blocks: Range<usize>, tile: &QueryTile, bounds: &mut [u16; TILE], hit: &mut Hit) {
    // SAFETY: passed on.
    unsafe {
        match tile.n_queries {
            1 => narrow_for::<1>(planes, blocks, tile, bounds, hit),
            2 => narrow_for::<2>(planes, blocks, tile, bounds, hit),
            3 => narrow_for::<3>(planes, blocks, tile, bounds, hit),
            _ => narrow_for::<4>(planes, blocks, tile, bounds, hit),
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512bitalg")]
unsafe fn narrow_for<const Q: usize>(
    planes: &Planes,
    blocks: Range<usize>,
    tile: &QueryTile,
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    for block in blocks {
        let mut counts: Counts<Q> = [[_mm512_setzero_si512(); STRIPS]; Q];
        let mut bytes = tile.bytes.as_ptr();
        let mut safe = SAFE_PLANES;
        for group in planes.groups() {
            // SAFETY: the block exists, and the tile has bytes for every plane.
            unsafe {
                let first = first_line(group, block);
                let split = group.n_planes.min(safe);
                count::<Q, false>(&mut counts, first, bytes, 0..split);
                count::<Q, true>(&mut counts, first, bytes, split..group.n_planes);
                bytes = bytes.add(group.n_planes);
                safe -= split;
            }
        }
        report(&counts, block, bounds, hit);
    }
}

/// Adds the distances over some planes of a block.
///
/// # Safety
/// `first` must point to a block and `bytes` to query bytes that both have the planes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bitalg")]
unsafe fn count<const Q: usize, const SATURATE: bool>(
    counts: &mut Counts<Q>,
    first: *const Line,
    bytes: *const [u8; TILE],
    planes: Range<usize>,
) {
    for p in planes {
        // SAFETY: the plane exists.
        let (codes, bytes) = unsafe { (load_plane::<Q>(first, p), &*bytes.add(p)) };
        for (counts, &byte) in counts.iter_mut().zip(bytes) {
            let byte = _mm512_set1_epi8(byte as i8);
            for (count, &code) in counts.iter_mut().zip(&codes) {
                let bits = _mm512_popcnt_epi8(_mm512_xor_si512(code, byte));
                *count = if SATURATE { _mm512_adds_epu8(*count, bits) } else { _mm512_add_epi8(*count, bits) };
            }
        }
    }
}

/// Compares a tile with blocks by 16-bit counters.
///
/// # Safety
/// As for [`narrow`].
#[target_feature(enable = "avx512f,avx512bw,avx512bitalg")]
pub unsafe fn wide(planes: &Planes, blocks: Range<usize>, tile: &QueryTile, bounds: &mut [u16; TILE], hit: &mut Hit) {
    // SAFETY: passed on.
    unsafe {
        match tile.n_queries {
            1 => wide_for::<1>(planes, blocks, tile, bounds, hit),
            2 => wide_for::<2>(planes, blocks, tile, bounds, hit),
            3 => wide_for::<3>(planes, blocks, tile, bounds, hit),
            _ => wide_for::<4>(planes, blocks, tile, bounds, hit),
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512bitalg")]
unsafe fn wide_for<const Q: usize>(
    planes: &Planes,
    blocks: Range<usize>,
    tile: &QueryTile,
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    for block in blocks {
        let mut totals: Totals<Q> = [[[_mm512_setzero_si512(); 2]; STRIPS]; Q];
        let mut bytes = tile.bytes.as_ptr();
        for group in planes.groups() {
            for from in (0..group.n_planes).step_by(SAFE_PLANES) {
                let mut counts: Counts<Q> = [[_mm512_setzero_si512(); STRIPS]; Q];
                let to = (from + SAFE_PLANES).min(group.n_planes);
                // SAFETY: the block exists, and the tile has bytes for every plane.
                unsafe { count::<Q, false>(&mut counts, first_line(group, block), bytes, from..to) };
                add_wide(&mut totals, &counts);
            }
            // SAFETY: as above.
            bytes = unsafe { bytes.add(group.n_planes) };
        }
        report_wide(&totals, block, bounds, hit);
    }
}

/// The first line of a block.
///
/// # Safety
/// The block must exist.
#[inline]
pub(super) unsafe fn first_line(group: &Group, block: usize) -> *const Line {
    // SAFETY: a group has `n_planes · STRIPS` lines a block.
    unsafe { group.lines.as_ptr().add(block * group.n_planes * STRIPS) }
}

/// Loads a byte plane of a block, one register a strip.
///
/// # Safety
/// `first` must point to a block with the plane.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn load_plane<const Q: usize>(first: *const Line, plane: usize) -> [__m512i; STRIPS] {
    let mut codes = [_mm512_setzero_si512(); STRIPS];
    for (s, code) in codes.iter_mut().enumerate() {
        // SAFETY: a plane of a block has STRIPS aligned lines.
        *code = unsafe { _mm512_load_si512(first.add(plane * STRIPS + s).cast()) };
        if Q == 1 {
            _mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(plane * STRIPS + s + AHEAD).cast());
        }
    }
    codes
}

/// Reports the lanes below each query's bound; one comparison a query decides that a block has none.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn report<const Q: usize>(counts: &Counts<Q>, block: usize, bounds: &mut [u16; TILE], hit: &mut Hit) {
    for (q, counts) in counts.iter().enumerate() {
        let least = _mm512_min_epu8(_mm512_min_epu8(counts[0], counts[1]), _mm512_min_epu8(counts[2], counts[3]));
        if _mm512_cmplt_epu8_mask(least, _mm512_set1_epi8(bounds[q] as i8)) == 0 {
            continue;
        }
        for (s, &count) in counts.iter().enumerate() {
            let lanes = _mm512_cmplt_epu8_mask(count, _mm512_set1_epi8(bounds[q] as i8));
            if lanes != 0 {
                bounds[q] = hit(q, block * STRIPS + s, lanes, &store(widen(count)));
            }
        }
    }
}

/// Adds bytes to 16-bit counters, which saturate.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn add_wide<const Q: usize>(totals: &mut Totals<Q>, counts: &Counts<Q>) {
    for (totals, &count) in totals.iter_mut().flatten().zip(counts.iter().flatten()) {
        let halves = widen(count);
        *totals = [_mm512_adds_epu16(totals[0], halves[0]), _mm512_adds_epu16(totals[1], halves[1])];
    }
}

/// Reports the lanes below each query's bound.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn report_wide<const Q: usize>(totals: &Totals<Q>, block: usize, bounds: &mut [u16; TILE], hit: &mut Hit) {
    for (q, totals) in totals.iter().enumerate() {
        for (s, &halves) in totals.iter().enumerate() {
            let bound = _mm512_set1_epi16(bounds[q] as i16);
            let lanes = halves.map(|half| u64::from(_mm512_cmplt_epu16_mask(half, bound)));
            if lanes != [0, 0] {
                bounds[q] = hit(q, block * STRIPS + s, lanes[0] | lanes[1] << 32, &store(halves));
            }
        }
    }
}

/// Bytes as 16-bit numbers, in order.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn widen(bytes: __m512i) -> [__m512i; 2] {
    [_mm512_cvtepu8_epi16(_mm512_castsi512_si256(bytes)), _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(bytes))]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(halves: [__m512i; 2]) -> [u16; STRIP] {
    let mut out = [0; STRIP];
    for (out, half) in out.chunks_exact_mut(STRIP / 2).zip(halves) {
        // SAFETY: 32 numbers of 16 bits fill a register.
        unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), half) };
    }
    out
}
