//! Predicts classes by the vote of the nearest neighbours.
//!
//! The rule: the first `k` neighbours in the order (distance, id) vote, so ids, not row order, decide who votes among
//! neighbours at the k-th distance. They vote by the rule of [`crate::eval::vote`].

use super::Neighbours;
use crate::eval::knn_predict;
use thiserror::Error;

/// Why a vote cannot be held.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
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
    /// A neighbour has no class.
    #[error("query {query}: neighbour {id} has no class")]
    NoClass {
        /// Row of the query.
        query: usize,
        /// Id of the neighbour.
        id: u64,
    },
}

/// Predicted class of every query, for each `k` in `ks` (outer vector), from one search with the largest `k`.
///
/// Where fewer than `k` codes are stored, all of them vote.
///
/// ```
/// use sibp::index::{Neighbours, vote::vote};
/// let neighbours = Neighbours::from_rows([vec![(0u32, 7), (1, 3), (1, 5)]]);
/// let classes = |id| Some(if id == 7 { 1 } else { 0 });
/// assert_eq!(vote(&neighbours, classes, &[1, 2, 3])?, [[1], [1], [0]]);
/// # Ok::<(), sibp::index::vote::VoteError>(())
/// ```
pub fn vote<D: Copy + Into<f64>>(
    neighbours: &Neighbours<D>,
    class_of_id: impl Fn(u64) -> Option<u32>,
    ks: &[usize],
) -> Result<Vec<Vec<u32>>, VoteError> {
    check_ks(ks, neighbours.asked())?;
    let mut predictions = vec![Vec::with_capacity(neighbours.n_queries()); ks.len()];
    for query in 0..neighbours.n_queries() {
        let voters = voters(neighbours, query, &class_of_id)?;
        for (predicted, class) in predictions.iter_mut().zip(knn_predict(&voters, ks)) {
            // There are voters and no k is 0, so the vote has a winner.
            predicted.extend(class);
        }
    }
    Ok(predictions)
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
