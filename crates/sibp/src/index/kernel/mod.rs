//! Chooses, at run time, the SIMD scan routine that compares queries with blocks of codes.
#![allow(unsafe_code)]

mod adders;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_sums;
mod batch;
mod lanes;
mod portable;
mod sums;
mod tables;

use std::ops::Range;

use super::planes::{Planes, STRIP};
pub use crate::numerics::level::Level;
pub(crate) use batch::{QueryBatch, narrow as narrow_batch, wide as wide_batch};
pub(crate) use tables::TableTile;
use tables::Tables;

/// Queries compared at once by a scan routine.
pub(crate) const TILE: usize = 4;

/// Planes whose distances a byte counter holds without overflow.
const SAFE_PLANES: usize = 31;

/// Planes whose table entries are added up in bytes before they go into 16 bits; runs of three divide it.
pub(crate) const SECTION: usize = 9;

/// Receives (query of the tile, strip, lanes, distances) where some distance is below that query's bound, and returns
/// the query's new bound.
pub(crate) type Hit<'a> = dyn FnMut(usize, usize, u64, &[u16; STRIP]) -> u16 + 'a;

/// Up to [`TILE`] queries, prepared for the scan routine of one instruction level.
#[derive(Debug)]
pub(crate) struct QueryTile {
    n_queries: usize,
    /// Byte `p` of query `q` is `bytes[p][q]`.
    bytes: Vec<[u8; TILE]>,
    /// Distances by half byte, where the instruction level uses table lookups.
    tables: Option<TableTile>,
}

impl QueryTile {
    pub fn new<'a>(level: Level, queries: impl ExactSizeIterator<Item = &'a [u8]>, n_planes: usize) -> Self {
        let n_queries = queries.len();
        let mut bytes = vec![[0; TILE]; n_planes];
        for (q, query) in queries.enumerate() {
            for (bytes, &byte) in bytes.iter_mut().zip(query) {
                bytes[q] = byte;
            }
        }
        let looks_up = matches!(level, Level::Ssse3 | Level::Avx2 | Level::Avx512Words);
        let tables = looks_up.then(|| TableTile::of_distances(n_queries, &bytes));
        Self { n_queries, bytes, tables }
    }

    /// What is to be counted in some blocks.
    #[cfg(target_arch = "aarch64")]
    fn counted<'a>(&'a self, planes: &'a Planes, blocks: Range<usize>) -> sums::Task<'a, [u8; TILE]> {
        sums::Task { planes, blocks, n_queries: self.n_queries, by_plane: &self.bytes }
    }
}

/// Compares a tile with blocks by byte counters: distances above 255 count as 255, so bounds must be at most 255.
pub(crate) fn narrow(
    level: Level,
    planes: &Planes,
    blocks: Range<usize>,
    tile: &QueryTile,
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    check(planes, &blocks, tile.bytes.len());
    match (level, &tile.tables) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a search's instruction level is never above what was detected, and the shapes are checked.
        (Level::Avx512, _) => unsafe { avx512::narrow(planes, blocks, tile, bounds, hit) },
        #[cfg(target_arch = "aarch64")]
        (Level::Neon, _) => sums::narrow_counts(tile.counted(planes, blocks), bounds, hit),
        (_, Some(tables)) => sums(level, planes, blocks, tables, bounds, hit),
        _ => portable::narrow(planes, blocks, tile, bounds, hit),
    }
}

/// Compares a tile with blocks by 16-bit counters, for any distance.
pub(crate) fn wide(
    level: Level,
    planes: &Planes,
    blocks: Range<usize>,
    tile: &QueryTile,
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    check(planes, &blocks, tile.bytes.len());
    match (level, &tile.tables) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as for `narrow`.
        (Level::Avx512, _) => unsafe { avx512::wide(planes, blocks, tile, bounds, hit) },
        #[cfg(target_arch = "aarch64")]
        (Level::Neon, _) => sums::wide_counts(tile.counted(planes, blocks), bounds, hit),
        // A section's distances fit a byte, so these sums are exact.
        (_, Some(tables)) => wide_sums(level, planes, blocks, tables, bounds, hit),
        _ => portable::wide(planes, blocks, tile, bounds, hit),
    }
}

/// Whether a level compares this many queries faster as a batch, by tables that they share, than by tiles. The numbers
/// are where both took equally long for codes of 64 bits; wider codes gain earlier. NEON's was not measured. With AVX-512
/// bits are counted by an instruction, which no table beats.
pub(crate) fn takes_batches(level: Level, n_queries: usize) -> bool {
    match level {
        Level::Avx512 => false,
        Level::Neon | Level::Ssse3 | Level::Avx2 | Level::Avx512Words => n_queries >= 16,
        Level::Portable => n_queries >= 8,
    }
}

/// Adds up table entries, saturating at 255, and reports sums below the bounds, which must be at most 255.
pub(crate) fn sums(
    level: Level,
    planes: &Planes,
    blocks: Range<usize>,
    tile: &TableTile,
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    check(planes, &blocks, planes.n_planes());
    match (level, &tile.tables) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as for `narrow`; the scan routine checks the number of tables.
        (Level::Avx512, Tables::Sixes(tables)) => unsafe {
            avx512_sums::sums(planes, blocks, tile.n_queries, tables, bounds, hit);
        },
        (_, Tables::Halves(by_plane)) => {
            let task = sums::Task { planes, blocks, n_queries: tile.n_queries, by_plane };
            sums::narrow(level, task, bounds, hit);
        }
        (level, Tables::Sixes(_)) => unreachable!("{level} looks up halves"),
    }
}

/// Adds up table entries in 16 bits, saturating at 255 for each section of [`SECTION`] planes. Sections are cut as
/// suits the instruction level, so sums may differ between levels, but never exceed the sum of the entries.
pub(crate) fn wide_sums(
    level: Level,
    planes: &Planes,
    blocks: Range<usize>,
    tile: &TableTile,
    bounds: &mut [u16; TILE],
    hit: &mut Hit,
) {
    check(planes, &blocks, planes.n_planes());
    match (level, &tile.tables) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as for `narrow`; the scan routine checks the number of tables.
        (Level::Avx512, Tables::Sixes(tables)) => unsafe {
            avx512_sums::wide_sums(planes, blocks, tile.n_queries, tables, bounds, hit);
        },
        (_, Tables::Halves(by_plane)) => {
            let task = sums::Task { planes, blocks, n_queries: tile.n_queries, by_plane };
            sums::wide(level, task, bounds, hit);
        }
        (level, Tables::Sixes(_)) => unreachable!("{level} looks up halves"),
    }
}

/// Checks what the scan routines' unchecked reads rely on.
fn check(planes: &Planes, blocks: &Range<usize>, n_planes: usize) {
    assert!(blocks.end <= planes.n_blocks(), "blocks {blocks:?} of {}", planes.n_blocks());
    assert_eq!(n_planes, planes.n_planes(), "the tile is as wide as the codes");
}
