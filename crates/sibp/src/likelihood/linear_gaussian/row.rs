//! Scores flips of one object's bits with that object left out of the posterior of V.
//!
//! The row is not taken out: its leave-one-out quantities follow by algebra, and the posterior changes only when
//! the visit ends with other bits than it began with. With C = (ZᵀZ+rI)⁻¹, c = Cz, d = 1 - z·c and e = x - zμ, the
//! posterior without the row has C₋ = C + ccᵀ/d and μ₋ = μ - (c/d)e.

use super::posterior::Rank;
use super::{ImagePosterior, Variances};
use crate::numerics::simd::{axpy, dot};

/// Scratch for one object's visit.
#[derive(Debug, Clone, Default)]
pub struct GaussianRow {
    /// c of the row as it stood.
    leaving: Vec<f64>,
    /// e of the row as it stood, and its square norm.
    error: Vec<f64>,
    error_norm: f64,
    /// e·μ of every feature.
    error_images: Vec<f64>,
    /// d.
    scale: f64,
    /// C₋z, x - zμ₋, its square norm, its product with e, and zC₋z, for the bits as they are now.
    entering: Vec<f64>,
    residual: Vec<f64>,
    residual_norm: f64,
    residual_error: f64,
    spread: f64,
    changed: bool,
}

/// Square norm of the residual and spread, should a bit flip.
#[derive(Debug, Clone, Copy)]
pub struct FlipTerms {
    residual_norm: f64,
    spread: f64,
}

impl GaussianRow {
    /// Prepares the visit of an object with these inputs and features.
    pub fn gather(&mut self, posterior: &ImagePosterior, inputs: &[f64], owned: impl Iterator<Item = usize>) {
        let k = posterior.n_features;
        self.changed = false;
        self.leaving.clear();
        self.leaving.resize(k, 0.0);
        self.error.clear();
        self.error.extend_from_slice(inputs);
        let mut quadratic = 0.0;
        for feature_ix in owned {
            let row = &posterior.spread[feature_ix * k..(feature_ix + 1) * k];
            quadratic += row[feature_ix] + 2.0 * self.leaving[feature_ix];
            axpy(1.0, row, &mut self.leaving);
            axpy(-1.0, posterior.image(feature_ix), &mut self.error);
        }
        self.scale = 1.0 - quadratic;
        self.error_norm = dot(&self.error, &self.error);
        self.error_images.clear();
        self.error_images.extend((0..k).map(|f| dot(&self.error, posterior.image(f))));
        let inverse = 1.0 / self.scale;
        self.entering.clear();
        self.entering.extend(self.leaving.iter().map(|c| c * inverse));
        self.residual.clear();
        self.residual.extend(self.error.iter().map(|e| e * inverse));
        self.residual_norm = self.error_norm * inverse * inverse;
        self.residual_error = self.error_norm * inverse;
        self.spread = quadratic * inverse;
    }

    /// What the predictive density of the object would rest on, should feature `feature_ix` become `to`.
    pub fn flip_terms(&self, posterior: &ImagePosterior, feature_ix: usize, to: bool) -> FlipTerms {
        let sign = if to { 1.0 } else { -1.0 };
        let share = self.leaving[feature_ix] / self.scale;
        let error_image = self.error_images[feature_ix];
        let residual_image =
            if self.changed { dot(&self.residual, posterior.image(feature_ix)) } else { error_image / self.scale };
        let product = residual_image - share * self.residual_error;
        let norm = posterior.norms[feature_ix] - 2.0 * share * error_image + share * share * self.error_norm;
        let own = posterior.spread[feature_ix * posterior.n_features + feature_ix] + self.leaving[feature_ix] * share;
        FlipTerms {
            residual_norm: self.residual_norm - 2.0 * sign * product + norm,
            spread: self.spread + 2.0 * sign * self.entering[feature_ix] + own,
        }
    }

    /// Log ratio of predictive densities N(x; zμ₋, σx²(1 + zC₋z)).
    pub fn log_ratio(&self, terms: FlipTerms, variances: Variances) -> f64 {
        let m = self.residual.len() as f64;
        let (old, new) = (1.0 + self.spread, 1.0 + terms.spread);
        let fit = self.residual_norm / old - terms.residual_norm / new;
        0.5 * (m * (old / new).ln() + fit / variances.noise)
    }

    /// Terms after the number of features that only this object owns changed by `change`.
    pub fn singleton_terms(&self, change: f64, variances: Variances) -> FlipTerms {
        FlipTerms { residual_norm: self.residual_norm, spread: self.spread + change / variances.ridge() }
    }

    /// Sets a feature of the object to `to`.
    pub fn flip(&mut self, posterior: &ImagePosterior, feature_ix: usize, to: bool, terms: FlipTerms) {
        let sign = if to { 1.0 } else { -1.0 };
        let k = posterior.n_features;
        let share = self.leaving[feature_ix] / self.scale;
        axpy(sign, &posterior.spread[feature_ix * k..(feature_ix + 1) * k], &mut self.entering);
        axpy(sign * share, &self.leaving, &mut self.entering);
        axpy(-sign, posterior.image(feature_ix), &mut self.residual);
        axpy(sign * share, &self.error, &mut self.residual);
        self.residual_norm = dot(&self.residual, &self.residual);
        self.residual_error = dot(&self.residual, &self.error);
        self.spread = terms.spread;
        self.changed = true;
    }

    /// Brings the posterior up to date with the bits as they are now.
    pub fn commit(&mut self, posterior: &mut ImagePosterior) {
        if !self.changed {
            return;
        }
        let removal = Rank { direction: &self.leaving, scale: self.scale, residual: &self.error };
        let addition = Rank { direction: &self.entering, scale: 1.0 + self.spread, residual: &self.residual };
        posterior.exchange(removal, addition);
    }

    /// Replaces the features that only this object owns: `gone` leave (in the given order, by swapping with the last),
    /// `n_new` come. `owned` are the object's other features, by their numbers after the removal.
    pub fn replace_singletons(&mut self, posterior: &mut ImagePosterior, inputs: &[f64], change: SingletonChange<'_>) {
        let removal = Rank { direction: &self.leaving, scale: self.scale, residual: &self.error };
        let nothing = vec![0.0; self.leaving.len()];
        posterior.exchange(removal, Rank { direction: &nothing, scale: 1.0, residual: &self.residual });
        for &feature_ix in change.gone {
            posterior.swap_remove(feature_ix);
        }
        for _ in 0..change.n_new {
            posterior.push_empty();
        }
        let k = posterior.n_features;
        self.entering.clear();
        self.entering.resize(k, 0.0);
        self.residual.clear();
        self.residual.extend_from_slice(inputs);
        for &feature_ix in change.owned {
            axpy(1.0, &posterior.spread[feature_ix * k..(feature_ix + 1) * k], &mut self.entering);
            axpy(-1.0, posterior.image(feature_ix), &mut self.residual);
        }
        let spread: f64 = change.owned.iter().map(|&f| self.entering[f]).sum();
        let nothing = vec![0.0; k];
        let addition = Rank { direction: &self.entering, scale: 1.0 + spread, residual: &self.residual };
        posterior.exchange(Rank { direction: &nothing, scale: 1.0, residual: &self.residual }, addition);
    }
}

/// How the features of the visited object change at the end of its visit.
#[derive(Debug, Clone, Copy)]
pub struct SingletonChange<'a> {
    /// Features that leave, each number valid after the ones before it left.
    pub gone: &'a [usize],
    /// How many come, appended at the end.
    pub n_new: usize,
    /// All features the object owns afterwards.
    pub owned: &'a [usize],
}
