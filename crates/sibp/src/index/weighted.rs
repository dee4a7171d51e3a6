//! Searches by weighted and expected distance: lower bounds in bytes discard most codes, the rest are scored exactly.
//!
//! A query's costs become lookup tables in quantisation units of 1/250 of the current k-th distance or less, rounded
//! down, so a sum of table entries never exceeds the true cost in those units. A code whose sum is beyond the k-th
//! distance cannot be a neighbour; all others are scored in the defined order. Tables are rebuilt when the k-th
//! distance has shrunk.

use std::ops::Range;

use super::costs::{Costs, Scorer};
use super::hamming::{CHUNK_BYTES, PASS};
use super::kernel::{self, Level, TILE, TableTile};
use super::parallel::{self, Rows};
use super::planes::{BLOCK, STRIP, STRIPS};
use super::scan::Scan;
use super::select::Select;

/// The distance to beat, in quantisation units, when tables are made for byte sums. Below 255, where they saturate.
const STEPS: f64 = 250.0;

/// Quantisation units for each section, for 16-bit sums: a section then reaches about 255 where all its bits differ.
const STEPS_A_SECTION: f64 = 120.0;

/// Whether codes have so many planes that they need 16-bit sums: entries are rounded down, and so many roundings would
/// weaken byte sums. Where 16-bit sums cost more, byte sums are used a little longer.
fn takes_wide_sums(scan: &Scan) -> bool {
    scan.index.planes.n_planes() > if scan.level == Level::Avx512 { 24 } else { 40 }
}

/// Tables are made anew when the distance to beat has shrunk by this factor.
const SHRUNK: f64 = 0.8;

/// From this many lanes of a strip on, all are scored at once, plane by plane.
const MANY: u32 = 12;

/// Covers the rounding of distances to f32 and of all f64 sums here, many times over.
const MARGIN: f64 = 1.0 / (1 << 20) as f64;

/// Finds the rows of (bits of the f32 distance, id) of every query; `k` truncates the joined rows.
pub(super) fn run<S: Select>(scan: &Scan, costs: &Costs, k: usize, select: &(dyn Fn() -> S + Sync)) -> Rows {
    let parts = parallel::parts(costs.n_queries(), &scan.index.planes, scan.threads, TILE);
    parallel::run(&parts, k, &|part| {
        let passes = part.queries.clone().step_by(PASS);
        let pass = |first: usize| first..(first + PASS).min(part.queries.end);
        passes.flat_map(|first| pass_over(scan, costs, pass(first), &part.blocks, select)).collect()
    })
}

fn pass_over<S: Select>(
    scan: &Scan,
    costs: &Costs,
    pass: Range<usize>,
    blocks: &Range<usize>,
    select: &(dyn Fn() -> S + Sync),
) -> Rows {
    let n_planes = scan.index.planes.n_planes();
    let mut tiles: Vec<Tile<S>> = Vec::new();
    for first in pass.clone().step_by(TILE) {
        let members = first..(first + TILE).min(pass.end);
        let queries = members.map(|query| Query::new(costs.scorer(query), select())).collect();
        tiles.push(Tile { queries, tables: None });
    }
    for chunk in growing_chunks(blocks, (CHUNK_BYTES / (n_planes * BLOCK)).max(1)) {
        for run in scan.runs(&chunk) {
            for tile in &mut tiles {
                tile.over(scan, run.clone());
            }
        }
    }
    tiles.into_iter().flat_map(|tile| tile.queries).map(|query| query.select.finish()).collect()
}

/// Chunks of one block first, then twice as many as so far, up to `size`: the first k-th distances are the loosest.
fn growing_chunks(blocks: &Range<usize>, size: usize) -> impl Iterator<Item = Range<usize>> {
    let (start, end) = (blocks.start, blocks.end);
    let mut from = start;
    std::iter::from_fn(move || {
        let to = (from + (from - start).clamp(1, size)).min(end);
        let chunk = from..to;
        from = to;
        (!chunk.is_empty()).then_some(chunk)
    })
}

