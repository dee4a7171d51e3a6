//! Fits locality-sensitive hashing: random hyperplanes through the centre of the inputs (Charikar, STOC 2002).

use super::{LearnError, LinearHash, scaling::Scaling};
use crate::rng::{Purpose, Streams};
use crate::{data::Inputs, numerics::linalg::Mat};
use rand_distr::{Distribution, StandardNormal};

/// Draws `n_bits` random hyperplanes; any number of bits is possible, and more bits keep the first ones.
///
/// ```
/// use sibp::{hash::fit_lsh, data::Inputs, encode::Encoder};
/// let inputs = Inputs::new(3, 2, vec![1.0, 0.0, 0.0, 1.0, -1.0, -1.0])?;
/// let codes = fit_lsh(&inputs, 16, 7)?.encode(&inputs, 0);
/// assert_eq!(codes.n_bits(), 16);
/// assert_eq!(codes, fit_lsh(&inputs, 16, 7)?.encode(&inputs, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_lsh(inputs: &Inputs, n_bits: usize, seed: u64) -> Result<LinearHash, LearnError> {
    if n_bits == 0 {
        return Err(LearnError::NoBits);
    }
    let mut rng = Streams::new(seed, 0).rng(Purpose::Hash, 0, 0);
    // Column by column, so that a longer code begins with the shorter one.
    let mut normals = Mat::zeros(inputs.n_inputs(), n_bits);
    for bit in 0..n_bits {
        for input in 0..inputs.n_inputs() {
            normals[(input, bit)] = StandardNormal.sample(&mut rng);
        }
    }
    LinearHash::through(&Scaling::of(inputs)?.mean, &normals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Encoder;

    /// Two directions at angle a fall on different sides of a random hyperplane with probability a / pi.
    #[test]
    fn distance_estimates_the_angle() {
        let angle = 1.0f64;
        let values = vec![1.0, 0.0, angle.cos(), angle.sin(), -1.0, 0.0, -angle.cos(), -angle.sin()];
        let inputs = Inputs::new(4, 2, values).unwrap();
        let n_bits = 20_000;
        let codes = fit_lsh(&inputs, n_bits, 1).unwrap().encode(&inputs, 0);
        let share = f64::from(codes.distance(0, codes.row(1))) / n_bits as f64;
        // Five standard deviations of a share of 20,000 bits.
        assert!((share - angle / std::f64::consts::PI).abs() < 0.017, "{share}");
        assert_eq!(codes.distance(0, codes.row(2)), n_bits as u32);
    }

    #[test]
    fn longer_codes_begin_with_shorter_ones() {
        let inputs = Inputs::new(2, 3, vec![1.0, 2.0, 3.0, -1.0, 5.0, 0.5]).unwrap();
        let (short, long) = (fit_lsh(&inputs, 4, 9).unwrap(), fit_lsh(&inputs, 9, 9).unwrap());
        assert_eq!(short.weights(), &long.weights()[..12]);
        assert_eq!(fit_lsh(&inputs, 0, 9), Err(LearnError::NoBits));
    }
}
