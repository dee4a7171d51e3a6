//! Estimates means of correlated series with their standard errors, by means of batches.

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
    /// Batches of `batch_length` steps; they should be far longer than the series' memory.
    pub fn new(n_statistics: usize, batch_length: u64) -> Self {
        Self { n_statistics, batch_length, in_batch: 0, current: vec![0.0; n_statistics], batches: Vec::new() }
    }

    /// Adds one step.
    pub fn add(&mut self, values: &[f64]) {
        for (sum, value) in self.current.iter_mut().zip(values) {
            *sum += value;
        }
        self.step_done();
    }

    /// Adds one step in which a single statistic is 1 and all others are 0 (none where `which` is absent).
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

    /// Difference of the means of one statistic in two series, in standard errors.
    pub fn score_against(&self, other: &Self, which: usize) -> f64 {
        let ((mean, error), (other, other_error)) = (self.estimate(which), other.estimate(which));
        (mean - other) / error.hypot(other_error).max(1e-12)
    }
}
