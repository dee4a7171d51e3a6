//! Fits iterative quantisation: a rotation of principal directions that loses least when cut to bits
//! (Gong and Lazebnik, CVPR 2011).

use super::{LearnError, LinearHash, principal::Principal};
use crate::rng::{Purpose, Streams};
use crate::{
    data::Inputs,
    numerics::linalg::{Mat, nearest_rotation, product},
};
use rand_distr::{Distribution, StandardNormal};

/// Settings of iterative quantisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItqSettings {
    /// Bits a code, at most one for each input.
    pub n_bits: usize,
    /// Rounds of rounding and rotating; the authors use 50.
    pub n_rounds: usize,
    /// Seed of the first rotation.
    pub seed: u64,
}

impl ItqSettings {
    /// The authors' 50 rounds.
    pub fn new(n_bits: usize, seed: u64) -> Self {
        Self { n_bits, n_rounds: 50, seed }
    }
}

/// Finds principal directions, then rotates them towards the corners of the cube.
///
/// ```
/// use sibp::{data::Inputs, encode::Encoder, hash::{ItqSettings, LearnError, fit_itq}};
/// let inputs = Inputs::new(4, 2, vec![0.0, 0.0, 0.0, 1.0, 9.0, 0.0, 9.0, 1.0])?;
/// let codes = fit_itq(&inputs, &ItqSettings::new(1, 0))?.encode(&inputs, 0);
/// assert_eq!(codes.distance(0, codes.row(1)), 0);
/// assert_eq!(codes.distance(0, codes.row(2)), 1);
/// let refused = fit_itq(&inputs, &ItqSettings::new(3, 0));
/// assert!(matches!(refused, Err(LearnError::TooManyBits { n_bits: 3, .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_itq(inputs: &Inputs, settings: &ItqSettings) -> Result<LinearHash, LearnError> {
    let &ItqSettings { n_bits, n_rounds, seed } = settings;
    if n_bits == 0 {
        return Err(LearnError::NoBits);
    }
    if n_bits > inputs.n_inputs() {
        return Err(LearnError::TooManyBits { method: "ITQ", n_bits, n_inputs: inputs.n_inputs() });
    }
    let principal = Principal::of(inputs, n_bits, "ITQ")?;
    let projected = principal.project(inputs);
    let mut rotation = random_rotation(n_bits, seed)?;
    for _ in 0..n_rounds {
        rotation = rotate_once(&projected, &rotation)?;
    }
    let directions = product(principal.directions.as_ref(), rotation.as_ref(), 1.0);
    LinearHash::through(&principal.scaling.mean, &directions)
}

fn random_rotation(n: usize, seed: u64) -> Result<Mat<f64>, LearnError> {
    let mut rng = Streams::new(seed, 0).rng(Purpose::Hash, 1, 0);
    let normal = Mat::from_fn(n, n, |_, _| StandardNormal.sample(&mut rng));
    Ok(nearest_rotation(normal.as_ref())?)
}

/// Rounds to corners of the cube, then takes the rotation R that brings `projected` · R nearest to them (orthogonal
/// Procrustes).
fn rotate_once(projected: &Mat<f64>, rotation: &Mat<f64>) -> Result<Mat<f64>, LearnError> {
    let mut corners = product(projected.as_ref(), rotation.as_ref(), 1.0);
    for column in corners.col_iter_mut() {
        column.iter_mut().for_each(|v| *v = if *v > 0.0 { 1.0 } else { -1.0 });
    }
    Ok(nearest_rotation(product(projected.transpose(), corners.as_ref(), 1.0).as_ref())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn loss(projected: &Mat<f64>, rotation: &Mat<f64>) -> f64 {
        let rotated = product(projected.as_ref(), rotation.as_ref(), 1.0);
        let entries = rotated.col_iter().flat_map(|c| c.iter().copied().collect::<Vec<_>>());
        entries.map(|v| (v.abs() - 1.0) * (v.abs() - 1.0)).sum()
    }

    proptest! {
        #[test]
        fn no_round_raises_the_loss(values in prop::collection::vec(-3.0f64..3.0, 60), seed in any::<u64>()) {
            let inputs = Inputs::new(15, 4, values).unwrap();
            let projected = Principal::of(&inputs, 3, "ITQ").unwrap().project(&inputs);
            let mut rotation = random_rotation(3, seed).unwrap();
            for _ in 0..10 {
                let next = rotate_once(&projected, &rotation).unwrap();
                prop_assert!(loss(&projected, &next) <= loss(&projected, &rotation) + 1e-9);
                rotation = next;
            }
        }
    }

    #[test]
    fn equal_objects_are_refused() {
        let inputs = Inputs::new(3, 2, vec![1.0; 6]).unwrap();
        let refused = fit_itq(&inputs, &ItqSettings::new(1, 0));
        assert_eq!(refused, Err(LearnError::NoVariance { method: "ITQ", n_objects: 3 }));
    }
}
