//! Fits a power law to a learning curve and extrapolates it, with the uncertainty of all that is fitted.
//!
//! Agreement after n judgements is a − d (n / n₀)^(−c), plus what is particular to a repeat (its held-out judgements),
//! plus noise of unknown variance. The posterior is computed on a grid: c is log-uniform between its bounds, a flat up to 1
//! and d flat above 0; given c, a and d are a linear regression, and the grid spans eight of their standard deviations.

use crate::eval::regularized_beta;

/// Bounds of the exponent, and the number of its values on the grid.
const EXPONENT: (f64, f64) = (0.1, 2.0);
const N_EXPONENTS: usize = 24;
/// Steps of the grid on either side of the regression's solution, and the standard deviations that they span.
const N_STEPS: i32 = 24;
const SPAN: f64 = 8.0;

/// The agreement of one fit on the judgements that its repeat held out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// The repeat.
    pub repeat: usize,
    /// Judgements that were learned from.
    pub n_learned: usize,
    /// Agreement.
    pub agreement: f64,
    /// Held-out judgements.
    pub n_asked: usize,
}

/// The posterior of a power law.
#[derive(Debug, Clone)]
pub struct PowerLaw {
    /// The smallest number of judgements that was measured.
    unit: f64,
    /// Weight, a, d, c; the weights sum to 1.
    grid: Vec<[f64; 4]>,
}

impl PowerLaw {
    /// Fits to measurements of several repeats, each with the same sizes; `None` for fewer than three different sizes.
    pub fn fit(measured: &[Measured]) -> Option<Self> {
        let mut sizes: Vec<usize> = measured.iter().map(|point| point.n_learned).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let unit = *sizes.first().filter(|&&first| first > 0 && sizes.len() >= 3)? as f64;
        let (points, n_repeats) = without_repeat_effects(measured);
        let mean = points.iter().map(|point| point.1).sum::<f64>() / points.len() as f64;
        let n_asked = measured.iter().map(|point| point.n_asked).sum::<usize>() as f64 / measured.len() as f64;
        // As much as one measurement says about its variance: that of independent answers.
        let prior_square = (mean * (1.0 - mean)).max(0.01) / n_asked.max(1.0);
        let freedom = (points.len() + 1 - n_repeats) as f64 + 1.0;
        let step = (EXPONENT.1 / EXPONENT.0).ln() / (N_EXPONENTS - 1) as f64;
        let mut grid = Vec::new();
        for at in 0..N_EXPONENTS {
            let c = EXPONENT.0 * (step * at as f64).exp();
            let falls: Vec<(f64, f64)> = points.iter().map(|&(n, y)| ((n / unit).powf(-c), y)).collect();
            add_exponent(&falls, c, prior_square, freedom, &mut grid);
        }
        let highest = grid.iter().map(|point| point[0]).fold(f64::MIN, f64::max);
        grid.iter_mut().for_each(|point| point[0] = (point[0] - highest).exp());
        let total: f64 = grid.iter().map(|point| point[0]).sum();
        grid.iter_mut().for_each(|point| point[0] /= total);
        (!grid.is_empty()).then_some(Self { unit, grid })
    }

    fn moments(&self, of: impl Fn(f64, f64, f64) -> f64) -> (f64, f64) {
        let mean: f64 = self.grid.iter().map(|&[weight, a, d, c]| weight * of(a, d, c)).sum();
        let square: f64 = self.grid.iter().map(|&[weight, a, d, c]| weight * (of(a, d, c) - mean).powi(2)).sum();
        (mean, square.sqrt())
    }

    /// Expected agreement after `n` judgements: mean and standard deviation.
    pub fn at(&self, n: f64) -> (f64, f64) {
        self.moments(|a, d, c| a - d * (n / self.unit).powf(-c))
    }

    /// Expected gain of `more` judgements after `n`: mean and standard deviation.
    pub fn gain(&self, n: f64, more: f64) -> (f64, f64) {
        self.moments(|_, d, c| d * ((n / self.unit).powf(-c) - ((n + more) / self.unit).powf(-c)))
    }

