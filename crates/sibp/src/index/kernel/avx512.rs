//! Compares queries with blocks by AVX-512: xor, VPOPCNTB and add, or table lookups, on 64 codes at once.
//!
//! Four queries meet the four strips of a block in 16 registers of byte counters, so loads are a fraction of the work.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::ops::Range;

use super::tables::{Six, runs};
use super::{Hit, QueryTile, SAFE_PLANES, TILE};
use crate::index::planes::{Group, Line, Planes, STRIP, STRIPS};

/// Lines fetched ahead of a lone query, which waits for memory; 8 KiB.
const AHEAD: usize = 128;

/// Byte counters of `Q` queries and a block.
type Counts<const Q: usize> = [[__m512i; STRIPS]; Q];

/// # Safety
/// The processor must have AVX-512 F, BW, BITALG and VBMI; the blocks must exist and the tile be as wide as the planes.
#[target_feature(enable = "avx512f,avx512bw,avx512bitalg,avx512vbmi")]
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

#[target_feature(enable = "avx512f,avx512bw,avx512bitalg,avx512vbmi")]
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
#[target_feature(enable = "avx512f,avx512bw,avx512bitalg,avx512vbmi")]
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

/// # Safety
/// As for [`narrow`].
#[target_feature(enable = "avx512f,avx512bw,avx512bitalg,avx512vbmi")]
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

#[target_feature(enable = "avx512f,avx512bw,avx512bitalg,avx512vbmi")]
unsafe fn wide_for<const Q: usize>(
    planes: &Planes,
    blocks: Range<usize>,
    tile: &QueryTile,
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    for block in blocks {
        let mut totals = [[[_mm512_setzero_si512(); 2]; STRIPS]; Q];
        let mut bytes = tile.bytes.as_ptr();
        for group in planes.groups() {
            for from in (0..group.n_planes).step_by(SAFE_PLANES) {
                let mut counts: Counts<Q> = [[_mm512_setzero_si512(); STRIPS]; Q];
                let to = (from + SAFE_PLANES).min(group.n_planes);
                // SAFETY: the block exists, and the tile has bytes for every plane.
                unsafe { count::<Q, false>(&mut counts, first_line(group, block), bytes, from..to) };
                for (totals, counts) in totals.iter_mut().flatten().zip(counts.iter().flatten()) {
                    let halves = widen(*counts);
                    totals[0] = _mm512_add_epi16(totals[0], halves[0]);
                    totals[1] = _mm512_add_epi16(totals[1], halves[1]);
                }
            }
            // SAFETY: as above.
            bytes = unsafe { bytes.add(group.n_planes) };
        }
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
}

/// # Safety
/// As for [`narrow`].
#[target_feature(enable = "avx512f,avx512bw,avx512bitalg,avx512vbmi")]
pub unsafe fn sums(
    planes: &Planes,
    blocks: Range<usize>,
    n_queries: usize,
    tables: &[[Six; TILE]],
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    let needed: usize = planes.groups().iter().map(|g| g.n_planes + g.n_planes.div_ceil(3)).sum();
    assert_eq!(tables.len(), needed, "tables for every plane and run");
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

#[target_feature(enable = "avx512f,avx512bw,avx512bitalg,avx512vbmi")]
unsafe fn sums_for<const Q: usize>(
    planes: &Planes,
    blocks: Range<usize>,
    tables: &[[Six; TILE]],
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    for block in blocks {
        let mut sums: Counts<Q> = [[_mm512_setzero_si512(); STRIPS]; Q];
        let mut tables = tables.as_ptr();
        for group in planes.groups() {
            for run in runs(group.n_planes) {
                // SAFETY: the block exists, and there are tables for the run's planes and the run.
                unsafe {
                    let first = first_line(group, block).add(run.start * STRIPS);
                    match run.len() {
                        1 => look_up::<Q, 1>(&mut sums, first, tables),
                        2 => look_up::<Q, 2>(&mut sums, first, tables),
                        _ => look_up::<Q, 3>(&mut sums, first, tables),
                    }
                    tables = tables.add(run.len() + 1);
                }
            }
        }
        report(&sums, block, bounds, hit);
    }
}

/// Adds the table entries of a run of `P` planes. VPERMB looks at six bits of an index only, so the low bits of a
/// byte need no mask; the high bits of three bytes make one more index.
///
/// # Safety
/// `first` must point to `P` planes of a block and `tables` to `P + 1` tables.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bitalg,avx512vbmi")]
unsafe fn look_up<const Q: usize, const P: usize>(
    sums: &mut Counts<Q>,
    first: *const Line,
    tables: *const [Six; TILE],
) {
    let mut high = [_mm512_setzero_si512(); STRIPS];
    for p in 0..P {
        // SAFETY: the plane and its tables exist.
        let (codes, tables) = unsafe { (load_plane::<Q>(first, p), &*tables.add(p)) };
        for (high, &code) in high.iter_mut().zip(&codes) {
            *high = match p {
                0 => _mm512_srli_epi16::<6>(code),
                1 => merge(0x03, *high, _mm512_srli_epi16::<4>(code)),
                _ => merge(0x0f, *high, _mm512_srli_epi16::<2>(code)),
            };
        }
        add_entries(sums, &codes, tables);
    }
    // SAFETY: the run's tables come after its planes'.
    add_entries(sums, &high, unsafe { &*tables.add(P) });
}

/// The bits of `mask` from `old`, the others from `new`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn merge(mask: i8, old: __m512i, new: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0xca>(_mm512_set1_epi8(mask), old, new)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn add_entries<const Q: usize>(sums: &mut Counts<Q>, indices: &[__m512i; STRIPS], tables: &[Six; TILE]) {
    for (sums, table) in sums.iter_mut().zip(tables) {
        // SAFETY: a table is 64 aligned bytes.
        let table = unsafe { _mm512_load_si512(table.0.as_ptr().cast()) };
        for (sum, &index) in sums.iter_mut().zip(indices) {
            *sum = _mm512_adds_epu8(*sum, _mm512_permutexvar_epi8(index, table));
        }
    }
}

/// # Safety
/// The block must exist.
#[inline]
unsafe fn first_line(group: &Group, block: usize) -> *const Line {
    // SAFETY: a group has `n_planes · STRIPS` lines a block.
    unsafe { group.lines.as_ptr().add(block * group.n_planes * STRIPS) }
}

/// # Safety
/// `first` must point to a block with the plane.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load_plane<const Q: usize>(first: *const Line, plane: usize) -> [__m512i; STRIPS] {
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
fn report<const Q: usize>(counts: &Counts<Q>, block: usize, bounds: &mut [u16; TILE], hit: &mut Hit) {
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
