//! Keeps A and B of every triplet.

use super::terms::log_likelihood;
use super::{Scoring, contribution};
use crate::bits::BitMatrix;
use crate::triplets::{Triplet, TripletSet};

/// The weighted evidence for (A) and against (B) each triplet. Derived from codes and weights, never stored.
#[derive(Debug, Clone, Default)]
pub struct PreferenceSums {
    pub(super) a: Vec<f64>,
    pub(super) b: Vec<f64>,
}

impl PreferenceSums {
    /// Sums over all features, from nothing.
    pub fn rebuild(&mut self, triplets: &TripletSet, features: &BitMatrix, weights: &[f64]) {
        self.a.clear();
        self.b.clear();
        for t in triplets.triplets() {
            let (a, b) = triplet_sums(t, features, weights);
            self.a.push(a);
            self.b.push(b);
        }
    }

    /// Log likelihood of all triplets, Eq. (1).
    pub fn log_likelihood(&self, scoring: &Scoring) -> f64 {
        log_likelihood(&self.a, &self.b, 0.0, 0.0, scoring)
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

/// Adds up the features on which near and far differ.
fn triplet_sums(t: &Triplet, features: &BitMatrix, weights: &[f64]) -> (f64, f64) {
    let [anchor, near, far] = [t.anchor, t.near, t.far].map(|object| features.row(object as usize));
    let (mut a, mut b) = (0.0, 0.0);
    for (at, ((&i, &j), &l)) in anchor.iter().zip(near).zip(far).enumerate() {
        let mut differ = j ^ l;
        while differ != 0 {
            let bit = differ.trailing_zeros();
            differ &= differ - 1;
            let weight = weights[64 * at + bit as usize];
            let (for_a, for_b) = contribution(i >> bit & 1 == 1, j >> bit & 1 == 1, l >> bit & 1 == 1);
            a += weight * for_a;
            b += weight * for_b;
        }
    }
    (a, b)
}
