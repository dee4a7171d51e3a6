//! Compares methods over the same repeats by the one-sided paired t-test.

use super::{EvalError, error::same_length, mean, student_t_cdf};

/// Significance level of the paper's tables: 95 % confidence.
pub const LEVEL: f64 = 0.05;

/// Result of a one-sided paired t-test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedTest {
    /// Number of pairs.
    pub n: usize,
    /// Mean of first - second.
    pub mean_difference: f64,
    /// The statistic, with n - 1 degrees of freedom.
    pub t: f64,
    /// Probability of a statistic this large if the first were no better than the second.
    pub p: f64,
}

impl PairedTest {
    /// Whether the first is better at the significance level [`LEVEL`].
    pub fn is_significant(&self) -> bool {
        self.p < LEVEL
    }
}

/// Tests whether `first` is larger than `second` in the mean, pair by pair.
///
/// Where all differences are equal the statistic is 0 (they are 0), or infinite with the sign of the difference.
///
/// ```
/// use sibp::eval::{EvalError, paired_t_test};
/// let test = paired_t_test(&[0.9, 0.8, 0.85], &[0.7, 0.65, 0.6])?;
/// assert!((test.t - 6.928203230275509).abs() < 1e-9);
/// assert!(test.is_significant() && (test.p - 0.010102051443364).abs() < 1e-9);
/// # Ok::<(), EvalError>(())
/// ```
pub fn paired_t_test(first: &[f64], second: &[f64]) -> Result<PairedTest, EvalError> {
    same_length("results of the second method", "result of the first", first.len(), second.len())?;
    let n = first.len();
    if n < 2 {
        return Err(EvalError::TooFew { what: "pairs of results", least: 2 });
    }
    check_finite(0, first)?;
    check_finite(1, second)?;
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    let mean_difference = mean(&differences);
    let all_equal = differences.iter().all(|d| *d == differences[0]);
    let squares: f64 = differences.iter().map(|d| (d - mean_difference) * (d - mean_difference)).sum();
    let error = (squares / (n - 1) as f64 / n as f64).sqrt();
    let t = match all_equal {
        true if differences[0] == 0.0 => 0.0,
        true => differences[0].signum() * f64::INFINITY,
        false => mean_difference / error,
    };
    // The lower tail of -t keeps its digits where 1 - cdf(t) would lose them.
    Ok(PairedTest { n, mean_difference, t, p: student_t_cdf(-t, (n - 1) as f64) })
}

/// Marks the method with the best mean and all that are not significantly worse than it, as the paper's tables do.
///
/// `results[method][repeat]`, larger is better. With a single repeat nothing can be tested: only the best is marked.
///
/// ```
/// use sibp::eval::{EvalError, bold};
/// let results = [vec![0.9, 0.8, 0.85], vec![0.7, 0.65, 0.6], vec![0.95, 0.7, 0.86]];
/// assert_eq!(bold(&results)?, [true, false, true]);
/// # Ok::<(), EvalError>(())
/// ```
pub fn bold(results: &[Vec<f64>]) -> Result<Vec<bool>, EvalError> {
    let Some(first) = results.first() else { return Ok(Vec::new()) };
    if first.is_empty() {
        return Err(EvalError::TooFew { what: "repeats", least: 1 });
    }
    for (method, list) in results.iter().enumerate() {
        same_length("repeats", "repeat of the first method", first.len(), list.len())?;
        check_finite(method, list)?;
    }
    let means: Vec<f64> = results.iter().map(|list| mean(list)).collect();
    let best = (1..means.len()).fold(0, |best, at| if means[at] > means[best] { at } else { best });
    let mark = |method: usize| {
        if first.len() < 2 || method == best {
            return Ok(means[method] == means[best]);
        }
        Ok(!paired_t_test(&results[best], &results[method])?.is_significant())
    };
    (0..results.len()).map(mark).collect()
}

fn check_finite(method: usize, results: &[f64]) -> Result<(), EvalError> {
    match results.iter().position(|r| !r.is_finite()) {
        Some(repeat) => Err(EvalError::NotFinite { method, repeat, value: results[repeat] }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn constant_differences_are_defined() {
        let same = paired_t_test(&[1.0, 2.0], &[1.0, 2.0]).unwrap();
        assert_eq!((same.t, same.p), (0.0, 0.5));
        let above = paired_t_test(&[2.0, 3.0], &[1.0, 2.0]).unwrap();
        assert_eq!((above.t, above.p), (f64::INFINITY, 0.0));
        assert_eq!(paired_t_test(&[1.0, 2.0], &[2.0, 3.0]).unwrap().p, 1.0);
        assert_eq!(paired_t_test(&[1.0], &[2.0]), Err(EvalError::TooFew { what: "pairs of results", least: 2 }));
    }

    #[test]
    fn bold_marks_equals_and_single_repeats() {
        assert_eq!(bold(&[vec![1.0, 2.0], vec![1.0, 2.0], vec![0.0, 1.0]]).unwrap(), [true, true, false]);
        assert_eq!(bold(&[vec![1.0], vec![2.0], vec![2.0]]).unwrap(), [false, true, true]);
        assert_eq!(bold(&[]).unwrap(), Vec::<bool>::new());
        assert!(matches!(bold(&[vec![1.0], vec![]]), Err(EvalError::Length { .. })));
        let nan = bold(&[vec![1.0, 2.0], vec![1.0, f64::NAN]]).unwrap_err();
        assert!(nan.to_string().starts_with("method 1, repeat 1"));
    }

    proptest! {
        #[test]
        fn swapping_the_methods_gives_the_complement(
            pairs in prop::collection::vec((0.0f64..1.0, 0.0f64..1.0), 2..12)
        ) {
            let (first, second): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let (one, other) = (paired_t_test(&first, &second).unwrap(), paired_t_test(&second, &first).unwrap());
            prop_assert!((one.p + other.p - 1.0).abs() < 1e-12);
            prop_assert!(bold(&[first, second]).unwrap().contains(&true));
        }
    }
}
