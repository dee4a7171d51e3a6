//! Holds lookup tables for a few queries: what parts of a code's bytes add to a sum, in the layout of an instruction
//! level.

use super::{Level, TILE};
use crate::index::planes::Planes;

/// Largest entry: two of them add without overflow, so half of the additions need not saturate.
const MOST: f64 = 127.0;

/// Sixteen bytes, indexed by half a byte of a code.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Half(pub [u8; 16]);

/// Sixty-four bytes, indexed by six bits.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Six(pub [u8; 64]);

/// Tables of up to [`TILE`] queries.
#[derive(Debug)]
pub(crate) struct TableTile {
    pub(super) n_queries: usize,
    pub(super) tables: Tables,
}

#[derive(Debug)]
pub(super) enum Tables {
    /// `[p][q]` are the tables of the high and of the low half of byte `p`, for query `q`.
    Halves(Vec<[[Half; 2]; TILE]>),
    /// By runs of up to three planes of a group (see [`runs`]): for each plane of the run, and then for the run, a
    /// table a query. A plane's table takes the low six bits of its byte, the run's the two high bits of its planes,
    /// those of the first plane lowest.
    Sixes(Vec<[Six; TILE]>),
}

/// The planes of a group in runs of three; the last run may have fewer.
pub(super) fn runs(n_planes: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..n_planes).step_by(3).map(move |first| first..(first + 3).min(n_planes))
}

impl TableTile {
    /// Rounds costs down to tables. `costs(query, plane, bits)` gives the cost of each value of those of the byte's
    /// bits that `bits` names from the lowest; entries of at most 127 are kept, larger ones lowered to it.
    pub fn new(
        level: Level,
        planes: &Planes,
        n_queries: usize,
        costs: impl Fn(usize, usize, std::ops::Range<u32>) -> Vec<f64>,
    ) -> Self {
        assert!(n_queries <= TILE, "a tile takes {TILE} queries");
        let tables = match level {
            Level::Avx512 => Tables::Sixes(sixes(planes, n_queries, &costs)),
            _ => Tables::Halves(halves(planes.n_planes(), n_queries, &costs)),
        };
        Self { n_queries, tables }
    }

    /// Hamming distances by half byte; `bytes[p][q]` is byte `p` of query `q`.
    pub fn of_distances(n_queries: usize, bytes: &[[u8; TILE]]) -> Self {
        let table = |half: u8| Half(std::array::from_fn(|value| (half ^ value as u8).count_ones() as u8));
        let tables = bytes.iter().map(|bytes| bytes.map(|byte| [table(byte >> 4), table(byte & 15)])).collect();
        Self { n_queries, tables: Tables::Halves(tables) }
    }
}

fn halves(
    n_planes: usize,
    n_queries: usize,
    costs: &impl Fn(usize, usize, std::ops::Range<u32>) -> Vec<f64>,
) -> Vec<[[Half; 2]; TILE]> {
    let mut tables = vec![[[Half([0; 16]); 2]; TILE]; n_planes];
    for (p, tables) in tables.iter_mut().enumerate() {
        for (q, halves) in tables[..n_queries].iter_mut().enumerate() {
            for (half, bits) in halves.iter_mut().zip([4..8, 0..4]) {
                for (entry, cost) in half.0.iter_mut().zip(costs(q, p, bits)) {
                    *entry = cost.min(MOST) as u8;
                }
            }
        }
    }
    tables
}

fn sixes(
    planes: &Planes,
    n_queries: usize,
    costs: &impl Fn(usize, usize, std::ops::Range<u32>) -> Vec<f64>,
) -> Vec<[Six; TILE]> {
    let mut tables = Vec::new();
    let mut first = 0;
    for group in planes.groups() {
        for run in runs(group.n_planes) {
            let mut high = [[0.0; 64]; TILE];
            for (at, p) in run.enumerate() {
                let mut low = [Six([0; 64]); TILE];
                for q in 0..n_queries {
                    for (entry, cost) in low[q].0.iter_mut().zip(costs(q, first + p, 0..6)) {
                        *entry = cost.min(MOST) as u8;
                    }
                    let pair = costs(q, first + p, 6..8);
                    for (value, cost) in high[q].iter_mut().enumerate() {
                        *cost += pair[value >> (2 * at) & 3];
                    }
                }
                tables.push(low);
            }
            tables.push(high.map(|costs| Six(costs.map(|cost| cost.min(MOST) as u8))));
        }
        first += group.n_planes;
    }
    tables
}
