//! Puts the codes of several encoders side by side.
//!
//! The Hamming distance of such codes is the sum of the distances under each part, so one index holds the average over
//! several draws.

use super::{Encoder, Hyperplanes, StoredEncoder};
use crate::codes::Codes;
use crate::data::Inputs;

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

    /// The numbers of each part; `None` where one has none.
    pub fn stored_parts(&self) -> Option<Vec<StoredEncoder>> {
        self.parts.iter().map(|part| part.stored()).collect()
    }
}

impl Encoder for JoinedEncoder {
    fn n_bits(&self) -> usize {
        self.parts.iter().map(|part| part.n_bits()).sum()
    }

    fn n_inputs(&self) -> usize {
        self.parts[0].n_inputs()
    }

    fn encode(&self, inputs: &Inputs, first_row: u64) -> Codes {
        let parts: Vec<Codes> = self.parts.iter().map(|part| part.encode(inputs, first_row)).collect();
        Codes::side_by_side(&parts.iter().collect::<Vec<_>>())
    }

    fn probabilities(&self, inputs: &Inputs) -> Option<Vec<f64>> {
        let parts: Vec<(usize, Vec<f64>)> =
            self.parts.iter().map(|part| Some((part.n_bits(), part.probabilities(inputs)?))).collect::<Option<_>>()?;
        let rows = 0..inputs.n_objects();
        let of_row = |row: usize| parts.iter().flat_map(move |(n, part)| &part[row * n..(row + 1) * n]).copied();
        Some(rows.flat_map(of_row).collect())
    }

    fn has_probabilities(&self) -> bool {
        self.parts.iter().all(|part| part.has_probabilities())
    }

    fn hyperplanes(&self) -> Option<Hyperplanes> {
        let parts: Vec<Hyperplanes> = self.parts.iter().map(|part| part.hyperplanes()).collect::<Option<_>>()?;
        Some(Hyperplanes {
            coefficients: parts.iter().flat_map(|part| part.coefficients.iter().copied()).collect(),
            offsets: parts.iter().flat_map(|part| part.offsets.iter().copied()).collect(),
        })
    }
}
