//! Finds the given bits of objects to be encoded: from the caller, or predicted by a hash.

use super::CodingError;
use crate::codes::Codes;
use crate::data::Inputs;
use crate::format::GivenBits;
use crate::hash::HashStack;

/// The given bits, which stand before the learned ones.
#[derive(Debug, Clone)]
pub(super) struct GivenBefore {
    pub n_bits: usize,
    /// Description of where the training objects' given bits came from.
    pub source: String,
    /// Predicts the given bits of other objects.
    pub predictor: Option<HashStack>,
}

impl From<&GivenBits> for GivenBefore {
    fn from(given: &GivenBits) -> Self {
        let (source, predictor) = (given.source.clone(), given.predictor.clone());
        Self { n_bits: given.codes.n_bits(), source, predictor }
    }
}

impl GivenBefore {
    /// Given bits of these objects, by their inputs before the transform.
    pub fn of(&self, inputs: &Inputs, known: Option<&Codes>) -> Result<Codes, CodingError> {
        match (known, &self.predictor) {
            (Some(known), _) => self.checked(inputs, known),
            (None, Some(predictor)) => Ok(predictor.encode(inputs)?),
            (None, None) => Err(CodingError::NoGivenBits { n_bits: self.n_bits, source_name: self.source.clone() }),
        }
    }

    fn checked(&self, inputs: &Inputs, known: &Codes) -> Result<Codes, CodingError> {
        let (n_objects, rows, bits) = (inputs.n_objects(), known.n_objects(), known.n_bits());
        if (rows, bits) != (n_objects, self.n_bits) {
            return Err(CodingError::GivenShape { n_objects, n_bits: self.n_bits, rows, bits });
        }
        Ok(known.clone())
    }
}
