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
        self.sums.a.clear();
        self.sums.b.clear();
        for ((t, &a), &b) in triplets.triplets().iter().zip(&sums.a).zip(&sums.b) {
            let state = |object: u32| usize::from(self.states[object as usize]);
            let (change_a, change_b) = changes[state(t.anchor) | state(t.near) << 2 | state(t.far) << 4];
            self.sums.a.push(a + change_a);
            self.sums.b.push(b + change_b);
        }
        self.sums.log_likelihood(scoring)
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
    for_a: PreferenceSums,
    for_b: PreferenceSums,
}

impl WeightTrial {
    /// Gathers the triplets that `column` (of weight `weight`) separates.
    pub fn gather(&mut self, triplets: &TripletSet, sums: &PreferenceSums, column: &[u8], weight: f64) {
        for side in [&mut self.for_a, &mut self.for_b] {
            side.a.clear();
            side.b.clear();
        }
        for (t, (&a, &b)) in triplets.triplets().iter().zip(sums.a.iter().zip(&sums.b)) {
            let [anchor, near, far] = [t.anchor, t.near, t.far].map(|object| column[object as usize]);
            if near == far {
                continue;
            }
            if anchor == near {
                self.for_a.a.push(a - weight);
                self.for_a.b.push(b);
            } else {
                self.for_b.a.push(a);
                self.for_b.b.push(b - weight);
            }
        }
    }

    /// Log likelihood of the gathered triplets if the feature had this weight.
    pub fn log_likelihood(&self, weight: f64, scoring: &Scoring) -> f64 {
        log_likelihood(&self.for_a.a, &self.for_a.b, weight, 0.0, scoring)
            + log_likelihood(&self.for_b.a, &self.for_b.b, 0.0, weight, scoring)
    }

    /// Changes the weight of `column` by `change` in all sums.
    pub fn apply(triplets: &TripletSet, sums: &mut PreferenceSums, column: &[u8], change: f64) {
        for (t, (a, b)) in triplets.triplets().iter().zip(sums.a.iter_mut().zip(&mut sums.b)) {
            let [anchor, near, far] = [t.anchor, t.near, t.far].map(|object| column[object as usize] == 1);
            let (for_a, for_b) = contribution(anchor, near, far);
            *a += change * for_a;
            *b += change * for_b;
        }
    }
}
