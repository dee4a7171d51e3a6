//! Spreads a search over threads, by queries and by blocks, without letting the answer depend on it.

use std::ops::Range;

/// Work of one thread: some queries against some blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub queries: Range<usize>,
    pub blocks: Range<usize>,
}

/// Fewest blocks worth a thread of their own (32,768 codes).
const MIN_BLOCKS: usize = 128;

/// Cuts the work by queries where there are many, else by blocks.
/// Parts come by queries, then by blocks, both ascending.
pub(crate) fn parts(n_queries: usize, n_blocks: usize, threads: usize, tile: usize) -> Vec<Part> {
    let by_query = threads.min(n_queries.div_ceil(tile)).max(1);
    let by_block = (threads / by_query).min(n_blocks / MIN_BLOCKS).max(1);
    let queries = cut(n_queries, by_query, tile);
    let blocks = cut(n_blocks, by_block, 1);
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
    let results: Vec<Rows> = match parts {
        [part] => vec![work(part)],
        _ => std::thread::scope(|scope| {
            let handles: Vec<_> = parts.iter().map(|part| scope.spawn(move || work(part))).collect();
            handles.into_iter().map(|handle| handle.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
        }),
    };
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
