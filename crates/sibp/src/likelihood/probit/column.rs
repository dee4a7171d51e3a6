//! Regresses one column of bits on the inputs: its likelihood, and a Laplace approximation of (g, t).

use super::Basis;
use super::head_tail::HeadTail;
use crate::fault::{Fault, planted};
use crate::numerics::linalg::{product, view};
use crate::numerics::normal::hazard;
use crate::numerics::normal_table::{log_cdf, log_cdf_slope};
use crate::numerics::simd::axpy;
use crate::parallel::{map, parts};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// Σ ln Φ(±(x·g + t)) of a column, with the heights x·g given.
pub fn log_likelihood(heights: &[f64], stick: f64, column: &[u8]) -> f64 {
    heights.iter().zip(column).map(|(height, &bit)| log_cdf(signed(height + stick, bit))).sum()
}

fn signed(value: f64, bit: u8) -> f64 {
    if bit == 1 { value } else { -value }
}

/// Coefficients and stick of one bit.
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
    /// Climbs with the upper bound XᵀX + I/σg² on the curvature, which is diagonal (the EM steps of the probit model).
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
    if bit == 1 { log_cdf_slope(x) } else { -log_cdf_slope(-x) }
}

/// Maximises the posterior of (g, t) of several columns together: a pass over the objects serves all of them.
///
/// Of very many objects, an even sample leads close to the mode and gives the curvature there; the gradient, and so
/// the mode, is that of all objects. A proposal may use this as well: its density is known, wherever its centre is.
struct Climb<'a> {
    basis: &'a Basis,
    variance: f64,
    columns: &'a [&'a [u8]],
    threads: usize,
}

impl Climb<'_> {
    /// The fits after `n` Newton steps and one more, each with a curvature near it.
    fn finish(&self, n: usize) -> Vec<(ColumnFit, Curvature)> {
        let Some(sample) = self.basis.sample() else {
            return map(self.threads, self.columns.len(), |at| self.one_by_one(self.columns[at], n));
        };
        let (mut fits, curves): (Vec<ColumnFit>, Vec<Curvature>) =
            map(self.threads, self.columns.len(), |at| self.look_at(sample, self.columns[at])).into_iter().unzip();
        for _ in 0..n + 2 {
            let gradients = self.gradients(&fits);
            let steps = fits.iter().zip(&curves).zip(gradients);
            fits = steps.map(|((fit, curve), gradient)| curve.newton(fit, &gradient)).collect();
        }
        fits.into_iter().zip(curves).collect()
    }

    /// The fit of a column by all objects, and the curvature at the last but one.
    fn one_by_one(&self, column: &[u8], n: usize) -> (ColumnFit, Curvature) {
        let mut fit = ColumnFit::approach(self.basis, self.variance, column);
        let curve = |fit: &ColumnFit| Curvature::at(self.basis, self.variance, column, fit, 1.0);
        for _ in 0..n {
            fit = curve(&fit).step(&fit);
        }
        let last = curve(&fit);
        (last.step(&fit), last)
    }

    /// The fit of a column by a sample of the objects, and the curvature there, as of all.
    fn look_at(&self, sample: &Basis, column: &[u8]) -> (ColumnFit, Curvature) {
        let (n, n_sample) = (self.basis.n_objects(), sample.n_objects());
        let bits: Vec<u8> = self.basis.sampled_objects().into_iter().map(|object| column[object]).collect();
        let scale = n as f64 / n_sample as f64;
        // A sample's posterior is wider; a prior wider by the same factor keeps its relative strength.
        let mut fit = ColumnFit::approach(sample, self.variance * scale, &bits);
        fit = Curvature::at(sample, self.variance * scale, &bits, &fit, 1.0).step(&fit);
        let curve = Curvature::at(sample, self.variance, &bits, &fit, scale);
        (fit, curve)
    }

    /// Gradients of the log posteriors over all objects.
    fn gradients(&self, fits: &[ColumnFit]) -> Vec<Vec<f64>> {
        let (k, width) = (fits.len(), self.basis.width());
        let directions: Vec<f64> = fits.iter().flat_map(|fit| fit.coefficients.iter().copied()).collect();
        let directions = self.basis.towards_rows(k, &directions);
        let directions = view(&directions, k, width);
        let ranges: Vec<_> = parts(self.basis.n_objects()).collect();
        let of_parts = map(self.threads, ranges.len(), |part| {
            let rows = self.basis.rows_of(ranges[part].clone());
            let rows = view(&rows, ranges[part].len(), width);
            let mut slopes = product(rows, directions.transpose(), 1.0);
            let mut sums = vec![0.0; k];
            for (at, fit) in fits.iter().enumerate() {
                let column = &self.columns[at][ranges[part].clone()];
                for (height, &bit) in slopes.col_as_slice_mut(at).iter_mut().zip(column) {
                    *height = log_likelihood_slope(*height + fit.stick, bit);
                    sums[at] += *height;
                }
            }
            (product(rows.transpose(), slopes.as_ref(), 1.0), sums)
        });
        let of_column = |(at, fit): (usize, &ColumnFit)| {
            let sum = |i: usize| of_parts.iter().map(|(along, _)| along[(i, at)]).sum();
            let mut gradient = self.basis.from_rows((0..width).map(sum).collect());
            gradient.iter_mut().zip(&fit.coefficients).for_each(|(slope, g)| *slope -= g / self.variance);
            let slope: f64 = of_parts.iter().map(|(_, sums)| sums[at]).sum();
            gradient.push(slope - fit.stick - hazard(fit.stick));
            gradient
        };
        fits.iter().enumerate().map(of_column).collect()
    }
}

