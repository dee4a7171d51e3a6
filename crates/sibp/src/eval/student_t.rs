//! Computes the distribution function of Student's t by the regularised incomplete beta function.
//!
//! Written here because the maintained crates either need a newer compiler or bring far more than this file.

/// Most terms of the continued fraction; its convergence takes about the square root of the larger argument.
const MAX_TERMS: usize = 10_000;

/// The regularised incomplete beta function I_x(a, b), for 0 <= x <= 1 and positive, finite a and b; else NaN.
///
/// ```
/// use sibp::eval::regularized_beta;
/// assert!((regularized_beta(2.0, 3.0, 0.25) - 67.0 / 256.0).abs() < 1e-14);
/// assert!(regularized_beta(-1.0, 3.0, 0.25).is_nan());
/// ```
pub fn regularized_beta(a: f64, b: f64, x: f64) -> f64 {
    beta_of_both(a, b, x, 1.0 - x)
}

/// I_x(a, b) with 1 - x given apart, so that neither tail loses digits.
fn beta_of_both(a: f64, b: f64, x: f64, one_minus_x: f64) -> f64 {
    let in_domain = a > 0.0 && b > 0.0 && a.is_finite() && b.is_finite() && (0.0..=1.0).contains(&x);
    if !in_domain {
        return f64::NAN;
    }
    if x == 0.0 || one_minus_x == 0.0 {
        return x;
    }
    let log_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
    let front = (a * x.ln() + b * one_minus_x.ln() - log_beta).exp();
    // The fraction converges fast on this side of the mean; the other side is the complement.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * continued_fraction(a, b, x) / a
    } else {
        1.0 - front * continued_fraction(b, a, one_minus_x) / b
    }
}

/// The continued fraction of DLMF 8.17.22, by Lentz's modified algorithm.
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    let guard = |v: f64| if v.abs() < f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / guard(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for term in 1..=MAX_TERMS {
        let m = term as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for coefficient in [even, odd] {
            d = 1.0 / guard(1.0 + coefficient * d);
            c = guard(1.0 + coefficient / c);
            change = c * d;
            value *= change;
        }
        if (change - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}

/// Probability that Student's t with `degrees` (> 0) degrees of freedom is at most `t`; NaN for impossible arguments.
///
/// ```
/// use sibp::eval::student_t_cdf;
/// assert_eq!(student_t_cdf(0.0, 4.0), 0.5);
/// assert!((student_t_cdf(2.131846786326649, 4.0) - 0.95).abs() < 1e-12);
/// ```
pub fn student_t_cdf(t: f64, degrees: f64) -> f64 {
    if t.is_nan() || degrees.is_nan() || degrees <= 0.0 {
        return f64::NAN;
    }
    let square = t * t;
    let x = if square.is_infinite() { 0.0 } else { degrees / (degrees + square) };
    let other = if square.is_infinite() { 1.0 } else { square / (degrees + square) };
    let tail = beta_of_both(degrees / 2.0, 0.5, x, other) / 2.0;
    if t > 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::f64::consts::PI;

    /// The finite sums for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4).
    fn closed_form(t: f64, degrees: u32) -> f64 {
        let theta = (t / f64::from(degrees).sqrt()).atan();
        let (sin, cos) = theta.sin_cos();
        let first = if degrees % 2 == 1 { cos } else { 1.0 };
        let (mut term, mut sum) = (first, if degrees == 1 { 0.0 } else { first });
        let mut at = if degrees % 2 == 1 { 3 } else { 2 };
        while at < degrees {
            term *= cos * cos * f64::from(at - 1) / f64::from(at);
            sum += term;
            at += 2;
        }
        let between = if degrees % 2 == 1 { 2.0 / PI * (theta + sin * sum) } else { sin * sum };
        0.5 + between / 2.0
    }

    #[test]
    fn equals_the_closed_forms() {
        for degrees in 1..=60 {
            for step in -80..=80 {
                let t = f64::from(step) / 8.0;
                let error = (student_t_cdf(t, degrees.into()) - closed_form(t, degrees)).abs();
                assert!(error < 1e-13, "t = {t}, {degrees} degrees: {error:e}");
            }
        }
    }

    /// 95 % points to ten digits, as printed in statistical tables.
    #[test]
    fn equals_tabulated_quantiles() {
        let table = [
            (1.0, 6.313_751_514_7),
            (2.0, 2.919_985_580_4),
            (4.0, 2.131_846_786_3),
            (9.0, 1.833_112_932_7),
            (19.0, 1.729_132_811_5),
            (100.0, 1.660_234_326_1),
        ];
        for (degrees, t) in table {
            assert!((student_t_cdf(t, degrees) - 0.95).abs() < 1e-10, "{degrees} degrees");
        }
    }

    proptest! {
        /// For whole a and b, I_x(a, b) is the upper tail of a binomial distribution.
        #[test]
        fn equals_binomial_tails(a in 1u32..30, b in 1u32..30, x in 0.0f64..=1.0) {
            let n = a + b - 1;
            let mut choose = 1.0;
            let mut tail = 0.0;
            for j in 0..=n {
                if j >= a {
                    tail += choose * x.powi(j as i32) * (1.0 - x).powi((n - j) as i32);
                }
                choose *= f64::from(n - j) / f64::from(j + 1);
            }
            prop_assert!((regularized_beta(a.into(), b.into(), x) - tail).abs() < 1e-12);
        }

        #[test]
        fn powers_and_reflection(a in 0.05f64..200.0, b in 0.05f64..200.0, x in 0.0f64..=1.0) {
            prop_assert!((regularized_beta(a, 1.0, x) - x.powf(a)).abs() < 1e-12);
            prop_assert!((regularized_beta(a, b, x) + regularized_beta(b, a, 1.0 - x) - 1.0).abs() < 1e-11);
        }
    }

    #[test]
    fn ends_are_exact() {
        assert_eq!(student_t_cdf(f64::INFINITY, 3.0), 1.0);
        assert_eq!(student_t_cdf(f64::NEG_INFINITY, 3.0), 0.0);
        assert!(student_t_cdf(1.0, 0.0).is_nan());
        let small = student_t_cdf(-1e6, 4.0);
        assert!((small / 3e-24 - 1.0).abs() < 1e-9, "{small:e}");
    }
}
