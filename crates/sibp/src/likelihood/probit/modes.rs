//! Finds the most probable (g, t) given each of many columns, by Newton's method with conjugate gradients.
//!
//! The log posterior is strictly concave: there is one mode, wherever the climb starts. One pass over the objects
//! serves all columns, and no matrix of inputs x inputs is formed. Of very many objects, an even sample gives the
//! curvature; value and gradient, and so the mode, are those of all objects.

use super::column::{ColumnFit, log_likelihood_slope, stick_curvature};
use super::head_tail::HeadTail;
use super::{Basis, log_intensity};
use crate::fault::{Fault, planted};
use crate::numerics::linalg::{Mat, product, view};
use crate::numerics::normal::hazard;
use crate::numerics::normal_table::log_cdf;
use crate::numerics::simd::{axpy, dot};
use crate::parallel::{map, parts};
use std::sync::Arc;

/// Newton steps after which a climb ends in any case; a handful is usual.
const MAX_STEPS: usize = 60;
/// Halvings of a step that leads downhill.
const MAX_HALVINGS: usize = 40;
/// Newton steps after which the approximations of Hessians are made anew: they change little from one to the next.
const RENEWED: usize = 3;
/// Steps of conjugate gradients in one Newton step.
const MAX_CONJUGATE: usize = 200;
/// The share of the predicted rise that a step must bring.
const SUFFICIENT: f64 = 1e-4;

/// Columns of bits, and the prior of their coefficients.
#[derive(Clone, Copy)]
pub struct Columns<'a> {
    /// The inputs.
    pub basis: &'a Basis,
    /// σg².
    pub variance: f64,
    /// The bits, a column each.
    pub columns: &'a [&'a [u8]],
    /// Threads, on which nothing depends.
    pub threads: usize,
}

/// The end of a climb.
#[derive(Debug, Clone)]
pub struct Mode {
    /// Coefficients and stick.
    pub fit: ColumnFit,
    /// Norm of the gradient, each coordinate in units of its posterior standard deviation: 0 at the mode.
    pub gradient: f64,
    /// ln h(t) + ln Π Φ(±(x·g + t)) - |g|²/(2σg²).
    pub log_density: f64,
    /// By how much that is higher at the mode, to second order.
    pub(super) below_mode: f64,
}

/// Value, gradient and curvature of the log posterior of one column at a point.
#[derive(Clone)]
struct Look {
    value: f64,
    /// Slopes along g and, last, t.
    gradient: Vec<f64>,
    /// -(ln Φ)'' of every object that gives the curvature.
    weights: Vec<f64>,
}

impl<'a> Columns<'a> {
    /// Climbs from these fits until every gradient's norm is at most `tolerance`.
    pub fn modes(&self, from: &[ColumnFit], tolerance: f64) -> Vec<Mode> {
        let sample = self.basis.sample().map(|sample| self.sampled(sample));
        let mut fits = from.to_vec();
        let mut looks = self.look(&fits, &indices(fits.len()));
        let mut norms = vec![f64::INFINITY; fits.len()];
        let mut shapes: Vec<Option<Arc<HeadTail>>> = vec![None; fits.len()];
        let steps = if planted(Fault::FewRefitSteps) { 2 } else { MAX_STEPS };
        for step in 0..steps {
            if step % RENEWED == 0 {
                shapes.fill(None);
            }
            let active: Vec<usize> = (0..fits.len()).filter(|&at| norms[at] > tolerance).collect();
            let curves = Curves::new(self, sample.as_ref(), &fits, &looks, active, &mut shapes);
            for (at, &column) in curves.owners.iter().enumerate() {
                norms[column] = curves.norm(at, &looks[column].gradient);
            }
            let active: Vec<usize> =
                (0..curves.owners.len()).filter(|&at| norms[curves.owners[at]] > tolerance).collect();
            if active.is_empty() {
                break;
            }
            let gradients: Vec<&[f64]> = active.iter().map(|&at| &looks[curves.owners[at]].gradient[..]).collect();
            let steps = curves.solve(&active, &gradients);
            let owners: Vec<usize> = active.iter().map(|&at| curves.owners[at]).collect();
            self.climb(&owners, steps, &mut fits, &mut looks);
        }
        let below_mode = |look: &Look, shape: &Option<Arc<HeadTail>>| match shape {
            Some(shape) => 0.5 * dot(&look.gradient, &shape.solved(&look.gradient)),
            None => 0.0,
        };
        let below: Vec<f64> = looks.iter().zip(&shapes).map(|(look, shape)| below_mode(look, shape)).collect();
        let ends = fits.into_iter().zip(looks).zip(norms.into_iter().zip(below));
        ends.map(|((fit, look), (gradient, below_mode))| Mode { fit, gradient, log_density: look.value, below_mode })
            .collect()
    }

