//! Drives the Hamming kernels: tiles of queries over chunks of blocks that stay in cache.

use super::kernel::{self, QueryTile, TILE};
use super::parallel::{self, Part};
use super::planes::{BLOCK, Planes};
use super::scan::Scan;
use super::select::Select;
use crate::codes::Codes;

/// Bytes of codes that all tiles pass over before the next chunk: half of a common second-level cache.
const CHUNK_BYTES: usize = 256 << 10;

/// Queries that share a pass over the index; more would only hold more selections in memory.
const PASS: usize = 128;

/// Rows of (distance, id) of every query; `k` cuts the joined rows.
pub(super) fn run<S: Select>(
    scan: &Scan,
    queries: &Codes,
    k: usize,
    select: &(dyn Fn() -> S + Sync),
) -> Vec<Vec<(u32, u64)>> {
    let planes = &scan.index.planes;
    let parts = parallel::parts(queries.n_objects(), planes.n_blocks(), scan.threads, TILE);
    parallel::run(&parts, k, &|part| {
        let mut rows = Vec::with_capacity(part.queries.len());
        for first in part.queries.clone().step_by(PASS) {
            let pass = first..(first + PASS).min(part.queries.end);
            rows.extend(pass_over(scan, queries, &Part { queries: pass, blocks: part.blocks.clone() }, select));
        }
        rows
    })
}

fn pass_over<S: Select>(
    scan: &Scan,
    queries: &Codes,
    part: &Part,
    select: &(dyn Fn() -> S + Sync),
) -> Vec<Vec<(u32, u64)>> {
    let planes = &scan.index.planes;
    let mut tiles: Vec<(QueryTile, Vec<S>)> = Vec::new();
    for first in part.queries.clone().step_by(TILE) {
        let members = first..(first + TILE).min(part.queries.end);
        let selects = members.clone().map(|_| select()).collect();
        tiles.push((QueryTile::new(members.map(|q| queries.row(q)), planes.n_planes()), selects));
    }
    let chunk = (CHUNK_BYTES / (planes.n_planes() * BLOCK)).max(TILE);
    for first in part.blocks.clone().step_by(chunk) {
        let last = (first + chunk).min(part.blocks.end);
        for (tile, selects) in &mut tiles {
            tile_over(scan, planes, first..last, tile, selects);
        }
    }
    tiles.into_iter().flat_map(|(_, selects)| selects).map(Select::finish).collect()
}

/// Compares one tile with consecutive blocks: by 16-bit counters while a bound exceeds 255, then by bytes.
fn tile_over<S: Select>(
    scan: &Scan,
    planes: &Planes,
    blocks: std::ops::Range<usize>,
    tile: &QueryTile,
    selects: &mut [S],
) {
    let mut block = blocks.start;
    while block < blocks.end && selects.iter().any(|s| s.bound() > 255) {
        for (query, select) in selects.iter_mut().enumerate() {
            let distances = kernel::wide(scan.level, planes, block, tile, query);
            offer(scan, select, block, u64::MAX, |lane| u32::from(distances[lane]));
        }
        block += 1;
    }
    let mut bounds = [0; TILE];
    for (bound, select) in bounds.iter_mut().zip(selects.iter()) {
        *bound = select.bound().min(255) as u8;
    }
    kernel::narrow(scan.level, planes, block..blocks.end, tile, &mut bounds, &mut |query, block, lanes, distances| {
        let select = &mut selects[query];
        offer(scan, select, block, lanes, |lane| u32::from(distances[lane]));
        select.bound().min(255) as u8
    });
}

/// Offers some lanes of a block, in row order.
fn offer<S: Select>(scan: &Scan, select: &mut S, block: usize, lanes: u64, distance: impl Fn(usize) -> u32) {
    let mut lanes = lanes & scan.lanes(block);
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        let distance = distance(lane);
        if distance < select.bound() {
            select.offer(distance, scan.index.ids.get(block * BLOCK + lane));
        }
    }
}
