//! Checks the vote's rule case by case.

use super::naive;
use crate::codes::Codes;
use crate::index::vote::{VoteError, vote};
use crate::index::{HammingIndex, Neighbours};

fn one(row: &[(u32, u64, u32)], k: usize) -> Result<u32, VoteError> {
    let neighbours = Neighbours::from_rows([row.iter().map(|&(d, id, _)| (d, id)).collect()]);
    let class = |id| row.iter().find(|r| r.1 == id).map(|r| r.2);
    Ok(vote(&neighbours, class, &[k])?[0][0])
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
    assert_eq!(vote(&found, |_| Some(0), &[2, 5]), Err(VoteError::TooFewSearched { searched: 3, k: 5 }));
    let neighbours = Neighbours::from_rows([vec![(0u32, 4)]]);
    assert_eq!(vote(&neighbours, |_| None, &[1]), Err(VoteError::NoClass { query: 0, id: 4 }));
}

#[test]
fn all_stored_codes_may_be_fewer_than_k() {
    let neighbours = Neighbours::from_rows([vec![(0u32, 4)]]);
    assert_eq!(vote(&neighbours, |_| Some(3), &[1, 5]), Ok(vec![vec![3], vec![3]]));
}

#[test]
fn row_order_does_not_matter() {
    let mut rng = naive::rng(50);
    let codes = naive::random_codes(&mut rng, 400, 12);
    let queries = naive::random_codes(&mut rng, 30, 12);
    let class = |id: u64| Some((id * 7 % 5) as u32);
    let predict = |rows: &[usize]| {
        let mut index = HammingIndex::new(12).unwrap();
        let ids: Vec<u64> = rows.iter().map(|&row| row as u64).collect();
        index.add(&codes.select(rows), Some(&ids)).unwrap();
        vote(&index.scan().threads(1).nearest(&queries, 15).unwrap(), class, &[1, 2, 5, 15]).unwrap()
    };
    let in_order: Vec<usize> = (0..400).collect();
    let shuffled: Vec<usize> = naive::random_ids(&mut rng, 400).iter().map(|id| (id / 1000) as usize).collect();
    assert_ne!(in_order, shuffled);
    assert_eq!(predict(&in_order), predict(&shuffled));
}
