//! Estimates means of autocorrelated series with their standard errors, by batch means.

/// Batches of a run whose length is fixed.
pub(super) const N_BATCHES: u64 = 100;

/// Means of several statistics over a fixed number of equal batches.
#[derive(Debug, Clone)]
pub struct BatchMeans {
    n_statistics: usize,
    batch_length: u64,
    in_batch: u64,
    current: Vec<f64>,
    batches: Vec<Vec<f64>>,
}

impl BatchMeans {
    /// Batches of `batch_length` observations, which should be far longer than the autocorrelation time.
    pub fn new(n_statistics: usize, batch_length: u64) -> Self {
        Self { n_statistics, batch_length, in_batch: 0, current: vec![0.0; n_statistics], batches: Vec::new() }
    }

    /// Adds one observation of every statistic.
    pub fn add(&mut self, values: &[f64]) {
        for (sum, value) in self.current.iter_mut().zip(values) {
            *sum += value;
        }
        self.step_done();
    }

    /// Adds one observation in which a single statistic is 1 and all others are 0 (all 0 where `which` is absent).
    pub fn add_indicator(&mut self, which: Option<usize>) {
        if let Some(which) = which {
            self.current[which] += 1.0;
        }
        self.step_done();
    }

    fn step_done(&mut self) {
        self.in_batch += 1;
        if self.in_batch == self.batch_length {
            let length = self.batch_length as f64;
            self.batches.push(self.current.iter().map(|sum| sum / length).collect());
            self.current = vec![0.0; self.n_statistics];
            self.in_batch = 0;
        }
    }

    /// Mean and standard error of one statistic over the full batches.
    pub fn estimate(&self, which: usize) -> (f64, f64) {
        let n = self.batches.len() as f64;
        let mean = self.batches.iter().map(|batch| batch[which]).sum::<f64>() / n;
        let squares: f64 = self.batches.iter().map(|batch| (batch[which] - mean).powi(2)).sum();
        (mean, (squares / (n - 1.0) / n).sqrt())
    }

    /// Sums statistics by groups: statistic `at` goes to group `group(at)`.
    pub fn grouped(&self, n_groups: usize, group: impl Fn(usize) -> usize) -> Self {
        let sum_up = |batch: &Vec<f64>| {
            let mut sums = vec![0.0; n_groups];
            for (at, value) in batch.iter().enumerate() {
                sums[group(at)] += value;
            }
            sums
        };
        let batches = self.batches.iter().map(sum_up).collect();
        Self { batches, ..Self::new(n_groups, self.batch_length) }
    }

    /// Total variation distance from expected probabilities, where the statistics are shares of visits: half the sum
    /// of the differences; and the sum of their standard errors.
    pub fn total_variation(&self, expected: &[f64]) -> (f64, f64) {
        let part = |(at, expected): (usize, &f64)| {
            let (mean, error) = self.estimate(at);
            (0.5 * (mean - expected).abs(), error)
        };
        expected.iter().enumerate().map(part).fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
    }

    /// Difference of the means of one statistic in two series, in standard errors.
    pub fn score_against(&self, other: &Self, which: usize) -> f64 {
        let ((mean, error), (other, other_error)) = (self.estimate(which), other.estimate(which));
        (mean - other) / error.hypot(other_error).max(1e-12)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_groups_and_their_distance() {
        let mut visits = BatchMeans::new(3, 4);
        for which in [0, 0, 1, 2, 0, 1, 1, 2] {
            visits.add_indicator(Some(which));
        }
        assert_eq!(visits.total_variation(&[0.375, 0.375, 0.25]).0, 0.0);
        assert_eq!(visits.total_variation(&[0.25, 0.25, 0.5]).0, 0.25);
        let groups = visits.grouped(2, |at| at / 2);
        assert_eq!(groups.estimate(0), (0.75, 0.0));
        // Shares of 1/2 and 1/4 in two batches: standard errors 1/8 for the first two, 0 for the last.
        assert_eq!(visits.total_variation(&[0.0; 3]).1, 0.25);
    }
}
