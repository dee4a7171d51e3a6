//! Holds settings, state and scratch of the Super Probit IBP.

use super::{LatentCode, PreferencePrior, PreferenceScratch, Start, Tally};
use crate::likelihood::probit::{ActiveRate, Basis, ColumnFit, Limits};
use crate::numerics::normal::log_cdf;
use crate::prior::hyper::{GammaPrior, VariancePrior};
use crate::schedule::Schedule;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Name of the scalar in a draw that holds the estimated relative standard error of Λ(σg²), the same in all draws of a
/// run.
pub const RATE_ERROR: &str = "rate_error";

/// Priors, start and schedule of the linear probit model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbitModel {
    /// Priors of weights and lapse rate.
    pub preference: PreferencePrior,
    /// Prior of α.
    pub concentration: GammaPrior,
    /// Prior of σg².
    pub coefficient: VariancePrior,
    /// Starting state of the chains.
    pub start: Start,
    /// The schedule of a sweep.
    pub schedule: Schedule,
    /// Seed of the directions by which the expected number of active bits is estimated.
    pub rate_seed: u64,
}

/// The state of a chain of the linear probit model.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbitState {
    /// Bits, weights, lapse rate.
    pub code: LatentCode,
    /// Coefficients and stick of each bit.
    pub atoms: Vec<ColumnFit>,
    /// α.
    pub concentration: f64,
    /// σg².
    pub coefficient_variance: f64,
}

impl ProbitState {
    /// Removes a bit; the last one takes its place.
    pub fn swap_remove(&mut self, bit_ix: usize) {
        self.code.swap_remove(bit_ix);
        self.atoms.swap_remove(bit_ix);
    }

    /// Named hyper-parameters.
    pub(crate) fn scalars(&self, prior: &PreferencePrior) -> Vec<(&'static str, f64)> {
        let own = [("concentration", self.concentration), ("coefficient_variance", self.coefficient_variance)];
        own.into_iter().chain(self.code.scalars(prior)).collect()
    }

    /// ln N(g; 0, σg² I).
    pub fn log_coefficients(&self, fit: &ColumnFit) -> f64 {
        log_normal(&fit.coefficients, self.coefficient_variance)
    }
}

fn log_normal(values: &[f64], variance: f64) -> f64 {
    let square: f64 = values.iter().map(|v| v * v).sum();
    -0.5 * (square / variance + values.len() as f64 * (2.0 * std::f64::consts::PI * variance).ln())
}

/// Derived tables and scratch buffers of the linear probit kernels.
#[derive(Debug, Clone)]
pub struct ProbitScratch {
    /// Rotated inputs, which all chains share.
    pub basis: Arc<Basis>,
    /// Λ(σg²).
    pub rate: Arc<ActiveRate>,
    /// Sets of objects that near relations connect.
    pub components: Arc<Vec<Vec<u32>>>,
    /// Objects that share no triplet, as lists.
    pub independent: Arc<Vec<Vec<u32>>>,
    /// Threads of a chain.
    pub threads: usize,
    /// Sizes from which kernels work in another way.
    pub limits: Limits,
    /// Proposals so far.
    pub tally: Tally,
    /// A, B and scratch buffers of the preference likelihood.
    pub preference: PreferenceScratch,
}

/// Draws a bit that is 1 with probability Φ(x).
pub(crate) fn draw_bit<R: Rng>(x: f64, rng: &mut R) -> u8 {
    u8::from(rng.random::<f64>().ln() < log_cdf(x))
}

/// Draws g ~ N(0, σg² I).
pub(crate) fn draw_coefficients<R: Rng>(rank: usize, variance: f64, rng: &mut R) -> Vec<f64> {
    let deviation = variance.sqrt();
    let normal = |rng: &mut R| -> f64 { StandardNormal.sample(rng) };
    (0..rank).map(|_| deviation * normal(rng)).collect()
}
