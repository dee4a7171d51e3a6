//! Searches raw inputs for the exact nearest neighbours, and classifies by their vote.
//!
//! A matrix product gives every distance to within a proven margin; only what may be among the k nearest is measured
//! again, difference by difference. So the result is exact and costs little more than the product.

use super::Classifier;
use crate::hash::{LearnError, one_each, same_width};
use crate::{
    data::Inputs,
    eval::knn_predict,
    numerics::{
        linalg::{product, view},
        simd::squared_distance,
    },
};
use std::{cmp::Ordering, collections::BinaryHeap};

/// Queries and stored rows multiplied at once: their product stays in the second-level cache.
const QUERY_BLOCK: usize = 64;
const ROW_BLOCK: usize = 1024;

/// A found row; the order is by distance, then by row.
#[derive(Clone, Copy)]
struct Found {
    squared: f64,
    row: u32,
}

impl Ord for Found {
    fn cmp(&self, other: &Self) -> Ordering {
        self.squared.total_cmp(&other.squared).then(self.row.cmp(&other.row))
    }
}

impl PartialOrd for Found {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Found {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Found {}

/// The search state of one query.
struct Search<'a> {
    query: &'a [f64],
    squared_norm: f64,
    k: usize,
    /// The k nearest so far, the farthest of them on top.
    nearest: BinaryHeap<Found>,
    /// Further rows at the distance of the k-th.
    tied: Vec<Found>,
    /// |x|² - 2 x·q + |q|² and the direct sum each err by less than half this times |x|² + |q|².
    slack: f64,
}

impl<'a> Search<'a> {
    fn new(query: &'a [f64], squared_norm: f64, k: usize) -> Self {
        let slack = 8.0 * (query.len() as f64 + 4.0) * f64::EPSILON;
        Self { query, squared_norm, k, nearest: BinaryHeap::new(), tied: Vec::new(), slack }
    }

    /// Considers a row, given -2 times its product with the query.
    fn offer(&mut self, row_ix: usize, row: &[f64], row_norm: f64, doubled: f64) {
        let norms = row_norm + self.squared_norm;
        let lower = norms + doubled - self.slack * norms;
        // An overflown bound is NaN and must not exclude the row, hence "is greater" and not "is not below".
        if self.nearest.len() >= self.k && self.nearest.peek().is_none_or(|farthest| lower > farthest.squared) {
            return;
        }
        self.nearest.push(Found { squared: squared_distance(self.query, row), row: row_ix as u32 });
        if self.nearest.len() > self.k
            && let Some(beyond) = self.nearest.pop()
        {
            if self.nearest.peek().is_some_and(|kth| kth.squared == beyond.squared) {
                self.tied.push(beyond);
            } else {
                self.tied.clear();
            }
        }
    }

    fn finish(self, with_ties: bool) -> Vec<(f64, u32)> {
        let mut found = self.nearest.into_sorted_vec();
        if with_ties {
            found.extend(self.tied);
            found.sort();
        }
        found.iter().map(|found| (found.squared.sqrt(), found.row)).collect()
    }
}

/// Exact Euclidean search among stored rows.
///
/// ```
/// use sibp::{baseline::EuclideanKnn, data::Inputs};
/// let knn = EuclideanKnn::new(Inputs::new(3, 1, vec![0.0, 4.0, 2.0])?);
/// let found = knn.neighbours(&Inputs::new(1, 1, vec![1.0])?, 2)?;
/// assert_eq!(found, [[(1.0, 0), (1.0, 2)]]); // (distance, row); ties by ascending row
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct EuclideanKnn {
    rows: Inputs,
    squared_norms: Vec<f64>,
}

impl EuclideanKnn {
    /// Stores the rows to search in.
    pub fn new(rows: Inputs) -> Self {
        let squared_norms = squared_norms(&rows);
        Self { rows, squared_norms }
    }

    /// The `k` nearest rows of every query as (distance, row), nearest first, ties by ascending row.
    ///
    /// With `k` above the number of rows, all rows are returned.
    pub fn neighbours(&self, queries: &Inputs, k: usize) -> Result<Vec<Vec<(f64, u32)>>, LearnError> {
        self.search(queries, k, false)
    }