    /// How probable means over repeats as far from the law are, if it holds: the F test for lack of fit, with the noise
    /// between repeats as measure. `None` for a single repeat, or fewer than four sizes.
    pub fn lack_of_fit(&self, measured: &[Measured], n_sizes: usize) -> Option<f64> {
        let (points, n_repeats) = without_repeat_effects(measured);
        if n_repeats < 2 || n_sizes < 4 || measured.len() != n_repeats * n_sizes {
            return None;
        }
        let (mut between, mut within) = (0.0, 0.0);
        for size in 0..n_sizes {
            let of_size = || points.iter().skip(size).step_by(n_sizes);
            let mean = of_size().map(|point| point.1).sum::<f64>() / n_repeats as f64;
            let n = of_size().map(|point| point.0).sum::<f64>() / n_repeats as f64;
            between += n_repeats as f64 * (mean - self.at(n).0).powi(2);
            within += of_size().map(|point| (point.1 - mean).powi(2)).sum::<f64>();
        }
        let (freedom, rest) = ((n_sizes - 3) as f64, ((n_repeats - 1) * (n_sizes - 1)) as f64);
        match between + within > 0.0 {
            // I_x(a, b) is the distribution function of F; x is the share of what lies between.
            true => Some(1.0 - regularized_beta(0.5 * freedom, 0.5 * rest, between / (between + within))),
            false => None,
        }
    }

    /// Agreement that no number of judgements exceeds: mean and standard deviation.
    pub fn limit(&self) -> (f64, f64) {
        self.moments(|a, _, _| a)
    }
}

/// Sizes and agreements less what each repeat has above or below all others, and the number of repeats.
fn without_repeat_effects(measured: &[Measured]) -> (Vec<(f64, f64)>, usize) {
    let n_repeats = measured.iter().map(|point| point.repeat + 1).max().unwrap_or(0);
    let mut sums = vec![(0.0, 0.0); n_repeats];
    measured.iter().for_each(|m| sums[m.repeat] = (sums[m.repeat].0 + m.agreement, sums[m.repeat].1 + 1.0));
    let mean = measured.iter().map(|m| m.agreement).sum::<f64>() / measured.len() as f64;
    let above = |repeat: usize| sums[repeat].0 / sums[repeat].1 - mean;
    let n_repeats = sums.iter().filter(|sum| sum.1 > 0.0).count();
    (measured.iter().map(|m| (m.n_learned as f64, m.agreement - above(m.repeat))).collect(), n_repeats)
}

