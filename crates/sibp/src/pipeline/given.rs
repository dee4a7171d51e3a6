//! Finds the given bits of objects that are to be encoded: as the caller knows them, or as a hash predicts them.

use super::CodingError;
use crate::codes::Codes;
use crate::data::Inputs;
use crate::format::GivenBits;
use crate::hash::HashStack;

/// Bits that stand before the learned ones.
#[derive(Debug, Clone)]
pub(super) struct GivenBefore {
    pub n_bits: usize,
    /// Where those of the training objects came from, for people.
    pub source: String,
    /// Predicts those of others.
    pub predictor: Option<HashStack>,
}

impl From<&GivenBits> for GivenBefore {
    fn from(given: &GivenBits) -> Self {
        let (source, predictor) = (given.source.clone(), given.predictor.clone());
        Self { n_bits: given.codes.n_bits(), source, predictor }
    }
}

impl GivenBefore {
    /// Those of these objects, as they were read.
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
