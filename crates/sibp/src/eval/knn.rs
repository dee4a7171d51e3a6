//! Classifies by the k nearest neighbours and measures how often that is right.

use super::error::{EvalError, check_lists};

/// Votes so far for one class.
struct Tally {
    class: u32,
    count: usize,
    distance: f64,
}

impl Tally {
    /// Whether this class wins: more votes; then the smaller summed distance; then the smaller class number.
    fn beats(&self, other: &Self) -> bool {
        let by_count = self.count.cmp(&other.count);
        let by_distance = other.distance.total_cmp(&self.distance);
        by_count.then(by_distance).then(other.class.cmp(&self.class)).is_gt()
    }
}

/// Adds one neighbour. A list beats a map here: there are at most k classes, and k is small.
fn add(tallies: &mut Vec<Tally>, distance: f64, class: u32) {
    match tallies.iter_mut().find(|t| t.class == class) {
        Some(tally) => {
            tally.count += 1;
            tally.distance += distance;
        }
        None => tallies.push(Tally { class, count: 1, distance }),
    }
}

fn winner(tallies: &[Tally]) -> Option<u32> {
    tallies.iter().reduce(|best, t| if t.beats(best) { t } else { best }).map(|t| t.class)
}

/// The class of the majority of `neighbours`, given as `(distance, class)`, or `None` if there are none.
///
/// Ties between classes go to the smaller summed distance, then to the smaller class number.
///
/// ```
/// use sibp::eval::vote;
/// assert_eq!(vote(&[(1u32, 7), (2, 3), (2, 3)]), Some(3));
/// assert_eq!(vote(&[(1u32, 7), (2, 3)]), Some(7));
/// assert_eq!(vote(&[(2u32, 7), (2, 3)]), Some(3));
/// assert_eq!(vote::<u32>(&[]), None);
/// ```
pub fn vote<D: Copy + Into<f64>>(neighbours: &[(D, u32)]) -> Option<u32> {
    let mut tallies = Vec::new();
    for &(distance, class) in neighbours {
        add(&mut tallies, distance.into(), class);
    }
    winner(&tallies)
}

/// The vote of the `k` nearest of one ranked list, for every `k` of `ks`, in one pass.
///
/// A list shorter than `k` votes with all it has; an empty list, or `k` = 0, gives `None`.
pub fn knn_predict<D: Copy + Into<f64>>(neighbours: &[(D, u32)], ks: &[usize]) -> Vec<Option<u32>> {
    let mut order: Vec<usize> = (0..ks.len()).collect();
    order.sort_by_key(|&at| ks[at]);
    let mut votes = vec![None; ks.len()];
    let mut tallies = Vec::new();
    let mut counted = 0;
    for at in order {
        let end = ks[at].min(neighbours.len());
        for &(distance, class) in &neighbours[counted..end] {
            add(&mut tallies, distance.into(), class);
        }
        counted = end;
        votes[at] = winner(&tallies);
    }
    votes
}

/// Share of queries whose k-NN vote is their true class, for every `k` of `ks`.
///
/// The vote is [`vote`]'s. A query without neighbours counts as wrong.
///
/// ```
/// use sibp::eval::{EvalError, knn_accuracy};
/// let lists = vec![vec![(0u32, 1), (1, 2), (1, 2)], vec![(0, 2), (3, 2), (4, 1)]];
/// assert_eq!(knn_accuracy(&lists, &[1, 2], &[1, 3])?, [1.0, 0.5]);
/// assert_eq!(knn_accuracy(&lists, &[1, 2], &[0]), Err(EvalError::ZeroK));
/// # Ok::<(), EvalError>(())
/// ```
pub fn knn_accuracy<D: Copy + Into<f64>>(
    neighbours: &[Vec<(D, u32)>],
    truth: &[u32],
    ks: &[usize],
) -> Result<Vec<f64>, EvalError> {
    check_lists(neighbours, truth)?;
    if ks.contains(&0) {
        return Err(EvalError::ZeroK);
    }
    let mut right = vec![0usize; ks.len()];
    for (list, &class) in neighbours.iter().zip(truth) {
        for (right, voted) in right.iter_mut().zip(knn_predict(list, ks)) {
            *right += usize::from(voted == Some(class));
        }
    }
    Ok(right.iter().map(|&r| r as f64 / truth.len() as f64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn several_k_at_once_equal_one_vote_each(
            list in prop::collection::vec((0u32..6, 0u32..4), 0..30),
            ks in prop::collection::vec(0usize..35, 1..6),
        ) {
            let mut list = list;
            list.sort_by_key(|&(distance, _)| distance);
            let expected: Vec<_> = ks.iter().map(|&k| vote(&list[..k.min(list.len())])).collect();
            prop_assert_eq!(knn_predict(&list, &ks), expected);
        }

        #[test]
        fn vote_does_not_depend_on_the_order(list in prop::collection::vec((0u32..6, 0u32..4), 0..30)) {
            let mut reversed = list.clone();
            reversed.reverse();
            prop_assert_eq!(vote(&list), vote(&reversed));
        }
    }

    #[test]
    fn mistakes_are_named() {
        let lists = vec![vec![(2u32, 0), (1, 0)]];
        assert_eq!(knn_accuracy(&lists, &[0], &[1]), Err(EvalError::Unsorted { query: 0, rank: 1, distance: 1.0 }));
        assert!(matches!(knn_accuracy(&lists, &[0, 0], &[1]), Err(EvalError::Length { expected: 2, got: 1, .. })));
        assert!(matches!(knn_accuracy::<u32>(&[], &[], &[1]), Err(EvalError::TooFew { .. })));
        assert_eq!(knn_accuracy::<u32>(&[vec![]], &[0], &[1]), Ok(vec![0.0]));
    }
}
