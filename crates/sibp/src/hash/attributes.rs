//! Fits attribute codes: one logistic regression for each bit that people have assigned (Lampert, Nickisch and
//! Harmeling, CVPR 2009).

use super::{LearnError, LinearHash, LogisticSettings, error::one_each, logistic::fit_problems};
use crate::{codes::Codes, data::Inputs};

/// Attribute predictors, with diagnostics of the fit.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeFit {
    /// Predicts the bits of unseen objects.
    pub hash: LinearHash,
    /// Bits whose regression did not converge to the asked precision.
    pub unfinished: Vec<usize>,
}

/// Learns to predict the bits of `targets` (one code for each object); a bit without variation stays constant.
///
/// ```
/// use sibp::{hash::{LogisticSettings, fit_attributes}, codes::Codes, data::Inputs, encode::Encoder};
/// let inputs = Inputs::new(4, 1, vec![0.0, 1.0, 8.0, 9.0])?;
/// let targets = Codes::from_bytes(4, 2, vec![0b1000_0000, 0b1000_0000, 0b1100_0000, 0b1100_0000])?;
/// let fit = fit_attributes(&inputs, &targets, &LogisticSettings::default())?;
/// assert_eq!(fit.hash.encode(&inputs, 0), targets);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_attributes(
    inputs: &Inputs,
    targets: &Codes,
    settings: &LogisticSettings,
) -> Result<AttributeFit, LearnError> {
    one_each("target codes", inputs.n_objects(), targets.n_objects())?;
    let (hash, unfinished) = fit_problems(inputs, targets.n_bits(), |bit, object| targets.get(object, bit), settings)?;
    Ok(AttributeFit { hash, unfinished })
}
