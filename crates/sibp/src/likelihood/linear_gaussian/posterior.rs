//! Keeps the posterior of the feature images V given codes and data, Eq. (17) with its slips corrected.

use super::{Moments, Variances};
use crate::fault::{Fault, planted};
use crate::numerics::cholesky::Cholesky;
use crate::numerics::simd::{axpy, dot};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// V has mean `mean` (features x inputs) and, for every input alike, covariance σx² `spread` with
/// `spread` = (ZᵀZ + rI)⁻¹.
#[derive(Debug, Clone, Default)]
pub struct ImagePosterior {
    pub(super) n_features: usize,
    pub(super) n_inputs: usize,
    pub(super) spread: Vec<f64>,
    pub(super) mean: Vec<f64>,
    /// Square norm of each feature's mean image.
    pub(super) norms: Vec<f64>,
    ridge: f64,
}

impl ImagePosterior {
    /// Solves the normal equations from nothing.
    pub fn rebuild(&mut self, moments: &Moments, variances: Variances) {
        self.n_features = moments.n_features();
        self.n_inputs = moments.n_inputs();
        self.ridge = variances.ridge();
        let mut factor = Cholesky::default();
        factor.factor(self.n_features, moments.overlap(), self.ridge);
        self.spread = factor.inverse();
        self.mean.clear();
        self.mean.extend_from_slice(moments.total());
        factor.solve(&mut self.mean, self.n_inputs);
        self.norms = (0..self.n_features).map(|k| dot(self.image(k), self.image(k))).collect();
    }

    /// Mean image of one feature.
    pub fn image(&self, feature_ix: usize) -> &[f64] {
        &self.mean[feature_ix * self.n_inputs..(feature_ix + 1) * self.n_inputs]
    }

    /// Mean images of all features, in row order.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// (ZᵀZ + rI)⁻¹ in row order.
    pub fn spread(&self) -> &[f64] {
        &self.spread
    }

    /// Adds `removal` terms and takes off `addition` terms: a row leaves as it stood and comes back as it is now.
    ///
    /// Each is (spread·z, its scale, residual): spread += Σ ± z z'/scale, mean -+= (z/scale) residual.
    pub(super) fn exchange(&mut self, removal: Rank<'_>, addition: Rank<'_>) {
        let k = self.n_features;
        for f in 0..k {
            let (out, back) = (removal.direction[f] / removal.scale, addition.direction[f] / addition.scale);
            let row = &mut self.spread[f * k..(f + 1) * k];
            axpy(out, removal.direction, row);
            axpy(-back, addition.direction, row);
            let image = &mut self.mean[f * self.n_inputs..(f + 1) * self.n_inputs];
            axpy(-out, removal.residual, image);
            axpy(back, addition.residual, image);
            self.norms[f] = dot(image, image);
        }
    }

    /// Appends a feature that no counted row owns.
    pub(super) fn push_empty(&mut self) {
        let old = self.n_features;
        let mut spread = vec![0.0; (old + 1) * (old + 1)];
        for k in 0..old {
            spread[k * (old + 1)..k * (old + 1) + old].copy_from_slice(&self.spread[k * old..(k + 1) * old]);
        }
        spread[old * (old + 1) + old] = 1.0 / self.ridge;
        self.spread = spread;
        self.mean.resize((old + 1) * self.n_inputs, 0.0);
        self.norms.push(0.0);
        self.n_features = old + 1;
    }

    /// Removes a feature that no counted row owns; the last one takes its place.
    pub(super) fn swap_remove(&mut self, feature_ix: usize) {
        let old = self.n_features;
        let last = old - 1;
        let from = |k: usize| if k == feature_ix { last } else { k };
        let pairs = (0..last).flat_map(|k| (0..last).map(move |l| (k, l)));
        self.spread = pairs.map(|(k, l)| self.spread[from(k) * old + from(l)]).collect();
        let m = self.n_inputs;
        self.mean.copy_within(last * m..old * m, feature_ix * m);
        self.mean.truncate(last * m);
        self.norms.swap_remove(feature_ix);
        self.n_features = last;
    }
}

/// One row's part in the posterior.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rank<'a> {
    pub direction: &'a [f64],
    pub scale: f64,
    pub residual: &'a [f64],
}

/// Draws V from its posterior: features x inputs in row order.
pub fn draw_images<R: Rng>(moments: &Moments, variances: Variances, rng: &mut R) -> Vec<f64> {
    let mut factor = Cholesky::default();
    factor.factor(moments.n_features(), moments.overlap(), variances.ridge());
    let mut mean = moments.total().to_vec();
    factor.solve(&mut mean, moments.n_inputs());
    let mut images: Vec<f64> = (0..mean.len()).map(|_| StandardNormal.sample(rng)).collect();
    factor.solve_upper(&mut images, moments.n_inputs());
    let deviation = if planted(Fault::MeanImages) { 0.0 } else { variances.noise.sqrt() };
    for (image, mean) in images.iter_mut().zip(&mean) {
        *image = mean + deviation * *image;
    }
    images
}
