//! Adds up table entries by AVX-512: VPERMB looks up six bits of 64 codes at once.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::ops::Range;

use super::avx512::{Counts, Totals, add_wide, first_line, load_plane, report, report_wide};
use super::tables::{Six, runs};
use super::{Hit, SECTION, TILE};
use crate::backing::Line;
use crate::index::planes::{Planes, STRIPS};

/// Adds up table entries in bytes, saturating at 255.
///
/// # Safety
/// The processor must have AVX-512 F, BW and VBMI; the blocks must exist.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub unsafe fn sums(
    planes: &Planes,
    blocks: Range<usize>,
    n_queries: usize,
    tables: &[[Six; TILE]],
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    check_tables(planes, tables);
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

fn check_tables(planes: &Planes, tables: &[[Six; TILE]]) {
    let needed: usize = planes.groups().iter().map(|g| g.n_planes + g.n_planes.div_ceil(3)).sum();
    assert_eq!(tables.len(), needed, "tables for every plane and run");
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
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
            // SAFETY: the block exists, and there are tables for its planes and runs.
            tables = unsafe { add_runs(&mut sums, first_line(group, block), group.n_planes, tables) };
        }
        report(&sums, block, bounds, hit);
    }
}

/// Adds up table entries like [`sums`], in 16-bit counters.
///
/// # Safety
/// As for [`sums`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub unsafe fn wide_sums(
    planes: &Planes,
    blocks: Range<usize>,
    n_queries: usize,
    tables: &[[Six; TILE]],
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    check_tables(planes, tables);
    // SAFETY: passed on.
    unsafe {
        match n_queries {
            1 => wide_sums_for::<1>(planes, blocks, tables, bounds, hit),
            2 => wide_sums_for::<2>(planes, blocks, tables, bounds, hit),
            3 => wide_sums_for::<3>(planes, blocks, tables, bounds, hit),
            _ => wide_sums_for::<4>(planes, blocks, tables, bounds, hit),
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn wide_sums_for<const Q: usize>(
    planes: &Planes,
    blocks: Range<usize>,
    tables: &[[Six; TILE]],
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    for block in blocks {
        let mut totals: Totals<Q> = [[[_mm512_setzero_si512(); 2]; STRIPS]; Q];
        let mut tables = tables.as_ptr();
        for group in planes.groups() {
            for section in (0..group.n_planes).step_by(SECTION) {
                let mut sums: Counts<Q> = [[_mm512_setzero_si512(); STRIPS]; Q];
                let n_planes = SECTION.min(group.n_planes - section);
                // SAFETY: the block exists, and there are tables for its planes and runs.
                unsafe {
                    let first = first_line(group, block).add(section * STRIPS);
                    tables = add_runs(&mut sums, first, n_planes, tables);
                }
                add_wide(&mut totals, &sums);
            }
        }
        report_wide(&totals, block, bounds, hit);
    }
}

/// Adds the table entries of some planes of a block, and returns the tables that follow theirs.
///
/// # Safety
/// `first` must point to the planes and `tables` to the tables of their runs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn add_runs<const Q: usize>(
    sums: &mut Counts<Q>,
    first: *const Line,
    n_planes: usize,
    mut tables: *const [Six; TILE],
) -> *const [Six; TILE] {
    for run in runs(n_planes) {
        // SAFETY: the run's planes and tables exist.
        unsafe {
            let first = first.add(run.start * STRIPS);
            match run.len() {
                1 => look_up::<Q, 1>(sums, first, tables),
                2 => look_up::<Q, 2>(sums, first, tables),
                _ => look_up::<Q, 3>(sums, first, tables),
            }
            tables = tables.add(run.len() + 1);
        }
    }
    tables
}

/// Adds the table entries of a run of `P` planes. VPERMB looks at six bits of an index only, so the low bits of a
/// byte need no mask; the high bits of three bytes make one more index.
///
/// # Safety
/// `first` must point to `P` planes of a block and `tables` to `P + 1` tables.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
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
