//! Fits spectral hashing: bits are signs of the smoothest waves along principal directions
//! (Weiss, Torralba and Fergus, NIPS 2009).

use super::{LearnError, principal::Principal};
use crate::{
    codes::Codes,
    data::Inputs,
    encode::Encoder,
    numerics::linalg::{Mat, product, view},
};
use std::f64::consts::PI;

/// Rows encoded at once, to bound memory.
const BLOCK: usize = 1024;

/// One wave: `n_half_waves` half waves over the range of one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mode {
    /// The direction it runs along.
    pub direction: usize,
    /// Half waves over the range seen in training.
    pub n_half_waves: usize,
}

/// A spectral hash: bit b is `cos(n_half_waves · pi · (projection - low) / range) > 0` for its [`Mode`].
///
/// ```
/// use sibp::{hash::SpectralHash, data::Inputs, encode::Encoder};
/// let inputs = Inputs::new(4, 1, vec![0.0, 1.5, 2.5, 4.0])?;
/// let hash = SpectralHash::fit(&inputs, 2)?;
/// let codes = hash.encode(&inputs, 0);
/// assert_eq!(codes.distance(0, codes.row(1)), 1); // the second wave has crossed zero
/// assert_eq!(codes.distance(0, codes.row(2)), 2); // both have
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SpectralHash {
    n_inputs: usize,
    /// One row of weights for each direction.
    directions: Vec<f64>,
    lows: Vec<f64>,
    ranges: Vec<f64>,
    modes: Vec<Mode>,
}

impl SpectralHash {
    /// Chooses the `n_bits` waves of lowest frequency among all directions; equal ones by direction.
    pub fn fit(inputs: &Inputs, n_bits: usize) -> Result<Self, LearnError> {
        if n_bits == 0 {
            return Err(LearnError::NoBits);
        }
        let n_inputs = inputs.n_inputs();
        let principal = Principal::of(inputs, n_bits.min(n_inputs), "spectral hashing")?;
        let directions: Vec<f64> =
            principal.directions.col_iter().flat_map(|c| c.iter().copied().collect::<Vec<_>>()).collect();
        let projected = project(&inputs.values(), n_inputs, &directions);
        let extremes = |row: usize| {
            let values = projected.row(row).iter().copied();
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
        };
        let (lows, highs): (Vec<f64>, Vec<f64>) = (0..projected.nrows()).map(extremes).unzip();
        let ranges: Vec<f64> = highs.iter().zip(&lows).map(|(high, low)| high - low).collect();
        let modes = smoothest(&ranges, n_bits);
        Self::from_parts(n_inputs, directions, lows, ranges, modes)
    }

    /// Builds a hash from the parts that the accessors return, as from a file.
    pub fn from_parts(
        n_inputs: usize,
        directions: Vec<f64>,
        lows: Vec<f64>,
        ranges: Vec<f64>,
        modes: Vec<Mode>,
    ) -> Result<Self, LearnError> {
        if modes.is_empty() {
            return Err(LearnError::NoBits);
        }
        let n_weights = n_inputs.saturating_mul(lows.len());
        for (what, expected, got) in [("directions", n_weights, directions.len()), ("ranges", lows.len(), ranges.len())]
        {
            if expected != got {
                return Err(LearnError::Parts { what, expected, got });
            }
        }
        for (what, list) in [("direction", &directions), ("low", &lows), ("range", &ranges)] {
            if let Some(at) = list.iter().position(|v| !v.is_finite()) {
                return Err(LearnError::NotFinite { what, at, value: list[at] });
            }
        }
        for mode in &modes {
            let range = ranges.get(mode.direction).copied().unwrap_or(0.0);
            if range <= 0.0 {
                return Err(LearnError::Setting { name: "the range of a mode", value: range, range: "positive" });
            }
        }
        Ok(Self { n_inputs, directions, lows, ranges, modes })
    }

    /// The given bits, in the given order.
    ///
    /// # Panics
    /// When there is no such bit.
    pub fn select(&self, bits: &[usize]) -> Result<Self, LearnError> {
        let modes = bits.iter().map(|&bit| self.modes[bit]).collect();
        Self::from_parts(self.n_inputs, self.directions.clone(), self.lows.clone(), self.ranges.clone(), modes)
    }

    /// The principal directions, `n_inputs` weights each.
    pub fn directions(&self) -> &[f64] {
        &self.directions
    }

    /// Smallest projection seen along each direction.
    pub fn lows(&self) -> &[f64] {
        &self.lows
    }

