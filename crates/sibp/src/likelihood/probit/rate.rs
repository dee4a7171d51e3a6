//! Tabulates Λ(σg²), the expected number of active features for α = 1.
//!
//! Λ = ∫ h(t) (1 - E Π Φ(-(x·g + t))) dt over g ~ N(0, σg² I). For a direction g the integral is found by quadrature;
//! the mean over directions uses a control variate, -ln Φ(-σ max x·ν), which is what the integral becomes for steep
//! directions and is cheap enough to average over many more of them. The same directions serve every σg². They are
//! scrambled Sobol points: independent ones left the table up to 1 % off, enough for Geweke's test to see α lean.

use super::Basis;
use crate::fault::{Fault, planted};
use crate::numerics::normal::{log_density, quantile};
use crate::numerics::normal_table::log_cdf;
use crate::rng::{Purpose, Streams};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

/// Range and step of ln σg² in the table.
const LOG_RANGE: (f64, f64) = (-8.0, 8.0);
const LOG_STEP: f64 = 1.0;
/// Directions whose integral is found (fewer for many objects), and those that serve the control variate.
const DIRECTIONS: (usize, usize) = (256, 2048);
const DIRECTIONS_TIMES_OBJECTS: usize = 300_000;
const CONTROLS: usize = 16_384;
/// Independent scrambles of the directions, whose spread tells the error.
const SCRAMBLES: usize = 8;
/// Pairs of opposites of a scramble that are tried first, and the relative error at which no more are taken.
const FEW_PAIRS: usize = 8;
const ENOUGH: f64 = 5e-4;
/// Panels of the quadrature in t, of three Gauss points each, and half the width they cover.
const PANELS: usize = 12;
const REACH: f64 = 9.0;

/// ln Λ over ln σg².
#[derive(Debug, Clone)]
pub struct ActiveRate {
    logs: Vec<f64>,
    relative_error: f64,
}

