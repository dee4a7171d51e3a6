//! Finds the most probable (g, t) given each of many columns, by Newton's method with conjugate gradients.
//!
//! The log posterior is strictly concave: there is one mode, wherever the climb starts. One pass over the objects
//! serves all columns, and no matrix of inputs x inputs is formed. Of very many objects, an even sample gives the
//! curvature; value and gradient, and so the mode, are those of all objects.

use super::column::{ColumnFit, log_likelihood_slope};
use super::curves::Curves;
use super::determinant::log_determinants;
use super::head_tail::HeadTail;
use super::{Basis, log_intensity};
use crate::fault::{Fault, planted};
use crate::numerics::linalg::{product, view};
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
    /// Slopes along g and, last, t.
    pub(super) slopes: Vec<f64>,
    /// -(ln Φ)'' of every object there; empty where a sample gives the curvature.
    pub(super) weights: Vec<f64>,
    /// An approximation of the negative Hessian, made on the way.
    pub(super) shape: Option<Arc<HeadTail>>,
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
        let sample = self.sampled();
        let mut fits = from.to_vec();
        let mut looks = self.look(&fits, &indices(fits.len()));
        let mut norms = vec![f64::INFINITY; fits.len()];
        let mut shapes: Vec<Option<Arc<HeadTail>>> = vec![None; fits.len()];
        let steps = if planted(Fault::FewRefitSteps) { 2 } else { MAX_STEPS };
        for step in 0..steps {
            let owners: Vec<usize> = (0..fits.len()).filter(|&at| norms[at] > tolerance).collect();
            let own: Vec<&ColumnFit> = owners.iter().map(|&at| &fits[at]).collect();
            let weights = self.curvature_weights(sample.as_ref(), &owners, &own, |at| &looks[at].weights);
            let kept = owners.iter().map(|&at| shapes[at].clone()).collect();
            let mut curves = Curves::new(self, &own, weights, kept);
            for (at, &owner) in owners.iter().enumerate() {
                norms[owner] = curves.norm(at, &looks[owner].gradient);
            }
            let active: Vec<usize> = (0..owners.len()).filter(|&at| norms[owners[at]] > tolerance).collect();
            if active.is_empty() {
                break;
            }
            if step % RENEWED == 0 {
                curves.renew(&active);
                active.iter().for_each(|&at| shapes[owners[at]] = Some(curves.shape(at).clone()));
            }
            let gradients: Vec<&[f64]> = active.iter().map(|&at| &looks[owners[at]].gradient[..]).collect();
            let steps = curves.solve(&active, &gradients);
            let owners: Vec<usize> = active.iter().map(|&at| owners[at]).collect();
            self.climb(&owners, steps, &mut fits, &mut looks);
        }
        let ends = fits.into_iter().zip(looks).zip(norms.into_iter().zip(shapes));
        let end = |((fit, look), (gradient, shape)): ((_, Look), _)| {
            let Look { value: log_density, gradient: slopes, weights } = look;
            Mode { fit, gradient, log_density, slopes, weights, shape }
        };
        ends.map(end).collect()
    }

    /// Logarithms of ∫∫ h(t) N(g; 0, σg²I) Π Φ(±(x·g + t)) dg dt, by Laplace's approximation near these modes.
    pub fn log_evidence(&self, modes: &[Mode]) -> Vec<f64> {
        let curves = Curves::at(self, modes);
        let rank = self.basis.rank() as f64;
        let constant = 0.5 * ((2.0 * std::f64::consts::PI).ln() - rank * self.variance.ln());
        let evidence = |(at, log_det): (usize, f64)| {
            let Mode { log_density, slopes, .. } = &modes[at];
            // By how much the density is higher at the mode, to second order.
            let below_mode = 0.5 * dot(slopes, &curves.shape(at).solved(slopes));
            log_density + below_mode + constant - 0.5 * log_det
        };
        log_determinants(&curves).into_iter().enumerate().map(evidence).collect()
    }

    /// -(ln Φ)'' of the objects that give the curvature of these columns: what was found when all were looked at, or, of
    /// a sample, what is found now.
    pub(super) fn curvature_weights<'w>(
        &self,
        sample: Option<&Sampled<'_>>,
        owners: &[usize],
        fits: &[&ColumnFit],
        looked: impl Fn(usize) -> &'w Vec<f64>,
    ) -> Vec<Vec<f64>> {
        match sample {
            None => owners.iter().map(|&at| looked(at).clone()).collect(),
            Some(sample) => sample.weights(self, fits, owners),
        }
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

    /// The bits of a sample of the objects, if there are very many.
    pub(super) fn sampled(&self) -> Option<Sampled<'a>> {
        let basis = self.basis.sample()?;
        let (n, n_sample) = (self.basis.n_objects(), basis.n_objects());
        let sampled = self.basis.sampled_objects();
        let of_column = |column: &&[u8]| sampled.iter().map(|&object| column[object]).collect();
        let columns = self.columns.iter().map(of_column).collect();
        Some(Sampled { basis, columns, scale: n as f64 / n_sample as f64 })
    }
}

/// The objects of a sample, and how many objects each stands for.
pub(super) struct Sampled<'a> {
    basis: &'a Basis,
    columns: Vec<Vec<u8>>,
    scale: f64,
}

impl Sampled<'_> {
    /// Weights of the sampled objects at these fits, as of all objects.
    fn weights(&self, problem: &Columns<'_>, fits: &[&ColumnFit], owners: &[usize]) -> Vec<Vec<f64>> {
        let columns: Vec<&[u8]> = self.columns.iter().map(Vec::as_slice).collect();
        let fits: Vec<ColumnFit> = fits.iter().map(|&fit| fit.clone()).collect();
        let problem = Columns { basis: self.basis, columns: &columns, ..*problem };
        let mut weights: Vec<Vec<f64>> = problem.look(&fits, owners).into_iter().map(|look| look.weights).collect();
        weights.iter_mut().flatten().for_each(|weight| *weight *= self.scale);
        weights
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
