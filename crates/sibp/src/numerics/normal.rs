//! Evaluates the standard normal distribution far into its tails, and draws from its half lines.

use rand::{Rng, RngExt};
use rand_distr::{Distribution, Exp1, StandardNormal};

const LOG_SQRT_2PI: f64 = 0.918_938_533_204_672_8;
/// Below this the complementary error function nears the end of the range of a double.
const TAIL: f64 = -30.0;

/// ln Φ(x).
pub fn log_cdf(x: f64) -> f64 {
    if x > 0.0 {
        (-0.5 * libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2)).ln_1p()
    } else if x > TAIL {
        (0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)).ln()
    } else {
        log_density(x) - upper_hazard(-x).ln()
    }
}

/// ln φ(x).
pub fn log_density(x: f64) -> f64 {
    -0.5 * x * x - LOG_SQRT_2PI
}

/// φ(x)/Φ(x), the derivative of ln Φ.
pub fn hazard(x: f64) -> f64 {
    if x > TAIL { (log_density(x) - log_cdf(x)).exp() } else { upper_hazard(-x) }
}

/// φ(x)/(1-Φ(x)) for large x, by its continued fraction x + 1/(x + 2/(x + 3/(x + ...))).
fn upper_hazard(x: f64) -> f64 {
    (1..=40).rev().fold(x, |tail, n| x + f64::from(n) / tail)
}

/// The x with ln Φ(x) = `log_p`, for `log_p` below 0.
pub fn quantile_of_log(log_p: f64) -> f64 {
    // ln Φ is concave and increasing, so Newton's method comes from the left and never overshoots twice.
    let mut x = if log_p < -1.0 { -(-2.0 * log_p).sqrt() } else { 0.0 };
    for _ in 0..100 {
        let slope = hazard(x);
        let step = (log_cdf(x) - log_p) / slope;
        let next = x - step.clamp(-4.0, 4.0);
        if (next - x).abs() <= 1e-15 * x.abs().max(1.0) || !next.is_finite() {
            return x;
        }
        x = next;
    }
    x
}

/// The x with Φ(x) = `p`, for `p` strictly between 0 and 1.
pub fn quantile(p: f64) -> f64 {
    if p <= 0.5 { quantile_of_log(p.ln()) } else { -quantile_of_log((-p).ln_1p()) }
}

/// A draw of N(mean, 1) on the positive half line, or on the negative one.
pub fn draw_half<R: Rng>(mean: f64, positive: bool, rng: &mut R) -> f64 {
    if positive { mean + draw_above(-mean, rng) } else { mean - draw_above(mean, rng) }
}

/// A standard normal draw above `bound` (Robert 1995: plain rejection, or an exponential envelope in the tail).
fn draw_above<R: Rng>(bound: f64, rng: &mut R) -> f64 {
    if bound < 0.45 {
        loop {
            let draw: f64 = StandardNormal.sample(rng);
            if draw > bound {
                return draw;
            }
        }
    }
    let rate = 0.5 * (bound + (bound * bound + 4.0).sqrt());
    loop {
        let excess: f64 = Exp1.sample(rng);
        let draw = bound + excess / rate;
        if rng.random::<f64>() <= (-0.5 * (draw - rate) * (draw - rate)).exp() {
            return draw;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Streams};

    /// Fifty-digit values, rounded to doubles.
    #[test]
    fn log_cdf_against_many_digits() {
        let table = [
            (-40.0, -804.608_442_013_753_8),
            (-35.0, -616.975_101_261_922_5),
            (-20.0, -203.917_155_371_097_27),
            (-10.0, -53.231_285_150_512_47),
            (-5.0, -15.064_998_393_988_725),
            (-2.0, -3.783_184_333_682_032),
            (-1.0, -1.841_021_645_009_263_6),
            (0.0, -std::f64::consts::LN_2),
            (1.0, -0.172_753_779_023_449_88),
            (3.0, -0.001_350_809_964_748_193_8),
            (6.0, -9.865_876_455_243_758e-10),
        ];
        for (x, expected) in table {
            let error = (log_cdf(x) - expected).abs() / expected.abs();
            assert!(error < 2e-14, "log_cdf({x}) = {:?}, relative error {error:e}", log_cdf(x));
        }
    }

    #[test]
    fn quantiles_invert_the_log_cdf() {
        for log_p in [-800.0, -200.0, -30.0, -5.0, -1.2, -0.5, -0.01, -1e-6] {
            let x = quantile_of_log(log_p);
            assert!((log_cdf(x) - log_p).abs() <= 1e-13 * log_p.abs(), "{log_p}: {x}");
        }
    }

    #[test]
    fn hazard_is_the_slope() {
        for x in [-35.0, -29.9, -8.0, -1.0, 0.3, 4.0] {
            let slope = (log_cdf(x + 1e-5) - log_cdf(x - 1e-5)) / 2e-5;
            assert!((hazard(x) / slope - 1.0).abs() < 1e-5, "{x}");
        }
    }

    #[test]
    fn half_draws_have_the_right_mean() {
        let mut rng = Streams::new(3, 0).rng(Purpose::Verify, 0, 0);
        for mean in [-6.0, -2.0, 0.0, 1.5] {
            let n = 200_000;
            let sum: f64 = (0..n).map(|_| draw_half(mean, true, &mut rng)).sum();
            let expected = mean + hazard(mean);
            assert!((sum / f64::from(n) - expected).abs() < 5.0 / f64::from(n).sqrt(), "{mean}");
        }
    }
}
