//! Scores flips of one object's bits with that object left out of the posterior of V.
//!
//! The row is not taken out: its leave-one-out quantities follow by algebra, and moments and posterior change only
//! when the update ends with other bits than it began with. With C = (ZᵀZ+rI)⁻¹, c = Cz, d = 1 - z·c and e = x - zμ,
//! the posterior without the row has C₋ = C + ccᵀ/d and μ₋ = μ - (c/d)e. Only x and ZᵀX are as long as the inputs: all
//! products of residuals follow from x·μ = C(ZᵀX)x and from μμᵀ.

use super::bounds::{FlipInputs, log_ratio_bounds};
use super::posterior::Rank;
use super::{ImagePosterior, Moments, Variances};
use crate::data::Inputs;
use crate::numerics::dots::{VECTORS, dots, dots_of_four};
use crate::numerics::simd::{axpy, dot, sum_rows};
use std::ops::Range;

/// Scratch buffers for the update of one object.
#[derive(Debug, Clone, Default)]
pub struct GaussianRow {
    /// Current bits of the object, and the changes since its update began.
    owned: Vec<usize>,
    changes: Vec<(usize, bool)>,
    n_inputs: usize,
    /// c of the row as it stood, d, and c/d.
    leaving: Vec<f64>,
    scale: f64,
    shares: Vec<f64>,
    /// Square norm of e, and e·μ of every bit.
    error_norm: f64,
    error_images: Vec<f64>,
    /// C₋z and zC₋z, for the bits as they are now.
    entering: Vec<f64>,
    spread: f64,
    /// Square norm of x - zμ₋, its product with e, and its product with μ of every bit.
    residual_norm: f64,
    residual_error: f64,
    residual_images: Vec<f64>,
    /// z·μμᵀ.
    products: Vec<f64>,
    ahead: Ahead,
    /// Quantities at the start of the update, for upper bounds of all flips: their signs, and the diagonals of μμᵀ and
    /// C.
    signs: Vec<f64>,
    norms: Vec<f64>,
    spreads: Vec<f64>,
    bounds: Vec<f64>,
}

/// x·(ZᵀX) of every bit for the objects that are updated next, valid while ZᵀX does not change.
#[derive(Debug, Clone, Default)]
struct Ahead {
    objects: Range<usize>,
    products: Vec<f64>,
}

impl Ahead {
    /// The products of an object: looked up, or computed together with those of the objects behind it.
    fn of<'a>(&'a mut self, object_ix: usize, moments: &Moments, data: &Inputs) -> &'a [f64] {
        let k = moments.n_bits();
        if !self.objects.contains(&object_ix) {
            // After a change of ZᵀX more are likely to follow: then only one object is computed.
            let calm = self.objects.end == object_ix && object_ix + VECTORS <= data.n_objects();
            let n = if calm { VECTORS } else { 1 };
            self.products.resize(VECTORS * k, 0.0);
            if calm {
                let (rows, m) = (data.block(object_ix..object_ix + VECTORS), data.n_inputs());
                let xs = std::array::from_fn(|at| &rows[at * m..(at + 1) * m]);
                dots_of_four(moments.total(), xs, &mut self.products);
            } else {
                dots(moments.total(), &data.row(object_ix), &mut self.products[..k]);
            }
            self.objects = object_ix..object_ix + n;
        }
        let at = object_ix - self.objects.start;
        &self.products[at * k..(at + 1) * k]
    }

    fn forget(&mut self) {
        self.objects = 0..0;
    }
}

/// Squared norm of the residual and spread after a flip.
#[derive(Debug, Clone, Copy)]
pub struct FlipTerms {
    residual_norm: f64,
    spread: f64,
}

impl GaussianRow {
    /// Discards what was computed ahead, after others have changed the moments.
    pub fn start(&mut self) {
        self.ahead.forget();
    }

    /// Prepares the update of an object with these bits; unless they change, the next updates are those of the objects
    /// behind it.
    pub fn gather(
        &mut self,
        moments: &Moments,
        posterior: &ImagePosterior,
        (data, object_ix): (&Inputs, usize),
        owned: impl Iterator<Item = usize>,
    ) {
        let inputs = data.row(object_ix);
        let k = posterior.n_bits;
        self.n_inputs = inputs.len();
        self.changes.clear();
        self.owned.clear();
        self.owned.extend(owned);
        let sized = |values: &mut Vec<f64>| {
            values.clear();
            values.resize(k, 0.0);
        };
        [&mut self.leaving, &mut self.error_images, &mut self.products].into_iter().for_each(sized);
        dots(&posterior.spread, self.ahead.of(object_ix, moments, data), &mut self.error_images);
        let explained: f64 = self.owned.iter().map(|&f| self.error_images[f]).sum();
        sum_rows(&posterior.products, &self.owned, &mut self.products);
        sum_rows(&posterior.spread, &self.owned, &mut self.leaving);
        axpy(-1.0, &self.products, &mut self.error_images);
        let sum_owned = |values: &[f64]| self.owned.iter().map(|&f| values[f]).sum::<f64>();
        let quadratic = sum_owned(&self.leaving);
        self.error_norm = (dot(&inputs, &inputs) - 2.0 * explained + sum_owned(&self.products)).max(0.0);
        self.scale = 1.0 - quadratic;
        let inverse = 1.0 / self.scale;
        self.shares.clear();
        self.shares.extend(self.leaving.iter().map(|c| c * inverse));
        self.entering.clone_from(&self.shares);
        self.residual_images.clear();
        self.residual_images.extend(self.error_images.iter().map(|e| e * inverse));
        self.residual_norm = self.error_norm * inverse * inverse;
        self.residual_error = self.error_norm * inverse;
        self.spread = quadratic * inverse;
        self.signs.clear();
        self.signs.resize(k, 1.0);
        self.owned.iter().for_each(|&f| self.signs[f] = -1.0);
        self.norms.clear();
        self.norms.extend(posterior.products.iter().step_by(k + 1));
        self.spreads.clear();
        self.spreads.extend(posterior.spread.iter().step_by(k + 1));
    }

