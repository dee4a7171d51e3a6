//! Predicts classes by the vote of the nearest neighbours.
//!
//! The rule is [`crate::eval::knn_votes`]'s: neighbours at the k-th distance share the places that are left, so neither
//! ids nor the order of rows decide who votes.

use super::{HammingIndex, IndexError, Metric, Neighbours, Queries, Search};
use crate::eval::{Vote, knn_tally, knn_votes};
use thiserror::Error;

/// (Query, code) pairs that a search may return at once, if all codes are equally near, and queries at once.
const PAIRS_AT_ONCE: usize = 4 << 20;
const MOST_AT_ONCE: usize = 1024;

/// Why a vote cannot be held.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum VoteError {
    /// A number of voters is 0.
    #[error("k = 0 neighbours cannot vote; k must be at least 1")]
    NoVoters,
    /// A query has no neighbour at all.
    #[error("query {query} has no neighbours to vote; search a non-empty index with k of at least 1")]
    NoNeighbours {
        /// Row of the query.
        query: usize,
    },
    /// The search asked for fewer neighbours than are to vote.
    #[error("{k} neighbours are to vote but the search asked for {searched}; search with k of at least {k}")]
    TooFewSearched {
        /// The `k` of the search.
        searched: usize,
        /// Voters asked for.
        k: usize,
    },
    /// Some of the nearest are missing.
    #[error("codes at the distance of the last neighbour vote too, but the search left some out; search with ties")]
    TiesMissing,
    /// The search failed.
    #[error(transparent)]
    Search(#[from] IndexError),
    /// A neighbour has no class.
    #[error("query {query}: neighbour {id} has no class")]
    NoClass {
        /// Row of the query.
        query: usize,
        /// Id of the neighbour.
        id: u64,
    },
}

/// The vote of the neighbours of every query, for each `k` in `ks` (outer vector), from one search with the largest
/// `k` and ties.
///
/// Where fewer than `k` codes are stored, all of them vote.
///
/// ```
/// use sibp::index::{Neighbours, vote::votes};
/// let neighbours = Neighbours::from_rows([vec![(0u32, 7), (1, 3), (1, 5)]]);
/// let classes = |id| Some(if id == 7 { 1 } else { 0 });
/// let winners: Vec<u32> = votes(&neighbours, classes, &[1, 2, 3])?.iter().map(|votes| votes[0].class).collect();
/// assert_eq!(winners, [1, 1, 0]);
/// # Ok::<(), sibp::index::vote::VoteError>(())
/// ```
pub fn votes<D: Copy + Into<f64>>(
    neighbours: &Neighbours<D>,
    class_of_id: impl Fn(u64) -> Option<u32>,
    ks: &[usize],
) -> Result<Vec<Vec<Vote>>, VoteError> {
    check_ks(ks, neighbours.asked())?;
    if neighbours.may_miss_ties() {
        return Err(VoteError::TiesMissing);
    }
    let mut elections = vec![Vec::with_capacity(neighbours.n_queries()); ks.len()];
    for query in 0..neighbours.n_queries() {
        let voters = voters(neighbours, query, &class_of_id)?;
        for (election, vote) in elections.iter_mut().zip(knn_votes(&voters, ks)) {
            // There are voters and no k is 0, so the vote has a winner.
            election.extend(vote);
        }
    }
    Ok(elections)
}

impl HammingIndex {
    /// Searches by the metric and threads of `search` and lets the `k` nearest codes vote, for each `k` in `ks` (outer
    /// vector); see [`votes`].
    ///
    /// A few queries are searched at a time, as very many codes may be equally near.
    pub fn classify<'a>(
        &self,
        queries: impl Into<Queries<'a>>,
        metric: Metric<'_>,
        threads: usize,
        class_of_id: impl Fn(u64) -> Option<u32>,
        ks: &[usize],
    ) -> Result<Vec<Vec<Vote>>, VoteError> {
        let most = ks.iter().copied().max().unwrap_or(0);
        let search = Search::nearest(most).with_ties().metric(metric).threads(threads);
        let mut elections = vec![Vec::new(); ks.len()];
        self.each_part(queries.into(), &search, |found| {
            for (election, votes) in elections.iter_mut().zip(votes(found, &class_of_id, ks)?) {
                election.extend(votes);
            }
            Ok(())
        })?;
        Ok(elections)
    }

    /// The votes of every class among the `k` nearest codes of each query, as [`knn_tally`] counts them.
    pub fn tally<'a>(
        &self,
        queries: impl Into<Queries<'a>>,
        metric: Metric<'_>,
        threads: usize,
        class_of_id: impl Fn(u64) -> Option<u32>,
        k: usize,
    ) -> Result<Vec<Vec<Vote>>, VoteError> {
        check_ks(&[k], None)?;
        let search = Search::nearest(k).with_ties().metric(metric).threads(threads);
        let mut tallies = Vec::new();
        self.each_part(queries.into(), &search, |found| {
            for query in 0..found.n_queries() {
                tallies.push(knn_tally(&voters(found, query, &class_of_id)?, k));
            }
            Ok(())
        })?;
        Ok(tallies)
    }

    /// Searches for a few queries at a time, as very many codes may be equally near.
    fn each_part(
        &self,
        queries: Queries<'_>,
        search: &Search<'_>,
        mut show: impl FnMut(&Neighbours<f32>) -> Result<(), VoteError>,
    ) -> Result<(), VoteError> {
        let n_queries = queries.n_queries(self.n_bits());
        let step = (PAIRS_AT_ONCE / self.len().max(1)).clamp(1, MOST_AT_ONCE);
        for first in (0..n_queries).step_by(step) {
            let found = match queries {
                Queries::Codes(codes) => {
                    let some: Vec<usize> = (first..(first + step).min(n_queries)).collect();
                    self.search(&codes.select(&some), search)?
                }
                Queries::Probabilities(values) => {
                    let end = ((first + step) * self.n_bits()).min(values.len());
                    self.search(&values[first * self.n_bits()..end], search)?
                }
            };
            show(&found)?;
        }
        Ok(())
    }
}

fn check_ks(ks: &[usize], searched: Option<usize>) -> Result<(), VoteError> {
    if ks.contains(&0) {
        return Err(VoteError::NoVoters);
    }
    match (searched, ks.iter().max()) {
        (Some(searched), Some(&k)) if k > searched => Err(VoteError::TooFewSearched { searched, k }),
        _ => Ok(()),
    }
}

/// (distance, class) of each neighbour.
fn voters<D: Copy>(
    neighbours: &Neighbours<D>,
    query: usize,
    class_of_id: &impl Fn(u64) -> Option<u32>,
) -> Result<Vec<(D, u32)>, VoteError> {
    if neighbours.ids(query).is_empty() {
        return Err(VoteError::NoNeighbours { query });
    }
    let voter = |(distance, id): (D, u64)| match class_of_id(id) {
        Some(class) => Ok((distance, class)),
        None => Err(VoteError::NoClass { query, id }),
    };
    neighbours.row(query).map(voter).collect()
}