    /// Largest minus smallest projection along each direction.
    pub fn ranges(&self) -> &[f64] {
        &self.ranges
    }

    /// The wave of each bit.
    pub fn modes(&self) -> &[Mode] {
        &self.modes
    }
}

impl Encoder for SpectralHash {
    fn n_bits(&self) -> usize {
        self.modes.len()
    }

    fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    fn encode(&self, inputs: &Inputs, _first_row: u64) -> Codes {
        assert_eq!(inputs.n_inputs(), self.n_inputs, "inputs must have as many inputs as those of the fit");
        let mut codes = Codes::zeros(inputs.n_objects(), self.n_bits());
        for (block_ix, block) in inputs.values().chunks(BLOCK * self.n_inputs).enumerate() {
            let projected = project(block, self.n_inputs, &self.directions);
            for (row, column) in projected.col_iter().enumerate() {
                for (bit, mode) in self.modes.iter().enumerate() {
                    let at = (column[mode.direction] - self.lows[mode.direction]) / self.ranges[mode.direction];
                    codes.set(block_ix * BLOCK + row, bit, (mode.n_half_waves as f64 * PI * at).cos() > 0.0);
                }
            }
        }
        codes
    }
}

/// Projections, a direction a row and an object a column. The mean stays in: `lows` takes it off.
fn project(values: &[f64], n_inputs: usize, directions: &[f64]) -> Mat<f64> {
    let rows = view(values, values.len() / n_inputs, n_inputs);
    product(view(directions, directions.len() / n_inputs, n_inputs), rows.transpose(), 1.0)
}

/// The waves of lowest frequency, n_half_waves / range; at most `n_bits` along one direction can be among them.
fn smoothest(ranges: &[f64], n_bits: usize) -> Vec<Mode> {
    let widest = ranges.iter().fold(0.0f64, |a, &b| a.max(b));
    let mut modes = Vec::new();
    for (direction, &range) in ranges.iter().enumerate().filter(|r| *r.1 > 1e-12 * widest) {
        // Along the widest direction alone there are n_bits waves up to this frequency.
        let most = (n_bits as f64 * range / widest).ceil() as usize;
        modes.extend((1..=most.min(n_bits)).map(|n_half_waves| Mode { direction, n_half_waves }));
    }
    let frequency = |mode: &Mode| mode.n_half_waves as f64 / ranges[mode.direction];
    modes.sort_by(|a, b| frequency(a).total_cmp(&frequency(b)).then(a.direction.cmp(&b.direction)));
    modes.truncate(n_bits);
    modes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn smoothest_equals_a_full_search(ranges in prop::collection::vec(0.01f64..10.0, 1..6), n_bits in 1usize..20) {
            let mut all: Vec<f64> =
                ranges.iter().flat_map(|r| (1..=n_bits).map(move |waves| waves as f64 / r)).collect();
            all.sort_by(f64::total_cmp);
            let chosen = smoothest(&ranges, n_bits);
            let frequencies: Vec<f64> = chosen.iter().map(|m| m.n_half_waves as f64 / ranges[m.direction]).collect();
            prop_assert_eq!(&frequencies[..], &all[..n_bits]);
        }
    }

    #[test]
    fn a_wide_and_a_narrow_direction_share_the_bits() {
        let modes = smoothest(&[4.0, 2.0, 0.0], 4);
        let pairs: Vec<_> = modes.iter().map(|m| (m.direction, m.n_half_waves)).collect();
        assert_eq!(pairs, [(0, 1), (0, 2), (1, 1), (0, 3)]);
    }

    #[test]
    fn parts_are_checked() {
        let inputs = Inputs::new(4, 2, vec![0.0, 1.0, 2.0, 0.0, 4.0, 1.5, 7.0, 3.0]).unwrap();
        let hash = SpectralHash::fit(&inputs, 5).unwrap();
        let (directions, modes) = (hash.directions().to_vec(), hash.modes().to_vec());
        let (lows, ranges) = (hash.lows().to_vec(), hash.ranges().to_vec());
        let again = SpectralHash::from_parts(2, directions.clone(), lows.clone(), ranges.clone(), modes.clone());
        assert_eq!(again, Ok(hash));
        assert!(SpectralHash::from_parts(3, directions.clone(), lows.clone(), ranges.clone(), modes).is_err());
        let outside = vec![Mode { direction: 9, n_half_waves: 1 }];
        assert!(SpectralHash::from_parts(2, directions, lows, ranges, outside).is_err());
        assert!(SpectralHash::fit(&Inputs::new(2, 1, vec![3.0, 3.0]).unwrap(), 1).is_err());
    }
}
