//! Puts the codes of several encoders side by side.
//!
//! The Hamming distance of such codes is the sum of the distances under each part, so one index holds the average over
//! several draws.

use super::{Encoder, ProbitEncoder, ProbitMethod};
use crate::codes::Codes;
use crate::data::Features;
use crate::trace::{Draw, RestoreError};

/// Several encoders as one; its bits are theirs, in order.
pub struct JoinedEncoder {
    parts: Vec<Box<dyn Encoder>>,
}

impl JoinedEncoder {
    /// Joins encoders of the same inputs.
    ///
    /// # Panics
    /// When there is none, or they differ in their number of inputs.
    pub fn new(parts: Vec<Box<dyn Encoder>>) -> Self {
        assert!(!parts.is_empty(), "at least one encoder is needed");
        assert!(parts.iter().all(|part| part.n_inputs() == parts[0].n_inputs()), "all parts read the same inputs");
        Self { parts }
    }

    /// The encoders of several draws of a probit model.
    pub fn of_probit<'a>(
        draws: impl IntoIterator<Item = &'a Draw>,
        n_inputs: usize,
        method: ProbitMethod,
    ) -> Result<Self, RestoreError> {
        let part = |draw| ProbitEncoder::new(draw, n_inputs, method).map(|part| Box::new(part) as Box<dyn Encoder>);
        Ok(Self::new(draws.into_iter().map(part).collect::<Result<_, _>>()?))
    }
}

impl Encoder for JoinedEncoder {
    fn n_bits(&self) -> usize {
        self.parts.iter().map(|part| part.n_bits()).sum()
    }

    fn n_inputs(&self) -> usize {
        self.parts[0].n_inputs()
    }

    fn encode(&self, features: &Features, first_row: u64) -> Codes {
        let parts: Vec<Codes> = self.parts.iter().map(|part| part.encode(features, first_row)).collect();
        Codes::side_by_side(&parts.iter().collect::<Vec<_>>())
    }
}
