//! Holds settings, state and scratch of the Super Gaussian IBP and of the plain IBP.

use super::{LatentCode, PreferencePrior, PreferenceScratch, Start, Tally};
use crate::likelihood::linear_gaussian::{GaussianRow, ImagePosterior, Moments, Variances, Work};
use crate::prior::hyper::{GammaPrior, VariancePrior};
use crate::prior::ibp::IbpTable;
use crate::schedule::Schedule;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Priors, start and schedule of the linear Gaussian model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GaussianModel {
    /// Priors of weights and lapse rate.
    pub preference: PreferencePrior,
    /// Prior of α.
    pub concentration: GammaPrior,
    /// Prior of σx².
    pub noise: VariancePrior,
    /// Prior of σv².
    #[serde(rename = "feature")]
    pub image: VariancePrior,
    /// Starting state of the chains.
    pub start: Start,
    /// The schedule of a sweep.
    pub schedule: Schedule,
}

/// The state of a chain of the linear Gaussian model.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianState {
    /// Bits, weights, lapse rate.
    pub code: LatentCode,
    /// α.
    pub concentration: f64,
    /// σx².
    pub noise_variance: f64,
    /// σv².
    pub image_variance: f64,
}

impl GaussianState {
    /// Named hyper-parameters.
    pub(crate) fn scalars(&self, prior: &PreferencePrior) -> Vec<(&'static str, f64)> {
        let own = [
            ("concentration", self.concentration),
            ("noise_variance", self.noise_variance),
            ("feature_variance", self.image_variance),
        ];
        own.into_iter().chain(self.code.scalars(prior)).collect()
    }

    /// Both variances.
    pub fn variances(&self) -> Variances {
        Variances { noise: self.noise_variance, image: self.image_variance }
    }
}

/// Derived tables and scratch buffers of the linear Gaussian kernels.
#[derive(Debug, Clone)]
pub struct GaussianScratch {
    /// Precomputed logarithms of the Indian buffet process.
    pub ibp: IbpTable,
    /// tr XᵀX.
    pub square_norm: f64,
    /// Sum of every input over all objects.
    pub column_sums: Vec<f64>,
    /// Each object with the near objects of its triplets.
    pub neighbourhoods: Arc<Vec<Vec<u32>>>,
    /// A, B and scratch buffers of the preference likelihood.
    pub preference: PreferenceScratch,
    /// ZᵀZ and ZᵀX, recomputed at the start of a sweep and updated by every kernel.
    pub moments: Moments,
    /// Fingerprint of the bits after the last sweep, to which the moments belong.
    pub swept: Option<u64>,
    /// Posterior of V.
    pub posterior: ImagePosterior,
    /// Scratch buffers of row updates.
    pub row: GaussianRow,
    /// Scratch buffers of column moves.
    pub work: Work,
    /// Proposals so far.
    pub tally: Tally,
}
