//! Lists the invalid arguments of evaluation measures.

use thiserror::Error;

/// Why a measure cannot be computed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EvalError {
    /// Two lists that belong together differ in length.
    #[error("{got} {what} were given where {expected} are needed, one for each {each}")]
    Length {
        /// What was counted.
        what: &'static str,
        /// What each of them belongs to, such as an object.
        each: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        got: usize,
    },
    /// Nothing to average over.
    #[error("there are no {what} to measure; at least {least} are needed")]
    TooFew {
        /// What is missing.
        what: &'static str,
        /// The smallest number that works.
        least: usize,
    },
    /// k is 0.
    #[error("k is 0; ask for at least one neighbour")]
    ZeroK,
    /// A list of neighbours ends before rank k.
    #[error("query {query}: {length} neighbours were retrieved, fewer than k = {k}; retrieve more or lower k")]
    ShortList {
        /// Position of the query.
        query: usize,
        /// Neighbours in its list.
        length: usize,
        /// Neighbours asked for.
        k: usize,
    },
    /// Distances that decrease along a list, or are NaN.
    #[error("query {query}, rank {rank}: the distance {distance} is NaN or below the one before; sort by distance")]
    Unsorted {
        /// Position of the query.
        query: usize,
        /// Rank in its list, from 0.
        rank: usize,
        /// The distance found there.
        distance: f64,
    },
    /// A class number beyond the number of classes.
    #[error("object {object}: class {class} is not below the number of classes, {n_classes}")]
    UnknownClass {
        /// Position of the object.
        object: usize,
        /// Its class number.
        class: u32,
        /// How many classes there are.
        n_classes: usize,
    },
    /// A result that is NaN or infinite.
    #[error("method {method}, repeat {repeat}: the result is {value}; only finite results can be compared")]
    NotFinite {
        /// Position of the method.
        method: usize,
        /// Position of the repeat.
        repeat: usize,
        /// The value found.
        value: f64,
    },
    /// A weight that cannot be part of a distance.
    #[error("weight {bit} is {value}; weights must be finite and not negative")]
    Weight {
        /// Position of the bit.
        bit: usize,
        /// The weight found.
        value: f64,
    },
}

/// Refuses two lists of different lengths.
pub(super) fn same_length(
    what: &'static str,
    each: &'static str,
    expected: usize,
    got: usize,
) -> Result<(), EvalError> {
    if expected == got { Ok(()) } else { Err(EvalError::Length { what, each, expected, got }) }
}

/// Refuses ranked lists that are not one a query, or not in ascending order of distance.
pub(super) fn check_lists<D: Copy + Into<f64>>(neighbours: &[Vec<(D, u32)>], truth: &[u32]) -> Result<(), EvalError> {
    same_length("lists of neighbours", "query", truth.len(), neighbours.len())?;
    if truth.is_empty() {
        return Err(EvalError::TooFew { what: "queries", least: 1 });
    }
    for (query, list) in neighbours.iter().enumerate() {
        let mut before = f64::NEG_INFINITY;
        for (rank, &(distance, _)) in list.iter().enumerate() {
            let distance = distance.into();
            if distance.is_nan() || distance < before {
                return Err(EvalError::Unsorted { query, rank, distance });
            }
            before = distance;
        }
    }
    Ok(())
}