    /// The same with all rows at the distance of the `k`-th, as a vote needs them.
    pub fn neighbours_with_ties(&self, queries: &Inputs, k: usize) -> Result<Vec<Vec<(f64, u32)>>, LearnError> {
        self.search(queries, k, true)
    }

    fn search(&self, queries: &Inputs, k: usize, with_ties: bool) -> Result<Vec<Vec<(f64, u32)>>, LearnError> {
        same_width(self.rows.n_inputs(), queries.n_inputs())?;
        let norms = squared_norms(queries);
        let (values, m) = (queries.values(), queries.n_inputs());
        let mut searches: Vec<Search<'_>> =
            values.chunks_exact(m).zip(norms).map(|(query, norm)| Search::new(query, norm, k)).collect();
        for (block, searches) in values.chunks(QUERY_BLOCK * m).zip(searches.chunks_mut(QUERY_BLOCK)) {
            self.search_block(block, searches);
        }
        Ok(searches.into_iter().map(|search| search.finish(with_ties)).collect())
    }

    fn search_block(&self, queries: &[f64], searches: &mut [Search<'_>]) {
        let m = self.rows.n_inputs();
        let queries = view(queries, searches.len(), m);
        for (row_block, values) in self.rows.values().chunks(ROW_BLOCK * m).enumerate() {
            let rows = view(values, values.len() / m, m);
            let products = product(rows, queries.transpose(), -2.0);
            for (search, products) in searches.iter_mut().zip(products.col_iter()) {
                for (row, &doubled) in (row_block * ROW_BLOCK..).zip(products.iter()) {
                    search.offer(row, &self.rows.row(row), self.squared_norms[row], doubled);
                }
            }
        }
    }
}

fn squared_norms(inputs: &Inputs) -> Vec<f64> {
    inputs.rows().map(|row| row.iter().map(|x| x * x).sum()).collect()
}

/// k-NN on raw inputs with the vote rule of [`crate::eval::knn_votes`].
///
/// ```
/// use sibp::{baseline::{Classifier, KnnClassifier}, data::Inputs};
/// let train = Inputs::new(4, 1, vec![0.0, 1.0, 8.0, 9.0])?;
/// let knn = KnnClassifier::new(train, vec![5, 5, 2, 2], 3)?;
/// let queries = Inputs::new(2, 1, vec![0.4, 8.4])?;
/// assert_eq!(knn.predict(&queries)?, [5, 2]);
/// assert_eq!(knn.predict_each(&queries, &[1, 2])?, [[5, 2], [5, 2]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct KnnClassifier {
    knn: EuclideanKnn,
    classes: Vec<u32>,
    k: usize,
}

impl KnnClassifier {
    /// Stores rows with one class each; `k` is what [`Classifier::predict`] uses.
    pub fn new(rows: Inputs, classes: Vec<u32>, k: usize) -> Result<Self, LearnError> {
        one_each("classes", rows.n_objects(), classes.len())?;
        check_k(k)?;
        Ok(Self { knn: EuclideanKnn::new(rows), classes, k })
    }

    /// The `k` nearest rows of every query, with all at the distance of the last, as (distance, class), as the measures of [`crate::eval`] take them.
    pub fn ranked(&self, queries: &Inputs, k: usize) -> Result<Vec<Vec<(f64, u32)>>, LearnError> {
        let mut lists = self.knn.neighbours_with_ties(queries, k)?;
        for neighbour in lists.iter_mut().flatten() {
            neighbour.1 = self.classes[neighbour.1 as usize];
        }
        Ok(lists)
    }

