//! Drives the Hamming scan routines: batches or tiles of queries over chunks of blocks that stay in cache.

use std::ops::Range;

use super::kernel::{self, Hit, QueryBatch, QueryTile, TILE};
use super::parallel::{self, Rows};
use super::planes::{BLOCK, STRIP};
use super::scan::Scan;
use super::select::Select;
use crate::codes::Codes;

/// Bytes of codes that all tiles pass over before the next chunk: they stay in the second-level cache.
pub(super) const CHUNK_BYTES: usize = 128 << 10;

/// Queries that share a pass over the index; more would only hold more selections in memory.
pub(super) const PASS: usize = 128;

/// Finds the rows of (distance, id) of every query; `k` truncates the joined rows.
pub(super) fn run<S: Select>(scan: &Scan, queries: &Codes, k: usize, select: &(dyn Fn() -> S + Sync)) -> Rows {
    let n_queries = queries.n_objects();
    // A batch costs its tables once, so threads share out blocks rather than the queries of a batch.
    let together = if kernel::takes_batches(scan.level, n_queries) { PASS } else { TILE };
    let parts = parallel::parts(n_queries, &scan.index.planes, scan.threads, together);
    parallel::run(&parts, k, &|part| {
        let passes = part.queries.clone().step_by(PASS);
        let pass = |first: usize| first..(first + PASS).min(part.queries.end);
        passes.flat_map(|first| pass_over(scan, queries, pass(first), &part.blocks, select)).collect()
    })
}

fn pass_over<S: Select>(
    scan: &Scan,
    queries: &Codes,
    pass: Range<usize>,
    blocks: &Range<usize>,
    select: &(dyn Fn() -> S + Sync),
) -> Rows {
    let n_planes = scan.index.planes.n_planes();
    let together = if kernel::takes_batches(scan.level, pass.len()) { PASS } else { TILE };
    let mut sets: Vec<(QuerySet, Vec<S>)> = Vec::new();
    for first in pass.clone().step_by(together) {
        let members = first..(first + together).min(pass.end);
        let selects = members.clone().map(|_| select()).collect();
        sets.push((QuerySet::new(scan, members.map(|q| queries.row(q))), selects));
    }
    // What is compared at once passes over all blocks at once.
    let size = if sets.len() > 1 { (CHUNK_BYTES / (n_planes * BLOCK)).max(1) } else { blocks.len().max(1) };
    for chunk in parallel::chunks(blocks, size) {
        for run in scan.runs(&chunk) {
            for (set, selects) in &mut sets {
                set.over(scan, run.clone(), selects);
            }
        }
    }
    sets.into_iter().flat_map(|(_, selects)| selects).map(Select::finish).collect()
}

/// Queries that are compared at once.
enum QuerySet {
    Tile(QueryTile),
    Batch(QueryBatch),
}

impl QuerySet {
    fn new<'a>(scan: &Scan, queries: impl ExactSizeIterator<Item = &'a [u8]> + Clone) -> Self {
        let planes = &scan.index.planes;
        if kernel::takes_batches(scan.level, queries.len()) {
            Self::Batch(QueryBatch::new(scan.level, planes, queries))
        } else {
            Self::Tile(QueryTile::new(scan.level, queries, planes.n_planes()))
        }
    }

    /// Compares the queries with consecutive blocks: with 16-bit counters while a bound exceeds 255, then with bytes.
    fn over<S: Select>(&self, scan: &Scan, mut blocks: Range<usize>, selects: &mut [S]) {
        let mut bounds = [0; PASS];
        for (to, select) in bounds.iter_mut().zip(selects.iter()) {
            *to = bound(select);
        }
        let bounds = &mut bounds[..selects.len().max(TILE)];
        let mut hit = |query: usize, strip: usize, lanes: u64, distances: &[u16; STRIP]| {
            offer(scan, &mut selects[query], strip, lanes, distances);
            bound(&selects[query])
        };
        while !blocks.is_empty() && bounds.iter().any(|&bound| bound > 255) {
            self.compare(scan, blocks.start..blocks.start + 1, true, bounds, &mut hit);
            blocks.start += 1;
        }
        if !blocks.is_empty() {
            self.compare(scan, blocks, false, bounds, &mut hit);
        }
    }

    fn compare(&self, scan: &Scan, blocks: Range<usize>, wide: bool, bounds: &mut [u16], hit: &mut Hit) {
        let (level, planes) = (scan.level, &scan.index.planes);
        match self {
            Self::Batch(batch) if wide => kernel::wide_batch(level, planes, blocks, batch, bounds, hit),
            Self::Batch(batch) => kernel::narrow_batch(level, planes, blocks, batch, bounds, hit),
            Self::Tile(tile) => {
                let Some(bounds) = bounds.first_chunk_mut() else { unreachable!("a tile has {TILE} bounds") };
                let compare = if wide { kernel::wide } else { kernel::narrow };
                compare(level, planes, blocks, tile, bounds, hit);
            }
        }
    }
}

fn bound<S: Select>(select: &S) -> u16 {
    select.bound().min(u32::from(u16::MAX)) as u16
}

/// Offers some lanes of a strip, in row order.
fn offer<S: Select>(scan: &Scan, select: &mut S, strip: usize, lanes: u64, distances: &[u16; STRIP]) {
    let mut lanes = lanes & scan.lanes(strip);
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        let distance = u32::from(distances[lane]);
        if distance < select.bound() {
            select.offer(distance, scan.index.ids.get(strip * STRIP + lane));
        }
    }
}
