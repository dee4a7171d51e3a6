//! Checks adding, removing and extending against an index made at once.

use rand::RngExt;

use super::naive;
use crate::codes::Codes;
use crate::index::HammingIndex;

#[test]
fn removing_leaves_what_an_index_of_the_rest_holds() {
    let mut rng = naive::rng(20);
    for _ in 0..200 {
        let n = rng.random_range(1..700);
        let n_bits = rng.random_range(1..100);
        let codes = naive::random_codes(&mut rng, n, n_bits);
        let ids = naive::random_ids(&mut rng, n);
        let mut index = HammingIndex::new(n_bits).unwrap();
        index.add(&codes, Some(&ids)).unwrap();
        let (gone, kept): (Vec<usize>, Vec<usize>) = (0..n).partition(|_| rng.random_bool(0.4));
        index.remove(&gone.iter().map(|&row| ids[row]).collect::<Vec<_>>()).unwrap();
        assert_eq!(index.codes(), codes.select(&kept));
        assert_eq!(index.ids().collect::<Vec<_>>(), kept.iter().map(|&row| ids[row]).collect::<Vec<_>>());
        let queries = naive::random_codes(&mut rng, 3, n_bits);
        let found = index.scan().threads(1).nearest(&queries, 5).unwrap();
        let kept_ids: Vec<u64> = index.ids().collect();
        let all = naive::hamming(&codes.select(&kept), &kept_ids, queries.row(0));
        assert_eq!(found.row(0).collect::<Vec<_>>(), all[..5.min(all.len())]);
    }
}

#[test]
fn ids_of_removed_codes_are_not_handed_out_again() {
    let mut index = HammingIndex::from_codes(&Codes::zeros(3, 5)).unwrap();
    index.remove(&[2, 0]).unwrap();
    index.add(&Codes::zeros(2, 5), None).unwrap();
    assert_eq!(index.ids().collect::<Vec<_>>(), [1, 3, 4]);
    index.add(&Codes::zeros(1, 5), Some(&[0])).unwrap();
    assert_eq!(index.scan().threads(1).nearest(&Codes::zeros(1, 5), 2).unwrap().ids(0), [0, 1]);
    assert!(index.contains(4) && !index.contains(2));
}

#[test]
fn extending_adds_planes_and_leaves_the_old_ones_where_they_are() {
    let mut rng = naive::rng(21);
    let codes = naive::random_codes(&mut rng, 500, 100);
    for cuts in [vec![64, 100], vec![1, 2, 3, 20, 100], vec![13, 50, 99, 100], vec![8, 16, 24, 96, 100]] {
        let mut index = HammingIndex::from_codes(&naive::bits(&codes, 0..cuts[0])).unwrap();
        for pair in cuts.windows(2) {
            let old = index.planes.groups()[0].lines.as_ptr();
            let full: Vec<Vec<u8>> = (0..500).map(|r| index.planes.row_bytes(r).take(pair[0] / 8).collect()).collect();
            index.extend(&naive::bits(&codes, pair[0]..pair[1])).unwrap();
            assert_eq!(index.planes.groups()[0].lines.as_ptr(), old);
            for (row, full) in full.iter().enumerate() {
                assert!(index.planes.row_bytes(row).take(pair[0] / 8).eq(full.iter().copied()));
            }
            assert_eq!(index.n_bits(), pair[1]);
        }
        assert_eq!(index.codes(), codes);
        index.add(&codes, None).unwrap();
        assert_eq!(index.codes_of_rows(500..1_000), codes, "codes can be added after an extension");
    }
}

#[test]
fn a_code_takes_its_own_bytes_and_little_more() {
    for n_bits in [1, 9, 64, 80, 100, 256] {
        let n = 100_000;
        let index = HammingIndex::from_codes(&Codes::zeros(n, n_bits)).unwrap();
        let bytes: usize = index.planes.groups().iter().map(|g| g.lines.len() * 64).sum();
        assert!(bytes <= n * (n_bits / 8 + 1) + 256 * n_bits.div_ceil(8), "{bytes} bytes for {n_bits} bits");
        assert!(index.ids.given().is_none(), "row numbers take no memory");
    }
}
