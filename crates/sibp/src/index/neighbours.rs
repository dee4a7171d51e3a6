//! Holds the answers of a search: for every query its neighbours, nearest first.

/// Neighbours of every query, ordered by (distance, id) ascending.
///
/// Distances are `f32`, which holds Hamming distances exactly; within the index those are `u32`.
/// Rows may differ in length: there are no sentinels, a query with fewer neighbours has a shorter row.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbours<D = u32> {
    offsets: Vec<usize>,
    distances: Vec<D>,
    ids: Vec<u64>,
    asked: Option<usize>,
    ties: bool,
}

impl<D: Copy> Neighbours<D> {
    /// Collects rows of (distance, id), already in order.
    pub fn from_rows(rows: impl IntoIterator<Item = Vec<(D, u64)>>) -> Self {
        let mut out = Self { offsets: vec![0], distances: Vec::new(), ids: Vec::new(), asked: None, ties: false };
        for row in rows {
            out.distances.extend(row.iter().map(|&(distance, _)| distance));
            out.ids.extend(row.iter().map(|&(_, id)| id));
            out.offsets.push(out.ids.len());
        }
        out
    }

    /// Converts the distances to floats.
    pub(crate) fn into_floats(self) -> Neighbours<f32>
    where
        D: Into<f64>,
    {
        let distances = self.distances.iter().map(|&distance| distance.into() as f32).collect();
        Neighbours { offsets: self.offsets, distances, ids: self.ids, asked: self.asked, ties: self.ties }
    }

    /// Records the `k` of the search, so that a vote can tell a small index from a short search.
    pub(crate) fn asked_for(mut self, k: usize) -> Self {
        self.asked = Some(k);
        self
    }

    /// Records that rows hold all codes at the distance of the `k`-th.
    pub(crate) fn with_ties(mut self) -> Self {
        self.ties = true;
        self
    }

    /// Whether codes at the distance of a row's last neighbour may be missing: the search was for the `k` nearest,
    /// without ties.
    pub fn may_miss_ties(&self) -> bool {
        self.asked.is_some() && !self.ties
    }

    /// The `k` of a search for the nearest; `None` after a search by radius.
    pub fn asked(&self) -> Option<usize> {
        self.asked
    }

    /// Number of queries.
    pub fn n_queries(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Distances of one query's neighbours.
    pub fn distances(&self, query_ix: usize) -> &[D] {
        &self.distances[self.offsets[query_ix]..self.offsets[query_ix + 1]]
    }

    /// Ids of one query's neighbours.
    pub fn ids(&self, query_ix: usize) -> &[u64] {
        &self.ids[self.offsets[query_ix]..self.offsets[query_ix + 1]]
    }

    /// One query's neighbours as (distance, id).
    pub fn row(&self, query_ix: usize) -> impl ExactSizeIterator<Item = (D, u64)> + '_ {
        self.distances(query_ix).iter().copied().zip(self.ids(query_ix).iter().copied())
    }

    /// Distances of all queries, one after the other.
    pub fn all_distances(&self) -> &[D] {
        &self.distances
    }

    /// Ids of all queries, one after the other.
    pub fn all_ids(&self) -> &[u64] {
        &self.ids
    }

    /// Where each query's row starts in [`Self::all_ids`], and the total length last.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }
}
