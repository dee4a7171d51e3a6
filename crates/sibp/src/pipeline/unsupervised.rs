//! Adds unsupervised bits, computed from the inputs only, so that codes also tell apart what was never taught.

use super::FitError;
use crate::data::{DataError, Inputs};
use crate::format::UnsupervisedBits;
use crate::hash::{Hash, HashBlock, HashStack, ItqSettings, LearnError, LinearHash, fit_itq};
use crate::numerics::simd::dot;
use crate::rng::{Purpose, Streams};
use crate::transform::{InputTransform, Transform};
use rand::RngExt;

/// Bits at most.
const MOST: usize = 1024;
/// Bits of a code that is filled up with them, and those of it that are kept for learned ones at least.
const WIDTH: usize = 128;
const FEWEST_LEARNED: usize = 32;
/// Bits of an open code where nobody chose their number, and the share of them that is left to the inputs: chosen on
/// training digits, half of them never taught.
const OPEN_WIDTH: usize = 64;
const OPEN_SHARE: (usize, usize) = (5, 8);
/// Objects whose axes are rotated, at most: more would hardly change them. The second where each has many inputs.
const ROTATED: usize = 4000;
const ROTATED_WIDE: usize = 1000;
const MANY_INPUTS: usize = 1000;

/// Bits that fill codes up to a number of them, that of [`WIDTH`] where nobody chose one. `None` where inputs give none: all
/// are alike.
pub fn filling_bits(
    max_bits: Option<usize>,
    scale: &InputTransform,
    inputs: &Inputs,
    seed: u64,
) -> Option<UnsupervisedBits> {
    let width = max_bits.unwrap_or(WIDTH).min(WIDTH);
    let bits = unsupervised_bits(width.saturating_sub(FEWEST_LEARNED), scale, inputs, seed).ok()?;
    bits.map(|bits| UnsupervisedBits { fills_to: Some(width), ..bits })
}

/// Settles how many bits an open code has besides given ones, and how many of them are those of the inputs, where nobody chose.
pub fn leave_room(n_given: usize, max_bits: &mut Option<usize>, n_bits: &mut Option<usize>) {
    let wide_enough = |n_bits: usize| (n_bits * OPEN_SHARE.1).div_ceil(OPEN_SHARE.0).max(OPEN_WIDTH);
    let most = *max_bits.get_or_insert(n_given + n_bits.map_or(OPEN_WIDTH, wide_enough));
    n_bits.get_or_insert((most.saturating_sub(n_given) * OPEN_SHARE.0 / OPEN_SHARE.1).min(MOST));
}

/// Bits of the inputs, `None` where none are asked for: by iterative quantisation, and those beyond one an input by random
/// planes. Inputs are put on this scale, which centres them.
pub fn unsupervised_bits(
    n_bits: usize,
    scale: &InputTransform,
    inputs: &Inputs,
    seed: u64,
) -> Result<Option<UnsupervisedBits>, FitError> {
    if n_bits > MOST {
        return Err(DataError::BadSize { step: "unsupervised bits", asked: n_bits, most: MOST }.into());
    }
    if n_bits == 0 {
        return Ok(None);
    }
    let some = inputs.select(&rotated_rows(inputs, seed));
    let (transform, centred) = Transform::fit_apply(scale, &some)?;
    let wrong = |reason: String| FitError::Unsupervised { reason };
    let mut blocks = Vec::new();
    for first in (0..n_bits).step_by(inputs.n_inputs().max(1)) {
        let n_bits = inputs.n_inputs().min(n_bits - first);
        let hash = match first {
            0 => fit_itq(&centred, &ItqSettings::new(n_bits, seed)),
            _ => random_planes(&centred, n_bits, seed, first as u64),
        };
        let hash = hash.map_err(|error| wrong(error.to_string()))?;
        blocks.push(HashBlock::new("quantisation of the inputs", transform.clone(), Hash::Linear(hash)));
    }
    let Some(block) = HashBlock::joined(&blocks) else { return Ok(None) };
    let hash = HashStack::new(vec![block]).map_err(|error| wrong(error.to_string()))?;
    Ok(Some(UnsupervisedBits { codes: hash.encode_on(inputs, 0)?, hash, fills_to: None }))
}

