//! Updates coefficients and sticks of the probit model, a feature at a time.

use super::schedule::Regression;
use crate::fault::{Fault, planted};
use crate::likelihood::probit::{Basis, ColumnFit, log_intensity, log_likelihood, log_likelihood_slope};
use crate::model::{ProbitState, draw_coefficients};
use crate::numerics::adaptive_rejection::adaptive_rejection;
use crate::numerics::normal::{draw_half, hazard};
use crate::numerics::simd::dot;
use crate::numerics::slice::slice;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

/// One update of (g, t) of every feature: g by the method, then t given g.
pub fn regressions<R: Rng>(method: Regression, state: &mut ProbitState, basis: &Basis, rng: &mut R) {
    let variance = state.coefficient_variance;
    let mut heights = Vec::new();
    for feature_ix in 0..state.atoms.len() {
        let column = state.code.features.column(feature_ix);
        let fit = &mut state.atoms[feature_ix];
        basis.heights(&fit.coefficients, &mut heights);
        match method {
            Regression::AlbertChib => albert_chib(fit, basis, variance, &column, &mut heights, rng),
            Regression::Elliptical => elliptical(fit, basis, variance, &column, &mut heights, rng),
        }
        // Concave in t, whatever the heights; in b = Φ(t) it would not be.
        let log_density = |t: f64| log_intensity(t) + log_likelihood(&heights, t, &column);
        fit.stick = slice(fit.stick, 1.0, rng, log_density);
    }
}

/// One independent draw of t given g and the column, for every feature.
pub fn sticks<R: Rng>(state: &mut ProbitState, basis: &Basis, rng: &mut R) {
    let mut heights = Vec::new();
    for feature_ix in 0..state.atoms.len() {
        let column = state.code.features.column(feature_ix);
        let fit = &mut state.atoms[feature_ix];
        basis.heights(&fit.coefficients, &mut heights);
        let density = |t: f64| {
            let owners = heights.iter().zip(&column);
            let slope: f64 = owners.map(|(height, &bit)| log_likelihood_slope(height + t, bit)).sum();
            let likelihood = log_likelihood(&heights, t, &column);
            if planted(Fault::NormalSticks) {
                return (likelihood - 0.5 * t * t, slope - t);
            }
            (log_intensity(t) + likelihood, slope - t - hazard(t))
        };
        // The density is log-concave, so only rounding could refuse it; slice sampling does not mind.
        fit.stick = adaptive_rejection(fit.stick, 1.0, rng, density)
            .unwrap_or_else(|_| slice(fit.stick, 1.0, rng, |t| density(t).0));
    }
}

/// Albert & Chib (1993): utilities given bits, then g given utilities. XᵀX is diagonal here, so no factor is needed.
fn albert_chib<R: Rng>(
    fit: &mut ColumnFit,
    basis: &Basis,
    variance: f64,
    column: &[u8],
    heights: &mut Vec<f64>,
    rng: &mut R,
) {
    for (height, &bit) in heights.iter_mut().zip(column) {
        *height = draw_half(*height + fit.stick, bit == 1, rng) - fit.stick;
    }
    let mut along = Vec::new();
    basis.transposed(heights, &mut along);
    for ((g, along), square) in fit.coefficients.iter_mut().zip(&along).zip(basis.squares()) {
        let precision = square + 1.0 / variance;
        let noise: f64 = StandardNormal.sample(rng);
        *g = along / precision + noise / precision.sqrt();
    }
    basis.heights(&fit.coefficients, heights);
}

/// Shrinks the angle at most this often; the bracket is then below the spacing of floating-point numbers.
const MAX_SHRINKS: usize = 100;

/// Elliptical slice sampling (Murray et al. 2010), the paper's choice.
fn elliptical<R: Rng>(
    fit: &mut ColumnFit,
    basis: &Basis,
    variance: f64,
    column: &[u8],
    heights: &mut Vec<f64>,
    rng: &mut R,
) {
    let other = draw_coefficients(basis.rank(), variance, rng);
    let mut other_heights = Vec::new();
    basis.heights(&other, &mut other_heights);
    let level = log_likelihood(heights, fit.stick, column) + (1.0 - rng.random::<f64>()).ln();
    let mut angle = rng.random::<f64>() * std::f64::consts::TAU;
    let (mut low, mut high) = (angle - std::f64::consts::TAU, angle);
    for _ in 0..MAX_SHRINKS {
        let mix = |a: &[f64], b: &[f64]| -> Vec<f64> {
            a.iter().zip(b).map(|(a, b)| a * angle.cos() + b * angle.sin()).collect()
        };
        let candidate = mix(heights, &other_heights);
        let square = |g: &[f64]| dot(g, g) / variance;
        let of_joint = planted(Fault::EllipseOfJoint);
        let prior = of_joint.then(|| 0.5 * (square(&mix(&fit.coefficients, &other)) - square(&fit.coefficients)));
        if log_likelihood(&candidate, fit.stick, column) > level + prior.unwrap_or(0.0) {
            fit.coefficients = mix(&fit.coefficients, &other);
            *heights = candidate;
            return;
        }
        if angle < 0.0 {
            low = angle;
        } else {
            high = angle;
        }
        angle = low + (high - low) * rng.random::<f64>();
    }
}

/// Exchanges owners and non-owners of features, with (g, t) negated. No triplet notices; the ratio is h(-t)/h(t).
pub fn complements<R: Rng>(state: &mut ProbitState, rng: &mut R) {
    let n_objects = state.code.features.n_objects();
    let mut order: Vec<usize> = (0..state.atoms.len()).collect();
    order.shuffle(rng);
    for feature_ix in order {
        let fit = &mut state.atoms[feature_ix];
        let threshold = rng.random::<f64>().ln();
        let all_own = state.code.features.counts()[feature_ix] as usize == n_objects;
        let ratio = log_intensity(-fit.stick) - log_intensity(fit.stick);
        if !all_own && (threshold < ratio || planted(Fault::ComplementAlways)) {
            fit.stick = -fit.stick;
            fit.coefficients.iter_mut().for_each(|g| *g = -*g);
            state.code.features.complement(feature_ix);
        }
    }
}
