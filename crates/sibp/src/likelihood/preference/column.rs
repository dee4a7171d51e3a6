//! Scores changes of a whole feature: another column of bits, or another weight.

use super::terms::log_likelihood;
use super::{PreferenceSums, Scoring, contribution};
use crate::triplets::TripletSet;

/// Sums as they would be after a column changed from one set of owners to another.
#[derive(Debug, Clone, Default)]
pub struct ColumnTrial {
    sums: PreferenceSums,
    states: Vec<u8>,
}

impl ColumnTrial {
    /// Log likelihood with the column `old` (weight `old_weight`) replaced by `new`; a missing column is all zeros.
    pub fn log_likelihood(
        &mut self,
        triplets: &TripletSet,
        sums: &PreferenceSums,
        (old, new): (&[u8], &[u8]),
        weight: f64,
        scoring: &Scoring,
    ) -> f64 {
        if triplets.is_empty() {
            return 0.0;
        }
        self.states.clear();
        self.states.extend(old.iter().zip(new).map(|(&old, &new)| old | new << 1));
        let changes = change_table(weight);
        self.sums.a.resize(sums.a.len(), 0.0);
        self.sums.b.resize(sums.b.len(), 0.0);
        let state = |object: u32| usize::from(self.states[object as usize]);
        let new = self.sums.a.iter_mut().zip(&mut self.sums.b);
        for ((t, (new_a, new_b)), (a, b)) in triplets.triplets().iter().zip(new).zip(sums.a.iter().zip(&sums.b)) {
            let (change_a, change_b) = changes[(state(t.anchor) | state(t.near) << 2 | state(t.far) << 4) & 63];
            (*new_a, *new_b) = (a + change_a, b + change_b);
        }
        self.sums.log_likelihood(scoring)
    }

    /// A and B as the last trial left them.
    pub fn sums(&self) -> &PreferenceSums {
        &self.sums
    }

    /// Takes the last trial over.
    pub fn accept(&mut self, sums: &mut PreferenceSums) {
        if !sums.a.is_empty() {
            std::mem::swap(&mut self.sums, sums);
        }
    }
}

/// Change of (A, B) by the (old, new) states of the three members, two bits each.
fn change_table(weight: f64) -> [(f64, f64); 64] {
    std::array::from_fn(|key| {
        let at = |which: usize| [key >> (2 * which) & 1 == 1, key >> (2 * which + 1) & 1 == 1];
        let [anchor, near, far] = [at(0), at(1), at(2)];
        let old = contribution(anchor[0], near[0], far[0]);
        let new = contribution(anchor[1], near[1], far[1]);
        ((new.0 - old.0) * weight, (new.1 - old.1) * weight)
    })
}

/// The triplets to which one feature matters, without that feature's weight.
#[derive(Debug, Clone, Default)]
pub struct WeightTrial {
    for_a: Side,
    for_b: Side,
}

/// Triplets for or against which the feature counts.
#[derive(Debug, Clone, Default)]
struct Side {
    triplets: Vec<u32>,
    a: Vec<f64>,
    b: Vec<f64>,
}

impl Side {
    fn clear(&mut self) {
        self.triplets.clear();
        self.a.clear();
        self.b.clear();
    }

    fn push(&mut self, triplet_ix: u32, a: f64, b: f64) {
        self.triplets.push(triplet_ix);
        self.a.push(a);
        self.b.push(b);
    }
}

impl WeightTrial {
    /// Gathers the triplets that `column` (of weight `weight`) separates.
    pub fn gather(&mut self, triplets: &TripletSet, sums: &PreferenceSums, column: &[u8], weight: f64) {
        self.for_a.clear();
        self.for_b.clear();
        for (triplet_ix, (t, (&a, &b))) in (0u32..).zip(triplets.triplets().iter().zip(sums.a.iter().zip(&sums.b))) {
            let [anchor, near, far] = [t.anchor, t.near, t.far].map(|object| column[object as usize]);
            if near == far {
                continue;
            }
            if anchor == near {
                self.for_a.push(triplet_ix, a - weight, b);
            } else {
                self.for_b.push(triplet_ix, a, b - weight);
            }
        }
    }

    /// Log likelihood of the gathered triplets if the feature had this weight.
    pub fn log_likelihood(&self, weight: f64, scoring: &Scoring) -> f64 {
        log_likelihood(&self.for_a.a, &self.for_a.b, weight, 0.0, scoring)
            + log_likelihood(&self.for_b.a, &self.for_b.b, 0.0, weight, scoring)
    }

    /// Gives the feature this weight in all sums.
    pub fn apply(&self, sums: &mut PreferenceSums, weight: f64) {
        for (&triplet_ix, a) in self.for_a.triplets.iter().zip(&self.for_a.a) {
            sums.a[triplet_ix as usize] = a + weight;
        }
        for (&triplet_ix, b) in self.for_b.triplets.iter().zip(&self.for_b.b) {
            sums.b[triplet_ix as usize] = b + weight;
        }
    }
}
