//! Checks ties, empty and impossible requests, and distances beyond a byte.

use super::naive;
use crate::codes::Codes;
use crate::index::{HammingIndex, IndexError, Level};

#[test]
fn ties_go_to_the_smaller_id_whatever_the_row_order() {
    let mut rng = naive::rng(10);
    for n_bits in [1, 8, 300] {
        let n = 4_000;
        let ids = naive::random_ids(&mut rng, n);
        let mut sorted = ids.clone();
        sorted.sort_unstable();
        let mut index = HammingIndex::new(n_bits).unwrap();
        index.add(&Codes::zeros(n, n_bits), Some(&ids)).unwrap();
        for level in Level::available() {
            for k in [1, 3, 300, 3_999] {
                let scan = index.scan().level(level).threads(2);
                assert_eq!(scan.nearest(&Codes::zeros(1, n_bits), k).unwrap().ids(0), &sorted[..k]);
                let weighted = scan.nearest_weighted(&Codes::zeros(1, n_bits), &vec![1.0; n_bits], k).unwrap();
                assert_eq!(weighted.ids(0), &sorted[..k]);
            }
        }
    }
}

#[test]
fn distances_beyond_a_byte_are_not_clamped() {
    for n_bits in [254, 255, 256, 257, 264, 511, 512, 513, 2_048, 4_096] {
        let mut codes = Codes::zeros(600, n_bits);
        for row in 0..600 {
            for bit in 0..(n_bits - (row % 300).min(n_bits)) {
                codes.set(row, bit, true);
            }
        }
        let index = HammingIndex::from_codes(&codes).unwrap();
        let ids: Vec<u64> = (0..600).collect();
        let (query, batch) = (Codes::zeros(1, n_bits), Codes::zeros(30, n_bits));
        let all = naive::hamming(&codes, &ids, query.row(0));
        for level in Level::available() {
            for k in [1, 5, 100, 600] {
                let found = index.scan().level(level).nearest(&query, k).unwrap();
                assert_eq!(found.row(0).collect::<Vec<_>>(), all[..k], "{n_bits} bits, {level}");
                let found = index.scan().level(level).nearest(&batch, k).unwrap();
                assert_eq!(found.row(29).collect::<Vec<_>>(), all[..k], "{n_bits} bits, {level}, batch");
            }
            for radius in [253, 254, 255, 256, n_bits as u32 - 1, n_bits as u32, u32::MAX] {
                let found = index.scan().level(level).within(&query, radius).unwrap();
                let inside: Vec<_> = all.iter().copied().filter(|&(d, _)| d <= radius).collect();
                assert_eq!(found.row(0).collect::<Vec<_>>(), inside, "{n_bits} bits, {level}, radius {radius}");
            }
        }
    }
}

#[test]
fn empty_and_oversized_requests_have_defined_answers() {
    let codes = Codes::zeros(3, 20);
    let queries = Codes::zeros(2, 20);
    let index = HammingIndex::from_codes(&codes).unwrap();
    assert_eq!(index.scan().threads(1).nearest(&queries, 10).unwrap().ids(1), [0, 1, 2], "k > n gives n rows");
    assert_eq!(index.scan().threads(4).nearest(&queries, usize::MAX).unwrap().ids(1), [0, 1, 2]);
    let none = index.scan().threads(1).nearest(&queries, 0).unwrap();
    assert_eq!((none.n_queries(), none.ids(0).len(), none.ids(1).len()), (2, 0, 0));
    assert_eq!(index.scan().threads(1).nearest(&Codes::zeros(0, 20), 5).unwrap().n_queries(), 0);
    assert!(index.scan().threads(1).nearest_weighted(&queries, &[1.0; 20], 0).unwrap().all_ids().is_empty());
    let empty = HammingIndex::new(20).unwrap();
    assert!(empty.is_empty());
    assert_eq!(empty.scan().threads(3).nearest(&queries, 5).unwrap().offsets(), [0, 0, 0]);
    assert_eq!(empty.scan().threads(1).within(&queries, 5).unwrap().offsets(), [0, 0, 0]);
    assert_eq!(empty.scan().threads(1).nearest_weighted(&queries, &[1.0; 20], 5).unwrap().offsets(), [0, 0, 0]);
    let nobody = index.rows(&[77]);
    assert!(nobody.is_empty());
    assert_eq!(index.scan().among(&nobody).nearest(&queries, 5).unwrap().offsets(), [0, 0, 0]);
    assert_eq!(index.scan().among(&nobody.complement()).nearest(&queries, 5).unwrap().ids(0), [0, 1, 2]);
}