/// Planes through random objects, orthogonal to each other: quantisation would find the same few rotations again and again,
/// and planes through the mean tell directions alone.
fn random_planes(centred: &Inputs, n_bits: usize, seed: u64, place: u64) -> Result<LinearHash, LearnError> {
    let n_inputs = centred.n_inputs();
    let rotated = ItqSettings { n_bits: n_inputs, n_rounds: 0, seed: seed.wrapping_add(place) };
    let directions = fit_itq(centred, &rotated)?;
    let mut rng = Streams::new(seed, 0).rng(Purpose::Transform, 5, place);
    let weights = &directions.weights()[..n_bits * n_inputs];
    let through = |plane: &[f64]| dot(&centred.row(rng.random_range(0..centred.n_objects())), plane);
    let thresholds = weights.chunks_exact(n_inputs).map(through).collect();
    LinearHash::new(n_inputs, weights.to_vec(), thresholds)
}

/// The objects by which axes are rotated, at random.
fn rotated_rows(inputs: &Inputs, seed: u64) -> Vec<usize> {
    let most = if inputs.n_inputs() > MANY_INPUTS { ROTATED_WIDE } else { ROTATED };
    let mut rng = Streams::new(seed, 0).rng(Purpose::Transform, 4, 0);
    let n_objects = inputs.n_objects();
    let mut rows = rand::seq::index::sample(&mut rng, n_objects, most.min(n_objects)).into_vec();
    rows.sort_unstable();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_bits_than_inputs_tell_more_objects_apart() {
        let values: Vec<f64> = (0..300).map(|at| ((at * at * 7919 + 31 * at) % 2003) as f64).collect();
        let inputs = Inputs::new(100, 3, values).unwrap();
        let scale = "standardise".parse().unwrap();
        let bits = unsupervised_bits(90, &scale, &inputs, 1).unwrap().unwrap();
        assert_eq!((bits.codes.n_objects(), bits.codes.n_bits()), (100, 90));
        let distinct = |items: Vec<Vec<u8>>| items.into_iter().collect::<std::collections::HashSet<_>>().len();
        assert!(distinct((0..90).map(|bit| bits.codes.column(bit)).collect()) > 80);
        assert!(distinct((0..100).map(|row| bits.codes.row(row).to_vec()).collect()) > 90);
        assert_eq!(bits.hash.encode(&inputs).unwrap(), bits.codes);
        assert_eq!((bits.n_behind(0), bits.n_behind(100)), (90, 90));
        assert_eq!(unsupervised_bits(0, &scale, &inputs, 1).unwrap(), None);
        assert!(unsupervised_bits(MOST + 1, &scale, &inputs, 1).is_err());
    }

    #[test]
    fn open_codes_leave_room_for_the_inputs_where_nobody_chose() {
        let settled = |n_given: usize, mut max_bits: Option<usize>, mut n_bits: Option<usize>| {
            leave_room(n_given, &mut max_bits, &mut n_bits);
            (max_bits, n_bits)
        };
        assert_eq!(settled(0, None, None), (Some(64), Some(40)));
        assert_eq!(settled(0, Some(32), None), (Some(32), Some(20)));
        assert_eq!(settled(0, Some(128), Some(0)), (Some(128), Some(0)));
        assert_eq!(settled(0, None, Some(10)), (Some(64), Some(10)));
        assert_eq!(settled(0, None, Some(100)), (Some(160), Some(100)));
        assert_eq!(settled(0, Some(1 << 20), None), (Some(1 << 20), Some(MOST)));
        assert_eq!(settled(32, None, None), (Some(96), Some(40)));
        assert_eq!(settled(32, Some(64), None), (Some(64), Some(20)));
    }

    #[test]
    fn codes_are_filled_up_to_a_width() {
        let values: Vec<f64> = (0..300).map(|at| ((at * at * 7919 + 31 * at) % 2003) as f64).collect();
        let inputs = Inputs::new(100, 3, values).unwrap();
        let own = "centre".parse().unwrap();
        let bits = filling_bits(None, &own, &inputs, 1).unwrap();
        assert_eq!([0, 40, 127, 128, 200].map(|others| bits.n_behind(others)), [96, 88, 1, 0, 0]);
        let (codes, hash) = bits.first(28).unwrap();
        assert_eq!((codes.n_bits(), &hash.encode(&inputs).unwrap()), (28, &codes));
        assert!((0..100).all(|object| (0..28).all(|bit| codes.get(object, bit) == bits.codes.get(object, bit))));
        assert!(bits.first(0).is_none());
        assert_eq!(filling_bits(Some(64), &own, &inputs, 1).unwrap().n_behind(50), 14);
        assert_eq!(filling_bits(Some(32), &own, &inputs, 1), None);
        assert_eq!(filling_bits(None, &own, &Inputs::new(60, 2, vec![1.0; 120]).unwrap(), 1), None);
    }
}
