//! Measures how well labels are found again by distance, for `eval` and for the demonstration.

use crate::stream::Asked;
use sibp::codes::Codes;
use sibp::eval::{EvalError, knn_accuracy, mean_average_precision, precision_at};
use sibp::index::{HammingIndex, Metric, Neighbours, Search};

/// Numbers of ranked (query, code) pairs held at once.
const PAIRS_AT_ONCE: usize = 4 << 20;

/// Averages over all queries; `accuracy` and `precision` have one entry for each number of neighbours.
#[derive(Debug, Clone, PartialEq)]
pub struct Measures {
    /// Share of correct k-NN votes.
    pub accuracy: Vec<f64>,
    /// Share of the first k neighbours with the query's label.
    pub precision: Vec<f64>,
    /// Mean average precision over whole rankings.
    pub mean_average_precision: f64,
}

impl Measures {
    /// Measures ranked lists of (distance, class).
    pub fn of_lists<D: Copy + Into<f64>>(
        lists: &[Vec<(D, u32)>],
        truth: &[u32],
        ks: &[usize],
    ) -> Result<Self, EvalError> {
        Ok(Self {
            accuracy: knn_accuracy(lists, truth, ks)?,
            precision: precision_at(lists, truth, ks)?,
            mean_average_precision: mean_average_precision(lists, truth)?,
        })
    }

    fn add(&mut self, part: &Self, share: f64) {
        let add = |sums: &mut [f64], values: &[f64]| {
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += share * value);
        };
        add(&mut self.accuracy, &part.accuracy);
        add(&mut self.precision, &part.precision);
        self.mean_average_precision += share * part.mean_average_precision;
    }
}

/// Codes to search in and codes to try, with their classes.
#[derive(Debug)]
pub struct CodeTrial<'a> {
    /// The codes that are searched.
    pub database: &'a Codes,
    /// Classes of the database.
    pub database_classes: &'a [u32],
    /// The query codes.
    pub queries: &'a Codes,
    /// Bit probabilities of the queries with the weight of each bit; where given, they rank instead of the query
    /// codes.
    pub expected: Option<(&'a Asked, &'a [f32])>,
    /// Classes of the queries.
    pub classes: &'a [u32],
    /// Whether both are the same objects, so that each is left out of its own list.
    pub same: bool,
}

impl CodeTrial<'_> {
    /// Number of codes that can be neighbours of a query.
    pub fn n_ranked(&self) -> usize {
        self.database.n_objects() - usize::from(self.same)
    }

    /// Ranks all codes for a few queries at a time.
    pub fn measure(&self, ks: &[usize], threads: usize) -> anyhow::Result<Measures> {
        let index = HammingIndex::from_codes(self.database)?;
        let (n, n_codes) = (self.queries.n_objects(), self.database.n_objects());
        let zeros = vec![0.0; ks.len()];
        let mut all = Measures { accuracy: zeros.clone(), precision: zeros, mean_average_precision: 0.0 };
        let step = (PAIRS_AT_ONCE / n_codes.max(1)).clamp(1, 1024);
        for first in (0..n).step_by(step) {
            let rows = first..(first + step).min(n);
            let search = Search::nearest(n_codes).threads(threads);
            let found = match self.expected {
                Some((asked, weights)) => {
                    index.search(asked.rows(rows.clone()).queries(), &search.metric(Metric::Expected(weights)))?
                }
                None => index.search(&self.queries.select(&rows.clone().collect::<Vec<_>>()), &search)?,
            };
            let part = self.part(&found, first, ks)?;
            all.add(&part, rows.len() as f64 / n as f64);
        }
        Ok(all)
    }

    /// Measures the rankings of the queries from `first` on.
    fn part(&self, found: &Neighbours<f32>, first: usize, ks: &[usize]) -> Result<Measures, EvalError> {
        let list = |at: usize| {
            let others = found.row(at).filter(|&(_, id)| !(self.same && id as usize == first + at));
            others.map(|(distance, id)| (distance, self.database_classes[id as usize])).collect()
        };
        let lists: Vec<Vec<(f32, u32)>> = (0..found.n_queries()).map(list).collect();
        Measures::of_lists(&lists, &self.classes[first..first + lists.len()], ks)
    }
}
