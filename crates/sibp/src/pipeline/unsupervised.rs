//! Gives objects bits that no label or triplet taught, so that codes also tell apart what was never taught.

use super::FitError;
use crate::data::{DataError, Inputs};
use crate::format::GivenBits;
use crate::hash::{Hash, HashBlock, HashStack, ItqSettings, fit_itq};
use crate::transform::{InputTransform, Step, Transform};

/// Bits of the inputs by iterative quantisation, which predicts those of other objects too.
pub fn unsupervised_bits(n_bits: usize, inputs: &Inputs, seed: u64) -> Result<GivenBits, FitError> {
    let most = inputs.n_inputs();
    if n_bits == 0 || n_bits > most {
        return Err(DataError::BadSize { step: "unsupervised bits", asked: n_bits, most }.into());
    }
    let (transform, centred) = Transform::fit_apply(&InputTransform { steps: vec![Step::Centre] }, inputs)?;
    let wrong = |reason: String| FitError::Unsupervised { reason };
    let hash = fit_itq(&centred, &ItqSettings::new(n_bits, seed)).map_err(|error| wrong(error.to_string()))?;
    let source = "iterative quantisation of the inputs";
    let block = HashBlock::new(source, transform, Hash::Linear(hash));
    let stack = HashStack::new(vec![block]).map_err(|error| wrong(error.to_string()))?;
    Ok(GivenBits { source: source.to_owned(), codes: stack.encode(inputs)?, predictor: Some(stack) })
}
