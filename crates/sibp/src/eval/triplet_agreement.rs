//! Measures which share of triplets a distance agrees with.

use super::error::{EvalError, same_length};
use crate::{
    codes::Codes,
    data::Inputs,
    numerics::simd::squared_distance,
    triplets::{Triplet, TripletSet},
};

/// Number of triplets that a distance satisfies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agreement {
    /// Number of triplets.
    pub n_triplets: usize,
    /// Triplets with d(anchor, near) < d(anchor, far).
    pub n_satisfied: usize,
    /// Triplets with equal distances; they count as not satisfied.
    pub n_tied: usize,
}

impl Agreement {
    /// Satisfied triplets over all triplets; a tie counts against.
    pub fn share(&self) -> f64 {
        self.n_satisfied as f64 / self.n_triplets as f64
    }

    /// Satisfied triplets over all triplets; a tie counts half.
    pub fn share_with_half_ties(&self) -> f64 {
        self.share() + 0.5 * self.tied_share()
    }

    /// Tied triplets over all triplets.
    pub fn tied_share(&self) -> f64 {
        self.n_tied as f64 / self.n_triplets as f64
    }
}

/// Agreement of the Hamming distance between codes.
///
/// ```
/// use sibp::{codes::Codes, eval::hamming_agreement, triplets::{Triplet, TripletSet}};
/// let codes = Codes::from_bytes(3, 2, vec![0b0000_0000, 0b0100_0000, 0b1100_0000])?;
/// let triplets = vec![Triplet { anchor: 0, near: 1, far: 2 }, Triplet { anchor: 1, near: 0, far: 2 }];
/// let agreement = hamming_agreement(&TripletSet::new(3, triplets)?, &codes)?;
/// assert_eq!((agreement.share(), agreement.n_tied), (0.5, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn hamming_agreement(triplets: &TripletSet, codes: &Codes) -> Result<Agreement, EvalError> {
    measure(triplets, codes.n_objects(), |a, b| codes.distance(a, codes.row(b)).into())
}

/// Agreement of the weighted Hamming distance: the sum of the weights of the bits that differ.
pub fn weighted_hamming_agreement(
    triplets: &TripletSet,
    codes: &Codes,
    weights: &[f64],
) -> Result<Agreement, EvalError> {
    same_length("weights", "bit", codes.n_bits(), weights.len())?;
    if let Some(bit) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
        return Err(EvalError::Weight { bit, value: weights[bit] });
    }
    measure(triplets, codes.n_objects(), |a, b| codes.weighted_distance(a, codes.row(b), weights))
}

/// Agreement of the Euclidean distance between input vectors.
pub fn euclidean_agreement(triplets: &TripletSet, inputs: &Inputs) -> Result<Agreement, EvalError> {
    // The square root keeps the order, so the squared distance answers alike.
    let squared = |a, b| squared_distance(&inputs.row(a), &inputs.row(b));
    measure(triplets, inputs.n_objects(), squared)
}

fn measure(
    triplets: &TripletSet,
    n_objects: usize,
    distance: impl Fn(usize, usize) -> f64,
) -> Result<Agreement, EvalError> {
    same_length("rows", "object of the triplets", triplets.n_objects(), n_objects)?;
    if triplets.is_empty() {
        return Err(EvalError::TooFew { what: "triplets", least: 1 });
    }
    let mut agreement = Agreement { n_triplets: triplets.len(), n_satisfied: 0, n_tied: 0 };
    for &Triplet { anchor, near, far } in triplets.triplets() {
        let to_near = distance(anchor as usize, near as usize);
        let to_far = distance(anchor as usize, far as usize);
        agreement.n_satisfied += usize::from(to_near < to_far);
        agreement.n_tied += usize::from(to_near == to_far);
    }
    Ok(agreement)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type BitsAndTriplets = (Vec<Vec<bool>>, Vec<(u32, u32, u32)>);

    fn codes_and_triplets() -> impl Strategy<Value = BitsAndTriplets> {
        (1usize..20).prop_flat_map(|n_bits| {
            let rows = prop::collection::vec(prop::collection::vec(any::<bool>(), n_bits), 6);
            (rows, prop::collection::vec((0u32..2, 2u32..4, 4u32..6), 1..20))
        })
    }

    proptest! {
        #[test]
        fn the_three_distances_agree_on_bits((rows, triplets) in codes_and_triplets()) {
            let n_bits = rows[0].len();
            let mut codes = Codes::zeros(6, n_bits);
            for (object, row) in rows.iter().enumerate() {
                row.iter().enumerate().for_each(|(bit, &value)| codes.set(object, bit, value));
            }
            let values = rows.concat().iter().map(|&b| f64::from(u8::from(b))).collect();
            let inputs = Inputs::new(6, n_bits, values).unwrap();
            let triplets = triplets.iter().map(|&(anchor, near, far)| Triplet { anchor, near, far }).collect();
            let set = TripletSet::new(6, triplets).unwrap();
            let hamming = hamming_agreement(&set, &codes).unwrap();
            prop_assert_eq!(hamming, euclidean_agreement(&set, &inputs).unwrap());
            prop_assert_eq!(hamming, weighted_hamming_agreement(&set, &codes, &vec![0.1; n_bits]).unwrap());
            prop_assert!(hamming.n_satisfied + hamming.n_tied <= hamming.n_triplets);
            let nothing = weighted_hamming_agreement(&set, &codes, &vec![0.0; n_bits]).unwrap();
            prop_assert_eq!(nothing.n_tied, set.len());
        }
    }

    #[test]
    fn weights_decide() {
        let codes = Codes::from_bytes(3, 9, vec![0, 0, 0b1000_0000, 0, 0, 0b1000_0000]).unwrap();
        let set = TripletSet::new(3, vec![Triplet { anchor: 0, near: 1, far: 2 }]).unwrap();
        let mut weights = [1.0; 9];
        assert_eq!(weighted_hamming_agreement(&set, &codes, &weights).unwrap().n_tied, 1);
        weights[8] = 2.0;
        assert_eq!(weighted_hamming_agreement(&set, &codes, &weights).unwrap().n_satisfied, 1);
        weights[3] = -1.0;
        let refused = weighted_hamming_agreement(&set, &codes, &weights);
        assert_eq!(refused, Err(EvalError::Weight { bit: 3, value: -1.0 }));
        assert!(hamming_agreement(&TripletSet::empty(3), &codes).is_err());
        assert!(hamming_agreement(&TripletSet::empty(4), &codes).is_err());
    }
}
