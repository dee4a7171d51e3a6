//! Checks the vote's rule case by case.

use super::naive;
use crate::codes::Codes;
use crate::index::vote::{VoteError, votes};
use crate::index::{HammingIndex, Metric, Neighbours};

fn one(row: &[(u32, u64, u32)], k: usize) -> Result<u32, VoteError> {
    let neighbours = Neighbours::from_rows([row.iter().map(|&(d, id, _)| (d, id)).collect()]);
    let class = |id| row.iter().find(|r| r.1 == id).map(|r| r.2);
    Ok(votes(&neighbours, class, &[k])?[0][0].class)
}

#[test]
fn majority_then_nearer_then_smaller_class() {
    assert_eq!(one(&[(0, 1, 2), (5, 2, 1), (6, 3, 1)], 3), Ok(1), "majority");
    assert_eq!(one(&[(0, 1, 2), (5, 2, 1)], 2), Ok(2), "the nearer of two");
    assert_eq!(one(&[(1, 1, 2), (1, 2, 1)], 2), Ok(1), "the smaller class");
}

#[test]
fn wrong_votes_are_named() {
    assert_eq!(one(&[(0, 1, 2)], 0), Err(VoteError::NoVoters));
    assert_eq!(one(&[], 1), Err(VoteError::NoNeighbours { query: 0 }));
    let index = HammingIndex::from_codes(&Codes::zeros(9, 4)).unwrap();
    let found = index.scan().threads(1).nearest(&Codes::zeros(1, 4), 3).unwrap();
    assert_eq!(votes(&found, |_| Some(0), &[2, 5]), Err(VoteError::TooFewSearched { searched: 3, k: 5 }));
    assert_eq!(votes(&found, |_| Some(0), &[2]), Err(VoteError::TiesMissing));
    let found = index.scan().ties(true).nearest(&Codes::zeros(1, 4), 3).unwrap();
    assert_eq!((found.ids(0).len(), votes(&found, |_| Some(0), &[2]).unwrap()[0][0].votes), (9, 2.0));
    let neighbours = Neighbours::from_rows([vec![(0u32, 4)]]);
    assert_eq!(votes(&neighbours, |_| None, &[1]), Err(VoteError::NoClass { query: 0, id: 4 }));
}

#[test]
fn all_stored_codes_may_be_fewer_than_k() {
    let neighbours = Neighbours::from_rows([vec![(0u32, 4)]]);
    let won = votes(&neighbours, |_| Some(3), &[1, 5]).unwrap();
    assert!(won.iter().all(|votes| votes[0].class == 3 && votes[0].votes == 1.0), "{won:?}");
}

/// Rows sorted by class, backwards, and in a random order: the ids are the rows, so they cannot decide either.
#[test]
fn row_order_and_ids_do_not_matter() {
    let mut rng = naive::rng(50);
    let codes = naive::random_codes(&mut rng, 400, 7);
    let queries = naive::random_codes(&mut rng, 200, 7);
    let weights = [1.0, 0.5, 0.5, 2.0, 1.0, 0.25, 0.25];
    let probabilities: Vec<f32> = (0..200 * 7).map(|at| [0.25, 0.5, 0.75][at % 3]).collect();
    let class_of = |object: usize| (object * 7 % 5) as u32;
    let predict = |rows: &[usize], threads: usize| {
        let index = HammingIndex::from_codes(&codes.select(rows)).unwrap();
        let class = |id: u64| Some(class_of(rows[id as usize]));
        let classify = |metric| index.classify(&queries, metric, threads, class, &[1, 2, 5, 15]).unwrap();
        let expected = index.classify(&probabilities[..], Metric::Expected(&weights), threads, class, &[1, 4]).unwrap();
        (classify(Metric::Hamming), classify(Metric::Weighted(&weights)), expected)
    };
    let mut by_class: Vec<usize> = (0..400).collect();
    by_class.sort_by_key(|&object| class_of(object));
    let backwards: Vec<usize> = by_class.iter().rev().copied().collect();
    let shuffled: Vec<usize> = naive::random_ids(&mut rng, 400).iter().map(|id| (id / 1000) as usize).collect();
    let expected = predict(&by_class, 1);
    for rows in [&backwards, &shuffled] {
        assert!(predict(rows, 1) == expected && predict(rows, 3) == expected);
    }
}

#[test]
fn ties_are_all_the_codes_at_the_last_distance() {
    let mut rng = naive::rng(51);
    for (n, n_bits) in [(3000, 9), (40, 3), (5, 70)] {
        let (codes, queries) = (naive::random_codes(&mut rng, n, n_bits), naive::random_codes(&mut rng, 9, n_bits));
        let index = HammingIndex::from_codes(&codes).unwrap();
        for k in [0, 1, 7, n, n + 1] {
            let found = index.scan().threads(3).ties(true).nearest(&queries, k).unwrap();
            for query in 0..9 {
                let mut all: Vec<(u32, u64)> =
                    (0..n).map(|row| (codes.distance(row, queries.row(query)), row as u64)).collect();
                all.sort_unstable();
                let last = k.min(n).checked_sub(1).map(|at| all[at].0);
                all.retain(|n| last.is_some_and(|last| n.0 <= last));
                assert_eq!(found.row(query).collect::<Vec<_>>(), all, "{n} {n_bits} {k}");
            }
        }
    }
}