impl ActiveRate {
    /// Builds the table; a function of the data and the seed only.
    pub fn new(basis: &Basis, seed: u64) -> Self {
        let per_scramble = (DIRECTIONS_TIMES_OBJECTS / basis.n_objects()).clamp(DIRECTIONS.0, DIRECTIONS.1) / SCRAMBLES;
        let scrambles: Vec<Scramble> =
            (0..SCRAMBLES).map(|at| Scramble::new(basis, seed, at, per_scramble.next_power_of_two() / 2)).collect();
        let estimates: Vec<(f64, f64)> = grid().map(|y| estimate(&scrambles, (0.5 * y).exp())).collect();
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
            at if at == 1 || at + 1 == last => 0.5 * (self.logs[at + 1] - self.logs[at - 1]),
            at => (8.0 * (self.logs[at + 1] - self.logs[at - 1]) - self.logs[at + 2] + self.logs[at - 2]) / 12.0,
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

/// Heights of all objects along the directions of one scrambled Sobol sequence, each direction with its opposite.
///
/// The leading principal axes take the leading, most even dimensions of the sequence.
struct Scramble {
    /// Heights in descending order along directions whose integral is found, opposites side by side.
    heights: Vec<Vec<f64>>,
    /// Largest height along these and many further directions.
    tops: Vec<f64>,
}

impl Scramble {
    fn new(basis: &Basis, seed: u64, scramble: usize, n_pairs: usize) -> Self {
        let mut rng = Streams::new(seed, 0).rng(Purpose::Rate, scramble, 0);
        let sequence: u32 = rng.random();
        let mut result = Self { heights: Vec::new(), tops: Vec::new() };
        let mut heights = Vec::new();
        for pair in 0..CONTROLS / SCRAMBLES / 2 {
            let direction: Vec<f64> =
                (0..basis.rank()).map(|axis| coordinate(pair, axis, sequence, &mut rng)).collect();
            basis.heights(&direction, &mut heights);
            let (low, high) = heights.iter().fold((f64::MAX, f64::MIN), |(l, h), &v| (l.min(v), h.max(v)));
            result.tops.extend([high, -low]);
            if pair < n_pairs {
                heights.sort_by(|a, b| b.total_cmp(a));
                result.heights.push(heights.clone());
                result.heights.push(heights.iter().rev().map(|v| -v).collect());
            }
        }
        result
    }

    /// Integrals of the first directions and controls of all at deviation `scale`, averaged over opposites.
    fn values(&self, scale: f64, n_pairs: usize) -> (Vec<f64>, Vec<f64>) {
        let pairs = |values: Vec<f64>| values.chunks_exact(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
        let integrals = self.heights.iter().take(2 * n_pairs).map(|heights| integral(heights, scale)).collect();
        let controls = self.tops.iter().map(|&top| -log_cdf(-scale * top)).collect();
        (pairs(integrals), pairs(controls))
    }
}

/// One coordinate of a standard normal direction.
fn coordinate(point: usize, axis: usize, sequence: u32, rng: &mut impl Rng) -> f64 {
    if axis >= sobol_burley::NUM_DIMENSIONS as usize {
        return StandardNormal.sample(rng);
    }
    let place = f64::from(sobol_burley::sample(point as u32, axis as u32, sequence));
    // The middle of the cell that single precision can tell apart.
    quantile(place + 0.5 / f64::from(1 << 24))
}

/// Mean of the integral over directions and its standard error, at deviation `scale`: a few of them where they differ
/// little, else all.
fn estimate(scrambles: &[Scramble], scale: f64) -> (f64, f64) {
    let (mean, error) = estimate_by(scrambles, scale, FEW_PAIRS);
    if error < ENOUGH * mean { (mean, error) } else { estimate_by(scrambles, scale, usize::MAX / 2) }
}

fn estimate_by(scrambles: &[Scramble], scale: f64, n_pairs: usize) -> (f64, f64) {
    let values: Vec<(Vec<f64>, Vec<f64>)> = scrambles.iter().map(|scramble| scramble.values(scale, n_pairs)).collect();
    let both =
        || values.iter().flat_map(|(integrals, controls)| integrals.iter().copied().zip(controls.iter().copied()));
    let slope = regression_slope(&both().collect::<Vec<_>>());
    let controlled = |(integrals, controls): &(Vec<f64>, Vec<f64>)| {
        mean(integrals) + slope * (mean(controls) - mean(&controls[..integrals.len()]))
    };
    let means: Vec<f64> = values.iter().map(controlled).collect();
    let middle = mean(&means);
    let n = means.len() as f64;
    let squares: f64 = means.iter().map(|m| (m - middle).powi(2)).sum();
    (middle, (squares / (n - 1.0) / n).sqrt())
}

/// Slope of the first values on the second ones.
fn regression_slope(pairs: &[(f64, f64)]) -> f64 {
    let n = pairs.len() as f64;
    let (first, second) = pairs.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let (product, square) = pairs.iter().fold((0.0, 0.0), |(product, square), (x, y)| {
        (product + (x - first) * (y - second), square + (y - second).powi(2))
    });
    if square > 0.0 { product / square } else { 0.0 }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// ∫ h(t) (1 - Π Φ(-(σ a + t))) dt for heights `a` in descending order.
fn integral(heights: &[f64], scale: f64) -> f64 {
    let top = scale * heights.first().copied().unwrap_or(0.0);
    // Below this window every probability of a 1 is under e^-40; above it somebody owns the feature for sure.
    let (low, high) = (-top - REACH, -top + REACH);
    let nodes = [(-0.774_596_669_241_483_4, 5.0 / 9.0), (0.0, 8.0 / 9.0), (0.774_596_669_241_483_4, 5.0 / 9.0)];
    let width = (high - low) / PANELS as f64;
    let mut sum = -log_cdf(high);
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
        if x < -REACH || sum < -40.0 {
            break;
        }
        sum += log_cdf(-x);
    }
    sum
}
