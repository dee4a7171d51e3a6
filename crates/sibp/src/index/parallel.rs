//! Spreads a search over threads, by queries and by blocks; the answer does not depend on it.

use std::ops::Range;

use super::planes::{BLOCK, Planes};
use crate::parallel::each;

/// The share of one thread: some queries against some blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub queries: Range<usize>,
    pub blocks: Range<usize>,
}

/// Bytes of codes, times queries, that keep a thread busy for longer than it takes to start (some 50 µs).
const MIN_WORK: usize = 4 << 20;

/// Cuts the work by queries where each thread gets several tiles of them, else by blocks.
/// Parts come by queries, then by blocks, both ascending.
pub(crate) fn parts(n_queries: usize, planes: &Planes, threads: usize, tile: usize) -> Vec<Part> {
    let bytes = planes.n_blocks() * planes.n_planes() * BLOCK;
    let threads = threads.min(n_queries.saturating_mul(bytes) / MIN_WORK).max(1);
    let by_query = if n_queries >= 2 * tile * threads { threads } else { 1 };
    let by_block = (threads / by_query).min(planes.n_blocks()).max(1);
    let queries = cut(n_queries, by_query, tile);
    let blocks = cut(planes.n_blocks(), by_block, 1);
    let part =
        |queries: &Range<usize>, blocks: &Range<usize>| Part { queries: queries.clone(), blocks: blocks.clone() };
    queries.iter().flat_map(|q| blocks.iter().map(move |b| part(q, b))).collect()
}

/// `0..n` in `parts` ranges of nearly equal length, cut at multiples of `step`.
fn cut(n: usize, parts: usize, step: usize) -> Vec<Range<usize>> {
    let steps = n.div_ceil(step);
    let edge = |i: usize| (steps * i / parts * step).min(n);
    (0..parts).map(|i| edge(i)..edge(i + 1)).collect()
}

/// Consecutive pieces of at most `size` blocks.
pub(crate) fn chunks(blocks: &Range<usize>, size: usize) -> impl Iterator<Item = Range<usize>> {
    let end = blocks.end;
    blocks.clone().step_by(size).map(move |first| first..(first + size).min(end))
}

/// (Distance, id) pairs of every query.
pub(crate) type Rows = Vec<Vec<(u32, u64)>>;

/// Runs `work` on every part and joins the parts of each query: sorted by (distance, id), at most `k`.
pub(crate) fn run(parts: &[Part], k: usize, work: &(dyn Fn(&Part) -> Rows + Sync)) -> Rows {
    let results = each(parts, work);
    let mut rows = Rows::new();
    for (part, result) in parts.iter().zip(results) {
        if part.queries.start == rows.len() {
            rows.extend(result);
        } else {
            for (row, more) in rows[part.queries.clone()].iter_mut().zip(result) {
                row.extend(more);
                row.sort_unstable();
                row.truncate(k);
            }
        }
    }
    rows
}
