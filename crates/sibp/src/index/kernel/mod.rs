//! Chooses, at run time, the instructions that compare queries with blocks of codes.

mod portable;

use std::ops::Range;

use super::planes::{BLOCK, Line, Planes};

/// A set of processor instructions that a search may use. All give the same answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every processor has.
    Portable,
}

impl Level {
    /// The best level of this machine.
    pub fn detect() -> Self {
        Self::Portable
    }

    /// All levels that this machine has, slowest first.
    pub fn available() -> Vec<Self> {
        vec![Self::Portable]
    }
}

/// Queries compared at once by a kernel.
pub(crate) const TILE: usize = 4;

/// Receives (query of the tile, block, lanes, distances) where some distance is below that query's bound, and
/// returns the query's new bound. Saturated distances are never below a bound.
pub(crate) type Hit<'a> = dyn FnMut(usize, usize, u64, &[u8; BLOCK]) -> u8 + 'a;

/// Up to [`TILE`] queries, each byte repeated over a line: plane `p` of query `q` is line `p · TILE + q`.
#[derive(Debug)]
pub(crate) struct QueryTile {
    pub n_queries: usize,
    pub lines: Vec<Line>,
}

impl QueryTile {
    pub fn new<'a>(queries: impl ExactSizeIterator<Item = &'a [u8]>, n_planes: usize) -> Self {
        let n_queries = queries.len();
        assert!(n_queries <= TILE, "a tile takes {TILE} queries");
        let mut lines = vec![Line::ZERO; n_planes * TILE];
        for (q, query) in queries.enumerate() {
            for (p, &byte) in query.iter().enumerate() {
                lines[p * TILE + q] = Line([byte; BLOCK]);
            }
        }
        Self { n_queries, lines }
    }

    pub fn byte(&self, query: usize, plane: usize) -> u8 {
        self.lines[plane * TILE + query].0[0]
    }
}

/// Compares a tile with blocks by byte counters: distances from 255 on count as 255.
pub(crate) fn narrow(
    _level: Level,
    planes: &Planes,
    blocks: Range<usize>,
    tile: &QueryTile,
    bounds: &mut [u8; TILE],
    hit: &mut Hit,
) {
    portable::narrow(planes, blocks, tile, bounds, hit);
}

/// The full distances of one block's codes to one query of a tile.
pub(crate) fn wide(_level: Level, planes: &Planes, block: usize, tile: &QueryTile, query: usize) -> [u16; BLOCK] {
    portable::wide(planes, block, tile, query)
}
