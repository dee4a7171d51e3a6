//! Compares Hamming searches with the naive loop: all widths, all levels, 10,000 random cases.

use rand::{Rng, RngExt};

use super::naive;
use crate::codes::Codes;
use crate::index::{HammingIndex, Level};

fn prefix<T: Clone>(all: &[T], k: usize) -> Vec<T> {
    all[..k.min(all.len())].to_vec()
}

/// An index over the codes, made in one of several ways that must not matter.
fn build(rng: &mut impl Rng, codes: &Codes, ids: &[u64]) -> HammingIndex {
    let n_bits = codes.n_bits();
    if n_bits > 1 && rng.random_bool(0.5) {
        let cut = rng.random_range(1..n_bits);
        let mut index = HammingIndex::new(cut).unwrap();
        index.add(&naive::bits(codes, 0..cut), Some(ids)).unwrap();
        index.extend(&naive::bits(codes, cut..n_bits)).unwrap();
        return index;
    }
    let mut index = HammingIndex::new(n_bits).unwrap();
    let half: Vec<usize> = (0..codes.n_objects() / 2).collect();
    let rest: Vec<usize> = (half.len()..codes.n_objects()).collect();
    index.add(&codes.select(&half), Some(&ids[..half.len()])).unwrap();
    index.add(&codes.select(&rest), Some(&ids[half.len()..])).unwrap();
    index
}

#[test]
fn all_widths_equal_the_naive_loop_at_every_level() {
    let mut rng = naive::rng(1);
    for n_bits in 1..=300 {
        let n = rng.random_range(1..400);
        let codes = naive::random_codes(&mut rng, n, n_bits);
        let queries = naive::random_codes(&mut rng, 6, n_bits);
        let ids = naive::random_ids(&mut rng, n);
        let index = build(&mut rng, &codes, &ids);
        let (k, radius) = (rng.random_range(1..20), rng.random_range(0..=n_bits as u32));
        for level in Level::available() {
            let scan = index.scan().level(level);
            let (near, within) = (scan.nearest(&queries, k).unwrap(), scan.within(&queries, radius).unwrap());
            for q in 0..queries.n_objects() {
                let all = naive::hamming(&codes, &ids, queries.row(q));
                assert_eq!(near.row(q).collect::<Vec<_>>(), prefix(&all, k), "{n_bits} bits, {level}, query {q}");
                let inside: Vec<_> = all.into_iter().filter(|&(d, _)| d <= radius).collect();
                assert_eq!(within.row(q).collect::<Vec<_>>(), inside, "{n_bits} bits, {level}, radius {radius}");
            }
        }
    }
}

#[test]
fn batches_equal_the_naive_loop_at_every_level() {
    let mut rng = naive::rng(5);
    // Around the planes that one table takes, those that a byte counts, and distances that need two bytes.
    for n_bits in [1, 7, 8, 9, 64, 79, 80, 81, 88, 160, 161, 240, 247, 248, 249, 255, 256, 257, 512, 600, 1_024, 4_096]
    {
        let n = rng.random_range(1..700);
        let codes = naive::random_codes(&mut rng, n, n_bits);
        // As many as a batch takes at every level, more than a pass takes, and some that nothing is near to.
        let n_queries = [24, 40, 133][rng.random_range(0..3)];
        let mut queries = naive::random_codes(&mut rng, n_queries, n_bits);
        for bit in 0..n_bits {
            queries.set(0, bit, !codes.get(0, bit));
        }
        let mut ids = naive::random_ids(&mut rng, n);
        if rng.random_bool(0.5) {
            ids.sort_unstable();
        }
        let index = build(&mut rng, &codes, &ids);
        let (k, radius) = (rng.random_range(1..20), rng.random_range(0..=n_bits as u32));
        let wanted: Vec<u64> = ids.iter().copied().filter(|_| rng.random_bool(0.5)).collect();
        let rows = index.rows(&wanted);
        for level in Level::available() {
            let scan = index.scan().level(level).threads(rng.random_range(1..4));
            let (near, within) = (scan.nearest(&queries, k).unwrap(), scan.within(&queries, radius).unwrap());
            let among = scan.among(&rows).nearest(&queries, k).unwrap();
            let tied = scan.ties(true).nearest(&queries, k).unwrap();
            for q in 0..n_queries {
                let all = naive::hamming(&codes, &ids, queries.row(q));
                let about = format!("{n_bits} bits, n={n}, {level}, query {q} of {n_queries}");
                assert_eq!(near.row(q).collect::<Vec<_>>(), prefix(&all, k), "{about}");
                let inside: Vec<_> = all.iter().copied().filter(|&(d, _)| d <= radius).collect();
                assert_eq!(within.row(q).collect::<Vec<_>>(), inside, "{about}, radius {radius}");
                let some: Vec<_> = all.iter().copied().filter(|(_, id)| wanted.contains(id)).collect();
                assert_eq!(among.row(q).collect::<Vec<_>>(), prefix(&some, k), "{about}, among some");
                let last = all[k.min(n) - 1].0;
                let ties: Vec<_> = all.into_iter().filter(|&(d, _)| d <= last).collect();
                assert_eq!(tied.row(q).collect::<Vec<_>>(), ties, "{about}, with ties");
            }
        }
    }
}

