//! Marks a set of rows, so that a search looks only at some ids.

use super::planes::{Planes, STRIP, STRIPS, stored_lanes};

/// A set of rows of one index, made by [`super::HammingIndex::rows`].
///
/// It is valid for the index as it was when the set was made; a search after a change reports it as stale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowSet {
    n_rows: usize,
    revision: u64,
    lanes: Vec<u64>,
}

impl RowSet {
    pub(crate) fn new(planes: &Planes, revision: u64, rows: impl Iterator<Item = usize>) -> Self {
        let mut lanes = vec![0; planes.n_blocks() * STRIPS];
        for row in rows {
            lanes[row / STRIP] |= 1 << (row % STRIP);
        }
        Self { n_rows: planes.n_rows(), revision, lanes }
    }

    /// All rows that are not in this set.
    pub fn complement(mut self) -> Self {
        for (strip, lanes) in self.lanes.iter_mut().enumerate() {
            *lanes = !*lanes & stored_lanes(self.n_rows, strip);
        }
        self
    }

    /// Number of rows in the set.
    pub fn len(&self) -> usize {
        self.lanes.iter().map(|lanes| lanes.count_ones() as usize).sum()
    }

    /// Whether no row is in the set.
    pub fn is_empty(&self) -> bool {
        self.lanes.iter().all(|&lanes| lanes == 0)
    }

    pub(crate) fn fits(&self, n_rows: usize, revision: u64) -> bool {
        self.n_rows == n_rows && self.revision == revision
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The rows of a strip that are in the set.
    pub(crate) fn lanes(&self, strip: usize) -> u64 {
        self.lanes[strip]
    }

    /// Whether any row of a block is in the set.
    pub(crate) fn touches(&self, block: usize) -> bool {
        self.lanes[block * STRIPS..(block + 1) * STRIPS].iter().any(|&lanes| lanes != 0)
    }
}
