//! Holds the result of a check: a value and a limit for each statistic.

use crate::numerics::normal::quantile_of_log;

/// One statistic of a check.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What was measured.
    pub statistic: String,
    /// Its value: standard errors, or a distance.
    pub value: f64,
    /// The largest absolute value that passes.
    pub limit: f64,
}

impl Row {
    /// Whether the value is within its limit; NaN never is.
    pub fn passed(&self) -> bool {
        self.value.abs() <= self.limit
    }
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// All statistics.
    pub rows: Vec<Row>,
    /// Whether every one is within its limit.
    pub passed: bool,
}

impl Verdict {
    /// Builds a verdict that passes if every row does, and there is at least one.
    pub fn new(rows: Vec<Row>) -> Self {
        let passed = !rows.is_empty() && rows.iter().all(Row::passed);
        Self { rows, passed }
    }

    /// Builds a verdict of named values that share one limit.
    pub fn with_limit<N: Into<String>>(values: impl IntoIterator<Item = (N, f64)>, limit: f64) -> Self {
        let row = |(name, value): (N, f64)| Row { statistic: name.into(), value, limit };
        Self::new(values.into_iter().map(row).collect())
    }

    /// A verdict with further rows.
    pub fn with(self, rows: impl IntoIterator<Item = Row>) -> Self {
        Self::new(self.rows.into_iter().chain(rows).collect())
    }

    /// The row that comes nearest to its limit, or exceeds it most.
    pub fn worst(&self) -> Option<&Row> {
        let share = |row: &Row| if row.value.is_nan() { f64::INFINITY } else { row.value.abs() / row.limit };
        self.rows.iter().max_by(|a, b| share(a).total_cmp(&share(b)))
    }

    /// All rows of several verdicts, each statistic preceded by the name of its part.
    pub fn join<'a>(parts: impl IntoIterator<Item = (&'a str, Self)>) -> Self {
        let named = |(part, verdict): (&'a str, Self)| {
            let rename = move |row: Row| Row { statistic: format!("{part}: {}", row.statistic), ..row };
            verdict.rows.into_iter().map(rename)
        };
        Self::new(parts.into_iter().flat_map(named).collect())
    }
}

/// Significance level of a check, over all its statistics.
pub const LEVEL: f64 = 1e-4;

/// Largest |z| of `n_statistics` statistics whose standard errors rest on `n_batches` batches, at the significance
/// level [`LEVEL`] over all of them (Bonferroni).
pub fn largest_score(n_statistics: usize, n_batches: u64) -> f64 {
    score_limit(LEVEL, n_statistics, n_batches)
}

/// Largest |z| at a given significance level. The terms after the first turn a normal quantile into a Student one
/// (Cornish & Fisher).
pub fn score_limit(level: f64, n_statistics: usize, n_batches: u64) -> f64 {
    let z = -quantile_of_log((level / (2.0 * n_statistics as f64)).ln());
    let freedom = n_batches as f64 - 1.0;
    let first = (z.powi(3) + z) / (4.0 * freedom);
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * freedom * freedom);
    z + first + second
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_quantiles() {
        // Two-sided 1e-4: 3.8906 for a normal; Student with 99 degrees: 4.05.
        assert!((largest_score(1, 1_000_000_000) - 3.8906).abs() < 1e-4);
        assert!((largest_score(1, 100) - 4.05).abs() < 0.01);
        // Student's quantiles, found by integration of its density.
        assert!((score_limit(1e-6, 1, 51) - 5.5732).abs() < 0.01);
        assert!((score_limit(1e-5 / 4.0, 19, 50) - 6.1622).abs() < 0.02);
    }

    #[test]
    fn what_is_not_a_number_fails() {
        assert!(!Verdict::with_limit([("a", f64::NAN)], 1.0).passed);
        assert!(!Verdict::new(Vec::new()).passed);
        let verdict = Verdict::with_limit([("a", 0.5), ("b", -1.5)], 1.0);
        assert!(!verdict.passed && verdict.worst().unwrap().statistic == "b");
    }
}