/// -(ln h)'' at a stick, between 0 and 1.
pub(super) fn stick_curvature(stick: f64) -> f64 {
    let h = hazard(stick);
    (1.0 - h * (stick + h)).max(0.0)
}

/// Gradient and curvature (negative Hessian) of the log posterior of (g, t).
struct Curvature {
    gradient: Vec<f64>,
    shape: HeadTail,
}

impl Curvature {
    /// The curvature at a fit; every object counts `scale` times.
    fn at(basis: &Basis, variance: f64, column: &[u8], fit: &ColumnFit, scale: f64) -> Self {
        let rank = basis.rank();
        let size = rank + 1;
        let mut heights = Vec::new();
        basis.heights(&fit.coefficients, &mut heights);
        let mut gradient = vec![0.0; size];
        let mut weights = Vec::with_capacity(heights.len());
        for (object_ix, (&height, &bit)) in heights.iter().zip(column).enumerate() {
            let eta = height + fit.stick;
            let slope = log_likelihood_slope(eta, bit);
            // -(ln Φ)'' = h (h + x) in the signed variable.
            weights.push(scale * slope * (slope + eta));
            axpy(scale * slope, &basis.row(object_ix), &mut gradient[..rank]);
            gradient[rank] += scale * slope;
        }
        (0..rank).for_each(|i| gradient[i] -= fit.coefficients[i] / variance);
        gradient[rank] += -fit.stick - hazard(fit.stick);
        Self { gradient, shape: HeadTail::new(basis, &weights, 1.0 / variance, stick_curvature(fit.stick)) }
    }

    /// One Newton step with its own gradient.
    fn step(&self, fit: &ColumnFit) -> ColumnFit {
        self.newton(fit, &self.gradient)
    }

    fn newton(&self, fit: &ColumnFit, gradient: &[f64]) -> ColumnFit {
        let mut step = gradient.to_vec();
        self.shape.solve(&mut step);
        let mut coefficients = fit.coefficients.clone();
        axpy(1.0, &step, &mut coefficients);
        ColumnFit { coefficients, stick: fit.stick + step[step.len() - 1] }
    }
}

/// A Laplace (Gaussian) approximation of the posterior of (g, t) given a column: a proposal whose density is known.
pub struct ColumnPosterior {
    centre: ColumnFit,
    shape: HeadTail,
}

impl ColumnPosterior {
    /// Centres on a Newton step from the cheap approximation, with the curvature found there.
    pub fn new(basis: &Basis, variance: f64, column: &[u8], threads: usize) -> Self {
        let climbed = Climb { basis, variance, columns: &[column], threads }.finish(0);
        let Some((centre, curve)) = climbed.into_iter().next() else { unreachable!("one column has one fit") };
        Self { centre, shape: curve.shape }
    }

    /// A draw.
    pub fn draw<R: Rng>(&self, rng: &mut R) -> ColumnFit {
        let size = self.centre.coefficients.len() + 1;
        let mut step: Vec<f64> = (0..size).map(|_| StandardNormal.sample(rng)).collect();
        self.shape.solve_upper(&mut step);
        let mut coefficients = self.centre.coefficients.clone();
        axpy(1.0, &step, &mut coefficients);
        ColumnFit { coefficients, stick: self.centre.stick + step[size - 1] }
    }

    /// Log density at a point.
    pub fn log_density(&self, fit: &ColumnFit) -> f64 {
        let mut step: Vec<f64> = fit.coefficients.iter().zip(&self.centre.coefficients).map(|(a, b)| a - b).collect();
        step.push(fit.stick - self.centre.stick);
        let square = self.shape.quadratic_form(&step);
        let size = step.len() as f64;
        let log_determinant =
            if planted(Fault::LaplaceWithoutDeterminant) { 0.0 } else { self.shape.log_determinant() };
        0.5 * (log_determinant - square - size * (2.0 * std::f64::consts::PI).ln())
    }
}
