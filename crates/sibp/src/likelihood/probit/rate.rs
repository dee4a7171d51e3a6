//! Tabulates Λ(σg²), the expected number of active features for α = 1.
//!
//! Λ = ∫ h(t) (1 - E Π Φ(-(x·g + t))) dt over g ~ N(0, σg² I). For a direction g the integral is found by quadrature;
//! the mean over directions uses a control variate, -ln Φ(-σ max x·ν), which is what the integral becomes for steep
//! directions and is cheap enough to average over many more of them. The same directions serve every σg².

use super::Basis;
use crate::fault::{Fault, planted};
use crate::numerics::normal::log_density;
use crate::numerics::normal_table::log_cdf;
use crate::rng::{Purpose, Streams};
use rand_distr::{Distribution, StandardNormal};

/// Range and step of ln σg² in the table.
const LOG_RANGE: (f64, f64) = (-8.0, 8.0);
const LOG_STEP: f64 = 1.0;
/// Directions whose integral is found (fewer for many objects), and those that serve the control variate.
const DIRECTIONS: (usize, usize) = (128, 1024);
const DIRECTIONS_TIMES_OBJECTS: usize = 100_000;
const CONTROLS: usize = 16_384;
/// Panels of the quadrature in t, of three Gauss points each.
const PANELS: usize = 40;

/// ln Λ over ln σg².
#[derive(Debug, Clone)]
pub struct ActiveRate {
    logs: Vec<f64>,
    relative_error: f64,
}

impl ActiveRate {
    /// Builds the table; a function of the data and the seed only.
    pub fn new(basis: &Basis, seed: u64) -> Self {
        let mut rng = Streams::new(seed, 0).rng(Purpose::Rate, 0, 0);
        let mut heights = Vec::new();
        // An antithetic pair shares one product: heights and their negatives.
        let mut direction = || -> Vec<f64> { (0..basis.rank()).map(|_| StandardNormal.sample(&mut rng)).collect() };
        let mut exact: Vec<Vec<f64>> = Vec::new();
        let mut tops: Vec<f64> = Vec::new();
        let directions = (DIRECTIONS_TIMES_OBJECTS / basis.n_objects()).clamp(DIRECTIONS.0, DIRECTIONS.1);
        for pair in 0..CONTROLS / 2 {
            basis.heights(&direction(), &mut heights);
            let (low, high) = heights.iter().fold((f64::MAX, f64::MIN), |(l, h), &v| (l.min(v), h.max(v)));
            tops.extend([high, -low]);
            if pair < directions / 2 {
                exact.push(heights.clone());
                exact.push(heights.iter().map(|v| -v).collect());
            }
        }
        for heights in &mut exact {
            heights.sort_by(|a, b| b.total_cmp(a));
        }
        let estimates: Vec<(f64, f64)> = grid().map(|y| estimate(&exact, &tops, (0.5 * y).exp())).collect();
        let relative_error = estimates.iter().map(|(mean, error)| error / mean).fold(0.0, f64::max);
        Self { logs: estimates.iter().map(|(mean, _)| mean.ln()).collect(), relative_error }
    }

    /// Λ at this σg², by cubic interpolation of the logarithms.
    pub fn at(&self, variance: f64) -> f64 {
        let place = (variance.ln() - LOG_RANGE.0) / LOG_STEP;
        let last = self.logs.len() - 1;
        let cell = (place.floor().max(0.0) as usize).min(last - 1);
        let u = place - cell as f64;
        let [b, c] = [self.logs[cell], self.logs[cell + 1]];
        if planted(Fault::LinearRateTable) {
            return b.exp() + u * (c.exp() - b.exp());
        }
        if !(0.0..=1.0).contains(&u) {
            // Beyond the table Λ is a power of σg².
            return (b + u * (c - b)).exp();
        }
        let slope = |at: usize| match at {
            0 => self.logs[1] - self.logs[0],
            at if at == last => self.logs[last] - self.logs[last - 1],
            at => 0.5 * (self.logs[at + 1] - self.logs[at - 1]),
        };
        let (p, q) = (slope(cell), slope(cell + 1));
        let cubic = b + u * (p + u * (3.0 * (c - b) - 2.0 * p - q + u * (p + q - 2.0 * (c - b))));
        cubic.exp()
    }

    /// Largest estimated relative standard error of the table.
    pub fn relative_error(&self) -> f64 {
        self.relative_error
    }
}

fn grid() -> impl Iterator<Item = f64> {
    let n = ((LOG_RANGE.1 - LOG_RANGE.0) / LOG_STEP).round() as usize;
    (0..=n).map(|at| LOG_RANGE.0 + at as f64 * LOG_STEP)
}

/// Mean of the integral over directions and its standard error, at deviation `scale`.
fn estimate(exact: &[Vec<f64>], tops: &[f64], scale: f64) -> (f64, f64) {
    let control = |top: f64| -log_cdf(-scale * top);
    let pairs = |values: &[f64]| -> Vec<f64> { values.chunks_exact(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect() };
    let integrals = pairs(&exact.iter().map(|heights| integral(heights, scale)).collect::<Vec<_>>());
    let controls = pairs(&tops.iter().map(|&top| control(top)).collect::<Vec<_>>());
    let beside = &controls[..integrals.len()];
    let (mean_integral, mean_beside, mean_control) = (mean(&integrals), mean(beside), mean(&controls));
    let centred = |a: &[f64], b: &[f64], ma: f64, mb: f64| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - ma) * (b - mb)).sum::<f64>()
    };
    let spread = centred(beside, beside, mean_beside, mean_beside);
    let slope = if spread > 0.0 { centred(&integrals, beside, mean_integral, mean_beside) / spread } else { 0.0 };
    let residual: f64 =
        integrals.iter().zip(beside).map(|(i, c)| (i - mean_integral - slope * (c - mean_beside)).powi(2)).sum();
    let n = integrals.len() as f64;
    let n_controls = controls.len() as f64;
    let control_variance = centred(&controls, &controls, mean_control, mean_control) / (n_controls - 1.0) / n_controls;
    let error = (residual / (n - 1.0) / n + slope * slope * control_variance).sqrt();
    (mean_integral + slope * (mean_control - mean_beside), error)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// ∫ h(t) (1 - Π Φ(-(σ a + t))) dt for heights `a` in descending order.
fn integral(heights: &[f64], scale: f64) -> f64 {
    let top = scale * heights.first().copied().unwrap_or(0.0);
    // Below the first bound every probability of a 1 is under e^-40; above the second h itself is.
    let (low, high) = ((-top - 9.0).min(-9.0), 9.0);
    let nodes = [(-0.774_596_669_241_483_4, 5.0 / 9.0), (0.0, 8.0 / 9.0), (0.774_596_669_241_483_4, 5.0 / 9.0)];
    let width = (high - low) / PANELS as f64;
    let mut sum = 0.0;
    for panel in 0..PANELS {
        let middle = low + (panel as f64 + 0.5) * width;
        for (offset, weight) in nodes {
            let t = middle + 0.5 * width * offset;
            let intensity = (log_density(t) - log_cdf(t)).exp();
            sum += 0.5 * width * weight * intensity * -log_inactive(heights, scale, t).exp_m1();
        }
    }
    sum
}

/// ln Π Φ(-(σ a + t)), up to the terms that cannot be seen.
fn log_inactive(heights: &[f64], scale: f64, t: f64) -> f64 {
    let mut sum = 0.0;
    for &height in heights {
        let x = scale * height + t;
        if x < -9.0 || sum < -40.0 {
            break;
        }
        sum += log_cdf(-x);
    }
    sum
}
