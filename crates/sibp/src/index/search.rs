//! Defines a search request: a metric, and the number of neighbours or a radius.

use super::{HammingIndex, IndexError, Level, Neighbours, RowSet};
use crate::codes::Codes;

/// How the distance between a query and a stored code is taken.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Metric<'a> {
    /// The number of bits that differ.
    #[default]
    Hamming,
    /// The sum of the weights of the bits that differ, one weight a bit, finite and at least 0.
    ///
    /// The sum is defined to the bit: weights become f64; within each byte of the code they are added in the order of
    /// the bits, then the bytes' sums in the order of the bytes, and the total is rounded once to f32.
    Weighted(&'a [f32]),
    /// The expected weighted distance of a query whose bits are known by their probabilities: bit `i` costs
    /// `weight · p` where the stored bit is 0 and `weight · (1 − p)` where it is 1, added in the same order.
    Expected(&'a [f32]),
}

/// The number of neighbours, or the radius, of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Reach {
    Nearest(usize),
    Within(f32),
}

/// A search request to an index. Answers do not depend on threads or instruction level.
///
/// ```
/// use sibp::index::{Metric, Search};
/// let ten = Search::nearest(10);
/// let near = Search::within(2.5).metric(Metric::Weighted(&[1.0, 0.5])).threads(2);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    reach: Reach,
    metric: Metric<'a>,
    threads: usize,
    level: Level,
    among: Option<&'a RowSet>,
    ties: bool,
}

impl<'a> Search<'a> {
    /// The `k` nearest codes of every query, fewer where fewer are stored.
    pub fn nearest(k: usize) -> Self {
        Self::new(Reach::Nearest(k))
    }

    /// All codes at a distance of at most `radius`, which must be at least 0.
    pub fn within(radius: f32) -> Self {
        Self::new(Reach::Within(radius))
    }

    fn new(reach: Reach) -> Self {
        Self { reach, metric: Metric::Hamming, threads: 1, level: Level::detect(), among: None, ties: false }
    }

    /// Finds all codes at the distance of the k-th neighbour, so more than `k` where there are several.
    pub fn with_ties(mut self) -> Self {
        self.ties = true;
        self
    }

    /// How distances are taken; Hamming unless set.
    pub fn metric(mut self, metric: Metric<'a>) -> Self {
        self.metric = metric;
        self
    }

    /// Threads to use; 0 takes all cores. One unless set.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Looks only at these rows.
    pub fn among(mut self, rows: impl Into<Option<&'a RowSet>>) -> Self {
        self.among = rows.into();
        self
    }

    /// Uses this instruction level instead of the machine's best, or the best one below it that the machine has.
    pub fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }
}

/// Queries: codes, or bit probabilities.
#[derive(Debug, Clone, Copy)]
pub enum Queries<'a> {
    /// Codes.
    Codes(&'a Codes),
    /// Bit probabilities in [0, 1], row by row.
    Probabilities(&'a [f32]),
}

impl Queries<'_> {
    /// Number of queries of `n_bits` bits.
    pub(crate) fn n_queries(&self, n_bits: usize) -> usize {
        match self {
            Self::Codes(codes) => codes.n_objects(),
            // What is left over is one more, which a search refuses.
            Self::Probabilities(values) => values.len().div_ceil(n_bits.max(1)),
        }
    }
}

impl<'a> From<&'a Codes> for Queries<'a> {
    fn from(codes: &'a Codes) -> Self {
        Self::Codes(codes)
    }
}

impl<'a> From<&'a [f32]> for Queries<'a> {
    fn from(probabilities: &'a [f32]) -> Self {
        Self::Probabilities(probabilities)
    }
}

impl HammingIndex {
    /// Finds the neighbours of every query, ordered by (distance, id). `k = 0` and an empty index give empty rows.
    ///
    /// Expected distances take bit probabilities, the others codes. Hamming distances are whole numbers.
    pub fn search<'a>(
        &self,
        queries: impl Into<Queries<'a>>,
        search: &Search<'_>,
    ) -> Result<Neighbours<f32>, IndexError> {
        let mut scan = self.scan().threads(search.threads).level(search.level).ties(search.ties);
        if let Some(rows) = search.among {
            scan = scan.among(rows);
        }
        match (queries.into(), search.metric, search.reach) {
            (Queries::Codes(codes), Metric::Hamming, Reach::Nearest(k)) => Ok(scan.nearest(codes, k)?.into_floats()),
            (Queries::Codes(codes), Metric::Hamming, Reach::Within(radius)) => {
                // Distances are whole, so those within 2.5 are those within 2.
                Ok(scan.within(codes, whole_radius(radius)?)?.into_floats())
            }
            (Queries::Codes(codes), Metric::Weighted(weights), Reach::Nearest(k)) => {
                scan.nearest_weighted(codes, weights, k)
            }
            (Queries::Codes(codes), Metric::Weighted(weights), Reach::Within(radius)) => {
                scan.within_weighted(codes, weights, radius)
            }
            (Queries::Probabilities(values), Metric::Expected(weights), Reach::Nearest(k)) => {
                scan.nearest_expected(values, weights, k)
            }
            (Queries::Probabilities(values), Metric::Expected(weights), Reach::Within(radius)) => {
                scan.within_expected(values, weights, radius)
            }
            (Queries::Codes(_), Metric::Expected(_), _) => Err(IndexError::NeedsProbabilities),
            (Queries::Probabilities(_), _, _) => Err(IndexError::NeedsCodes),
        }
    }
}

fn whole_radius(radius: f32) -> Result<u32, IndexError> {
    if radius.is_nan() || radius < 0.0 { Err(IndexError::Radius { radius }) } else { Ok(radius as u32) }
}
