//! Compares queries with blocks in plain loops, which compilers make vectors of; the SIMD scan routines are tested
//! against them.
//!
//! A plane of a block is taken as a whole, so memory is read from front to back.

use std::ops::Range;

use super::{Hit, QueryTile, SAFE_PLANES, TILE, tables::Half};
use crate::backing::Line;
use crate::index::planes::{BLOCK, Planes, STRIP, STRIPS};

/// Planes counted before counts are added up: at most [`SAFE_PLANES`], eight at a time.
const SECTION: usize = 24;

/// The lines of a plane in a block, and the query's byte.
type Plane<'a> = (&'a [Line; STRIPS], u8);

/// A plane in which all codes equal the query.
const NONE: Plane = (&[Line::ZERO; STRIPS], 0);

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
    const { assert!(SAFE_PLANES >= SECTION && SECTION.is_multiple_of(8)) };
    let mut planes = planes_of(planes, block).zip(tile.bytes.iter().map(|bytes| bytes[query]));
    let mut left = tile.bytes.len();
    let mut section = 0;
    while left > 0 {
        let mut counts = [0; BLOCK];
        let end = left.saturating_sub(SECTION);
        while left >= end + 8 {
            count_eight(&mut counts, std::array::from_fn(|_| planes.next().unwrap_or(NONE)));
            left -= 8;
        }
        while left > end {
            // Planes of zeros in place of those that are missing: another loop for them is slower.
            count_three(&mut counts, std::array::from_fn(|_| planes.next().unwrap_or(NONE)));
            left = left.saturating_sub(3);
        }
        take(section, &counts);
        section += 1;
    }
}

/// Adds the distances between the codes' bytes and a query's, in three planes. Three bits make one bit of their sum and
/// one of the carry, so that bits are counted twice instead of three times.
///
/// This is a function of its own, as is the next one: compilers make vectors of such loops alone, but not inside
/// larger ones.
#[inline(never)]
fn count_three(counts: &mut [u8; BLOCK], planes: [Plane; 3]) {
    count(counts, planes, |[a, b, c]| {
        let (sum, carry) = add_bits(a, b, c);
        by_byte(by_half(sum) + 2 * by_half(carry))
    });
}

/// The same in eight planes, of which seven make three bits.
#[inline(never)]
fn count_eight(counts: &mut [u8; BLOCK], planes: [Plane; 8]) {
    count(counts, planes, |[a, b, c, d, e, f, g, h]| {
        let (first, twos) = add_bits(a, b, c);
        let (second, more_twos) = add_bits(d, e, f);
        let (ones, last_twos) = add_bits(first, second, g);
        let (twos, fours) = add_bits(twos, more_twos, last_twos);
        by_byte(by_half(ones) + 2 * by_half(twos)) + 4 * by_byte(by_half(fours)) + by_byte(by_half(h))
    });
}

/// Adds to the count of every code what is made of the bits that differ in some planes, eight codes at a time.
#[inline(always)]
fn count<const P: usize>(counts: &mut [u8; BLOCK], planes: [Plane; P], count: impl Fn([u64; P]) -> u64) {
    let queries = planes.map(|(_, byte)| u64::from_le_bytes([byte; 8]));
    for (strip, counts) in counts.as_chunks_mut::<STRIP>().0.iter_mut().enumerate() {
        let lines: [&Line; P] = std::array::from_fn(|plane| &planes[plane].0[strip]);
        let mut more = [0; STRIP / 8];
        for (word, more) in more.iter_mut().enumerate() {
            let bytes = |plane: usize| u64::from_le_bytes(lines[plane].0.as_chunks().0[word]);
            *more = count(std::array::from_fn(|plane| bytes(plane) ^ queries[plane]));
        }
        for (counts, more) in counts.as_chunks_mut::<8>().0.iter_mut().zip(more) {
            *counts = (u64::from_le_bytes(*counts) + more).to_le_bytes();
        }
    }
}

/// The sum and the carry of three bits, in all bits of words.
#[inline(always)]
fn add_bits(a: u64, b: u64, c: u64) -> (u64, u64) {
    let either = a ^ b;
    (either ^ c, (a & b) | (either & c))
}

/// The number of bits in every half byte.
#[inline(always)]
fn by_half(word: u64) -> u64 {
    let by_pair = word - (word >> 1 & 0x5555_5555_5555_5555);
    (by_pair & 0x3333_3333_3333_3333) + (by_pair >> 2 & 0x3333_3333_3333_3333)
}

/// The numbers in both halves of every byte, added up.
#[inline(always)]
fn by_byte(halves: u64) -> u64 {
    (halves & HALVES) + (halves >> 4 & HALVES)
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
