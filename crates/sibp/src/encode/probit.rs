//! Encodes unseen objects under the linear probit model (§5.2): one threshold a bit.

use super::{Encoder, EncoderChoice, EncoderError, Hyperplanes, StoredEncoder};
use crate::codes::Codes;
use crate::data::Inputs;
use crate::numerics::normal::log_cdf;
use crate::numerics::simd::dot;
use crate::trace::{Draw, REFIT_COEFFICIENTS, REFIT_STICKS};

/// Encodes by one draw of the linear probit model.
#[derive(Debug, Clone)]
pub struct ProbitEncoder {
    n_inputs: usize,
    /// Bits x inputs.
    coefficients: Vec<f64>,
    sticks: Vec<f64>,
}

impl ProbitEncoder {
    /// Prepares a stored draw: its own coefficients (drawn), or the most probable ones given its bits. `n_inputs` is
    /// the number of transformed inputs.
    pub fn new(draw: &Draw, n_inputs: usize, choice: EncoderChoice) -> Result<Self, EncoderError> {
        let (coefficients, sticks) = match choice {
            EncoderChoice::Drawn => ("coefficients", "sticks"),
            _ if !draw.is_refitted() => return Err(EncoderError::NotRefitted { sweep: draw.sweep }),
            _ => (REFIT_COEFFICIENTS, REFIT_STICKS),
        };
        let k = draw.bits.n_bits();
        Ok(Self {
            n_inputs,
            coefficients: draw.tensor(coefficients, &[k, n_inputs])?.to_vec(),
            sticks: draw.tensor(sticks, &[k])?.to_vec(),
        })
    }

    /// Encodes by these hyperplanes.
    pub(super) fn of_hyperplanes(n_inputs: usize, planes: Hyperplanes) -> Self {
        Self { n_inputs, coefficients: planes.coefficients, sticks: planes.offsets }
    }

    /// x·g + t of every bit.
    fn heights<'a>(&'a self, x: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let rows = self.coefficients.chunks_exact(self.n_inputs.max(1));
        rows.zip(&self.sticks).map(move |(g, t)| dot(x, g) + t)
    }
}

impl Encoder for ProbitEncoder {
    fn n_bits(&self) -> usize {
        self.sticks.len()
    }

    fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    fn encode(&self, inputs: &Inputs, _first_row: u64) -> Codes {
        assert_eq!(inputs.n_inputs(), self.n_inputs, "inputs must have as many inputs as the model");
        let mut codes = Codes::zeros(inputs.n_objects(), self.n_bits());
        for (row, x) in inputs.rows().enumerate() {
            for (bit_ix, height) in self.heights(&x).enumerate() {
                if height > 0.0 {
                    codes.set(row, bit_ix, true);
                }
            }
        }
        codes
    }

    fn probabilities(&self, inputs: &Inputs) -> Option<Vec<f64>> {
        let of_row = |x: &[f64]| self.heights(x).map(|height| log_cdf(height).exp()).collect::<Vec<_>>();
        Some(inputs.rows().flat_map(|x| of_row(&x)).collect())
    }

    fn has_probabilities(&self) -> bool {
        true
    }

    fn hyperplanes(&self) -> Option<Hyperplanes> {
        Some(Hyperplanes { coefficients: self.coefficients.clone(), offsets: self.sticks.clone() })
    }

    fn stored(&self) -> Option<StoredEncoder> {
        self.hyperplanes().map(StoredEncoder::Probit)
    }
}
