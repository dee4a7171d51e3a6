//! Compares queries with blocks in plain loops: the reference that the SIMD scan routines are tested against.

use std::ops::Range;

use super::{Hit, QueryTile, SAFE_PLANES, TILE, tables::Half};
use crate::index::planes::{Planes, STRIP, STRIPS};

pub fn narrow(planes: &Planes, blocks: Range<usize>, tile: &QueryTile, bounds: &mut [u16; TILE], hit: &mut Hit) {
    each_strip(blocks, tile.n_queries, bounds, hit, |strip, query| {
        let mut sums = [0u8; STRIP];
        for (line, bytes) in planes.strip(strip).zip(&tile.bytes) {
            for (sum, code) in sums.iter_mut().zip(&line.0) {
                *sum = sum.saturating_add((code ^ bytes[query]).count_ones() as u8);
            }
        }
        sums.map(u16::from)
    });
}

pub fn wide(planes: &Planes, blocks: Range<usize>, tile: &QueryTile, bounds: &mut [u16; TILE], hit: &mut Hit) {
    each_strip(blocks, tile.n_queries, bounds, hit, |strip, query| {
        let mut totals = [0u16; STRIP];
        let mut counts = [0u8; STRIP];
        let mut flush = |counts: &mut [u8; STRIP]| {
            for (total, count) in totals.iter_mut().zip(counts) {
                *total += u16::from(std::mem::take(count));
            }
        };
        for (p, (line, bytes)) in planes.strip(strip).zip(&tile.bytes).enumerate() {
            for (count, code) in counts.iter_mut().zip(&line.0) {
                *count += (code ^ bytes[query]).count_ones() as u8;
            }
            if p % SAFE_PLANES == SAFE_PLANES - 1 {
                flush(&mut counts);
            }
        }
        flush(&mut counts);
        totals
    });
}

pub fn sums(
    planes: &Planes,
    blocks: Range<usize>,
    n_queries: usize,
    tables: &[[[Half; 2]; TILE]],
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    each_strip(blocks, n_queries, bounds, hit, |strip, query| {
        let mut sums = [0u8; STRIP];
        for (line, tables) in planes.strip(strip).zip(tables) {
            let [high, low] = &tables[query];
            for (sum, code) in sums.iter_mut().zip(&line.0) {
                *sum = sum.saturating_add(high.0[usize::from(code >> 4)] + low.0[usize::from(code & 15)]);
            }
        }
        sums.map(u16::from)
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
    each_strip(blocks, n_queries, bounds, hit, |strip, query| {
        let mut sums = [0u16; STRIP];
        for (line, tables) in planes.strip(strip).zip(tables) {
            let [high, low] = &tables[query];
            for (sum, code) in sums.iter_mut().zip(&line.0) {
                let entries = high.0[usize::from(code >> 4)] + low.0[usize::from(code & 15)];
                *sum = sum.saturating_add(u16::from(entries));
            }
        }
        sums
    });
}

/// Reports, for all strips and queries, the lanes whose sums are below the query's bound.
#[inline(always)]
fn each_strip(
    blocks: Range<usize>,
    n_queries: usize,
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
    sums: impl Fn(usize, usize) -> [u16; STRIP],
) {
    for strip in blocks.start * STRIPS..blocks.end * STRIPS {
        for (query, bound) in bounds[..n_queries].iter_mut().enumerate() {
            let sums = sums(strip, query);
            let lanes = sums.iter().enumerate().fold(0, |lanes, (lane, s)| lanes | u64::from(s < bound) << lane);
            if lanes != 0 {
                *bound = hit(query, strip, lanes, &sums);
            }
        }
    }
}