struct Query<'a, S> {
    scorer: Scorer<'a>,
    least: f64,
    most: f64,
    select: S,
    /// The value of one quantisation unit of the tables.
    step: f64,
}

impl<'a, S: Select> Query<'a, S> {
    fn new(scorer: Scorer<'a>, select: S) -> Self {
        let (least, most) = scorer.range();
        Self { scorer, least, most, select, step: 0.0 }
    }

    /// How far above the smallest distance a code can be and still matter; `None` if any code can.
    fn reach(&self) -> Option<f64> {
        let Some(largest) = self.select.bound().checked_sub(1) else { return Some(0.0) };
        let limit = f64::from(f32::from_bits(largest));
        // A bound that is not a float at all (no k-th distance yet) gives NaN.
        if limit.is_nan() || limit >= self.most {
            return None;
        }
        Some(limit * (1.0 + MARGIN) - self.least * (1.0 - MARGIN) + f64::from(f32::MIN_POSITIVE))
    }

    /// The sum from which on a code cannot matter; 0 when no code can.
    fn bound(&self) -> u16 {
        match self.reach() {
            _ if self.select.bound() == 0 => 0,
            Some(reach) => (reach / self.step) as u16 + 1,
            None => 255,
        }
    }

    /// Scores some lanes of a strip and offers them, in row order.
    fn offer(&mut self, scan: &Scan, strip: usize, lanes: u64) {
        let planes = &scan.index.planes;
        let mut lanes = lanes & scan.lanes(strip);
        let all = (lanes.count_ones() > MANY).then(|| self.scorer.distances(planes.strip(strip)));
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let row = strip * STRIP + lane;
            let distance = all.map_or_else(|| self.scorer.distance(planes.row_bytes(row)), |all| all[lane]);
            if distance.to_bits() < self.select.bound() {
                self.select.offer(distance.to_bits(), scan.index.ids.get(row));
            }
        }
    }
}

struct Tile<'a, S> {
    queries: Vec<Query<'a, S>>,
    tables: Option<TableTile>,
}

impl<S: Select> Tile<'_, S> {
    fn over(&mut self, scan: &Scan, blocks: Range<usize>) {
        if self.queries.iter().any(|query| query.reach().is_none()) {
            return self.score_all(scan, blocks);
        }
        self.refresh_tables(scan);
        let Self { queries, tables: Some(tables) } = self else { unreachable!("tables were just made") };
        let mut bounds = [0; TILE];
        for (bound, query) in bounds.iter_mut().zip(queries.iter()) {
            *bound = query.bound();
        }
        let planes = &scan.index.planes;
        let kernel = if takes_wide_sums(scan) { kernel::wide_sums } else { kernel::sums };
        kernel(scan.level, planes, blocks, tables, &mut bounds, &mut |query, strip, lanes, _| {
            queries[query].offer(scan, strip, lanes);
            queries[query].bound()
        });
    }

    fn score_all(&mut self, scan: &Scan, blocks: Range<usize>) {
        for strip in blocks.start * STRIPS..blocks.end * STRIPS {
            for query in &mut self.queries {
                query.offer(scan, strip, u64::MAX);
            }
        }
    }

    fn refresh_tables(&mut self, scan: &Scan) {
        let n_planes = scan.index.planes.n_planes();
        let steps =
            if takes_wide_sums(scan) { STEPS_A_SECTION * n_planes.div_ceil(kernel::SECTION) as f64 } else { STEPS };
        let step = |query: &Query<S>| query.reach().unwrap_or(query.most) / steps;
        if self.tables.is_some() && self.queries.iter().all(|query| step(query) > query.step * SHRUNK) {
            return;
        }
        for query in &mut self.queries {
            query.step = step(query);
        }
        let queries = &self.queries;
        let steps = |q: usize, plane, bits| {
            let Query { scorer, step, .. } = &queries[q];
            scorer.part_costs(plane, bits).into_iter().map(|cost| cost / step).collect()
        };
        self.tables = Some(TableTile::new(scan.level, &scan.index.planes, queries.len(), steps));
    }
}
