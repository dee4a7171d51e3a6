//! Compares searches with the naive loop on random codes.

use rand::RngExt;

use super::naive;
use crate::codes::Codes;
use crate::index::{HammingIndex, IndexError, Level};

fn prefix<T: Clone>(all: &[T], k: usize) -> Vec<T> {
    all[..k.min(all.len())].to_vec()
}

#[test]
fn all_widths_equal_the_naive_loop_at_every_level() {
    let mut rng = naive::rng(1);
    for n_bits in 1..=300 {
        let n = rng.random_range(1..200);
        let codes = naive::random_codes(&mut rng, n, n_bits);
        let queries = naive::random_codes(&mut rng, 6, n_bits);
        let ids = naive::random_ids(&mut rng, n);
        let mut index = HammingIndex::new(n_bits).unwrap();
        index.add(&codes, Some(&ids)).unwrap();
        let k = rng.random_range(1..20);
        for level in Level::available() {
            let found = index.scan().level(level).nearest(&queries, k).unwrap();
            for q in 0..queries.n_objects() {
                let expected = prefix(&naive::hamming(&codes, &ids, queries.row(q)), k);
                assert_eq!(found.row(q).collect::<Vec<_>>(), expected, "{n_bits} bits, {level:?}, query {q}");
            }
        }
    }
}

#[test]
fn weighted_equals_the_naive_loop() {
    let mut rng = naive::rng(2);
    for n_bits in 1..=150 {
        let n = rng.random_range(1..150);
        let codes = naive::random_codes(&mut rng, n, n_bits);
        let queries = naive::random_codes(&mut rng, 3, n_bits);
        let weights: Vec<f32> = (0..n_bits).map(|_| rng.random_range(0.0..2.0)).collect();
        let ids: Vec<u64> = (0..n as u64).collect();
        let index = HammingIndex::from_codes(&codes).unwrap();
        let found = index.search_weighted(&queries, &weights, 7, 1).unwrap();
        for q in 0..queries.n_objects() {
            let cost = |bit, value| if value == queries.get(q, bit) { 0.0 } else { f64::from(weights[bit]) };
            assert_eq!(found.row(q).collect::<Vec<_>>(), prefix(&naive::costs(&codes, &ids, cost), 7));
        }
    }
}

#[test]
fn wrong_requests_are_named() {
    let codes = Codes::zeros(2, 9);
    let mut index = HammingIndex::from_codes(&codes).unwrap();
    assert_eq!(HammingIndex::new(0).unwrap_err(), IndexError::Width { n_bits: 0 });
    assert_eq!(HammingIndex::new(4097).unwrap_err(), IndexError::Width { n_bits: 4097 });
    let other = Codes::zeros(1, 10);
    assert_eq!(index.search(&other, 1, 1).unwrap_err(), IndexError::WidthMismatch { expected: 9, found: 10 });
    assert_eq!(index.add(&codes, Some(&[5, 5])).unwrap_err(), IndexError::DuplicateId { id: 5, row: 1 });
    assert_eq!(index.add(&codes, Some(&[7, 1])).unwrap_err(), IndexError::DuplicateId { id: 1, row: 1 });
    assert_eq!(index.add(&codes, Some(&[7])).unwrap_err(), IndexError::IdCount { n_codes: 2, n_ids: 1 });
    assert_eq!(index.remove(&[9]).unwrap_err(), IndexError::UnknownId { id: 9 });
    assert_eq!(index.len(), 2, "a failed request changes nothing");
    let mut weights = vec![1.0; 9];
    weights[3] = -1.0;
    assert_eq!(index.search_weighted(&codes, &weights, 1, 1).unwrap_err(), IndexError::Weight { bit: 3, value: -1.0 });
    weights[3] = f32::NAN;
    assert!(matches!(index.search_weighted(&codes, &weights, 1, 1), Err(IndexError::Weight { bit: 3, .. })));
    weights[3] = f32::INFINITY;
    assert!(matches!(index.search_weighted(&codes, &weights, 1, 1), Err(IndexError::Weight { bit: 3, .. })));
    assert_eq!(
        index.search_weighted(&codes, &[1.0; 8], 1, 1).unwrap_err(),
        IndexError::WeightCount { expected: 9, found: 8 }
    );
    assert!(matches!(index.search_weighted(&codes, &[f32::MAX; 9], 1, 1), Err(IndexError::WeightSum { .. })));
}
