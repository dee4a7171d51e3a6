//! Inverts the standard normal distribution function.

use std::f64::consts::{PI, SQRT_2};

/// The z with Φ(z) = p, for p strictly between 0 and 1.
///
/// Acklam's rational approximation (relative error 1.2e-9), then one step of Halley's method.
///
/// ```
/// use sibp::numerics::normal::quantile;
/// assert!((quantile(0.975) - 1.959963984540054).abs() < 1e-14);
/// ```
pub fn quantile(p: f64) -> f64 {
    debug_assert!(p > 0.0 && p < 1.0);
    let z = approximate(p);
    let error = 0.5 * libm::erfc(-z / SQRT_2) - p;
    let step = error * (2.0 * PI).sqrt() * (0.5 * z * z).exp();
    z - step / (1.0 + 0.5 * z * step)
}

fn approximate(p: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969683028665376e1,
        2.209460984245205e2,
        -2.759285104469687e2,
        1.38357751867269e2,
        -3.066479806614716e1,
        2.506628277459239,
    ];
    const B: [f64; 6] = [
        -5.447609879822406e1,
        1.615858368580409e2,
        -1.556989798598866e2,
        6.680131188771972e1,
        -1.328068155288572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784894002430293e-3,
        -3.223964580411365e-1,
        -2.400758277161838,
        -2.549732539343734,
        4.374664141464968,
        2.938163982698783,
    ];
    const D: [f64; 5] = [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1.0];
    let tail = |p: f64| {
        let q = (-2.0 * p.ln()).sqrt();
        polynomial(&C, q) / polynomial(&D, q)
    };
    if p < 0.02425 {
        tail(p)
    } else if p > 1.0 - 0.02425 {
        -tail(1.0 - p)
    } else {
        let q = p - 0.5;
        q * polynomial(&A, q * q) / polynomial(&B, q * q)
    }
}

/// Highest power first.
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, c| sum * x + c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverts_the_distribution_function() {
        for at in 1..2000 {
            let p = f64::from(at) / 2000.0;
            let back = 0.5 * libm::erfc(-quantile(p) / SQRT_2);
            assert!((back / p - 1.0).abs() < 1e-14, "{p} came back as {back}");
            assert!((quantile(p) + quantile(1.0 - p)).abs() < 1e-12);
        }
        assert!((quantile(1e-10) + 6.361340902404056).abs() < 1e-12);
    }
}
