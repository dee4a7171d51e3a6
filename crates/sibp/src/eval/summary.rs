//! Summarises repeated results as mean and standard deviation.

use super::EvalError;

/// Mean ± sample standard deviation (divisor n - 1) of repeated results.
///
/// ```
/// use sibp::eval::{EvalError, Summary};
/// let summary = Summary::of(&[1.0, 2.0, 3.0])?;
/// assert_eq!((summary.mean, summary.sd), (2.0, Some(1.0)));
/// assert_eq!(format!("{summary:.2}"), "2.00 ± 1.00");
/// assert_eq!(Summary::of(&[5.0])?.sd, None);
/// # Ok::<(), EvalError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Number of results.
    pub n: usize,
    /// Mean of the results.
    pub mean: f64,
    /// Sample standard deviation of the results; `None` for a single result.
    pub sd: Option<f64>,
}

impl Summary {
    /// Summarises at least one result.
    pub fn of(results: &[f64]) -> Result<Self, EvalError> {
        if results.is_empty() {
            return Err(EvalError::TooFew { what: "results", least: 1 });
        }
        let (n, mean) = (results.len(), mean(results));
        let squares: f64 = results.iter().map(|r| (r - mean) * (r - mean)).sum();
        Ok(Self { n, mean, sd: (n > 1).then(|| (squares / (n - 1) as f64).sqrt()) })
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = f.precision().unwrap_or(3);
        write!(f, "{:.digits$}", self.mean)?;
        self.sd.map_or(Ok(()), |sd| write!(f, " ± {sd:.digits$}"))
    }
}

/// The arithmetic mean; NaN for no values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
