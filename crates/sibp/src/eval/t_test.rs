//! Compares methods over the same repeats by the one-sided paired t-test, plain and corrected for repeats that share
//! objects.

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
    test(first, second, 0.0)
}

/// The corrected resampled t-test (Nadeau & Bengio 2003), for repeats that are random splits of the same objects into
/// `n_train` objects to learn from and `n_test` to ask about.
///
/// Such repeats share objects, so their differences are not independent, and the plain test takes chance for a
/// difference too often. Here the variance of the mean difference is (1 / n + n_test / n_train) s² instead of s² / n.
/// Where repeats share few objects or none, this asks for too much.
///
/// ```
/// use sibp::eval::{EvalError, corrected_t_test};
/// // The differences are 3, 1, 2, 4 and 0: mean 2, s² = 2.5, so t = 2 / √(2.5 (1/5 + 1)) = 2 / √3.
/// let test = corrected_t_test(&[5.0, 4.0, 6.0, 7.0, 2.0], &[2.0, 3.0, 4.0, 3.0, 2.0], 150, 150)?;
/// assert!((test.t - 2.0 / 3f64.sqrt()).abs() < 1e-12);
/// assert!((test.p - 0.15625).abs() < 1e-12 && !test.is_significant());
/// # Ok::<(), EvalError>(())
/// ```
pub fn corrected_t_test(first: &[f64], second: &[f64], n_train: usize, n_test: usize) -> Result<PairedTest, EvalError> {
    for (what, n) in [("training objects", n_train), ("test objects", n_test)] {
        if n == 0 {
            return Err(EvalError::TooFew { what, least: 1 });
        }
    }
    test(first, second, n_test as f64 / n_train as f64)
}

/// The paired test; `shared` is what repeats on the same objects add to 1 / n in the variance of the mean.
fn test(first: &[f64], second: &[f64], shared: f64) -> Result<PairedTest, EvalError> {
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
    let error = (squares / (n - 1) as f64 * (1.0 / n as f64 + shared)).sqrt();
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
    not_worse(results, paired_t_test)
}

/// Marks the method with the best mean and all that are not significantly worse by the corrected test
/// ([`corrected_t_test`]): never fewer than [`bold`] marks.
pub fn bold_corrected(results: &[Vec<f64>], n_train: usize, n_test: usize) -> Result<Vec<bool>, EvalError> {
    not_worse(results, |best, other| corrected_t_test(best, other, n_train, n_test))
}

fn not_worse(
    results: &[Vec<f64>],
    test: impl Fn(&[f64], &[f64]) -> Result<PairedTest, EvalError>,
) -> Result<Vec<bool>, EvalError> {
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
        Ok(!test(&results[best], &results[method])?.is_significant())
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

    /// Differences 3, 1, 2, 4, 0: mean 2, s² = 10 / 4. With four degrees of freedom the upper tail has a closed form:
    /// ½ - ⅜ t / r (1 - t² / (12 r²)), where r² = 1 + t² / 4.
    #[test]
    fn a_worked_example_of_both_tests() {
        let (first, second) = ([5.0, 4.0, 6.0, 7.0, 2.0], [2.0, 3.0, 4.0, 3.0, 2.0]);
        let closed = |t: f64| {
            let square = 1.0 + t * t / 4.0;
            0.5 - 0.375 * t / square.sqrt() * (1.0 - t * t / square / 12.0)
        };
        let plain = paired_t_test(&first, &second).unwrap();
        assert!((plain.t - 8f64.sqrt()).abs() < 1e-12 && (plain.p - closed(8f64.sqrt())).abs() < 1e-12, "{plain:?}");
        assert!(plain.is_significant());
        // As many test objects as training objects: 1/5 + 1, so t² = 4 / (2.5 · 1.2) = 4/3 and p = ½ - ⅜ · 11/12.
        let halves = corrected_t_test(&first, &second, 150, 150).unwrap();
        assert!((halves.t * halves.t - 4.0 / 3.0).abs() < 1e-12 && (halves.p - 0.15625).abs() < 1e-12, "{halves:?}");
        // A tenth as many: 1/5 + 1/10, so t² = 4 / (2.5 · 0.3) = 16/3.
        let tenth = corrected_t_test(&first, &second, 1000, 100).unwrap();
        let t = (16.0f64 / 3.0).sqrt();
        assert!((tenth.t - t).abs() < 1e-12 && (tenth.p - closed(t)).abs() < 1e-12, "{tenth:?}");
        assert_eq!((halves.n, halves.mean_difference), (5, 2.0));
    }

    #[test]
    fn the_corrected_test_needs_objects_on_both_sides() {
        let error = |train, test| corrected_t_test(&[1.0, 2.0], &[0.0, 0.5], train, test).unwrap_err();
        assert_eq!(error(0, 5), EvalError::TooFew { what: "training objects", least: 1 });
        assert_eq!(error(5, 0), EvalError::TooFew { what: "test objects", least: 1 });
    }

    #[test]
    fn what_the_plain_test_tells_apart_the_corrected_one_may_not() {
        let results =
            [vec![5.0, 4.0, 6.0, 7.0, 2.0], vec![2.0, 3.0, 4.0, 3.0, 2.0], vec![-9.0, -8.0, -9.0, -8.0, -9.0]];
        assert_eq!(bold(&results).unwrap(), [true, false, false]);
        assert_eq!(bold_corrected(&results, 150, 150).unwrap(), [true, true, false]);
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
            // Corrected, a test is nearer to a coin's toss.
            let corrected = corrected_t_test(&first, &second, 2, 1).unwrap();
            prop_assert!((corrected.p - 0.5).abs() <= (one.p - 0.5).abs());
            prop_assert!(bold(&[first, second]).unwrap().contains(&true));
        }
    }
}