    /// Logarithms of ∫∫ h(t) N(g; 0, σg²I) Π Φ(±(x·g + t)) dg dt, by Laplace's approximation near these modes.
    pub fn log_evidence(&self, modes: &[Mode]) -> Vec<f64> {
        let fits: Vec<ColumnFit> = modes.iter().map(|mode| mode.fit.clone()).collect();
        let determinants = super::determinant::log_determinants(self, &fits);
        let rank = self.basis.rank() as f64;
        let constant = 0.5 * ((2.0 * std::f64::consts::PI).ln() - rank * self.variance.ln());
        let evidence = |(mode, log_det): (&Mode, f64)| mode.log_density + mode.below_mode + constant - 0.5 * log_det;
        modes.iter().zip(determinants).map(evidence).collect()
    }

    /// Goes the steps of these columns, halving those that lead downhill.
    fn climb(&self, columns: &[usize], steps: Vec<Vec<f64>>, fits: &mut [ColumnFit], looks: &mut [Look]) {
        let mut open: Vec<(usize, Vec<f64>)> = columns.iter().copied().zip(steps).collect();
        for _ in 0..MAX_HALVINGS {
            let tried: Vec<ColumnFit> = open.iter().map(|(column, step)| moved(&fits[*column], step)).collect();
            let which: Vec<usize> = open.iter().map(|(column, _)| *column).collect();
            let found = self.look(&tried, &which);
            let mut rejected = Vec::new();
            for ((column, mut step), (fit, look)) in open.into_iter().zip(tried.into_iter().zip(found)) {
                let old = &looks[column];
                // Near the mode, values differ by their rounding errors only.
                let rounding = 1e-11 * (1.0 + old.value.abs());
                if look.value >= old.value + SUFFICIENT * dot(&old.gradient, &step) - rounding {
                    fits[column] = fit;
                    looks[column] = look;
                } else {
                    step.iter_mut().for_each(|value| *value *= 0.5);
                    rejected.push((column, step));
                }
            }
            open = rejected;
            if open.is_empty() {
                return;
            }
        }
    }

    /// Value, gradient and weights of some columns, each at its fit.
    fn look(&self, fits: &[ColumnFit], which: &[usize]) -> Vec<Look> {
        let (k, width) = (fits.len(), self.basis.width());
        let directions: Vec<f64> = fits.iter().flat_map(|fit| fit.coefficients.iter().copied()).collect();
        let directions = self.basis.towards_rows(k, &directions);
        let directions = view(&directions, k, width);
        let ranges: Vec<_> = parts(self.basis.n_objects()).collect();
        let keeps_weights = self.basis.sample().is_none();
        let of_parts = map(self.threads, ranges.len(), |part| {
            let rows = self.basis.rows_of(ranges[part].clone());
            let rows = view(&rows, ranges[part].len(), width);
            let mut slopes = product(rows, directions.transpose(), 1.0);
            let mut sums = vec![(0.0, 0.0); k];
            let mut weights = vec![Vec::new(); k];
            for (at, fit) in fits.iter().enumerate() {
                let column = &self.columns[which[at]][ranges[part].clone()];
                for (height, &bit) in slopes.col_as_slice_mut(at).iter_mut().zip(column) {
                    let eta = *height + fit.stick;
                    let slope = log_likelihood_slope(eta, bit);
                    sums[at].0 += log_cdf(if bit == 1 { eta } else { -eta });
                    sums[at].1 += slope;
                    if keeps_weights {
                        weights[at].push(slope * (slope + eta));
                    }
                    *height = slope;
                }
            }
            (product(rows.transpose(), slopes.as_ref(), 1.0), sums, weights)
        });
        let of_column = |at: usize| {
            let fit = &fits[at];
            let sum = |i: usize| of_parts.iter().map(|(along, ..)| along[(i, at)]).sum();
            let mut gradient = self.basis.from_rows((0..width).map(sum).collect());
            gradient.iter_mut().zip(&fit.coefficients).for_each(|(slope, g)| *slope -= g / self.variance);
            let slope: f64 = of_parts.iter().map(|(_, sums, _)| sums[at].1).sum();
            gradient.push(slope - fit.stick - hazard(fit.stick));
            let likelihood: f64 = of_parts.iter().map(|(_, sums, _)| sums[at].0).sum();
            let square = dot(&fit.coefficients, &fit.coefficients);
            let value = log_intensity(fit.stick) + likelihood - 0.5 * square / self.variance;
            Look { value, gradient, weights: of_parts.iter().flat_map(|(.., weights)| weights[at].clone()).collect() }
        };
        (0..k).map(of_column).collect()
    }

