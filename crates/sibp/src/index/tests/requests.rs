//! Compares every kind of request with the scan behind it and with the naive loop, and names wrong ones.

use rand::{Rng, RngExt};

use super::naive;
use crate::codes::Codes;
use crate::index::{HammingIndex, IndexError, Level, Metric, Neighbours, Queries, RowSet, Search};

/// Stored codes with weights, and queries as codes and as probabilities.
struct Case {
    codes: Codes,
    ids: Vec<u64>,
    index: HammingIndex,
    weights: Vec<f32>,
    queries: Codes,
    probabilities: Vec<f32>,
}

impl Case {
    fn new(rng: &mut impl Rng, n: usize, n_bits: usize, n_queries: usize) -> Self {
        let codes = naive::random_codes(rng, n, n_bits);
        let ids = naive::random_ids(rng, n);
        let mut index = HammingIndex::new(n_bits).unwrap();
        index.add(&codes, Some(&ids)).unwrap();
        // Some weigh nothing, so that different codes may be at a distance of 0.
        let weights = (0..n_bits).map(|_| (rng.random::<f32>() - 0.2).max(0.0)).collect();
        let queries = naive::random_codes(rng, n_queries, n_bits);
        let probabilities = (0..n_queries * n_bits).map(|_| rng.random_range(0.0..=1.0)).collect();
        Self { codes, ids, index, weights, queries, probabilities }
    }

    fn metrics(&self) -> [Metric<'_>; 3] {
        [Metric::Hamming, Metric::Weighted(&self.weights), Metric::Expected(&self.weights)]
    }

    /// What a metric is asked about.
    fn asked(&self, metric: Metric) -> Queries<'_> {
        match metric {
            Metric::Expected(_) => Queries::from(&self.probabilities[..]),
            _ => Queries::from(&self.queries),
        }
    }

    /// All stored codes by the naive loop.
    fn naive(&self, metric: Metric, query: usize) -> Vec<(f32, u64)> {
        let (n_bits, weights) = (self.index.n_bits(), &self.weights);
        let weight = |bit: usize| f64::from(weights[bit]);
        match metric {
            Metric::Hamming => {
                let whole = naive::hamming(&self.codes, &self.ids, self.queries.row(query));
                whole.into_iter().map(|(distance, id)| (distance as f32, id)).collect()
            }
            Metric::Weighted(_) => naive::costs(&self.codes, &self.ids, |bit, value| {
                if value == self.queries.get(query, bit) { 0.0 } else { weight(bit) }
            }),
            Metric::Expected(_) => naive::costs(&self.codes, &self.ids, |bit, value| {
                let p = f64::from(self.probabilities[query * n_bits + bit]);
                weight(bit) * if value { 1.0 - p } else { p }
            }),
        }
    }

    /// The scan that answers the request, called by its own name.
    fn scanned(&self, metric: Metric, reach: Result<usize, f32>, rows: Option<&RowSet>) -> Neighbours<f32> {
        let mut scan = self.index.scan();
        if let Some(rows) = rows {
            scan = scan.among(rows);
        }
        match (metric, reach) {
            (Metric::Hamming, Ok(k)) => scan.nearest(&self.queries, k).map(Neighbours::into_floats),
            (Metric::Hamming, Err(radius)) => {
                scan.within(&self.queries, radius.floor() as u32).map(Neighbours::into_floats)
            }
            (Metric::Weighted(weights), Ok(k)) => scan.nearest_weighted(&self.queries, weights, k),
            (Metric::Weighted(weights), Err(radius)) => scan.within_weighted(&self.queries, weights, radius),
            (Metric::Expected(weights), Ok(k)) => scan.nearest_expected(&self.probabilities, weights, k),
            (Metric::Expected(weights), Err(radius)) => scan.within_expected(&self.probabilities, weights, radius),
        }
        .unwrap()
    }
}

/// Asks at every level, on several threads, among all rows and among some.
fn check(case: &Case, metric: Metric, reach: Result<usize, f32>, wanted: &[u64]) {
    let some = case.index.rows(wanted);
    for rows in [None, Some(&some)] {
        let scanned = case.scanned(metric, reach, rows);
        let expected = |query: usize| -> Vec<(f32, u64)> {
            let all = case.naive(metric, query).into_iter();
            let all = all.filter(|(_, id)| rows.is_none() || wanted.contains(id));
            match reach {
                Ok(k) => all.take(k).collect(),
                Err(radius) => all.filter(|&(distance, _)| distance <= radius).collect(),
            }
        };
        for level in Level::available() {
            for threads in [1, 3] {
                let search = reach.map_or_else(Search::within, Search::nearest);
                let search = search.metric(metric).threads(threads).level(level).among(rows);
                let found = case.index.search(case.asked(metric), &search).unwrap();
                assert_eq!(found, scanned, "{metric:?}, {reach:?}, {level:?}, {threads} threads");
                assert_eq!(found.asked(), reach.ok());
                assert_eq!(found.n_queries(), case.queries.n_objects());
                for query in 0..found.n_queries() {
                    let row: Vec<_> = found.row(query).collect();
                    assert_eq!(row, expected(query), "{metric:?}, {reach:?}, {level:?}, query {query}");
                }
            }
        }
    }
}

