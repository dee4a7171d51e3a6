//! Scores changes of a whole feature: another column of bits, or another weight.

use super::terms::log_likelihood;
use super::{PreferenceSums, Scoring, contribution};
use crate::triplets::TripletSet;
use std::ops::Range;

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
        for anchor_ix in 0..triplets.n_objects() {
            let range = triplets.anchored(anchor_ix);
            let changes = &changes[usize::from(self.states[anchor_ix] & 3)];
            let state = |object: u32| usize::from(self.states[object as usize]);
            let old = sums.a[range.clone()].iter().zip(&sums.b[range.clone()]);
            let new = self.sums.a[range.clone()].iter_mut().zip(&mut self.sums.b[range.clone()]);
            for ((t, (new_a, new_b)), (a, b)) in triplets.triplets()[range].iter().zip(new).zip(old) {
                let (change_a, change_b) = changes[(state(t.near) | state(t.far) << 2) & 15];
                (*new_a, *new_b) = (a + change_a, b + change_b);
            }
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

/// Change of (A, B) by the (old, new) states of the anchor, then by those of near and far, two bits each.
fn change_table(weight: f64) -> [[(f64, f64); 16]; 4] {
    let states = |key: usize| [key & 1 == 1, key >> 1 & 1 == 1];
    std::array::from_fn(|anchor| {
        let anchor = states(anchor);
        std::array::from_fn(|others| {
            let (near, far) = (states(others), states(others >> 2));
            let old = contribution(anchor[0], near[0], far[0]);
            let new = contribution(anchor[1], near[1], far[1]);
            ((new.0 - old.0) * weight, (new.1 - old.1) * weight)
        })
    })
}

/// The triplets to which one feature matters, without that feature's weight.
#[derive(Debug, Clone, Default)]
pub struct WeightTrial {
    /// Those it counts for stand at the front of each list, those it counts against from the middle on.
    triplets: Vec<u32>,
    a: Vec<f64>,
    b: Vec<f64>,
    middle: usize,
    n_for: usize,
    n_against: usize,
}

impl WeightTrial {
    /// Gathers the triplets that `column` (of weight `weight`) separates.
    pub fn gather(&mut self, triplets: &TripletSet, sums: &PreferenceSums, column: &[u8], weight: f64) {
        // One spare place each, for a triplet that does not matter.
        self.middle = triplets.len() + 1;
        if self.triplets.len() < 2 * self.middle {
            self.triplets.resize(2 * self.middle, 0);
            self.a.resize(2 * self.middle, 0.0);
            self.b.resize(2 * self.middle, 0.0);
        }
        (self.n_for, self.n_against) = (0, 0);
        for anchor_ix in 0..triplets.n_objects() {
            let range = triplets.anchored(anchor_ix);
            let sums = sums.a[range.clone()].iter().zip(&sums.b[range.clone()]);
            for ((triplet_ix, t), (&a, &b)) in range.clone().zip(&triplets.triplets()[range]).zip(sums) {
                // Every triplet is written, and counted on one side or on none: no branch could foresee which.
                let [near, far] = [t.near, t.far].map(|object| column[object as usize] != column[anchor_ix]);
                let (counts_for, against) = (!near & far, near & !far);
                let at = if against { self.middle + self.n_against } else { self.n_for };
                self.triplets[at] = triplet_ix as u32;
                self.a[at] = if counts_for { a - weight } else { a };
                self.b[at] = if against { b - weight } else { b };
                self.n_for += usize::from(counts_for);
                self.n_against += usize::from(against);
            }
        }
    }

    fn counts_for(&self) -> Range<usize> {
        0..self.n_for
    }

    fn counts_against(&self) -> Range<usize> {
        self.middle..self.middle + self.n_against
    }

    /// Log likelihood of the gathered triplets if the feature had this weight.
    pub fn log_likelihood(&self, weight: f64, scoring: &Scoring) -> f64 {
        let (pro, contra) = (self.counts_for(), self.counts_against());
        log_likelihood(&self.a[pro.clone()], &self.b[pro], weight, 0.0, scoring)
            + log_likelihood(&self.a[contra.clone()], &self.b[contra], 0.0, weight, scoring)
    }

    /// Gives the feature this weight in all sums.
    pub fn apply(&self, sums: &mut PreferenceSums, weight: f64) {
        let (pro, contra) = (self.counts_for(), self.counts_against());
        for (&triplet_ix, a) in self.triplets[pro.clone()].iter().zip(&self.a[pro]) {
            sums.a[triplet_ix as usize] = a + weight;
        }
        for (&triplet_ix, b) in self.triplets[contra.clone()].iter().zip(&self.b[contra]) {
            sums.b[triplet_ix as usize] = b + weight;
        }
    }
}
