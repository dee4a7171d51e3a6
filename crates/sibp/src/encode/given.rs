//! Puts bits that objects have already before those that an encoder gives.

use super::Encoder;
use crate::codes::Codes;
use crate::data::Features;

/// Codes [h z]: given bits, then those of the encoder.
pub struct GivenEncoder {
    given: Codes,
    learned: Box<dyn Encoder>,
}

impl GivenEncoder {
    /// `given` holds a code for each object of the stream to be encoded.
    pub fn new(given: Codes, learned: Box<dyn Encoder>) -> Self {
        Self { given, learned }
    }
}

impl Encoder for GivenEncoder {
    fn n_bits(&self) -> usize {
        self.given.n_bits() + self.learned.n_bits()
    }

    fn n_inputs(&self) -> usize {
        self.learned.n_inputs()
    }

    /// # Panics
    /// When the stream has more objects than there are given codes.
    fn encode(&self, features: &Features, first_row: u64) -> Codes {
        let rows: Vec<usize> = (first_row as usize..).take(features.n_objects()).collect();
        let given = self.given.select(&rows);
        Codes::side_by_side(&[&given, &self.learned.encode(features, first_row)])
    }
}
