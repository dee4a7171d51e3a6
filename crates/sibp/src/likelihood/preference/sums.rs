//! Maintains A and B of every triplet.

use super::Scoring;
use super::terms::log_likelihood;
use crate::bits::BitMatrix;
use crate::triplets::TripletSet;
use std::cell::Cell;

/// The weighted evidence for (A) and against (B) each triplet. Derived from codes and weights, never stored in files.
#[derive(Debug, Clone, Default)]
pub struct PreferenceSums {
    pub(super) a: Vec<f64>,
    pub(super) b: Vec<f64>,
    /// Half the lapse rate behind each triplet; empty where there is one for all.
    pub(super) slips: Vec<f64>,
}

/// Sums as cells, of which some may change while others are read.
#[derive(Debug, Clone, Copy)]
pub struct SumCells<'a> {
    /// A of every triplet.
    pub a: &'a [Cell<f64>],
    /// B of every triplet.
    pub b: &'a [Cell<f64>],
    /// Half the lapse rate behind each triplet; empty where there is one for all.
    pub slips: &'a [f64],
}

impl PreferenceSums {
    /// All sums as cells.
    pub fn cells(&mut self) -> SumCells<'_> {
        SumCells {
            a: Cell::from_mut(&mut self.a[..]).as_slice_of_cells(),
            b: Cell::from_mut(&mut self.b[..]).as_slice_of_cells(),
            slips: &self.slips,
        }
    }

    /// A and B of all triplets, to be shared among threads, and half the lapse rate behind each.
    pub(crate) fn values_mut(&mut self) -> (&mut [f64], &mut [f64], &[f64]) {
        (&mut self.a, &mut self.b, &self.slips)
    }

    /// Sets the lapse rate behind each triplet to that of its judge; without judges there is one for all.
    pub fn set_lapses(&mut self, triplets: &TripletSet, of_judges: &[f64]) {
        self.slips.clear();
        if !of_judges.is_empty() {
            self.slips.extend(triplets.judges().iter().map(|&judge| of_judges[judge as usize] / 2.0));
        }
    }

    /// The probability of a triplet.
    pub fn probability(&self, triplet_ix: usize, scoring: &Scoring) -> f64 {
        let scoring = match self.slips.get(triplet_ix) {
            Some(slip) => Scoring::new(2.0 * slip, scoring.form),
            None => *scoring,
        };
        scoring.probability(self.a[triplet_ix], self.b[triplet_ix])
    }

    /// Computes the sums over all bits from scratch.
    pub fn rebuild(&mut self, triplets: &TripletSet, bits: &BitMatrix, weights: &[f64]) {
        for sums in [&mut self.a, &mut self.b] {
            sums.clear();
            sums.resize(triplets.len(), 0.0);
        }
        self.add(triplets, bits, weights);
    }

    /// Adds the sums over further bits.
    pub fn add(&mut self, triplets: &TripletSet, bits: &BitMatrix, weights: &[f64]) {
        if weights.is_empty() {
            return;
        }
        match WordSums::new(weights) {
            WordSums::Equal(weight) => self.add_each(triplets, bits, |_, word| weight * f64::from(word.count_ones())),
            WordSums::Bytes(sums) => match &sums[..] {
                [sums] => self.add_each(triplets, bits, |_, word| sums[(word & 255) as usize]),
                sums => self.add_each(triplets, bits, |word_ix, word| sum_bytes(sums, word_ix, word)),
            },
        }
    }

    /// Adds up the bits on which near and far differ: for A where the anchor agrees with near, else for B. `sum` gives
    /// the total weight of the bits set in a word.
    fn add_each(&mut self, triplets: &TripletSet, bits: &BitMatrix, sum: impl Fn(usize, u64) -> f64) {
        for anchor_ix in 0..triplets.n_objects() {
            let (anchor, range) = (bits.row(anchor_ix), triplets.anchored(anchor_ix));
            let sums = self.a[range.clone()].iter_mut().zip(&mut self.b[range.clone()]);
            for ((a, b), t) in sums.zip(&triplets.triplets()[range]) {
                let others = bits.row(t.near as usize).iter().zip(bits.row(t.far as usize));
                for (word_ix, (i, (j, l))) in anchor.iter().zip(others).enumerate() {
                    *a += sum(word_ix, (j ^ l) & !(i ^ j));
                    *b += sum(word_ix, (j ^ l) & (i ^ j));
                }
            }
        }
    }

    /// Removes all triplets.
    pub(super) fn clear(&mut self) {
        self.a.clear();
        self.b.clear();
        self.slips.clear();
    }

    /// Appends a triplet.
    pub(super) fn push(&mut self, a: f64, b: f64, slip: Option<f64>) {
        self.a.push(a);
        self.b.push(b);
        self.slips.extend(slip);
    }

    /// Log likelihood of all triplets, Eq. (1).
    pub fn log_likelihood(&self, scoring: &Scoring) -> f64 {
        log_likelihood(&self.a, &self.b, (0.0, 0.0), &self.slips, scoring)
    }

    /// An upper bound on the log likelihood after a bit of at most this weight is removed: as if it had counted
    /// against every triplet. `None` where that has no meaning: if a pseudo-weight does not exceed the weight.
    pub fn log_likelihood_without(&self, weight: f64, scoring: &Scoring) -> Option<f64> {
        scoring.allows_less(weight).then(|| log_likelihood(&self.a, &self.b, (0.0, -weight), &self.slips, scoring))
    }

    /// Share of triplets whose probability is above one half; 1 when there are none.
    pub fn satisfied(&self) -> f64 {
        if self.a.is_empty() {
            return 1.0;
        }
        self.a.iter().zip(&self.b).filter(|(a, b)| a > b).count() as f64 / self.a.len() as f64
    }

    /// A and B of one triplet.
    pub fn of(&self, triplet_ix: usize) -> (f64, f64) {
        (self.a[triplet_ix], self.b[triplet_ix])
    }
}

