//! Maintains the posterior of the bits' images V given codes and data, Eq. (17) with its errors corrected.

use super::{Moments, Variances};
use crate::fault::{Fault, planted};
use crate::numerics::cholesky::Cholesky;
use crate::numerics::simd::{add_outer_2, add_outer_4, dot};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// Posterior of V: mean μ = `spread` ZᵀX (bits x inputs) and, for every input alike, covariance σx² `spread` with
/// `spread` = (ZᵀZ + rI)⁻¹. Row updates need μ only through its inner products μμᵀ, which are as small as `spread`.
#[derive(Debug, Clone, Default)]
pub struct ImagePosterior {
    pub(super) n_bits: usize,
    pub(super) spread: Vec<f64>,
    /// μμᵀ.
    pub(super) products: Vec<f64>,
    factor: Cholesky,
    mean: Vec<f64>,
}

impl ImagePosterior {
    /// Solves the normal equations from scratch.
    pub fn rebuild(&mut self, moments: &Moments, variances: Variances) {
        let (k, m) = (moments.n_bits(), moments.n_inputs());
        self.n_bits = k;
        self.factor.factor(k, moments.overlap(), variances.ridge());
        self.spread = self.factor.inverse();
        self.mean.clear();
        self.mean.extend_from_slice(moments.total());
        self.factor.solve(&mut self.mean, m);
        self.products.clear();
        self.products.resize(k * k, 0.0);
        for f in 0..k {
            for g in 0..=f {
                let product = dot(&self.mean[f * m..(f + 1) * m], &self.mean[g * m..(g + 1) * m]);
                (self.products[f * k + g], self.products[g * k + f]) = (product, product);
            }
        }
    }

    /// Mean images of all bits in row order, as of the last [`Self::rebuild`].
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// μμᵀ in row order.
    pub fn products(&self) -> &[f64] {
        &self.products
    }

    /// (ZᵀZ + rI)⁻¹ in row order.
    pub fn spread(&self) -> &[f64] {
        &self.spread
    }

    /// Replaces a row's old contribution by its new one; `residual_error` is the product of both residuals.
    ///
    /// With c a direction, s its scale and e a residual, removing a row adds ccᵀ/s to `spread` and subtracts (c/s)eᵀ
    /// from the mean; adding it does the opposite.
    pub(super) fn exchange(&mut self, removal: Rank<'_>, addition: Rank<'_>, residual_error: f64) {
        let over_scale =
            |rank: &Rank<'_>, sign: f64| -> Vec<f64> { rank.direction.iter().map(|c| sign * c / rank.scale).collect() };
        let (out, back) = (over_scale(&removal, -1.0), over_scale(&addition, 1.0));
        // (μ + out eᵀ + back rᵀ)(…)ᵀ, in halves of a symmetric sum.
        let half = |rank: &Rank<'_>, own: &[f64], other: &[f64], shared: f64| -> Vec<f64> {
            let terms = rank.images.iter().zip(own).zip(other);
            terms.map(|((image, own), other)| image + 0.5 * rank.norm * own + shared * other).collect()
        };
        let of_out = half(&removal, &out, &back, residual_error);
        let of_back = half(&addition, &back, &out, 0.0);
        add_outer_4(&mut self.products, [(&out, &of_out), (&of_out, &out), (&back, &of_back), (&of_back, &back)]);
        let entering: Vec<f64> = addition.direction.iter().map(|c| -c).collect();
        let leaving: Vec<f64> = removal.direction.iter().map(|c| -c).collect();
        add_outer_2(&mut self.spread, [(&out, &leaving), (&back, &entering)]);
    }
}

/// One row's contribution to the posterior: spread·z, its scale, the products of its residual with μ and with itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rank<'a> {
    pub direction: &'a [f64],
    pub scale: f64,
    pub images: &'a [f64],
    pub norm: f64,
}

/// Draws V from its posterior: bits x inputs in row order.
pub fn draw_images<R: Rng>(moments: &Moments, variances: Variances, rng: &mut R) -> Vec<f64> {
    let mut factor = Cholesky::default();
    factor.factor(moments.n_bits(), moments.overlap(), variances.ridge());
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