/// Adds points of one exponent, with the logarithms of their weights; `falls` are (n / n₀)^(−c) and the agreement.
fn add_exponent(falls: &[(f64, f64)], c: f64, prior_square: f64, freedom: f64, grid: &mut Vec<[f64; 4]>) {
    let n = falls.len() as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| falls.iter().map(of).sum::<f64>() / n;
    let (x_mean, y_mean) = (mean(&|p| p.0), mean(&|p| p.1));
    let spread: f64 = falls.iter().map(|p| (p.0 - x_mean).powi(2)).sum();
    let slope = falls.iter().map(|p| (p.0 - x_mean) * (p.1 - y_mean)).sum::<f64>() / spread;
    let rest: f64 = falls.iter().map(|p| (p.1 - y_mean - slope * (p.0 - x_mean)).powi(2)).sum();
    // Height at the mean and slope are uncorrelated: the grid spans both.
    let sigma = ((rest + prior_square) / (freedom - 2.0).max(1.0)).sqrt();
    let (height_step, slope_step) = (sigma / n.sqrt(), sigma / spread.sqrt());
    for (i, j) in (-N_STEPS..=N_STEPS).flat_map(|i| (-N_STEPS..=N_STEPS).map(move |j| (i, j))) {
        let (u, v) = (SPAN * f64::from(i) / f64::from(N_STEPS), SPAN * f64::from(j) / f64::from(N_STEPS));
        let (height, slope) = (y_mean + u * height_step, slope + v * slope_step);
        let (a, d) = (height - slope * x_mean, -slope);
        if a > 1.0 || d < 0.0 {
            continue;
        }
        let squares = rest + prior_square + sigma * sigma * (u * u + v * v);
        let log_weight = -0.5 * freedom * squares.ln() + (height_step * slope_step).ln();
        grid.push([log_weight, a, d, c]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const SIZES: [usize; 4] = [125, 250, 500, 1000];

    fn truth(n: f64) -> f64 {
        0.85 - 0.15 * (n / 125.0).powf(-0.6)
    }

    /// Four repeats with their own difficulty, as answers to 400 questions would come out.
    fn simulated(rng: &mut ChaCha8Rng) -> Vec<Measured> {
        let mut measured = Vec::new();
        for repeat in 0..4 {
            let own = 0.04 * (rng.random::<f64>() - 0.5);
            for n_learned in SIZES {
                let noise = 0.015 * (0..12).map(|_| rng.random::<f64>() - 0.5).sum::<f64>();
                measured.push(Measured {
                    repeat,
                    n_learned,
                    agreement: truth(n_learned as f64) + own + noise,
                    n_asked: 400,
                });
            }
        }
        measured
    }

    #[test]
    fn a_gain_without_noise_is_found() {
        let point = |n_learned: usize| Measured {
            repeat: 0,
            n_learned,
            agreement: truth(n_learned as f64),
            n_asked: 1_000_000,
        };
        let law = PowerLaw::fit(&[60, 125, 250, 500, 1000, 2000].map(point)).unwrap();
        let (gain, error) = law.gain(2000.0, 1000.0);
        let expected = truth(3000.0) - truth(2000.0);
        assert!((gain - expected).abs() < 0.1 * expected && error < 0.3 * expected, "{gain} ± {error}, {expected}");
        assert!((law.at(2000.0).0 - truth(2000.0)).abs() < 0.001);
        assert!((law.limit().0 - 0.85).abs() < 0.01, "{:?}", law.limit());
    }

    /// The truth lies within two standard deviations about as often as it should, and the gain is not told too exactly.
    #[test]
    fn the_uncertainty_is_honest() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let expected = truth(1500.0) - truth(1000.0);
        let mut within = 0;
        for _ in 0..200 {
            let (gain, error) = PowerLaw::fit(&simulated(&mut rng)).unwrap().gain(1000.0, 500.0);
            within += usize::from((gain - expected).abs() < 2.0 * error);
        }
        assert!((170..=200).contains(&within), "{within} of 200");
    }

    /// Agreement that stays low and then jumps is no power law; one that follows the law is rarely taken for another.
    #[test]
    fn a_late_rise_is_seen() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let (mut late, mut lawful) = (0, 0);
        for _ in 0..200 {
            let measured = simulated(&mut rng);
            let p = |measured: &[Measured]| PowerLaw::fit(measured).unwrap().lack_of_fit(measured, 4).unwrap();
            lawful += usize::from(p(&measured) < 0.01);
            let jump = |m: &Measured| {
                let step = if m.n_learned == 1000 { 0.15 } else { 0.0 };
                Measured { agreement: m.agreement - truth(m.n_learned as f64) + 0.58 + step, ..*m }
            };
            late += usize::from(p(&measured.iter().map(jump).collect::<Vec<_>>()) < 0.01);
        }
        assert!(lawful <= 8 && late > 150, "{lawful} and {late} of 200");
        let law = PowerLaw::fit(&simulated(&mut rng)).unwrap();
        assert_eq!(law.lack_of_fit(&simulated(&mut rng)[..4], 4), None, "a single repeat shows no noise");
    }

    #[test]
    fn a_flat_curve_promises_little_and_two_sizes_tell_nothing() {
        let point = |n_learned: usize| Measured { repeat: 0, n_learned, agreement: 0.8, n_asked: 100_000 };
        let (gain, error) = PowerLaw::fit(&SIZES.map(point)).unwrap().gain(1000.0, 1000.0);
        assert!(gain < 0.002 && error < 0.002, "{gain} ± {error}");
        assert!(PowerLaw::fit(&[point(10), point(20), point(20)]).is_none());
        let falling = |n_learned: usize| Measured { agreement: 0.9 - 0.0003 * n_learned as f64, ..point(n_learned) };
        let law = PowerLaw::fit(&SIZES.map(falling));
        assert!(law.is_none_or(|law| law.gain(1000.0, 500.0).0 < 0.01), "more judgements never promise a loss");
    }
}
