//! Draws from a density on the line by slice sampling with stepping out (Neal 2003).

use rand::{Rng, RngExt};

/// Steps out at most this often in total, so that every loop is bounded.
const MAX_STEPS: u32 = 64;
/// Shrinks at most this often; the bracket is then below the spacing of floating-point numbers.
const MAX_SHRINKS: u32 = 200;

/// One slice-sampling update of `x` under the log density `log_density`, with initial bracket `width`.
///
/// Steps have one fixed width and their total number is split at random between both ends, as invariance needs.
pub fn slice<R: Rng>(x: f64, width: f64, rng: &mut R, mut log_density: impl FnMut(f64) -> f64) -> f64 {
    let level = log_density(x) + (1.0 - rng.random::<f64>()).ln();
    let mut left = x - width * rng.random::<f64>();
    let mut right = left + width;
    let left_steps = rng.random_range(0..MAX_STEPS);
    for _ in 0..left_steps {
        if log_density(left) <= level {
            break;
        }
        left -= width;
    }
    for _ in 0..MAX_STEPS - 1 - left_steps {
        if log_density(right) <= level {
            break;
        }
        right += width;
    }
    for _ in 0..MAX_SHRINKS {
        let candidate = left + (right - left) * rng.random::<f64>();
        if log_density(candidate) > level {
            return candidate;
        }
        if candidate < x {
            left = candidate;
        } else {
            right = candidate;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Streams};

    #[test]
    fn moments_of_a_gamma_on_the_log_scale() {
        let mut rng = Streams::new(1, 0).rng(Purpose::Verify, 0, 0);
        let (shape, rate) = (2.5, 0.7);
        let mut y = 0.0;
        let n_draws = 400_000;
        let mut sum = 0.0;
        for _ in 0..n_draws {
            y = slice(y, 1.0, &mut rng, |y: f64| shape * y - rate * y.exp());
            sum += y.exp();
        }
        // Autocorrelation is short; four standard errors with a factor 3 for it.
        let standard_error = (3.0 * shape / (rate * rate) / f64::from(n_draws)).sqrt();
        assert!((sum / f64::from(n_draws) - shape / rate).abs() < 4.0 * standard_error);
    }
}