/// Sums the weights of the set bits of a word.
enum WordSums {
    /// All bits have this weight.
    Equal(f64),
    /// `sums[at][byte]` is the sum of the bits `8 at ..` set in `byte`.
    Bytes(Vec<[f64; 256]>),
}

impl WordSums {
    fn new(weights: &[f64]) -> Self {
        if let Some(&first) = weights.first()
            && weights.iter().all(|&weight| weight == first)
        {
            return Self::Equal(first);
        }
        let sum = |weights: &[f64], byte: usize| -> f64 {
            weights.iter().enumerate().filter(|(bit, _)| byte >> bit & 1 == 1).map(|(_, weight)| weight).sum()
        };
        Self::Bytes(weights.chunks(8).map(|weights| std::array::from_fn(|byte| sum(weights, byte))).collect())
    }
}

/// Sum of the weights of the set bits. Weights lie on a grid, so any order of summation gives the same.
fn sum_bytes(sums: &[[f64; 256]], word_ix: usize, word: u64) -> f64 {
    let sums = &sums[(8 * word_ix).min(sums.len())..];
    sums.iter().zip(word.to_le_bytes()).map(|(sums, byte)| sums[usize::from(byte)]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triplets::Triplet;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn adding_features_is_summing_over_both() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let n = 12;
        let (mut first, mut second, mut both) = (BitMatrix::new(n), BitMatrix::new(n), BitMatrix::new(n));
        for at in 0..75 {
            let column: Vec<u8> = (0..n).map(|_| rng.random_range(0..2)).collect();
            if at < 70 {
                first.push_column(&column)
            } else {
                second.push_column(&column)
            }
            both.push_column(&column);
        }
        // Multiples of 1/8: any order of summation gives the same.
        let weights: Vec<f64> = (0..75).map(|_| f64::from(rng.random_range(0..64u8)) / 8.0).collect();
        let triplet = |at: u32| Triplet { anchor: at % 12, near: (at + 1 + at / 12) % 12, far: (at + 5) % 12 };
        let distinct = |t: &Triplet| t.anchor != t.near && t.near != t.far && t.anchor != t.far;
        let triplets = TripletSet::new(n, (0..40).map(triplet).filter(distinct).collect()).unwrap();
        let (mut parts, mut whole) = (PreferenceSums::default(), PreferenceSums::default());
        parts.rebuild(&triplets, &first, &weights[..70]);
        parts.add(&triplets, &second, &weights[70..]);
        whole.rebuild(&triplets, &both, &weights);
        assert!(triplets.len() > 20);
        assert_eq!((parts.a, parts.b), (whole.a, whole.b));
    }
}
