//! Computes average precision over whole rankings, independent of the order of tied distances.

use super::error::{EvalError, check_lists};

/// Average precision of one ranked list `(distance, class)` for a query of `class`.
///
/// Tie rule: objects at equal distance count as if put in random order, and the exact expectation over those orders
/// is returned (McSherry and Najork, ECIR 2008), so the figure does not depend on the order of rows. Short codes
/// have large ties, where "the order of the list" would be an arbitrary part of the result.
///
/// The divisor is the number of objects of the class in the list: give the whole ranking. With none, the result is 0.
///
/// ```
/// use sibp::eval::average_precision;
/// assert_eq!(average_precision(&[(0u32, 1), (1, 2), (2, 1)], 1), (1.0 + 2.0 / 3.0) / 2.0);
/// assert_eq!(average_precision(&[(0u32, 1), (0, 2)], 1), (1.0 + 0.5) / 2.0);
/// ```
pub fn average_precision<D: Copy + Into<f64>>(neighbours: &[(D, u32)], class: u32) -> f64 {
    let (mut n_before, mut relevant_before, mut sum) = (0usize, 0usize, 0.0);
    for group in neighbours.chunk_by(|a, b| a.0.into() == b.0.into()) {
        let relevant = group.iter().filter(|n| n.1 == class).count();
        sum += tied_precision(n_before, relevant_before, group.len(), relevant);
        n_before += group.len();
        relevant_before += relevant;
    }
    if relevant_before == 0 { 0.0 } else { sum / relevant_before as f64 }
}

/// Expected sum of the precisions at the relevant members of a tie of `size` that follows `n_before` objects.
///
/// The member at place j is relevant with probability r / m; then each of the j - 1 members before it is relevant
/// with probability (r - 1) / (m - 1).
fn tied_precision(n_before: usize, relevant_before: usize, size: usize, relevant: usize) -> f64 {
    if relevant == 0 {
        return 0.0;
    }
    let (m, r) = (size as f64, relevant as f64);
    let share = if size == 1 { 0.0 } else { (r - 1.0) / (m - 1.0) };
    let at = |j: usize| (relevant_before as f64 + 1.0 + (j - 1) as f64 * share) / (n_before + j) as f64;
    (1..=size).map(at).sum::<f64>() * r / m
}

/// Mean of [`average_precision`] over the queries; a query without any object of its class counts as 0.
///
/// ```
/// use sibp::eval::{EvalError, mean_average_precision};
/// let lists = vec![vec![(0u32, 1), (1, 2)], vec![(0, 1), (1, 2)]];
/// assert_eq!(mean_average_precision(&lists, &[1, 2])?, 0.75);
/// # Ok::<(), EvalError>(())
/// ```
pub fn mean_average_precision<D: Copy + Into<f64>>(
    neighbours: &[Vec<(D, u32)>],
    truth: &[u32],
) -> Result<f64, EvalError> {
    check_lists(neighbours, truth)?;
    let sum: f64 = neighbours.iter().zip(truth).map(|(list, &class)| average_precision(list, class)).sum();
    Ok(sum / truth.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every order of the list.
    fn orders(list: &[bool]) -> Vec<Vec<bool>> {
        if list.len() < 2 {
            return vec![list.to_vec()];
        }
        let mut all = Vec::new();
        for first in 0..list.len() {
            let mut rest = list.to_vec();
            let head = rest.remove(first);
            all.extend(orders(&rest).into_iter().map(|tail| [vec![head], tail].concat()));
        }
        all
    }

    fn plain(relevant: &[bool]) -> f64 {
        let (mut seen, mut sum) = (0.0, 0.0);
        for (rank, _) in relevant.iter().enumerate().filter(|r| *r.1) {
            seen += 1.0;
            sum += seen / (rank + 1) as f64;
        }
        if seen == 0.0 { 0.0 } else { sum / seen }
    }

    proptest! {
        #[test]
        fn ties_give_the_mean_over_all_orders(
            head in prop::collection::vec(any::<bool>(), 0..4),
            tied in prop::collection::vec(any::<bool>(), 1..6),
            tail in prop::collection::vec(any::<bool>(), 0..4),
        ) {
            let all = orders(&tied);
            let mean = all.iter().map(|o| plain(&[&head[..], o, &tail].concat())).sum::<f64>() / all.len() as f64;
            let distances = (0..head.len()).chain(tied.iter().map(|_| head.len())).chain((0..tail.len()).map(|t| 10 + t));
            let list: Vec<(u32, u32)> = distances
                .zip([&head[..], &tied, &tail].concat())
                .map(|(distance, relevant)| (distance as u32, u32::from(relevant)))
                .collect();
            prop_assert!((average_precision(&list, 1) - mean).abs() < 1e-12);
        }
    }
}