#[test]
fn every_metric_and_reach_equals_the_scan_and_the_naive_loop() {
    let mut rng = naive::rng(60);
    for case in 0..25 {
        let n_bits = if case % 10 == 0 { rng.random_range(200..700) } else { rng.random_range(1..100) };
        let n = if case % 7 == 0 { rng.random_range(0..3) } else { rng.random_range(3..400) };
        let n_queries = rng.random_range(0..7);
        let case = Case::new(&mut rng, n, n_bits, n_queries);
        let wanted: Vec<u64> = case.ids.iter().copied().filter(|_| rng.random_bool(0.6)).collect();
        for metric in case.metrics() {
            for k in [0, 1, rng.random_range(1..40), n, usize::MAX] {
                check(&case, metric, Ok(k), &wanted);
            }
            // A distance that occurs, so that the border counts; half a bit more; everything.
            let middle = if n_queries > 0 && n > 0 { case.naive(metric, 0)[n / 2].0 } else { 1.5 };
            for radius in [0.0, -0.0, middle, middle + 0.5, f32::MAX, f32::INFINITY] {
                check(&case, metric, Err(radius), &wanted);
            }
        }
    }
}

#[test]
fn a_radius_on_a_distance_holds_it_and_just_below_does_not() {
    let case = Case::new(&mut naive::rng(61), 300, 50, 1);
    for metric in case.metrics() {
        let all = case.naive(metric, 0);
        let border = all[150].0;
        assert!(all[0].0 < border && border < all[299].0, "{metric:?}: the border must lie between others");
        let n_found = |radius: f32| {
            let search = Search::within(radius).metric(metric);
            case.index.search(case.asked(metric), &search).unwrap().ids(0).len()
        };
        assert_eq!(n_found(border), all.iter().filter(|(distance, _)| *distance <= border).count());
        assert_eq!(n_found(border.next_down()), all.iter().filter(|(distance, _)| *distance < border).count());
    }
}

#[test]
fn the_plain_request_counts_bits_on_one_thread() {
    let case = Case::new(&mut naive::rng(62), 100, 20, 3);
    let plain = case.index.search(&case.queries, &Search::nearest(7)).unwrap();
    assert_eq!(plain, case.scanned(Metric::Hamming, Ok(7), None));
    let named = Search::nearest(7).metric(Metric::default()).threads(1).level(Level::detect()).among(None);
    assert_eq!(plain, case.index.search(&case.queries, &named).unwrap());
}

#[test]
fn queries_of_the_wrong_kind_are_named() {
    let case = Case::new(&mut naive::rng(63), 10, 9, 2);
    for reach in [Search::nearest(3), Search::within(3.0)] {
        for metric in case.metrics() {
            let search = reach.metric(metric);
            let of_codes = case.index.search(&case.queries, &search);
            let of_probabilities = case.index.search(&case.probabilities[..], &search);
            match metric {
                Metric::Expected(_) => {
                    assert_eq!(of_codes, Err(IndexError::NeedsProbabilities));
                    assert!(of_probabilities.is_ok());
                }
                _ => {
                    assert!(of_codes.is_ok());
                    assert_eq!(of_probabilities, Err(IndexError::NeedsCodes));
                }
            }
        }
    }
}

#[test]
fn impossible_radii_are_named_for_every_metric() {
    let case = Case::new(&mut naive::rng(64), 10, 9, 2);
    let empty = HammingIndex::new(9).unwrap();
    for metric in case.metrics() {
        for index in [&case.index, &empty] {
            for bad in [f32::NAN, -f32::NAN, -0.5, -f32::MIN_POSITIVE, f32::NEG_INFINITY] {
                let found = index.search(case.asked(metric), &Search::within(bad).metric(metric));
                let Err(IndexError::Radius { radius }) = found else { panic!("{metric:?}, {bad}: {found:?}") };
                assert_eq!(radius.to_bits(), bad.to_bits());
            }
        }
    }
}

#[test]
fn other_mistakes_are_named_for_every_metric_that_can_make_them() {
    let mut case = Case::new(&mut naive::rng(65), 10, 9, 2);
    let stale = case.index.rows(&case.ids);
    case.index.add(&Codes::zeros(1, 9), None).unwrap();
    let (narrow, ragged, short) = (Codes::zeros(2, 8), [0.5; 17], [1.0; 8]);
    for reach in [Search::nearest(3), Search::within(3.0)] {
        for metric in case.metrics() {
            let found = case.index.search(case.asked(metric), &reach.metric(metric).among(&stale));
            assert_eq!(found, Err(IndexError::StaleRows { expected: 11, found: 10 }), "{metric:?}");
            let (queries, wrong) = match metric {
                Metric::Expected(_) => {
                    (Queries::from(&ragged[..]), IndexError::ProbabilityCount { n_bits: 9, found: 17 })
                }
                _ => (Queries::from(&narrow), IndexError::WidthMismatch { expected: 9, found: 8 }),
            };
            assert_eq!(case.index.search(queries, &reach.metric(metric)), Err(wrong), "{metric:?}");
        }
        for metric in [Metric::Weighted(&short), Metric::Expected(&short)] {
            let found = case.index.search(case.asked(metric), &reach.metric(metric));
            assert_eq!(found, Err(IndexError::WeightCount { expected: 9, found: 8 }), "{metric:?}");
        }
        let improbable = [1.5; 18];
        let found = case.index.search(&improbable[..], &reach.metric(Metric::Expected(&case.weights)));
        assert_eq!(found, Err(IndexError::Probability { query: 0, bit: 0, value: 1.5 }));
    }
}
