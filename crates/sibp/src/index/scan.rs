//! Scans an index for the codes nearest to, or within a radius of, each query.

use std::ops::Range;

use super::costs::Costs;
use super::error::IndexError;
use super::kernel::Level;
use super::neighbours::Neighbours;
use super::parallel::Rows;
use super::planes::stored_lanes;
use super::rows::RowSet;
use super::select::{Nearest, NearestKeys, NearestTied, Within};
use super::{HammingIndex, hamming, weighted};
use crate::codes::Codes;

/// A search with its options. Answers do not depend on threads or instruction level.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scan<'a> {
    pub(super) index: &'a HammingIndex,
    pub(super) threads: usize,
    pub(super) level: Level,
    pub(super) among: Option<&'a RowSet>,
    pub(super) ties: bool,
}

impl<'a> Scan<'a> {
    pub(super) fn new(index: &'a HammingIndex) -> Self {
        Self { index, threads: 1, level: Level::detect(), among: None, ties: false }
    }

    /// Threads to use; 0 takes all cores. One unless set.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = crate::parallel::n_threads(threads);
        self
    }

    /// Looks only at these rows.
    pub fn among(mut self, rows: &'a RowSet) -> Self {
        self.among = Some(rows);
        self
    }

    /// Finds all codes at the k-th distance, not only those of the lowest ids.
    pub fn ties(mut self, ties: bool) -> Self {
        self.ties = ties;
        self
    }

    /// Uses this instruction level instead of the machine's best, or the best one below it that the machine has.
    pub fn level(mut self, level: Level) -> Self {
        self.level = level.min(Level::detect());
        self
    }

    /// The `k` nearest codes of every query by Hamming distance. `k = 0` and an empty index give empty rows.
    pub fn nearest(&self, queries: &Codes, k: usize) -> Result<Neighbours, IndexError> {
        self.check(queries)?;
        let kept = k.min(self.index.len());
        if self.ties {
            let most = self.index.n_bits() as u32 + 1;
            let rows = hamming::run(self, queries, usize::MAX, &|| NearestTied::new(kept, most));
            return Ok(Neighbours::from_rows(cut(rows, kept)).asked_for(k).with_ties());
        }
        let in_order = self.index.ids.ascending();
        let select = || Nearest::new(kept, self.index.n_bits(), in_order);
        Ok(Neighbours::from_rows(hamming::run(self, queries, kept, &select)).asked_for(k))
    }

    /// All codes at a Hamming distance of at most `radius` from every query.
    pub fn within(&self, queries: &Codes, radius: u32) -> Result<Neighbours, IndexError> {
        self.check(queries)?;
        let bound = radius.min(self.index.n_bits() as u32) + 1;
        Ok(Neighbours::from_rows(hamming::run(self, queries, usize::MAX, &|| Within::new(bound))))
    }

    /// The `k` nearest codes by weighted Hamming distance: the sum of the weights of the bits that differ.
    ///
    /// See [`super::Metric::Weighted`] for the order in which they are added.
    pub fn nearest_weighted(&self, queries: &Codes, weights: &[f32], k: usize) -> Result<Neighbours<f32>, IndexError> {
        self.check(queries)?;
        let costs = Costs::weighted(queries, weights)?;
        Ok(self.nearest_by_costs(&costs, k))
    }

    /// All codes at a weighted Hamming distance of at most `radius`; see [`Self::nearest_weighted`].
    pub fn within_weighted(
        &self,
        queries: &Codes,
        weights: &[f32],
        radius: f32,
    ) -> Result<Neighbours<f32>, IndexError> {
        self.check(queries)?;
        self.within_costs(&Costs::weighted(queries, weights)?, radius)
    }

    /// The `k` nearest codes by expected weighted Hamming distance, where a query is a row of bit probabilities
    /// (`n_bits` values a query, in [0, 1]); see [`super::Metric::Expected`].
    pub fn nearest_expected(
        &self,
        probabilities: &[f32],
        weights: &[f32],
        k: usize,
    ) -> Result<Neighbours<f32>, IndexError> {
        self.check_rows()?;
        let costs = Costs::expected(probabilities, self.index.n_bits(), weights)?;
        Ok(self.nearest_by_costs(&costs, k))
    }

    /// All codes at an expected weighted distance of at most `radius`; see [`Self::nearest_expected`].
    pub fn within_expected(
        &self,
        probabilities: &[f32],
        weights: &[f32],
        radius: f32,
    ) -> Result<Neighbours<f32>, IndexError> {
        self.check_rows()?;
        self.within_costs(&Costs::expected(probabilities, self.index.n_bits(), weights)?, radius)
    }

    fn within_costs(&self, costs: &Costs, radius: f32) -> Result<Neighbours<f32>, IndexError> {
        if radius.is_nan() || radius < 0.0 {
            return Err(IndexError::Radius { radius });
        }
        // Adding 0 turns −0 into 0, whose bits order right.
        let bound = (radius + 0.0).to_bits() + 1;
        Ok(float_rows(weighted::run(self, costs, usize::MAX, &|| Within::new(bound))))
    }

    fn nearest_by_costs(&self, costs: &Costs, k: usize) -> Neighbours<f32> {
        let kept = k.min(self.index.len());
        if self.ties {
            let rows = weighted::run(self, costs, usize::MAX, &|| NearestTied::new(kept, u32::MAX));
            return float_rows(cut(rows, kept)).asked_for(k).with_ties();
        }
        float_rows(weighted::run(self, costs, kept, &|| NearestKeys::new(kept))).asked_for(k)
    }

    fn check(&self, queries: &Codes) -> Result<(), IndexError> {
        self.index.check_width(queries)?;
        self.check_rows()
    }

    fn check_rows(&self) -> Result<(), IndexError> {
        match self.among {
            Some(rows) if !rows.fits(self.index.len(), self.index.revision) => {
                Err(IndexError::StaleRows { expected: self.index.len(), found: rows.n_rows() })
            }
            _ => Ok(()),
        }
    }

    /// The runs of blocks in a chunk that hold rows to look at.
    pub(super) fn runs(&self, chunk: &Range<usize>) -> Vec<Range<usize>> {
        let Some(rows) = self.among else { return vec![chunk.clone()] };
        let mut runs: Vec<Range<usize>> = Vec::new();
        for block in chunk.clone().filter(|&block| rows.touches(block)) {
            match runs.last_mut() {
                Some(run) if run.end == block => run.end += 1,
                _ => runs.push(block..block + 1),
            }
        }
        runs
    }

    /// The lanes of a strip that the search looks at.
    pub(super) fn lanes(&self, strip: usize) -> u64 {
        stored_lanes(self.index.len(), strip) & self.among.map_or(u64::MAX, |rows| rows.lanes(strip))
    }
}

/// Drops what is farther than the k-th of each row; threads bring more.
fn cut(mut rows: Rows, k: usize) -> Rows {
    for row in &mut rows {
        if let Some(&(kth, _)) = k.checked_sub(1).and_then(|last| row.get(last)) {
            row.truncate(row.partition_point(|&(key, _)| key <= kth));
        }
    }
    rows
}

/// Converts keys back to distances: keys are the bits of non-negative floats.
fn float_rows(rows: Vec<Vec<(u32, u64)>>) -> Neighbours<f32> {
    let as_floats = |row: Vec<(u32, u64)>| row.into_iter().map(|(key, id)| (f32::from_bits(key), id)).collect();
    Neighbours::from_rows(rows.into_iter().map(as_floats))
}
