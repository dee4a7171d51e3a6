//! Regresses one column of bits on the inputs: its likelihood, and a Gaussian approximation of (g, t).

use super::Basis;
use crate::numerics::cholesky::Cholesky;
use crate::numerics::normal::hazard;
use crate::numerics::normal_table::log_cdf;
use crate::numerics::simd::axpy;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// Σ ln Φ(±(x·g + t)) of a column, with the heights x·g given.
pub fn log_likelihood(heights: &[f64], stick: f64, column: &[u8]) -> f64 {
    heights.iter().zip(column).map(|(height, &bit)| log_cdf(signed(height + stick, bit))).sum()
}

fn signed(value: f64, bit: u8) -> f64 {
    if bit == 1 { value } else { -value }
}

/// Coefficients and stick of one feature.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnFit {
    /// g, in rotated coordinates.
    pub coefficients: Vec<f64>,
    /// t.
    pub stick: f64,
}

/// Steps with the constant curvature bound; each is cheap.
const BOUND_STEPS: usize = 12;

impl ColumnFit {
    /// The most probable (g, t) given the column, by `newton_steps` Newton steps after cheap ones.
    pub fn most_probable(basis: &Basis, variance: f64, column: &[u8], newton_steps: usize) -> Self {
        let mut fit = Self::approach(basis, variance, column);
        for _ in 0..newton_steps {
            let curve = Curvature::at(basis, variance, column, &fit);
            fit = curve.newton(&fit);
        }
        fit
    }

    /// Climbs with the curvature bound XᵀX + I/σg², which is diagonal (the EM steps of the probit model).
    fn approach(basis: &Basis, variance: f64, column: &[u8]) -> Self {
        let mut fit = Self { coefficients: vec![0.0; basis.rank()], stick: 0.0 };
        let (mut heights, mut slopes, mut along) = (Vec::new(), Vec::new(), Vec::new());
        let n = basis.n_objects() as f64;
        for _ in 0..BOUND_STEPS {
            basis.heights(&fit.coefficients, &mut heights);
            slopes.clear();
            slopes
                .extend(heights.iter().zip(column).map(|(height, &bit)| log_likelihood_slope(height + fit.stick, bit)));
            basis.transposed(&slopes, &mut along);
            for ((g, along), square) in fit.coefficients.iter_mut().zip(&along).zip(basis.squares()) {
                *g += (along - *g / variance) / (square + 1.0 / variance);
            }
            let prior_slope = -fit.stick - hazard(fit.stick);
            fit.stick += (slopes.iter().sum::<f64>() + prior_slope) / (n + 1.0);
        }
        fit
    }
}

/// Derivative of ln Φ(±x) in x.
pub fn log_likelihood_slope(x: f64, bit: u8) -> f64 {
    if bit == 1 { hazard(x) } else { -hazard(-x) }
}

/// Gradient and factored negative Hessian of the log posterior of (g, t).
struct Curvature {
    gradient: Vec<f64>,
    factor: Cholesky,
}

impl Curvature {
    fn at(basis: &Basis, variance: f64, column: &[u8], fit: &ColumnFit) -> Self {
        let rank = basis.rank();
        let size = rank + 1;
        let mut heights = Vec::new();
        basis.heights(&fit.coefficients, &mut heights);
        let mut hessian = vec![0.0; size * size];
        let mut gradient = vec![0.0; size];
        let mut row = vec![1.0; size];
        for (object_ix, (&height, &bit)) in heights.iter().zip(column).enumerate() {
            let eta = height + fit.stick;
            let slope = log_likelihood_slope(eta, bit);
            // -(ln Φ)'' = h (h + x) in the signed variable.
            let weight = slope * (slope + eta);
            row[..rank].copy_from_slice(basis.row(object_ix));
            axpy(slope, &row, &mut gradient);
            for i in 0..size {
                axpy(weight * row[i], &row[..=i], &mut hessian[i * size..i * size + i + 1]);
            }
        }
        for i in 0..rank {
            hessian[i * size + i] += 1.0 / variance;
            gradient[i] -= fit.coefficients[i] / variance;
        }
        let h = hazard(fit.stick);
        gradient[rank] += -fit.stick - h;
        hessian[size * size - 1] += (1.0 - h * (fit.stick + h)).max(0.0);
        let mut factor = Cholesky::default();
        factor.factor(size, &hessian, 1e-9);
        Self { gradient, factor }
    }

    fn newton(&self, fit: &ColumnFit) -> ColumnFit {
        let mut step = self.gradient.clone();
        self.factor.solve(&mut step, 1);
        let mut coefficients = fit.coefficients.clone();
        axpy(1.0, &step, &mut coefficients);
        ColumnFit { coefficients, stick: fit.stick + step[step.len() - 1] }
    }
}

/// A Gaussian approximation of the posterior of (g, t) given a column: a proposal whose density is known.
pub struct ColumnPosterior {
    centre: ColumnFit,
    factor: Cholesky,
}

impl ColumnPosterior {
    /// Centres on a Newton step from the cheap approach, with the curvature found there.
    pub fn new(basis: &Basis, variance: f64, column: &[u8]) -> Self {
        let near = ColumnFit::approach(basis, variance, column);
        let curve = Curvature::at(basis, variance, column, &near);
        Self { centre: curve.newton(&near), factor: curve.factor }
    }

    /// A draw.
    pub fn draw<R: Rng>(&self, rng: &mut R) -> ColumnFit {
        let size = self.centre.coefficients.len() + 1;
        let mut step: Vec<f64> = (0..size).map(|_| StandardNormal.sample(rng)).collect();
        self.factor.solve_upper(&mut step, 1);
        let mut coefficients = self.centre.coefficients.clone();
        axpy(1.0, &step, &mut coefficients);
        ColumnFit { coefficients, stick: self.centre.stick + step[size - 1] }
    }

    /// Log density at a point.
    pub fn log_density(&self, fit: &ColumnFit) -> f64 {
        let mut step: Vec<f64> = fit.coefficients.iter().zip(&self.centre.coefficients).map(|(a, b)| a - b).collect();
        step.push(fit.stick - self.centre.stick);
        let square = self.factor.quadratic_form(&step);
        let size = step.len() as f64;
        0.5 * (self.factor.log_determinant() - square - size * (2.0 * std::f64::consts::PI).ln())
    }
}
