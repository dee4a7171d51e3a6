//! Puts a standard error and a 95 % interval to a share of judgements that come in clusters.

use crate::eval::student_t_cdf;

/// Half of what lies outside an interval of 95 %.
const TAIL: f64 = 0.025;
/// The quantile of the normal distribution above which that much lies.
const NORMAL: f64 = 1.959_963_984_540_054;

/// A mean with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub value: f64,
    /// Its standard error; `None` where a single cluster tells none.
    pub standard_error: Option<f64>,
    /// Values that it is a mean of.
    pub n: usize,
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = f.precision().unwrap_or(3);
        write!(f, "{:.digits$}", self.value)?;
        self.standard_error.map_or(Ok(()), |error| write!(f, " ± {error:.digits$}"))
    }
}

/// The mean of values in clusters (sum and number of each), with the standard error by the sandwich formula: clusters are
/// independent, values of one cluster need not be. `None` without any value; clusters without values do not count.
///
/// ```
/// use sibp::judging::clustered_mean;
/// let estimate = clustered_mean(&[(3.0, 4), (1.0, 4)]).unwrap();
/// assert_eq!((estimate.value, estimate.standard_error, estimate.n), (0.5, Some(0.25), 8));
/// assert_eq!(clustered_mean(&[(0.0, 0)]), None);
/// ```
pub fn clustered_mean(clusters: &[(f64, usize)]) -> Option<Estimate> {
    let n: usize = clusters.iter().map(|cluster| cluster.1).sum();
    if n == 0 {
        return None;
    }
    let value = clusters.iter().map(|cluster| cluster.0).sum::<f64>() / n as f64;
    let n_clusters = clusters.iter().filter(|cluster| cluster.1 > 0).count() as f64;
    let squares: f64 = clusters.iter().map(|&(sum, n)| (sum - value * n as f64).powi(2)).sum();
    let error = (squares * n_clusters / (n_clusters - 1.0)).sqrt() / n as f64;
    Some(Estimate { value, standard_error: (n_clusters > 1.0).then_some(error), n })
}

/// The 95 % interval of a share, by Student's t with a degree of freedom less than there are clusters; never narrower than
/// Wilson's interval of as many independent values, which also holds where all values are equal.
pub fn interval(clusters: &[(f64, usize)]) -> Option<(f64, f64)> {
    let estimate = clustered_mean(clusters)?;
    let (low, high) = wilson(estimate.value, estimate.n);
    let n_clusters = clusters.iter().filter(|cluster| cluster.1 > 0).count();
    let half = estimate.standard_error.map_or(0.0, |error| error * t_quantile(n_clusters - 1));
    Some((low.min(estimate.value - half).max(0.0), high.max(estimate.value + half).min(1.0)))
}

/// Wilson's interval of a share of independent values.
fn wilson(share: f64, n: usize) -> (f64, f64) {
    let (n, square) = (n as f64, NORMAL * NORMAL);
    let middle = share + square / (2.0 * n);
    let half = NORMAL * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    ((middle - half) / (1.0 + square / n), (middle + half) / (1.0 + square / n))
}

/// The quantile of Student's t that `TAIL` lies above, by bisection.
fn t_quantile(freedom: usize) -> f64 {
    let (mut low, mut high) = (0.0, 100.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if student_t_cdf(middle, freedom as f64) < 1.0 - TAIL { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn known_values() {
        assert!((t_quantile(1) - 12.706).abs() < 1e-3 && (t_quantile(30) - 2.0423).abs() < 1e-4);
        let (low, high) = wilson(0.8, 50);
        assert!((low - 0.6696).abs() < 1e-4 && (high - 0.8876).abs() < 1e-4, "{low} {high}");
        let all = interval(&[(10.0, 10), (10.0, 10)]).unwrap();
        assert!(all.0 < 0.9 && all.1 == 1.0, "twenty of twenty are no certainty: {all:?}");
        assert_eq!(clustered_mean(&[(3.0, 4)]).unwrap().standard_error, None);
        assert_eq!(interval(&[(3.0, 4)]), Some(wilson(0.75, 4)));
    }

    /// Anchors differ in how well they are predicted: an interval for independent judgements is too narrow, this one not.
    #[test]
    fn intervals_cover_where_anchors_differ() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (mut covered, mut by_wilson) = (0, 0);
        for _ in 0..1000 {
            let cluster = |rng: &mut ChaCha8Rng| {
                // Shares of 0.6 and 0.9, half of the anchors each: 0.75 on average.
                let share = if rng.random::<bool>() { 0.6 } else { 0.9 };
                ((0..40).filter(|_| rng.random::<f64>() < share).count() as f64, 40)
            };
            let clusters: Vec<(f64, usize)> = (0..30).map(|_| cluster(&mut rng)).collect();
            let covers = |(low, high): (f64, f64)| usize::from(low <= 0.75 && 0.75 <= high);
            covered += covers(interval(&clusters).unwrap());
            by_wilson += covers(wilson(clustered_mean(&clusters).unwrap().value, 1200));
        }
        // Of 1,000 intervals of 95 %, 950 cover; 920 is more than four standard deviations below.
        assert!(covered > 920 && by_wilson < 800, "{covered} {by_wilson}");
    }
}
