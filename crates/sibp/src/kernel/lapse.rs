//! Draws the lapse rate by slice sampling on its logit.

use crate::fault::{Fault, planted};
use crate::numerics::slice::slice;
use crate::prior::hyper::{LAPSE_RANGE, LapsePrior};
use crate::state::{LatentCode, PreferencePrior, PreferenceScratch};
use rand::Rng;

/// One slice-sampling update; does nothing when the rate is fixed.
pub fn step<R: Rng>(prior: &PreferencePrior, code: &mut LatentCode, scratch: &PreferenceScratch, rng: &mut R) {
    if let LapsePrior::Fixed(_) = prior.lapse {
        return;
    }
    let log_density = |logit: f64| {
        let lapse = 1.0 / (1.0 + (-logit).exp());
        if !(LAPSE_RANGE.0..=LAPSE_RANGE.1).contains(&lapse) {
            return f64::NEG_INFINITY;
        }
        // The last two terms are the Jacobian from the rate to its logit.
        scratch.sums.log_likelihood(&code.scoring_with(lapse, prior))
            + prior.lapse.log_density(lapse)
            + if planted(Fault::LapseJacobian) { 0.0 } else { lapse.ln() + (-lapse).ln_1p() }
    };
    let logit = (code.lapse / (1.0 - code.lapse)).ln();
    code.lapse = 1.0 / (1.0 + (-slice(logit, 1.0, rng, log_density)).exp());
}
