//! Compares weighted and expected distances with the naive loop, to the bit.

use rand::{Rng, RngExt};

use super::naive;
use crate::codes::Codes;
use crate::index::{HammingIndex, Level};

/// Weights of many kinds: even, skewed over many magnitudes, sparse, all zero, equal, tiny, huge.
fn random_weights(rng: &mut impl Rng, n_bits: usize) -> Vec<f32> {
    let kind = rng.random_range(0..7);
    let weight = |rng: &mut dyn FnMut() -> f32| match kind {
        0 => rng(),
        1 => (20.0 * rng() - 10.0).exp(),
        2 => (rng() - 0.8).max(0.0),
        3 => 0.0,
        4 => 1.0,
        5 => rng() * 1e-42,
        _ => rng() * 1e34,
    };
    (0..n_bits).map(|_| weight(&mut || rng.random_range(0.0..1.0))).collect()
}

#[test]
fn all_widths_equal_the_naive_loop_at_every_level() {
    let mut rng = naive::rng(30);
    for n_bits in 1..=300 {
        let n = rng.random_range(1..600);
        check(&mut rng, n, n_bits);
    }
}

#[test]
fn many_random_cases_equal_the_naive_loop() {
    let mut rng = naive::rng(31);
    for case in 0..1_000 {
        let n_bits = if case % 100 == 0 { rng.random_range(300..=4096) } else { rng.random_range(1..=130) };
        let n = if case % 10 == 0 { rng.random_range(0..2_000) } else { rng.random_range(0..200) };
        check(&mut rng, n, n_bits);
    }
}

fn check(rng: &mut impl Rng, n: usize, n_bits: usize) {
    let codes = naive::random_codes(rng, n, n_bits);
    let queries = naive::random_codes(rng, 5, n_bits);
    let weights = random_weights(rng, n_bits);
    let probabilities: Vec<f32> = (0..5 * n_bits).map(|_| rng.random_range(0.0..=1.0)).collect();
    let ids = naive::random_ids(rng, n);
    let mut index = HammingIndex::new(n_bits).unwrap();
    index.add(&codes, Some(&ids)).unwrap();
    let k = rng.random_range(1..30).min(n);
    let difference = |q: usize, bit: usize, value| {
        if value == queries.get(q, bit) { 0.0 } else { f64::from(weights[bit]) }
    };
    let chance = |q: usize, bit: usize, value| {
        let p = f64::from(probabilities[q * n_bits + bit]);
        f64::from(weights[bit]) * if value { 1.0 - p } else { p }
    };
    for q in 0..5 {
        let by_difference = naive::costs(&codes, &ids, |bit, value| difference(q, bit, value));
        let by_chance = naive::costs(&codes, &ids, |bit, value| chance(q, bit, value));
        let radius = by_difference.get(k / 2).map_or(1.0, |&(distance, _)| distance);
        let inside = by_difference.iter().take_while(|&&(distance, _)| distance <= radius).count();
        for level in Level::available() {
            // The query with its three followers, so that tiles of all fillings occur.
            let rows: Vec<usize> = (q..(q + 1 + q % 4)).map(|row| row % 5).collect();
            let tile: Vec<f32> =
                rows.iter().flat_map(|&row| &probabilities[row * n_bits..(row + 1) * n_bits]).copied().collect();
            let scan = index.scan().level(level);
            let about = format!("{n_bits} bits, n={n}, k={k}, {level}");
            let found = scan.nearest_weighted(&queries.select(&rows), &weights, k).unwrap();
            assert_eq!(found.row(0).collect::<Vec<_>>(), by_difference[..k], "{about}");
            let found = scan.within_weighted(&queries.select(&rows), &weights, radius).unwrap();
            assert_eq!(found.row(0).collect::<Vec<_>>(), by_difference[..inside], "{about}, radius {radius}");
            let found = scan.nearest_expected(&tile, &weights, k).unwrap();
            assert_eq!(found.row(0).collect::<Vec<_>>(), by_chance[..k], "{about}, expected");
        }
    }
}

#[test]
fn certain_probabilities_are_the_weighted_distance() {
    let mut rng = naive::rng(32);
    let codes = naive::random_codes(&mut rng, 3_000, 70);
    let queries = naive::random_codes(&mut rng, 4, 70);
    let weights: Vec<f32> = (0..70).map(|_| rng.random_range(0.0..1.0)).collect();
    let certain: Vec<f32> = (0..4)
        .flat_map(|q| (0..70).map(move |bit| (q, bit)))
        .map(|(q, bit)| f32::from(queries.get(q, bit) as u8))
        .collect();
    let index = HammingIndex::from_codes(&codes).unwrap();
    let weighted = index.scan().threads(1).nearest_weighted(&queries, &weights, 20).unwrap();
    assert_eq!(index.scan().nearest_expected(&certain, &weights, 20).unwrap(), weighted);
}

#[test]
fn equal_weights_give_the_hamming_order() {
    let mut rng = naive::rng(33);
    let codes = Codes::from_bytes(20_000, 64, (0..160_000).map(|_| rng.random()).collect()).unwrap();
    let queries = naive::random_codes(&mut rng, 6, 64);
    let index = HammingIndex::from_codes(&codes).unwrap();
    for level in Level::available() {
        let plain = index.scan().level(level).nearest(&queries, 100).unwrap();
        let weighted = index.scan().level(level).nearest_weighted(&queries, &[1.0; 64], 100).unwrap();
        assert_eq!(plain.all_ids(), weighted.all_ids());
        assert!(plain.all_distances().iter().zip(weighted.all_distances()).all(|(&a, &b)| a as f32 == b));
    }
}