    /// The bits of a sample of the objects.
    fn sampled(&self, basis: &'a Basis) -> Sampled<'a> {
        let (n, n_sample) = (self.basis.n_objects(), basis.n_objects());
        let sampled = self.basis.sampled_objects();
        let of_column = |column: &&[u8]| sampled.iter().map(|&object| column[object]).collect();
        Sampled { basis, columns: self.columns.iter().map(of_column).collect(), scale: n as f64 / n_sample as f64 }
    }
}

/// The objects of a sample, and how many objects each stands for.
struct Sampled<'a> {
    basis: &'a Basis,
    columns: Vec<Vec<u8>>,
    scale: f64,
}

/// Negative Hessians of the log posteriors of several columns, as products with vectors.
pub(super) struct Curves<'a> {
    basis: &'a Basis,
    threads: usize,
    /// Which column each Hessian belongs to.
    owners: Vec<usize>,
    weights: Vec<Vec<f64>>,
    precision: f64,
    /// -(ln h)'' at each stick.
    stick_curvature: Vec<f64>,
    /// An approximation of each diagonal: exact where weights and inputs are unrelated.
    diagonals: Vec<Vec<f64>>,
    /// A better approximation of each, with which conjugate gradients need few steps.
    shapes: Vec<Arc<HeadTail>>,
}

impl<'a> Curves<'a> {
    fn new(
        problem: &Columns<'a>,
        sample: Option<&Sampled<'a>>,
        fits: &[ColumnFit],
        looks: &[Look],
        owners: Vec<usize>,
        kept: &mut [Option<Arc<HeadTail>>],
    ) -> Self {
        let own: Vec<ColumnFit> = owners.iter().map(|&at| fits[at].clone()).collect();
        let (basis, weights) = match sample {
            None => (problem.basis, owners.iter().map(|&at| looks[at].weights.clone()).collect()),
            Some(sample) => (sample.basis, sample.weights(problem, &own, &owners)),
        };
        let shapes = owners.iter().map(|&owner| kept[owner].clone()).collect();
        let curves = Self::with(basis, problem, own.as_slice(), owners, weights, shapes);
        let made = curves.owners.iter().zip(&curves.shapes);
        made.for_each(|(&owner, shape)| kept[owner] = Some(shape.clone()));
        curves
    }

    fn with(
        basis: &'a Basis,
        problem: &Columns<'a>,
        fits: &[ColumnFit],
        owners: Vec<usize>,
        weights: Vec<Vec<f64>>,
        kept: Vec<Option<Arc<HeadTail>>>,
    ) -> Self {
        let precision = 1.0 / problem.variance;
        let stick_curvature: Vec<f64> = fits.iter().map(|fit| stick_curvature(fit.stick)).collect();
        let diagonal = |(weights, stick): (&Vec<f64>, &f64)| {
            let total: f64 = weights.iter().sum();
            let mean = total / weights.len().max(1) as f64;
            let along = basis.squares().iter().map(|square| mean * square + precision);
            along.chain([total + stick]).collect()
        };
        let diagonals = weights.iter().zip(&stick_curvature).map(diagonal).collect();
        let shapes = map(problem.threads, weights.len(), |at| {
            let made = || Arc::new(HeadTail::new(basis, &weights[at], precision, stick_curvature[at]));
            kept[at].clone().unwrap_or_else(made)
        });
        Self { basis, threads: problem.threads, owners, weights, precision, stick_curvature, diagonals, shapes }
    }

    /// The Hessians at these fits, one for each column.
    pub(super) fn at(problem: &Columns<'a>, fits: &[ColumnFit]) -> Self {
        let all = indices(fits.len());
        match problem.basis.sample() {
            None => {
                let weights = problem.look(fits, &all).into_iter().map(|look| look.weights).collect();
                let none = vec![None; fits.len()];
                Self::with(problem.basis, problem, fits, all, weights, none)
            }
            Some(sample) => {
                let sample = problem.sampled(sample);
                let weights = sample.weights(problem, fits, &all);
                let none = vec![None; fits.len()];
                Self::with(sample.basis, problem, fits, all, weights, none)
            }
        }
    }

    /// Coordinates of (g, t).
    pub(super) fn size(&self) -> usize {
        self.basis.rank() + 1
    }

    pub(super) fn n(&self) -> usize {
        self.weights.len()
    }

    /// The approximation of one Hessian.
    pub(super) fn shape(&self, at: usize) -> &HeadTail {
        &self.shapes[at]
    }

    fn norm(&self, at: usize, gradient: &[f64]) -> f64 {
        gradient.iter().zip(&self.diagonals[at]).map(|(slope, d)| slope * slope / d).sum::<f64>().sqrt()
    }

