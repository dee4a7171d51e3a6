//! Measures which share of the first k retrieved objects is of the query's class.

use super::error::{EvalError, check_lists};

/// Mean over the queries of the share of the first `k` neighbours with the query's class, for every `k` of `ks`.
///
/// Objects at equal distance count in the order of the list. A list shorter than `k` is an error, because dividing
/// by `k` or by its length would both mislead.
///
/// ```
/// use sibp::eval::{EvalError, precision_at};
/// let lists = vec![vec![(0u32, 1), (1, 2), (1, 1), (5, 2)]];
/// assert_eq!(precision_at(&lists, &[1], &[1, 2, 4])?, [1.0, 0.5, 0.5]);
/// assert_eq!(precision_at(&lists, &[1], &[5]), Err(EvalError::ShortList { query: 0, length: 4, k: 5 }));
/// # Ok::<(), EvalError>(())
/// ```
pub fn precision_at<D: Copy + Into<f64>>(
    neighbours: &[Vec<(D, u32)>],
    truth: &[u32],
    ks: &[usize],
) -> Result<Vec<f64>, EvalError> {
    check_lists(neighbours, truth)?;
    ks.iter().map(|&k| precision(neighbours, truth, k)).collect()
}

fn precision<D>(neighbours: &[Vec<(D, u32)>], truth: &[u32], k: usize) -> Result<f64, EvalError> {
    if k == 0 {
        return Err(EvalError::ZeroK);
    }
    let mut relevant = 0usize;
    for (query, (list, &class)) in neighbours.iter().zip(truth).enumerate() {
        let Some(first) = list.get(..k) else {
            return Err(EvalError::ShortList { query, length: list.len(), k });
        };
        relevant += first.iter().filter(|n| n.1 == class).count();
    }
    Ok(relevant as f64 / (k as f64 * truth.len() as f64))
}
