//! Computes tail probabilities of fair coins.

use libm::lgamma;

/// Probability of at least `k` heads in `n` tosses of a fair coin.
pub fn at_least(n: usize, k: usize) -> f64 {
    if k > n {
        return 0.0;
    }
    // The far tail is summed, so that its first term is the largest and nothing cancels.
    if 2 * k <= n {
        return 1.0 - at_least(n, n - k + 1);
    }
    let ln_choose = lgamma(n as f64 + 1.0) - lgamma(k as f64 + 1.0) - lgamma((n - k) as f64 + 1.0);
    let mut term = (ln_choose - n as f64 * std::f64::consts::LN_2).exp();
    let mut sum = 0.0;
    for heads in k..=n {
        sum += term;
        term *= (n - heads) as f64 / (heads + 1) as f64;
        if term < sum * f64::EPSILON {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts heads in all sequences of tosses.
    #[test]
    fn equals_enumeration() {
        for n in 0..=12usize {
            for k in 0..=n + 1 {
                let n_good = (0..1u32 << n).filter(|tosses| tosses.count_ones() as usize >= k).count();
                let expected = n_good as f64 / f64::from(1u32 << n);
                assert!((at_least(n, k) - expected).abs() < 1e-12, "{n} {k}: {} {expected}", at_least(n, k));
            }
        }
    }

    #[test]
    fn many_tosses_follow_the_normal_distribution() {
        let n = 1_000_000;
        for (deviations, expected) in [(0.0, 0.5), (1.0, 0.158_655), (1.644_854, 0.05), (-2.0, 0.977_250)] {
            let k = (n as f64 / 2.0 + 0.5 + deviations * 500.0).round() as usize;
            assert!((at_least(n, k) - expected).abs() < 1e-3, "{deviations}: {}", at_least(n, k));
        }
        assert_eq!(at_least(n, n), 0.0);
    }
}