    /// Computes upper bounds on the log ratios of all flips, for [`Self::log_ratio_bound`] until the next flip.
    pub fn bound_flips(&mut self, variances: Variances) {
        self.bounds.resize(self.signs.len(), 0.0);
        let inputs = FlipInputs {
            signs: &self.signs,
            shares: &self.shares,
            leaving: &self.leaving,
            entering: &self.entering,
            error_images: &self.error_images,
            residual_images: &self.residual_images,
            norms: &self.norms,
            spreads: &self.spreads,
            error_norm: self.error_norm,
            residual_norm: self.residual_norm,
            residual_error: self.residual_error,
            spread: self.spread,
            n_inputs: self.n_inputs as f64,
            noise: variances.noise,
        };
        log_ratio_bounds(inputs, &mut self.bounds);
    }

    /// The terms of the object's predictive density if bit `bit_ix` became `to`.
    pub fn flip_terms(&self, posterior: &ImagePosterior, bit_ix: usize, to: bool) -> FlipTerms {
        let sign = if to { 1.0 } else { -1.0 };
        let diagonal = bit_ix * posterior.n_bits + bit_ix;
        let share = self.shares[bit_ix];
        let error_image = self.error_images[bit_ix];
        let product = self.residual_images[bit_ix] - share * self.residual_error;
        let norm = posterior.products[diagonal] - 2.0 * share * error_image + share * share * self.error_norm;
        let own = posterior.spread[diagonal] + self.leaving[bit_ix] * share;
        FlipTerms {
            residual_norm: (self.residual_norm - 2.0 * sign * product + norm).max(0.0),
            spread: self.spread + 2.0 * sign * self.entering[bit_ix] + own,
        }
    }

    /// Log ratio of predictive densities N(x; zμ₋, σx²(1 + zC₋z)).
    pub fn log_ratio(&self, terms: FlipTerms, variances: Variances) -> f64 {
        let (spread, fit) = self.ratios(terms);
        0.5 * (self.n_inputs as f64 * spread.ln() + fit / variances.noise)
    }

    /// An upper bound on [`Self::log_ratio`] of a flip, up to rounding.
    pub fn log_ratio_bound(&self, bit_ix: usize) -> f64 {
        self.bounds[bit_ix]
    }

    /// Old variance over new one, and the difference of scaled square norms.
    fn ratios(&self, terms: FlipTerms) -> (f64, f64) {
        let (old, inverse) = (1.0 + self.spread, 1.0 / (1.0 + terms.spread));
        (old * inverse, self.residual_norm / old - terms.residual_norm * inverse)
    }

    /// Terms after the number of bits that only this object owns changed by `change`.
    pub fn singleton_terms(&self, change: f64, variances: Variances) -> FlipTerms {
        FlipTerms { residual_norm: self.residual_norm, spread: self.spread + change / variances.ridge() }
    }

    /// Sets a bit of the object to `to`.
    pub fn flip(&mut self, posterior: &ImagePosterior, bit_ix: usize, to: bool, terms: FlipTerms) {
        let sign = if to { 1.0 } else { -1.0 };
        let k = posterior.n_bits;
        let of_bit = bit_ix * k..(bit_ix + 1) * k;
        let share = self.shares[bit_ix];
        axpy(sign, &posterior.spread[of_bit.clone()], &mut self.entering);
        axpy(sign * share, &self.leaving, &mut self.entering);
        axpy(-sign, &posterior.products[of_bit], &mut self.residual_images);
        axpy(sign * share, &self.error_images, &mut self.residual_images);
        self.residual_error -= sign * (self.error_images[bit_ix] - share * self.error_norm);
        self.residual_norm = terms.residual_norm;
        self.spread = terms.spread;
        self.changes.push((bit_ix, to));
        self.signs[bit_ix] = -sign;
        if to {
            self.owned.push(bit_ix);
        } else {
            self.owned.retain(|&owned| owned != bit_ix);
        }
    }

    /// Updates moments and posterior to the current bits; returns whether anything changed.
    pub fn commit(&mut self, moments: &mut Moments, posterior: &mut ImagePosterior, inputs: &[f64]) -> bool {
        if self.changes.is_empty() {
            return false;
        }
        self.commit_moments(moments, inputs);
        let removal =
            Rank { direction: &self.leaving, scale: self.scale, images: &self.error_images, norm: self.error_norm };
        let addition = Rank {
            direction: &self.entering,
            scale: 1.0 + self.spread,
            images: &self.residual_images,
            norm: self.residual_norm,
        };
        posterior.exchange(removal, addition, self.residual_error);
        true
    }

    /// Updates the moments alone, for a posterior that is about to be rebuilt.
    pub fn commit_moments(&mut self, moments: &mut Moments, inputs: &[f64]) {
        self.ahead.forget();
        // From the current bits back to those at the start: ZᵀZ is exact in any order.
        for &(bit_ix, to) in self.changes.iter().rev() {
            let sign = if to { 1.0 } else { -1.0 };
            moments.change_bit(bit_ix, sign, inputs, self.owned.iter().copied());
            if to {
                self.owned.retain(|&owned| owned != bit_ix);
            } else {
                self.owned.push(bit_ix);
            }
        }
        self.changes.clear();
    }
}
