//! Classifies by the k nearest neighbours and measures how often that is right.

use super::error::{EvalError, check_lists};

/// The class that wins a vote.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vote {
    /// The class.
    pub class: u32,
    /// Its votes, a fraction where objects at the distance of the last voter share the places that are left.
    pub votes: f64,
}

/// Voters of one class.
struct Tally {
    class: u32,
    /// Objects nearer than the last voter.
    n_nearer: usize,
    /// Their summed distance.
    distance: f64,
    /// Objects at the distance of the last voter.
    n_tied: usize,
}

/// The first voters of a ranked list: all objects nearer than the `k`-th vote, and all at its distance share the places
/// that are left. Who comes first among equally near objects is an accident of their order.
struct Voters {
    tallies: Vec<Tally>,
    /// Places for objects at the distance of the last voter, and how many there are.
    places: usize,
    n_tied: usize,
    /// The distance of the last voter.
    last: f64,
}

impl Voters {
    /// `None` if nobody votes.
    fn of<D: Copy + Into<f64>>(ranked: &[(D, u32)], k: usize) -> Option<Self> {
        let k = k.min(ranked.len());
        let last: f64 = ranked.get(k.checked_sub(1)?)?.0.into();
        let n_nearer = ranked.partition_point(|n| n.0.into() < last);
        let n_tied = ranked[n_nearer..].partition_point(|n| n.0.into() <= last);
        let mut voters = Self { tallies: Vec::new(), places: k - n_nearer, n_tied, last };
        for &(distance, class) in &ranked[..n_nearer] {
            let tally = voters.tally(class);
            tally.n_nearer += 1;
            tally.distance += distance.into();
        }
        for &(_, class) in &ranked[n_nearer..n_nearer + n_tied] {
            voters.tally(class).n_tied += 1;
        }
        Some(voters)
    }

    /// A list beats a map here: there are few classes among the voters.
    fn tally(&mut self, class: u32) -> &mut Tally {
        let at = self.tallies.iter().position(|tally| tally.class == class).unwrap_or(self.tallies.len());
        if at == self.tallies.len() {
            self.tallies.push(Tally { class, n_nearer: 0, distance: 0.0, n_tied: 0 });
        }
        &mut self.tallies[at]
    }

    /// Votes in units of one place shared by all tied objects, so that equal votes are equal numbers.
    fn shares(&self, tally: &Tally) -> usize {
        tally.n_nearer * self.n_tied + tally.n_tied * self.places
    }

    fn distance(&self, tally: &Tally) -> f64 {
        tally.distance + (tally.n_tied * self.places) as f64 / self.n_tied as f64 * self.last
    }

    /// Most votes; then the smaller summed distance; then the smaller class number.
    fn winner(&self) -> Option<Vote> {
        let best = self.tallies.iter().max_by(|a, b| {
            let by_votes = self.shares(a).cmp(&self.shares(b));
            by_votes.then(self.distance(b).total_cmp(&self.distance(a))).then(b.class.cmp(&a.class))
        })?;
        Some(Vote { class: best.class, votes: self.shares(best) as f64 / self.n_tied as f64 })
    }
}

/// The votes of every class that the `k` nearest of one ranked list have, in the order of the classes; they sum to `k`, or to
/// the length of a shorter list. Objects at the distance of the `k`-th share places as in [`knn_votes`].
///
/// ```
/// use sibp::eval::knn_tally;
/// let list = [(0u32, 7), (1, 3), (1, 3), (1, 7)];
/// // Three objects share the second place.
/// let votes: Vec<(u32, f64)> = knn_tally(&list, 2).iter().map(|vote| (vote.class, vote.votes)).collect();
/// assert_eq!(votes, [(3, 2.0 / 3.0), (7, 4.0 / 3.0)]);
/// ```
pub fn knn_tally<D: Copy + Into<f64>>(ranked: &[(D, u32)], k: usize) -> Vec<Vote> {
    let Some(voters) = Voters::of(ranked, k) else { return Vec::new() };
    let vote = |tally: &Tally| Vote { class: tally.class, votes: voters.shares(tally) as f64 / voters.n_tied as f64 };
    let mut found: Vec<Vote> = voters.tallies.iter().map(vote).collect();
    found.sort_by_key(|vote| vote.class);
    found
}

