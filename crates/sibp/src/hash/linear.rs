//! Thresholds linear projections: the form of LSH, ITQ and attribute codes once fitted.

use super::{LearnError, error::same_width};
use crate::{
    codes::Codes,
    data::Inputs,
    encode::Encoder,
    numerics::{linalg::Mat, simd::dot},
};

/// A linear hash: bit b of an object x is `x · weights[b] > thresholds[b]`.
///
/// ```
/// use sibp::{data::Inputs, encode::Encoder, hash::{LearnError, LinearHash}};
/// let hash = LinearHash::new(2, vec![1.0, 0.0, 1.0, -1.0], vec![0.5, 0.0])?;
/// let codes = hash.encode(&Inputs::new(2, 2, vec![1.0, 0.0, 0.0, 1.0]).unwrap(), 0);
/// assert_eq!(codes.bytes(), &[0b1100_0000, 0b0000_0000]);
/// let narrow = LinearHash::new(3, vec![1.0, 0.0], vec![0.5]);
/// assert_eq!(narrow, Err(LearnError::Parts { what: "weights", expected: 3, got: 2 }));
/// # Ok::<(), LearnError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LinearHash {
    n_inputs: usize,
    weights: Vec<f64>,
    thresholds: Vec<f64>,
}

impl LinearHash {
    /// Takes `n_inputs` weights for each bit, bit after bit, and one threshold for each; all finite.
    pub fn new(n_inputs: usize, weights: Vec<f64>, thresholds: Vec<f64>) -> Result<Self, LearnError> {
        if thresholds.is_empty() {
            return Err(LearnError::NoBits);
        }
        let expected = n_inputs.saturating_mul(thresholds.len());
        if weights.len() != expected {
            return Err(LearnError::Parts { what: "weights", expected, got: weights.len() });
        }
        for (what, list) in [("weight", &weights), ("threshold", &thresholds)] {
            if let Some(at) = list.iter().position(|v| !v.is_finite()) {
                return Err(LearnError::NotFinite { what, at, value: list[at] });
            }
        }
        Ok(Self { n_inputs, weights, thresholds })
    }

    /// The given bits, in the given order.
    ///
    /// # Panics
    /// When there is no such bit.
    pub fn select(&self, bits: &[usize]) -> Result<Self, LearnError> {
        let weights = bits.iter().flat_map(|&bit| &self.weights[bit * self.n_inputs..(bit + 1) * self.n_inputs]);
        let thresholds = bits.iter().map(|&bit| self.thresholds[bit]).collect();
        Self::new(self.n_inputs, weights.copied().collect(), thresholds)
    }

    /// Takes directions (a column a bit) with thresholds at the projection of `centre`.
    pub(super) fn through(centre: &[f64], directions: &Mat<f64>) -> Result<Self, LearnError> {
        let weights: Vec<f64> = directions.col_iter().flat_map(|c| c.iter().copied().collect::<Vec<_>>()).collect();
        let thresholds = weights.chunks(centre.len()).map(|w| w.iter().zip(centre).map(|(w, c)| w * c).sum());
        Self::new(centre.len(), weights.clone(), thresholds.collect())
    }

    /// The weights, `n_inputs` for each bit.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The threshold of each bit.
    pub fn thresholds(&self) -> &[f64] {
        &self.thresholds
    }

    /// Calls `visit(object_ix, projections)` for each row, with projection minus threshold for each bit.
    pub fn for_each_margin(&self, inputs: &Inputs, mut visit: impl FnMut(usize, &[f64])) -> Result<(), LearnError> {
        same_width(self.n_inputs, inputs.n_inputs())?;
        let mut margins = vec![0.0; self.thresholds.len()];
        for (object, x) in inputs.rows().enumerate() {
            // Row by row: a bit then never depends on which objects are encoded beside it.
            let bits = self.weights.chunks_exact(self.n_inputs).zip(&self.thresholds);
            margins.iter_mut().zip(bits).for_each(|(margin, (w, t))| *margin = dot(&x, w) - t);
            visit(object, &margins);
        }
        Ok(())
    }
}

impl Encoder for LinearHash {
    fn n_bits(&self) -> usize {
        self.thresholds.len()
    }

    fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    fn encode(&self, inputs: &Inputs, _first_row: u64) -> Codes {
        let mut codes = Codes::zeros(inputs.n_objects(), self.n_bits());
        let encoded = self.for_each_margin(inputs, |object, margins| {
            for (bit, &margin) in margins.iter().enumerate() {
                if margin > 0.0 {
                    codes.set(object, bit, true);
                }
            }
        });
        match encoded {
            Ok(()) => codes,
            Err(error) => panic!("{error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_like_a_plain_loop() {
        let (n, m) = (2055, 3);
        let value = |at: usize| ((at * 7919) % 101) as f64 - 50.0;
        let inputs = Inputs::new(n, m, (0..n * m).map(value).collect()).unwrap();
        let hash =
            LinearHash::new(m, (0..4 * m).map(|at| value(at + 13)).collect(), vec![0.0, 5.0, -5.0, 1.0]).unwrap();
        let codes = hash.encode(&inputs, 0);
        for (object, row) in inputs.rows().enumerate() {
            for bit in 0..4 {
                let dot: f64 = row.iter().zip(&hash.weights()[bit * m..]).map(|(x, w)| x * w).sum();
                assert_eq!(codes.get(object, bit), dot > hash.thresholds()[bit], "object {object}, bit {bit}");
            }
        }
    }

    #[test]
    fn damaged_parts_are_refused() {
        assert_eq!(LinearHash::new(2, vec![], vec![]), Err(LearnError::NoBits));
        let short = LinearHash::new(2, vec![1.0], vec![0.0]);
        assert_eq!(short, Err(LearnError::Parts { what: "weights", expected: 2, got: 1 }));
        let nan = LinearHash::new(1, vec![1.0, f64::NAN], vec![0.0, 0.0]).unwrap_err();
        assert!(nan.to_string().contains("weight 1 is NaN"));
    }
}