#[test]
fn many_codes_equal_the_naive_loop_at_every_level() {
    // So many that nearly none is near; in one group of planes or two, of which the last may have one plane.
    for (n_bits, first) in [(20, 20), (64, 64), (72, 64), (100, 40), (264, 264)] {
        let mut rng = naive::rng(n_bits);
        let codes = naive::random_codes(&mut rng, 100_000, n_bits as usize);
        let ids: Vec<u64> = (0..codes.n_objects() as u64).collect();
        let mut index = HammingIndex::new(first).unwrap();
        index.add(&naive::bits(&codes, 0..first), None).unwrap();
        if first < codes.n_bits() {
            index.extend(&naive::bits(&codes, first..codes.n_bits())).unwrap();
        }
        let queries = naive::random_codes(&mut rng, 24, codes.n_bits());
        let all: Vec<_> = (0..24).map(|q| naive::hamming(&codes, &ids, queries.row(q))).collect();
        for level in Level::available() {
            // A batch, and a tile of as many queries as one takes at most.
            for n_queries in [24, 1, 2, 3, 4] {
                let some = queries.select(&(0..n_queries).collect::<Vec<_>>());
                let found = index.scan().level(level).nearest(&some, 10).unwrap();
                for (q, all) in all[..n_queries].iter().enumerate() {
                    let near: Vec<_> = found.row(q).collect();
                    assert_eq!(near, all[..10], "{n_bits} bits, {level}, query {q} of {n_queries}");
                }
            }
        }
    }
}

#[test]
fn ten_thousand_random_cases_equal_the_naive_loop() {
    let mut rng = naive::rng(2);
    let levels = Level::available();
    for case in 0..10_000 {
        let n_bits = if case % 50 == 0 { rng.random_range(1..=4096) } else { rng.random_range(1..=160) };
        let n = rng.random_range(0..100);
        let n_queries = rng.random_range(0..7);
        let codes = naive::random_codes(&mut rng, n, n_bits);
        let queries = naive::random_codes(&mut rng, n_queries, n_bits);
        let mut ids = naive::random_ids(&mut rng, n);
        if rng.random_bool(0.5) {
            ids.sort_unstable();
        }
        let index = build(&mut rng, &codes, &ids);
        let k = rng.random_range(0..120);
        let level = levels[rng.random_range(0..levels.len())];
        let wanted: Vec<u64> = ids.iter().copied().filter(|_| rng.random_bool(0.7)).collect();
        let rows = index.rows(&wanted);
        let mut scan = index.scan().level(level).threads(rng.random_range(1..4));
        let filtered = rng.random_bool(0.3);
        if filtered {
            scan = scan.among(&rows);
        }
        let found = scan.nearest(&queries, k).unwrap();
        assert_eq!(found.n_queries(), n_queries);
        for q in 0..n_queries {
            let all = naive::hamming(&codes, &ids, queries.row(q));
            let all: Vec<_> = all.into_iter().filter(|(_, id)| !filtered || wanted.contains(id)).collect();
            assert_eq!(found.row(q).collect::<Vec<_>>(), prefix(&all, k), "case {case}: {n_bits} bits, n={n}, {level}");
        }
    }
}

#[test]
fn top_k_is_a_prefix_of_top_more() {
    let mut rng = naive::rng(3);
    let codes = naive::random_codes(&mut rng, 5_000, 40);
    let queries = naive::random_codes(&mut rng, 5, 40);
    let ids = naive::random_ids(&mut rng, 5_000);
    let mut index = HammingIndex::new(40).unwrap();
    index.add(&codes, Some(&ids)).unwrap();
    let most = index.scan().threads(1).nearest(&queries, 5_000).unwrap();
    for k in [1, 2, 10, 99, 700, 4_999] {
        let found = index.scan().threads(2).nearest(&queries, k).unwrap();
        for q in 0..5 {
            assert_eq!(found.ids(q), &most.ids(q)[..k]);
            assert_eq!(found.distances(q), &most.distances(q)[..k]);
        }
    }
}

#[test]
fn threads_do_not_change_the_answer() {
    let mut rng = naive::rng(4);
    // Enough bytes that a lone query is cut by blocks, into up to four parts; some near duplicates for ties.
    let n = 1_100_000;
    let codes = Codes::from_bytes(n, 128, (0..16 * n).map(|_| rng.random::<u8>() & 0x11).collect()).unwrap();
    let weights: Vec<f32> = (0..128).map(|_| rng.random_range(0.0..1.0)).collect();
    let ids = naive::random_ids(&mut rng, n);
    for shuffled in [false, true] {
        let mut index = HammingIndex::new(128).unwrap();
        index.add(&codes, shuffled.then_some(&ids[..])).unwrap();
        for n_queries in [1, 2, 17] {
            let queries = codes.select(&(0..n_queries).map(|q| q * 1_000).collect::<Vec<_>>());
            let one = index.scan().threads(1).nearest(&queries, 50).unwrap();
            let near = index.scan().threads(1).within(&queries, 6).unwrap();
            let weighted = index.scan().threads(1).nearest_weighted(&queries, &weights, 50).unwrap();
            for threads in [0, 2, 3, 8] {
                assert_eq!(index.scan().threads(threads).nearest(&queries, 50).unwrap(), one);
                assert_eq!(index.scan().threads(threads).within(&queries, 6).unwrap(), near);
                assert_eq!(index.scan().threads(threads).nearest_weighted(&queries, &weights, 50).unwrap(), weighted);
            }
            assert!(near.all_ids().len() > n_queries, "the radius holds more than the queries themselves");
        }
        let query = codes.select(&[0]);
        let all_ids: Vec<u64> = index.ids().collect();
        let expected = prefix(&naive::hamming(&codes, &all_ids, query.row(0)), 50);
        assert_eq!(index.scan().threads(2).nearest(&query, 50).unwrap().row(0).collect::<Vec<_>>(), expected);
    }
}
