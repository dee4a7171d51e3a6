//! Drives the Hamming scan routines: tiles of queries over chunks of blocks that stay in cache.

use std::ops::Range;

use super::kernel::{self, QueryTile, TILE};
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
    let parts = parallel::parts(queries.n_objects(), &scan.index.planes, scan.threads, TILE);
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
    let mut tiles: Vec<(QueryTile, Vec<S>)> = Vec::new();
    for first in pass.clone().step_by(TILE) {
        let members = first..(first + TILE).min(pass.end);
        let selects = members.clone().map(|_| select()).collect();
        tiles.push((QueryTile::new(scan.level, members.map(|q| queries.row(q)), n_planes), selects));
    }
    for chunk in parallel::chunks(blocks, (CHUNK_BYTES / (n_planes * BLOCK)).max(1)) {
        for run in scan.runs(&chunk) {
            for (tile, selects) in &mut tiles {
                tile_over(scan, run.clone(), tile, selects);
            }
        }
    }
    tiles.into_iter().flat_map(|(_, selects)| selects).map(Select::finish).collect()
}

/// Compares one tile with consecutive blocks: with 16-bit counters while a bound exceeds 255, then with bytes.
fn tile_over<S: Select>(scan: &Scan, mut blocks: Range<usize>, tile: &QueryTile, selects: &mut [S]) {
    let bound = |select: &S| select.bound().min(u32::from(u16::MAX)) as u16;
    let mut bounds = [0; TILE];
    for (to, select) in bounds.iter_mut().zip(selects.iter()) {
        *to = bound(select);
    }
    let mut hit = |query: usize, strip: usize, lanes: u64, distances: &[u16; STRIP]| {
        let select: &mut S = &mut selects[query];
        let mut lanes = lanes & scan.lanes(strip);
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let distance = u32::from(distances[lane]);
            if distance < select.bound() {
                select.offer(distance, scan.index.ids.get(strip * STRIP + lane));
            }
        }
        bound(select)
    };
    let planes = &scan.index.planes;
    while !blocks.is_empty() && bounds.iter().any(|&bound| bound > 255) {
        kernel::wide(scan.level, planes, blocks.start..blocks.start + 1, tile, &mut bounds, &mut hit);
        blocks.start += 1;
    }
    if !blocks.is_empty() {
        kernel::narrow(scan.level, planes, blocks, tile, &mut bounds, &mut hit);
    }
}
