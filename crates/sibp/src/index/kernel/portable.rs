//! Compares queries with blocks in plain loops, which compilers make vectors of; the SIMD scan routines are tested
//! against them.
//!
//! Up to 16 planes of a block are added up by full adders before bits are counted.

use std::ops::Range;

use super::adders::{of_fifteen, of_one, of_seven, of_three};
use super::lanes::prefetch;
use super::{Hit, QueryTile, SAFE_PLANES, TILE};
use crate::backing::Line;
use crate::index::planes::{BLOCK, Planes, STRIP, STRIPS};

/// The low half of every byte of a word.
const HALVES: u64 = 0x0f0f_0f0f_0f0f_0f0f;

pub fn narrow(planes: &Planes, blocks: Range<usize>, tile: &QueryTile, bounds: &mut [u16; TILE], hit: &mut Hit) {
    each_block(blocks, tile.n_queries, bounds, hit, |block, query| {
        let mut sums = [0u8; BLOCK];
        each_section(planes, block, tile, query, |counts| {
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
        each_section(planes, block, tile, query, |counts| {
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += u16::from(*count);
            }
        });
        sums
    });
}

/// Counts the bits that differ, over so many planes at a time that a byte holds the counts.
#[inline(always)]
fn each_section(planes: &Planes, block: usize, tile: &QueryTile, query: usize, mut take: impl FnMut(&[u8; BLOCK])) {
    let mut counts = [0; BLOCK];
    let mut counted = 0;
    let mut bytes = tile.bytes.as_slice();
    for group in planes.groups() {
        let mut lines = group.block(block).as_chunks().0;
        while !lines.is_empty() {
            if counted + lines.len().min(MOST) > SAFE_PLANES {
                take(&counts);
                (counts, counted) = ([0; BLOCK], 0);
            }
            let n = count_some(&mut counts, lines, bytes, query, group.ahead());
            (lines, bytes, counted) = (&lines[n..], &bytes[n..], counted + n);
        }
    }
    take(&counts);
}

/// Counts some of a block's planes, from the first on, and says how many.
#[inline(always)]
fn count_some(
    counts: &mut [u8; BLOCK],
    lines: &[[Line; STRIPS]],
    bytes: &[[u8; TILE]],
    query: usize,
    ahead: usize,
) -> usize {
    // The more planes are added up before bits are counted, the better.
    if let Some(lines) = lines.first_chunk() {
        count_sixteen(counts, lines, std::array::from_fn(|plane| bytes[plane][query]), ahead);
        return 16;
    }
    if let Some(lines) = lines.first_chunk() {
        count_eight(counts, lines, std::array::from_fn(|plane| bytes[plane][query]), ahead);
        return 8;
    }
    if let Some(lines) = lines.first_chunk() {
        count_three(counts, lines, std::array::from_fn(|plane| bytes[plane][query]), ahead);
        return 3;
    }
    count_one(counts, &lines[0], bytes[0][query]);
    1
}

/// Adds to the count of every code in how many bits it differs from a query in one plane.
#[inline(never)]
fn count_one(counts: &mut [u8; BLOCK], lines: &[Line; STRIPS], byte: u8) {
    for (counts, line) in counts.as_chunks_mut::<STRIP>().0.iter_mut().zip(lines) {
        for (count, code) in counts.iter_mut().zip(line.0) {
            *count += (code ^ byte).count_ones() as u8;
        }
    }
}

/// Defines a function that does so in several planes, eight codes at a time. Compilers make vectors of such a loop
/// alone, but not inside a larger one. Memory is not read from front to back here, and is asked for long before.
macro_rules! counts {
    ($name:ident, $planes:literal, $($digits:ident at $first:literal),+) => {
        #[inline(never)]
        fn $name(counts: &mut [u8; BLOCK], lines: &[[Line; STRIPS]; $planes], bytes: [u8; $planes], ahead: usize) {
            let queries = bytes.map(|byte| u64::from_le_bytes([byte; 8]));
            for (strip, counts) in counts.as_chunks_mut::<STRIP>().0.iter_mut().enumerate() {
                for lines in lines {
                    prefetch(std::ptr::from_ref(&lines[strip]).wrapping_add(ahead));
                }
                let mut more = [0; STRIP / 8];
                for (word, more) in more.iter_mut().enumerate() {
                    let code = |plane: usize| u64::from_le_bytes(lines[plane][strip].0.as_chunks().0[word]);
                    let differs = |plane: usize| code(plane) ^ queries[plane];
                    $(*more += by_byte($digits(&differs, $first));)+
                }
                for (counts, more) in counts.as_chunks_mut::<8>().0.iter_mut().zip(more) {
                    *counts = (u64::from_le_bytes(*counts) + more).to_le_bytes();
                }
            }
        }
    };
}

counts!(count_three, 3, of_three at 0);
counts!(count_eight, 8, of_seven at 0, of_one at 7);
counts!(count_sixteen, 16, of_fifteen at 0, of_one at 15);

/// Most planes that are counted at once.
const MOST: usize = 16;

/// Adds up the bits of every byte; those of later words count twice as much as those of the one before.
#[inline(always)]
fn by_byte<const D: usize>(digits: [u64; D]) -> u64 {
    let mut sums = 0;
    for at in (0..D).step_by(2) {
        // At most 4 + 2 · 4, which half a byte holds.
        let halves = by_half(digits[at]) + digits.get(at + 1).map_or(0, |&digit| 2 * by_half(digit));
        sums += ((halves & HALVES) + (halves >> 4 & HALVES)) << at;
    }
    sums
}

/// The number of bits in every half byte.
#[inline(always)]
fn by_half(word: u64) -> u64 {
    let by_pair = word - (word >> 1 & 0x5555_5555_5555_5555);
    (by_pair & 0x3333_3333_3333_3333) + (by_pair >> 2 & 0x3333_3333_3333_3333)
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
