//! Tabulates Λ(σg²), the expected number of active bits for α = 1.
//!
//! Λ = ∫ h(t) (1 - E Π Φ(-(x·g + t))) dt over g ~ N(0, σg² I). For a direction g the integral is found by quadrature;
//! the mean over directions uses a control variate, -ln Φ(-σ max x·ν), which is what the integral becomes for steep
//! directions and is cheap enough to average over many more of them. The same directions serve every σg². They are
//! scrambled Sobol points: independent ones left the table up to 1 % off, enough for Geweke's test to detect a bias of
//! α.

mod directions;
mod profile;

use super::{Basis, Limits};
use crate::fault::{Fault, planted};
use crate::parallel::map;
use directions::{Scramble, Values, scrambles};

/// Range and step of ln σg² in the table.
const LOG_RANGE: (f64, f64) = (-8.0, 8.0);
const LOG_STEP: f64 = 1.0;
/// Pairs of opposites of a scramble that are used first, and the relative error at which no more are used.
const FEW_PAIRS: usize = 8;
const ENOUGH: f64 = 5e-4;

/// ln Λ over ln σg².
#[derive(Debug, Clone)]
pub struct ActiveRate {
    logs: Vec<f64>,
    relative_error: f64,
}

impl ActiveRate {
    /// Builds the table; it depends on the data and the seed only.
    pub fn new(basis: &Basis, seed: u64, threads: usize) -> Self {
        Self::within(basis, seed, threads, Limits::STANDARD)
    }

    /// Builds the table; `limits` tell from which size on heights are binned.
    pub fn within(basis: &Basis, seed: u64, threads: usize, limits: Limits) -> Self {
        if basis.rank() == 0 {
            // Without inputs bits are those of the buffet, whose number for N objects has mean H_N.
            let harmonic: f64 = (1..=basis.n_objects()).map(|n| 1.0 / n as f64).sum();
            return Self { logs: grid().map(|_| harmonic.ln()).collect(), relative_error: 0.0 };
        }
        let largest_scale = (0.5 * LOG_RANGE.1).exp();
        let scrambles = scrambles(basis, seed, largest_scale, threads, limits);
        let places: Vec<f64> = grid().collect();
        let estimates = map(threads, places.len(), |at| estimate(&scrambles, (0.5 * places[at]).exp()));
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

/// Mean of the integral over directions and its standard error, at standard deviation `scale`: from a few directions
/// where they differ little, else from all.
fn estimate(scrambles: &[Scramble], scale: f64) -> (f64, f64) {
    let (mean, error) = estimate_by(scrambles, scale, FEW_PAIRS);
    if error < ENOUGH * mean { (mean, error) } else { estimate_by(scrambles, scale, usize::MAX / 2) }
}

fn estimate_by(scrambles: &[Scramble], scale: f64, n_pairs: usize) -> (f64, f64) {
    let values: Vec<Values> = scrambles.iter().map(|scramble| scramble.values(scale, n_pairs)).collect();
    let slope = regression_slope(values.iter().map(|v| (&v.integrals, &v.controls)));
    let rough_slope = regression_slope(values.iter().map(|v| (&v.controls, &v.rough_controls)));
    let controlled = |v: &Values| {
        let change = |rough: &[f64]| mean(rough) - mean(&rough[..v.controls.len()]);
        let rough = if v.rough_controls.is_empty() { 0.0 } else { rough_slope * change(&v.rough_controls) };
        mean(&v.integrals) + slope * (mean(&v.controls) + rough - mean(&v.controls[..v.integrals.len()]))
    };
    let means: Vec<f64> = values.iter().map(controlled).collect();
    let middle = mean(&means);
    let n = means.len() as f64;
    let squares: f64 = means.iter().map(|m| (m - middle).powi(2)).sum();
    (middle, (squares / (n - 1.0) / n).sqrt())
}

/// Slope of the regression of the first values on the second ones, over their common length.
fn regression_slope<'a>(lists: impl Iterator<Item = (&'a Vec<f64>, &'a Vec<f64>)>) -> f64 {
    let pairs: Vec<(f64, f64)> = lists.flat_map(|(a, b)| a.iter().copied().zip(b.iter().copied())).collect();
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