    /// Products of Hessians with vectors (g, t): `which` tells whose Hessian each vector meets.
    pub(super) fn apply(&self, which: &[usize], vectors: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let (k, width, rank) = (vectors.len(), self.basis.width(), self.basis.rank());
        let directions: Vec<f64> = vectors.iter().flat_map(|vector| vector[..rank].iter().copied()).collect();
        let directions = view(&directions, k, width);
        let ranges: Vec<_> = parts(self.basis.n_objects()).collect();
        let of_parts: Vec<(Mat<f64>, Vec<f64>)> = map(self.threads, ranges.len(), |part| {
            let rows = self.basis.rows_of(ranges[part].clone());
            let rows = view(&rows, ranges[part].len(), width);
            let mut heights = product(rows, directions.transpose(), 1.0);
            let mut sums = vec![0.0; k];
            for (at, vector) in vectors.iter().enumerate() {
                let weights = &self.weights[which[at]][ranges[part].clone()];
                for (height, weight) in heights.col_as_slice_mut(at).iter_mut().zip(weights) {
                    *height = weight * (*height + vector[rank]);
                    sums[at] += *height;
                }
            }
            (product(rows.transpose(), heights.as_ref(), 1.0), sums)
        });
        let of_vector = |at: usize| {
            let sum = |i: usize| of_parts.iter().map(|(along, _)| along[(i, at)]).sum::<f64>();
            let mut result: Vec<f64> = (0..rank).map(|i| sum(i) + self.precision * vectors[at][i]).collect();
            let total: f64 = of_parts.iter().map(|(_, sums)| sums[at]).sum();
            result.push(total + self.stick_curvature[which[at]] * vectors[at][rank]);
            result
        };
        (0..k).map(of_vector).collect()
    }

    /// Newton steps of some columns: conjugate gradients, the more precise the nearer the mode.
    fn solve(&self, which: &[usize], gradients: &[&[f64]]) -> Vec<Vec<f64>> {
        let mut runs: Vec<Conjugate> =
            which.iter().zip(gradients).map(|(&at, gradient)| Conjugate::new(gradient, &self.shapes[at])).collect();
        for _ in 0..MAX_CONJUGATE {
            let open: Vec<usize> = (0..runs.len()).filter(|&at| !runs[at].is_done()).collect();
            if open.is_empty() {
                break;
            }
            let owners: Vec<usize> = open.iter().map(|&at| which[at]).collect();
            let vectors: Vec<Vec<f64>> = open.iter().map(|&at| runs[at].direction.clone()).collect();
            let products = self.apply(&owners, &vectors);
            for ((&at, &owner), product) in open.iter().zip(&owners).zip(&products) {
                runs[at].advance(product, &self.shapes[owner]);
            }
        }
        runs.into_iter().map(|run| run.step).collect()
    }
}

impl Sampled<'_> {
    /// Weights of the sampled objects at these fits, as of all objects.
    fn weights(&self, problem: &Columns<'_>, fits: &[ColumnFit], owners: &[usize]) -> Vec<Vec<f64>> {
        let columns: Vec<&[u8]> = self.columns.iter().map(Vec::as_slice).collect();
        let problem = Columns { basis: self.basis, columns: &columns, ..*problem };
        let mut weights: Vec<Vec<f64>> = problem.look(fits, owners).into_iter().map(|look| look.weights).collect();
        weights.iter_mut().flatten().for_each(|weight| *weight *= self.scale);
        weights
    }
}

/// Preconditioned conjugate gradients for one Newton step.
struct Conjugate {
    step: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    /// rᵀP⁻¹r now, and where it is small enough.
    square: f64,
    enough: f64,
}

impl Conjugate {
    fn new(gradient: &[f64], shape: &HeadTail) -> Self {
        let direction = shape.solved(gradient);
        let square = dot(gradient, &direction);
        // The nearer the mode, the more precise: quadratic convergence at the cost of few products far from it.
        let share = square.sqrt().min(0.25);
        Self {
            step: vec![0.0; gradient.len()],
            residual: gradient.to_vec(),
            direction,
            square,
            enough: square * share * share,
        }
    }

    fn is_done(&self) -> bool {
        self.square <= self.enough || self.square < f64::MIN_POSITIVE
    }

    fn advance(&mut self, product: &[f64], shape: &HeadTail) {
        let length = self.square / dot(&self.direction, product);
        axpy(length, &self.direction, &mut self.step);
        axpy(-length, product, &mut self.residual);
        let along = shape.solved(&self.residual);
        let square = dot(&self.residual, &along);
        let share = square / self.square;
        self.direction.iter_mut().zip(along).for_each(|(p, z)| *p = z + share * *p);
        self.square = square;
    }
}

fn moved(fit: &ColumnFit, step: &[f64]) -> ColumnFit {
    let mut coefficients = fit.coefficients.clone();
    axpy(1.0, &step[..step.len() - 1], &mut coefficients);
    ColumnFit { coefficients, stick: fit.stick + step[step.len() - 1] }
}

pub(super) fn indices(n: usize) -> Vec<usize> {
    (0..n).collect()
}