    /// The classes of all queries, for every `k` of `ks`, from one search.
    pub fn predict_each(&self, queries: &Inputs, ks: &[usize]) -> Result<Vec<Vec<u32>>, LearnError> {
        ks.iter().try_for_each(|&k| check_k(k))?;
        let lists = self.ranked(queries, ks.iter().copied().max().unwrap_or(0))?;
        let mut classes = vec![Vec::with_capacity(lists.len()); ks.len()];
        for list in &lists {
            for (classes, voted) in classes.iter_mut().zip(knn_predict(list, ks)) {
                // There is at least one stored row and k is not 0, so the vote has a winner.
                classes.extend(voted);
            }
        }
        Ok(classes)
    }
}

fn check_k(k: usize) -> Result<(), LearnError> {
    if k == 0 {
        return Err(LearnError::Setting { name: "k", value: 0.0, range: "at least 1" });
    }
    Ok(())
}

impl Classifier for KnnClassifier {
    fn predict(&self, inputs: &Inputs) -> Result<Vec<u32>, LearnError> {
        Ok(self.predict_each(inputs, &[self.k])?.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(rows: &Inputs, query: &[f64], k: usize) -> Vec<(f64, u32)> {
        let found = rows.rows().zip(0u32..).map(|(row, at)| Found { squared: squared_distance(query, &row), row: at });
        let mut all: Vec<Found> = found.collect();
        all.sort();
        all.iter().take(k).map(|found| (found.squared.sqrt(), found.row)).collect()
    }

    fn check(rows: &Inputs, queries: &Inputs, k: usize) {
        let lists = EuclideanKnn::new(rows.clone()).neighbours(queries, k).unwrap();
        for (list, query) in lists.iter().zip(queries.rows()) {
            assert_eq!(list, &naive(rows, &query, k));
        }
    }

    proptest! {
        /// A large offset makes the product form lose its digits; few distinct values make ties.
        #[test]
        fn equals_a_plain_loop(
            values in prop::collection::vec(-3i32..3, 11 * 60),
            offset in prop::sample::select(vec![0.0, 1e6, 1e9, 1e200]),
            scale in prop::sample::select(vec![1.0, 1e-7, 0.1]),
            k in 0usize..70,
        ) {
            let values = values.iter().map(|&v| offset + f64::from(v) * scale).collect();
            let all = Inputs::new(60, 11, values).unwrap();
            check(&all, &all.select(&[0, 7, 59]), k);
        }
    }

    #[test]
    fn ties_are_all_the_rows_at_the_last_distance() {
        let rows = Inputs::new(7, 1, vec![3.0, 1.0, 2.0, 1.0, 0.0, 1.0, 3.0]).unwrap();
        let knn = EuclideanKnn::new(rows);
        let query = Inputs::new(1, 1, vec![0.0]).unwrap();
        let rows_of = |k: usize| -> Vec<u32> {
            knn.neighbours_with_ties(&query, k).unwrap()[0].iter().map(|found| found.1).collect()
        };
        assert_eq!(rows_of(1), [4]);
        assert_eq!((rows_of(2), rows_of(3)), (vec![4, 1, 3, 5], vec![4, 1, 3, 5]));
        assert_eq!((rows_of(5), rows_of(6).len(), rows_of(0).len()), (vec![4, 1, 3, 5, 2], 7, 0));
    }

    #[test]
    fn equals_a_plain_loop_across_blocks() {
        let n = 2 * ROW_BLOCK + 77;
        let values = (0..n * 3).map(|at| ((at * 7919) % 13) as f64).collect();
        let rows = Inputs::new(n, 3, values).unwrap();
        check(&rows, &rows.select(&(0..150).collect::<Vec<_>>()), 9);
    }

    #[test]
    fn mistakes_are_named() {
        let rows = Inputs::new(2, 2, vec![0.0; 4]).unwrap();
        assert!(matches!(KnnClassifier::new(rows.clone(), vec![1], 1), Err(LearnError::Length { got: 1, .. })));
        assert!(KnnClassifier::new(rows.clone(), vec![1, 1], 0).is_err());
        let knn = KnnClassifier::new(rows, vec![1, 1], 1).unwrap();
        let narrow = Inputs::new(1, 1, vec![0.0]).unwrap();
        assert_eq!(knn.predict(&narrow), Err(LearnError::InputWidth { expected: 2, got: 1 }));
    }
}
