//! Gives unseen objects the probabilities of their bits, for searches that do not cut them to bits.

use super::{Encoder, ProbitEncoder, ProbitMethod};
use crate::codes::Codes;
use crate::data::Features;
use crate::trace::{Draw, RestoreError};

/// P(bit = 1) under one or several draws of a probit model, their bits side by side.
#[derive(Debug, Clone)]
pub struct BitProbabilities {
    parts: Vec<ProbitEncoder>,
}

impl BitProbabilities {
    /// Those of several draws; `n_inputs` is the number of transformed inputs.
    pub fn of_draws<'a>(
        draws: impl IntoIterator<Item = &'a Draw>,
        n_inputs: usize,
        method: ProbitMethod,
    ) -> Result<Self, RestoreError> {
        let part = |draw| ProbitEncoder::new(draw, n_inputs, method);
        Ok(Self { parts: draws.into_iter().map(part).collect::<Result<_, _>>()? })
    }

    /// Bits of an object, without given ones.
    pub fn n_bits(&self) -> usize {
        self.parts.iter().map(|part| part.n_bits()).sum()
    }

    /// Probabilities for (transformed) features, row by row. Given bits stand first and are certain.
    ///
    /// # Panics
    /// When the given bits are of fewer objects.
    pub fn rows(&self, features: &Features, given: Option<&Codes>) -> Vec<f64> {
        let parts: Vec<(usize, Vec<f64>)> =
            self.parts.iter().map(|part| (part.n_bits(), part.probabilities(features))).collect();
        let mut values = Vec::new();
        for row in 0..features.n_objects() {
            let certain = |codes: &Codes, bit| f64::from(u8::from(codes.get(row, bit)));
            values.extend(given.iter().flat_map(|codes| (0..codes.n_bits()).map(|bit| certain(codes, bit))));
            parts.iter().for_each(|(n, part)| values.extend(&part[row * n..(row + 1) * n]));
        }
        values
    }
}
