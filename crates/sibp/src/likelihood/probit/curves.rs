//! Multiplies the Hessians of many columns with vectors, and solves for Newton steps by conjugate gradients.
//!
//! Of many inputs the products are formed in single precision, at half the cost: they lead to the mode and give
//! determinants, while values and gradients, which tell where the mode is, are those of double precision.

use super::Basis;
use super::column::{ColumnFit, stick_curvature};
use super::head_tail::HeadTail;
use super::modes::{Columns, Mode, indices};
use crate::numerics::linalg::{Float, Mat, product_of, view};
use crate::numerics::simd::{axpy, dot};
use crate::parallel::{map, parts};
use std::sync::Arc;

/// Steps of conjugate gradients in one Newton step.
const MAX_CONJUGATE: usize = 200;
/// Share of the gradient that conjugate gradients may leave, far from the mode: a product costs less than a look.
const LEAST_PRECISE: f64 = 0.1;

/// Negative Hessians of the log posteriors of several columns, as products with vectors.
pub(super) struct Curves<'a> {
    basis: &'a Basis,
    threads: usize,
    weights: Vec<Vec<f64>>,
    precision: f64,
    /// -(ln h)'' at each stick.
    stick_curvature: Vec<f64>,
    /// An approximation of each diagonal: exact where weights and inputs are unrelated.
    diagonals: Vec<Vec<f64>>,
    /// A better approximation of each that is solved for, with which conjugate gradients need few steps.
    shapes: Vec<Option<Arc<HeadTail>>>,
}

impl<'a> Curves<'a> {
    /// The Hessians at these fits, where objects have these weights, with the approximations that are known.
    pub(super) fn new(
        problem: &Columns<'a>,
        fits: &[&ColumnFit],
        weights: Vec<Vec<f64>>,
        shapes: Vec<Option<Arc<HeadTail>>>,
    ) -> Self {
        let (basis, precision) = (problem.basis.sample_or_all(), 1.0 / problem.variance);
        let stick_curvature: Vec<f64> = fits.iter().map(|fit| stick_curvature(fit.stick)).collect();
        let diagonal = |(weights, stick): (&Vec<f64>, &f64)| {
            let total: f64 = weights.iter().sum();
            let mean = total / weights.len().max(1) as f64;
            let along = basis.squares().iter().map(|square| mean * square + precision);
            along.chain([total + stick]).collect()
        };
        let diagonals = weights.iter().zip(&stick_curvature).map(diagonal).collect();
        Self { basis, threads: problem.threads, weights, precision, stick_curvature, diagonals, shapes }
    }

    /// The Hessians at the ends of climbs, one for each column. Where approximations can be exact they are made anew;
    /// others serve as they are.
    pub(super) fn at(problem: &Columns<'a>, modes: &[Mode]) -> Self {
        let fits: Vec<&ColumnFit> = modes.iter().map(|mode| &mode.fit).collect();
        let looked = |at: usize| &modes[at].weights;
        let weights = problem.curvature_weights(problem.sampled().as_ref(), &indices(modes.len()), &fits, looked);
        let kept = modes.iter().map(|mode| mode.shape.clone().filter(|shape| !shape.is_exact())).collect();
        let mut curves = Self::new(problem, &fits, weights, kept);
        let missing: Vec<usize> = (0..curves.n()).filter(|&at| curves.shapes[at].is_none()).collect();
        curves.renew(&missing);
        curves
    }

    /// Makes approximations of some Hessians.
    pub(super) fn renew(&mut self, which: &[usize]) {
        let made = map(self.threads, which.len(), |at| {
            let at = which[at];
            Arc::new(HeadTail::rough(self.basis, &self.weights[at], self.precision, self.stick_curvature[at]))
        });
        which.iter().zip(made).for_each(|(&at, shape)| self.shapes[at] = Some(shape));
    }

    /// Coordinates of (g, t).
    pub(super) fn size(&self) -> usize {
        self.basis.rank() + 1
    }

    pub(super) fn n(&self) -> usize {
        self.weights.len()
    }

    /// The approximation of one Hessian.
    pub(super) fn shape(&self, at: usize) -> &Arc<HeadTail> {
        self.shapes[at].as_ref().expect("shapes are made before anything is solved")
    }