#[test]
fn wrong_requests_are_named() {
    let codes = Codes::zeros(2, 9);
    let mut index = HammingIndex::from_codes(&codes).unwrap();
    assert_eq!(HammingIndex::new(0).unwrap_err(), IndexError::Width { n_bits: 0 });
    assert_eq!(HammingIndex::new(4097).unwrap_err(), IndexError::Width { n_bits: 4097 });
    let other = Codes::zeros(1, 10);
    assert_eq!(
        index.scan().threads(1).nearest(&other, 1).unwrap_err(),
        IndexError::WidthMismatch { expected: 9, found: 10 }
    );
    assert_eq!(index.add(&other, None).unwrap_err(), IndexError::WidthMismatch { expected: 9, found: 10 });
    assert_eq!(index.add(&codes, Some(&[5, 5])).unwrap_err(), IndexError::DuplicateId { id: 5, row: 1 });
    assert_eq!(index.add(&codes, Some(&[7, 1])).unwrap_err(), IndexError::DuplicateId { id: 1, row: 1 });
    assert_eq!(index.add(&codes, Some(&[7])).unwrap_err(), IndexError::IdCount { n_codes: 2, n_ids: 1 });
    assert_eq!(index.remove(&[1, 9]).unwrap_err(), IndexError::UnknownId { id: 9 });
    assert_eq!(index.extend(&Codes::zeros(3, 1)).unwrap_err(), IndexError::ExtendRows { expected: 2, found: 3 });
    assert_eq!(index.extend(&Codes::zeros(2, 4_088)).unwrap_err(), IndexError::Width { n_bits: 4_097 });
    assert_eq!((index.len(), index.n_bits()), (2, 9), "a failed request changes nothing");
    let rows = index.rows(&[0]);
    index.add(&codes, Some(&[10, u64::MAX])).unwrap();
    assert_eq!(
        index.scan().among(&rows).nearest(&codes, 1).unwrap_err(),
        IndexError::StaleRows { expected: 4, found: 2 }
    );
    assert!(matches!(index.add(&codes, None), Err(IndexError::IdsExhausted { .. })));
}

#[test]
fn wrong_weights_and_probabilities_are_named() {
    let codes = Codes::zeros(2, 9);
    let index = HammingIndex::from_codes(&codes).unwrap();
    for bad in [-1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut weights = [1.0; 9];
        weights[3] = bad;
        assert!(matches!(
            index.scan().threads(1).nearest_weighted(&codes, &weights, 1),
            Err(IndexError::Weight { bit: 3, .. })
        ));
        let mut probabilities = [0.5; 18];
        probabilities[11] = bad;
        let found = index.scan().nearest_expected(&probabilities, &[1.0; 9], 1);
        assert!(matches!(found, Err(IndexError::Probability { query: 1, bit: 2, .. })));
    }
    let short = index.scan().threads(1).nearest_weighted(&codes, &[1.0; 8], 1).unwrap_err();
    assert_eq!(short, IndexError::WeightCount { expected: 9, found: 8 });
    assert!(matches!(
        index.scan().threads(1).nearest_weighted(&codes, &[f32::MAX; 9], 1),
        Err(IndexError::WeightSum { .. })
    ));
    let ragged = index.scan().nearest_expected(&[0.5; 10], &[1.0; 9], 1).unwrap_err();
    assert_eq!(ragged, IndexError::ProbabilityCount { n_bits: 9, found: 10 });
    for bad in [f32::NAN, -0.5] {
        let found = index.scan().within_weighted(&codes, &[1.0; 9], bad);
        assert!(matches!(found, Err(IndexError::Radius { .. })));
    }
    let zero = index.scan().within_weighted(&codes, &[1.0; 9], -0.0).unwrap();
    assert_eq!(zero.ids(0), [0, 1], "minus zero is zero");
}
