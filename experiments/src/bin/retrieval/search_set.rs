//! Ranks a database for every query, by codes, by probabilities of bits, or by plain distances, and measures that.

use crate::ranking::{MEASURES, measure};
use anyhow::Result;
use sibp::codes::Codes;
use sibp::data::Inputs;
use sibp::eval::mean;
use sibp::index::{HammingIndex, Metric, Queries, Search};
use sibp::numerics::linalg::{product, view};
use sibp::parallel;

/// Queries that are ranked at a time.
const BLOCK: usize = 50;

/// Objects to find, and objects to find them by.
pub struct SearchSet {
    /// Inputs of the objects to find.
    pub database: Inputs,
    /// Their classes.
    pub classes: Vec<u32>,
    /// Inputs of the queries.
    pub queries: Inputs,
    /// Their classes.
    pub query_classes: Vec<u32>,
}

/// Means over the queries.
pub type Means = [f64; MEASURES.len()];

impl SearchSet {
    /// Ranks by the Hamming distance.
    pub fn by_codes(&self, database: &Codes, queries: &Codes) -> Result<Means> {
        let index = HammingIndex::from_codes(database)?;
        self.by_index(&index, Metric::Hamming, |rows| Asked::Codes(queries.select(rows)))
    }

    /// Ranks by the expected distance of queries whose bits are probabilities, row by row.
    pub fn by_probabilities(&self, database: &Codes, queries: &[f32], weights: &[f32]) -> Result<Means> {
        let (index, n_bits) = (HammingIndex::from_codes(database)?, database.n_bits());
        let of_row = |&row: &usize| queries[row * n_bits..(row + 1) * n_bits].iter().copied();
        self.by_index(&index, Metric::Expected(weights), |rows| {
            Asked::Probabilities(rows.iter().flat_map(of_row).collect())
        })
    }

    fn by_index(&self, index: &HammingIndex, metric: Metric<'_>, ask: impl Fn(&[usize]) -> Asked) -> Result<Means> {
        let search = Search::nearest(self.classes.len()).metric(metric).threads(0);
        let mut measured = Vec::new();
        let rows: Vec<usize> = (0..self.query_classes.len()).collect();
        for rows in rows.chunks(BLOCK) {
            let found = index.search(ask(rows).queries(), &search)?;
            measured.extend(parallel::map(parallel::n_threads(0), rows.len(), |at| {
                let ranked: Vec<(f32, u32)> =
                    found.row(at).map(|(distance, id)| (distance, self.classes[id as usize])).collect();
                measure(&ranked, self.query_classes[rows[at]])
            }));
        }
        Ok(means(&measured))
    }

    /// Ranks by the Euclidean distance of the inputs.
    pub fn by_inputs(&self) -> Means {
        let n = self.queries.n_objects();
        let blocks = parallel::map(parallel::n_threads(0), n.div_ceil(BLOCK), |block| {
            self.block_by_inputs(&(block * BLOCK..((block + 1) * BLOCK).min(n)).collect::<Vec<_>>())
        });
        means(&blocks.concat())
    }

    fn block_by_inputs(&self, rows: &[usize]) -> Vec<Means> {
        let (m, asked) = (self.queries.n_inputs(), self.queries.select(rows));
        let values = self.database.values();
        let database = view(&values, self.classes.len(), m);
        let products = product(database, view(&asked.values(), rows.len(), m).transpose(), 1.0);
        let norms: Vec<f64> = values.chunks_exact(m).map(|x| x.iter().map(|v| v * v).sum()).collect();
        let of_query = |(at, &row): (usize, &usize)| {
            let square: f64 = asked.row(at).iter().map(|v| v * v).sum();
            let distance = |object: usize| (square + norms[object] - 2.0 * products[(object, at)]).max(0.0) as f32;
            let mut ranked: Vec<(f32, u32)> =
                self.classes.iter().enumerate().map(|(object, &class)| (distance(object), class)).collect();
            // A stable sort keeps equally near objects by their number.
            ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
            measure(&ranked, self.query_classes[row])
        };
        rows.iter().enumerate().map(of_query).collect()
    }
}

/// A block of queries.
enum Asked {
    Codes(Codes),
    Probabilities(Vec<f32>),
}

impl Asked {
    fn queries(&self) -> Queries<'_> {
        match self {
            Self::Codes(codes) => codes.into(),
            Self::Probabilities(values) => values.as_slice().into(),
        }
    }
}

fn means(measured: &[Means]) -> Means {
    std::array::from_fn(|at| mean(&measured.iter().map(|of_query| of_query[at]).collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set() -> SearchSet {
        let inputs = |values: &[f64]| Inputs::new(values.len(), 1, values.to_vec()).unwrap();
        let (database, queries) = (inputs(&[0.0, 4.0, 1.0, 5.0]), inputs(&[0.5, 4.0]));
        SearchSet { database, classes: vec![0, 1, 1, 1], queries, query_classes: vec![0, 1] }
    }

    #[test]
    fn all_ways_rank_by_distance_then_number() {
        // By inputs the first query finds 0 (a tie with 2), 2, 1, 3: places of its class 1; the second finds 1, 3, 2, 0.
        let [map, .., ties] = set().by_inputs();
        assert_eq!((map, ties), (100.0, 0.5));
        // By one bit the first query finds 0, 2, 1, 3; the second 1, 3, 0, 2, so (1 + 1 + 3/4) / 3.
        let database = Codes::from_bytes(4, 1, vec![0, 128, 0, 128]).unwrap();
        let queries = Codes::from_bytes(2, 1, vec![0, 128]).unwrap();
        let [map, .., ties] = set().by_codes(&database, &queries).unwrap();
        assert!((map - 100.0 * (1.0 + 11.0 / 12.0) / 2.0).abs() < 1e-9, "{map}");
        assert_eq!(ties, 2.0);
        let soft = set().by_probabilities(&database, &[0.4, 0.9], &[1.0]).unwrap();
        assert!((soft[0] - map).abs() < 1e-9 && soft[4] == 0.0);
    }
}