/// The class of the majority of `neighbours`, given as `(distance, class)` in any order, or `None` if there are none.
///
/// Ties between classes go to the smaller summed distance, then to the smaller class number, which is the first class
/// by name.
///
/// ```
/// use sibp::eval::vote;
/// assert_eq!(vote(&[(1u32, 7), (2, 3), (2, 3)]), Some(3));
/// assert_eq!(vote(&[(1u32, 7), (2, 3)]), Some(7));
/// assert_eq!(vote(&[(2u32, 7), (2, 3)]), Some(3));
/// assert_eq!(vote::<u32>(&[]), None);
/// ```
pub fn vote<D: Copy + Into<f64>>(neighbours: &[(D, u32)]) -> Option<u32> {
    let mut ranked = neighbours.to_vec();
    ranked.sort_by(|a, b| a.0.into().total_cmp(&b.0.into()));
    Voters::of(&ranked, ranked.len())?.winner().map(|vote| vote.class)
}

/// The vote of the `k` nearest of one ranked list, for every `k` of `ks`.
///
/// Objects at the distance of the `k`-th share the places that are left to them, so that the order of equally near
/// objects does not matter; the list must hold all of them, or the largest `k` misses some. Ties between classes are
/// decided as by [`vote`]. A list shorter than `k` votes with all it has; an empty list, or `k` = 0, gives `None`.
///
/// ```
/// use sibp::eval::{Vote, knn_votes};
/// let list = [(0u32, 7), (1, 3), (1, 3), (1, 7)];
/// // Three objects share the second place.
/// assert_eq!(knn_votes(&list, &[1, 2]), [Some(Vote { class: 7, votes: 1.0 }), Some(Vote { class: 7, votes: 4.0 / 3.0 })]);
/// ```
pub fn knn_votes<D: Copy + Into<f64>>(neighbours: &[(D, u32)], ks: &[usize]) -> Vec<Option<Vote>> {
    ks.iter().map(|&k| Voters::of(neighbours, k)?.winner()).collect()
}

/// The classes of [`knn_votes`].
pub fn knn_predict<D: Copy + Into<f64>>(neighbours: &[(D, u32)], ks: &[usize]) -> Vec<Option<u32>> {
    knn_votes(neighbours, ks).into_iter().map(|vote| vote.map(|vote| vote.class)).collect()
}

/// Share of queries whose k-NN vote is their true class, for every `k` of `ks`.
///
/// The vote is [`knn_votes`]'s, so lists must hold all objects at the distance of the last voter. A query without neighbours counts as wrong.
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
        /// The expected votes of the k nearest, where equally near objects are in every order.
        #[test]
        fn a_vote_is_the_mean_over_all_orders_of_equally_near_objects(
            list in prop::collection::vec((0u32..3, 0u32..3), 1..6),
            k in 1usize..7,
        ) {
            let mut sums = [0.0; 3];
            let orders = orders(list.len());
            for order in &orders {
                let mut ranked: Vec<(u32, u32)> = order.iter().map(|&at| list[at]).collect();
                ranked.sort_by_key(|n| n.0);
                ranked.iter().take(k).for_each(|n| sums[n.1 as usize] += 1.0 / orders.len() as f64);
            }
            let most = sums.iter().copied().fold(0.0, f64::max);
            let mut list = list;
            list.sort_by_key(|n| n.0);
            let found = knn_votes(&list, &[k])[0].unwrap();
            prop_assert!((found.votes - most).abs() < 1e-9, "{} {:?}", found.votes, sums);
            prop_assert!((sums[found.class as usize] - most).abs() < 1e-9);
        }

        #[test]
        fn the_order_of_equally_near_objects_does_not_matter(
            list in prop::collection::vec((0u32..4, 0u32..4), 0..30),
            ks in prop::collection::vec(0usize..35, 1..6),
        ) {
            let mut ranked = list;
            ranked.sort();
            let expected = knn_votes(&ranked, &ks);
            // Descending classes among equally near objects.
            ranked.sort_by_key(|n| (n.0, u32::MAX - n.1));
            prop_assert_eq!(knn_votes(&ranked, &ks), expected);
        }

        #[test]
        fn vote_does_not_depend_on_the_order(list in prop::collection::vec((0u32..6, 0u32..4), 0..30)) {
            let mut reversed = list.clone();
            reversed.reverse();
            prop_assert_eq!(vote(&list), vote(&reversed));
        }
    }

    /// All orders of the first `n` numbers.
    fn orders(n: usize) -> Vec<Vec<usize>> {
        let Some(last) = n.checked_sub(1) else { return vec![Vec::new()] };
        let with_last = |order: Vec<usize>| {
            (0..n).map(move |at| {
                let mut longer = order.clone();
                longer.insert(at, last);
                longer
            })
        };
        orders(last).into_iter().flat_map(with_last).collect()
    }

    #[test]
    fn rows_sorted_by_class_give_the_first_class_no_advantage() {
        // One of the first class and two of the second at the same distance.
        assert_eq!(knn_predict(&[(2u32, 0), (2, 1), (2, 1)], &[1, 2, 3]), [Some(1); 3]);
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