    /// Traces of Hessians along the axes of the tail, each divided by its approximation.
    pub(super) fn tail_traces(&self) -> Vec<f64> {
        let (rank, head) = (self.basis.rank(), self.basis.head());
        let ranges: Vec<_> = parts(self.basis.n_objects()).collect();
        let of_parts: Vec<Mat<f32>> = map(self.threads, ranges.len(), |part| {
            let objects = ranges[part].clone();
            let rows = &self.basis.singles()[objects.start * rank..objects.end * rank];
            let squares: Vec<f32> = rows.chunks_exact(rank).flat_map(|row| &row[head..]).map(|x| x * x).collect();
            let of_column = |weights: &Vec<f64>| weights[objects.clone()].iter().map(|&w| w as f32).collect::<Vec<_>>();
            let weights: Vec<f32> = self.weights.iter().flat_map(of_column).collect();
            let weights = view(&weights, self.n(), objects.len());
            product_of(weights, view(&squares, objects.len(), rank - head))
        });
        let trace = |at: usize| {
            let along = |i: usize| of_parts.iter().map(|part| f64::from(part[(at, i)])).sum::<f64>() + self.precision;
            self.shape(at).tail().iter().enumerate().map(|(i, d)| along(i) / d).sum()
        };
        (0..self.n()).map(trace).collect()
    }

    /// Norm of a gradient, each coordinate in units of its posterior standard deviation.
    pub(super) fn norm(&self, at: usize, gradient: &[f64]) -> f64 {
        gradient.iter().zip(&self.diagonals[at]).map(|(slope, d)| slope * slope / d).sum::<f64>().sqrt()
    }

    /// Products of Hessians with vectors (g, t): `which` tells whose Hessian each vector meets.
    pub(super) fn apply(&self, which: &[usize], vectors: &[Vec<f64>]) -> Vec<Vec<f64>> {
        match self.basis.is_wide() {
            true => self.apply_in(self.basis.singles(), which, vectors),
            false => self.apply_in(&self.basis.rows_of(0..self.basis.n_objects()), which, vectors),
        }
    }

    fn apply_in<T: Float>(&self, rows: &[T], which: &[usize], vectors: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let (k, rank) = (vectors.len(), self.basis.rank());
        let directions: Vec<T> = vectors.iter().flat_map(|vector| &vector[..rank]).map(|&v| T::from_f64(v)).collect();
        let directions = view(&directions, k, rank);
        let ranges: Vec<_> = parts(self.basis.n_objects()).collect();
        let of_parts: Vec<(Mat<T>, Vec<f64>)> = map(self.threads, ranges.len(), |part| {
            let objects = ranges[part].clone();
            let rows = view(&rows[objects.start * rank..objects.end * rank], objects.len(), rank);
            let mut heights = product_of(rows, directions.transpose());
            let mut sums = vec![0.0; k];
            for (at, vector) in vectors.iter().enumerate() {
                let weights = &self.weights[which[at]][objects.clone()];
                for (height, weight) in heights.col_as_slice_mut(at).iter_mut().zip(weights) {
                    let weighted = weight * ((*height).into() + vector[rank]);
                    *height = T::from_f64(weighted);
                    sums[at] += weighted;
                }
            }
            (product_of(rows.transpose(), heights.as_ref()), sums)
        });
        let of_vector = |at: usize| {
            let sum = |i: usize| of_parts.iter().map(|(along, _)| along[(i, at)].into()).sum::<f64>();
            let mut result: Vec<f64> = (0..rank).map(|i| sum(i) + self.precision * vectors[at][i]).collect();
            let total: f64 = of_parts.iter().map(|(_, sums)| sums[at]).sum();
            result.push(total + self.stick_curvature[which[at]] * vectors[at][rank]);
            result
        };
        (0..k).map(of_vector).collect()
    }

    /// Newton steps of some columns: conjugate gradients, the more precise the nearer the mode.
    pub(super) fn solve(&self, which: &[usize], gradients: &[&[f64]]) -> Vec<Vec<f64>> {
        let mut runs: Vec<Conjugate> =
            which.iter().zip(gradients).map(|(&at, gradient)| Conjugate::new(gradient, self.shape(at))).collect();
        for _ in 0..MAX_CONJUGATE {
            let open: Vec<usize> = (0..runs.len()).filter(|&at| !runs[at].is_done()).collect();
            if open.is_empty() {
                break;
            }
            let owners: Vec<usize> = open.iter().map(|&at| which[at]).collect();
            let vectors: Vec<Vec<f64>> = open.iter().map(|&at| runs[at].direction.clone()).collect();
            let products = self.apply(&owners, &vectors);
            for ((&at, &owner), product) in open.iter().zip(&owners).zip(&products) {
                runs[at].advance(product, self.shape(owner));
            }
        }
        runs.into_iter().map(|run| run.step).collect()
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
        let share = square.sqrt().min(LEAST_PRECISE);
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
