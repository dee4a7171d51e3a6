//! Draws the slope of the logistic link by slice sampling on its logarithm.

use crate::fault::{Fault, planted};
use crate::likelihood::preference::Scoring;
use crate::numerics::slice::slice;
use crate::prior::hyper::{SLOPE_RANGE, SlopePrior};
use crate::state::{LatentCode, Link, PreferencePrior, PreferenceScratch};
use rand::Rng;

/// One slice-sampling update; does nothing when the slope is fixed, or the link has none.
pub fn step<R: Rng>(prior: &PreferencePrior, code: &mut LatentCode, scratch: &PreferenceScratch, rng: &mut R) {
    let Link::Logistic(own @ SlopePrior::LogNormal { .. }) = prior.link else { return };
    let log_density = |log_slope: f64| {
        let slope = log_slope.exp();
        if !(SLOPE_RANGE.0..=SLOPE_RANGE.1).contains(&slope) {
            return f64::NEG_INFINITY;
        }
        // The last term is the Jacobian from the slope to its logarithm.
        scratch.sums.log_likelihood(&Scoring::logistic(code.lapse, slope))
            + own.log_density(slope)
            + if planted(Fault::SlopeJacobian) { 0.0 } else { log_slope }
    };
    code.slope = slice(code.slope.ln(), 1.0, rng, log_density).exp();
}
