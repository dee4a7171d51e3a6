//! Takes an encoder out of a fitted model, so that it can go where the objects are, and makes a coder of it there.

use super::given::GivenBefore;
use super::{CodeParts, CodingError, Reading};
use crate::encode::EncoderChoice;
use crate::format::{Fitted, PortableEncoder, PortableGiven};

impl Fitted {
    /// What gives the codes that are read in this way, without draws and training objects. Its codes, weights and
    /// fingerprint are those of the model's coder.
    pub fn portable(&self, reading: impl Into<Reading>) -> Result<PortableEncoder, CodingError> {
        let reading = reading.into();
        let about = self.info.model.about();
        let encoder = reading.encoder.unwrap_or(about.encoders[0]);
        let stays = || {
            let travels = |choice: &EncoderChoice| choice.travels();
            CodingError::StaysHome { encoder, others: about.encoders.iter().copied().filter(travels).collect() }
        };
        self.coder(reading)?.portable(self.info.model.kind()).ok_or_else(stays)
    }
}

impl PortableEncoder {
    /// Numbers of bits of a code, in the order in which they stand there.
    pub fn code_parts(&self) -> CodeParts {
        CodeParts {
            given: self.given.as_ref().map_or(0, |given| given.n_bits),
            learned: self.learned.iter().map(|part| part.n_bits()).sum(),
            unsupervised: self.unsupervised.as_ref().map_or(0, |hash| hash.n_bits()),
        }
    }
}

impl From<&GivenBefore> for PortableGiven {
    fn from(given: &GivenBefore) -> Self {
        Self { source: given.source.clone(), n_bits: given.n_bits, predictor: given.predictor.clone() }
    }
}

impl From<PortableGiven> for GivenBefore {
    fn from(given: PortableGiven) -> Self {
        Self { source: given.source, n_bits: given.n_bits, predictor: given.predictor }
    }
}
