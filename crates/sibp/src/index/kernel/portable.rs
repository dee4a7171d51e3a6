//! Compares queries with blocks in plain loops, which compilers make vectors of; the SIMD scan routines are tested
//! against them.
//!
//! A plane of a block is taken as a whole, so memory is read from front to back.

use std::ops::Range;

use super::{Hit, QueryTile, SAFE_PLANES, TILE, tables::Half};
use crate::backing::Line;
use crate::index::planes::{BLOCK, Planes, STRIP, STRIPS};

/// Planes counted before counts are added up: at most [`SAFE_PLANES`], three at a time.
const SECTION: usize = 30;

/// A plane in which all codes equal the query.
const NONE: (&[Line; STRIPS], u8) = (&[Line::ZERO; STRIPS], 0);

/// The low half of every byte of a word.
const HALVES: u64 = 0x0f0f_0f0f_0f0f_0f0f;

pub fn narrow(planes: &Planes, blocks: Range<usize>, tile: &QueryTile, bounds: &mut [u16; TILE], hit: &mut Hit) {
    each_block(blocks, tile.n_queries, bounds, hit, |block, query| {
        let mut sums = [0u8; BLOCK];
        each_section(planes, block, tile, query, |at, counts| {
            if at == 0 {
                sums = *counts;
                return;
            }
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum = sum.saturating_add(*count);
            }
        });
        sums
    });
}

pub fn wide(planes: &Planes, blocks: Range<usize>, tile: &QueryTile, bounds: &mut [u16; TILE], hit: &mut Hit) {
    each_block(blocks, tile.n_queries, bounds, hit, |block, query| {
        let mut sums = [0u16; BLOCK];
        each_section(planes, block, tile, query, |_, counts| {
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += u16::from(*count);
            }
        });
        sums
    });
}

/// Counts the bits that differ, over so many planes at a time that a byte holds the counts.
#[inline(always)]
fn each_section(
    planes: &Planes,
    block: usize,
    tile: &QueryTile,
    query: usize,
    mut take: impl FnMut(usize, &[u8; BLOCK]),
) {
    const { assert!(SAFE_PLANES >= SECTION && SECTION.is_multiple_of(3)) };
    let mut planes = planes_of(planes, block).zip(tile.bytes.iter().map(|bytes| bytes[query])).peekable();
    let mut section = 0;
    while planes.peek().is_some() {
        let mut counts = [0; BLOCK];
        for _ in 0..SECTION / 3 {
            let Some(a) = planes.next() else { break };
            match (planes.next(), planes.next()) {
                (Some(b), Some(c)) => count_three(&mut counts, [a, b, c]),
                // Planes of zeros in place of those that are missing: another loop for them is slower.
                (b, _) => count_three(&mut counts, [a, b.unwrap_or(NONE), NONE]),
            }
        }
        take(section, &counts);
        section += 1;
    }
}

/// Adds the distances between the codes' bytes and a query's, in three planes. Three bits make one bit of their sum and
/// one of the carry, so that bits are counted twice instead of three times; four bits then hold the count of half a
/// byte of all three.
#[inline(always)]
fn count_three(counts: &mut [u8; BLOCK], planes: [(&[Line; STRIPS], u8); 3]) {
    let differing = |at: usize, strip: usize, word: usize| {
        let (lines, byte) = planes[at];
        u64::from_le_bytes(lines[strip].0.as_chunks().0[word]) ^ u64::from_le_bytes([byte; 8])
    };
    let by_half = |word: u64| {
        let by_pair = word - (word >> 1 & 0x5555_5555_5555_5555);
        (by_pair & 0x3333_3333_3333_3333) + (by_pair >> 2 & 0x3333_3333_3333_3333)
    };
    for (strip, counts) in counts.as_chunks_mut::<STRIP>().0.iter_mut().enumerate() {
        for (word, counts) in counts.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let [a, b, c] = [0, 1, 2].map(|at| differing(at, strip, word));
            let halves = by_half(a ^ b ^ c) + 2 * by_half((a & b) | ((a ^ b) & c));
            let bytes = (halves & HALVES) + (halves >> 4 & HALVES);
            *counts = (u64::from_le_bytes(*counts) + bytes).to_le_bytes();
        }
    }
}

pub fn sums(
    planes: &Planes,
    blocks: Range<usize>,
    n_queries: usize,
    tables: &[[[Half; 2]; TILE]],
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    each_block(blocks, n_queries, bounds, hit, |block, query| {
        let mut sums = [0u8; BLOCK];
        for (lines, tables) in planes_of(planes, block).zip(tables) {
            let [high, low] = &tables[query];
            each_code(&mut sums, lines, |sum, code| {
                *sum = sum.saturating_add(high.0[usize::from(code >> 4)] + low.0[usize::from(code & 15)]);
            });
        }
        sums
    });
}

pub fn wide_sums(
    planes: &Planes,
    blocks: Range<usize>,
    n_queries: usize,
    tables: &[[[Half; 2]; TILE]],
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    each_block(blocks, n_queries, bounds, hit, |block, query| {
        let mut sums = [0u16; BLOCK];
        for (lines, tables) in planes_of(planes, block).zip(tables) {
            let [high, low] = &tables[query];
            each_code(&mut sums, lines, |sum, code| {
                let entries = high.0[usize::from(code >> 4)] + low.0[usize::from(code & 15)];
                *sum = sum.saturating_add(u16::from(entries));
            });
        }
        sums
    });
}

/// The lines of a block, plane by plane.
#[inline(always)]
fn planes_of(planes: &Planes, block: usize) -> impl Iterator<Item = &[Line; STRIPS]> {
    planes.groups().iter().flat_map(move |group| group.block(block).as_chunks().0)
}

/// Updates the sum of every code of a block by its byte.
#[inline(always)]
fn each_code<T>(sums: &mut [T; BLOCK], lines: &[Line; STRIPS], update: impl Fn(&mut T, u8)) {
    for (sums, line) in sums.chunks_exact_mut(STRIP).zip(lines) {
        for (sum, &code) in sums.iter_mut().zip(&line.0) {
            update(sum, code);
        }
    }
}

/// Reports, for all blocks and queries, the lanes whose sums are below the query's bound.
#[inline(always)]
fn each_block<T: Copy + PartialOrd + Into<u16> + TryFrom<u16>>(
    blocks: Range<usize>,
    n_queries: usize,
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
    sums: impl Fn(usize, usize) -> [T; BLOCK],
) {
    for block in blocks {
        for (query, bound) in bounds[..n_queries].iter_mut().enumerate() {
            let sums = sums(block, query);
            let Ok(limit) = T::try_from(*bound) else {
                unreachable!("bounds fit the sums that they are compared with")
            };
            if !sums.iter().fold(false, |any, &sum| any | (sum < limit)) {
                continue;
            }
            for (s, sums) in sums.as_chunks::<STRIP>().0.iter().enumerate() {
                let sums = sums.map(Into::into);
                let lanes = sums.iter().enumerate().fold(0, |lanes, (lane, s)| lanes | u64::from(s < bound) << lane);
                if lanes != 0 {
                    *bound = hit(query, block * STRIPS + s, lanes, &sums);
                }
            }
        }
    }
}
