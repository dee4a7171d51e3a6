//! Encodes unseen objects under the linear probit model (§5.2): one threshold a bit.

use super::Encoder;
use crate::baseline::LinearHash;
use crate::codes::Codes;
use crate::data::Features;
use crate::numerics::normal::log_cdf;
use crate::numerics::simd::dot;
use crate::trace::{Draw, RestoreError};
use serde::{Deserialize, Serialize};

/// Which coefficients encode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProbitMethod {
    /// The most probable coefficients given the draw's bits: much better codes than a single draw of them.
    Refit,
    /// The draw's own coefficients.
    Drawn,
}

/// Encodes by one draw.
#[derive(Debug, Clone)]
pub struct ProbitEncoder {
    n_inputs: usize,
    /// Bits x inputs.
    coefficients: Vec<f64>,
    sticks: Vec<f64>,
}

impl ProbitEncoder {
    /// Prepares a stored draw; `n_inputs` is the number of transformed inputs.
    pub fn new(draw: &Draw, n_inputs: usize, method: ProbitMethod) -> Result<Self, RestoreError> {
        let (coefficients, sticks) = match method {
            ProbitMethod::Refit => ("map_coefficients", "map_sticks"),
            ProbitMethod::Drawn => ("coefficients", "sticks"),
        };
        let k = draw.bits.n_bits();
        Ok(Self {
            n_inputs,
            coefficients: draw.tensor(coefficients, &[k, n_inputs])?.to_vec(),
            sticks: draw.tensor(sticks, &[k])?.to_vec(),
        })
    }

    /// The same bits as a hash of transformed inputs; none for a draw without bits.
    pub fn to_hash(&self) -> Option<LinearHash> {
        // x·g - (-t) is x·g + t to the last bit, so both give the same codes.
        let thresholds = self.sticks.iter().map(|stick| -stick).collect();
        LinearHash::new(self.n_inputs, self.coefficients.clone(), thresholds).ok()
    }

    /// x·g + t of every bit.
    fn heights<'a>(&'a self, x: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let rows = self.coefficients.chunks_exact(self.n_inputs.max(1));
        rows.zip(&self.sticks).map(move |(g, t)| dot(x, g) + t)
    }

    /// P(bit = 1) of every object and bit, in row order.
    pub fn probabilities(&self, features: &Features) -> Vec<f64> {
        features.rows().flat_map(|x| self.heights(&x).map(|height| log_cdf(height).exp()).collect::<Vec<_>>()).collect()
    }
}

impl Encoder for ProbitEncoder {
    fn n_bits(&self) -> usize {
        self.sticks.len()
    }

    fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    fn encode(&self, features: &Features, _first_row: u64) -> Codes {
        assert_eq!(features.n_inputs(), self.n_inputs, "features must have as many inputs as the model");
        let mut codes = Codes::zeros(features.n_objects(), self.n_bits());
        for (row, x) in features.rows().enumerate() {
            for (bit_ix, height) in self.heights(&x).enumerate() {
                if height > 0.0 {
                    codes.set(row, bit_ix, true);
                }
            }
        }
        codes
    }
}
