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
    for_a: Side,
    for_b: Side,
}

/// Triplets for or against which the feature counts.
#[derive(Debug, Clone, Default)]
struct Side {
    /// How many there are; the lists may be longer.
    n: usize,
    triplets: Vec<u32>,
    a: Vec<f64>,
    b: Vec<f64>,
}

impl Side {
    /// Makes room for `n` triplets, of which there are none yet.
    fn begin(&mut self, n: usize) {
        self.n = 0;
        if self.triplets.len() < n {
            self.triplets.resize(n, 0);
            self.a.resize(n, 0.0);
            self.b.resize(n, 0.0);
        }
    }

    /// Writes a triplet behind the others, where it stays if it `counts`.
    #[inline(always)]
    fn put(&mut self, triplet_ix: u32, a: f64, b: f64, counts: bool) {
        (self.triplets[self.n], self.a[self.n], self.b[self.n]) = (triplet_ix, a, b);
        self.n += usize::from(counts);
    }

    fn sums(&self) -> (&[f64], &[f64]) {
        (&self.a[..self.n], &self.b[..self.n])
    }
}

impl WeightTrial {
    /// Gathers the triplets that `column` (of weight `weight`) separates.
    pub fn gather(&mut self, triplets: &TripletSet, sums: &PreferenceSums, column: &[u8], weight: f64) {
        // Written to both sides and counted on one or none: which one is a coin toss that no branch could foresee.
        self.for_a.begin(triplets.len());
        self.for_b.begin(triplets.len());
        for (triplet_ix, (t, (&a, &b))) in (0u32..).zip(triplets.triplets().iter().zip(sums.a.iter().zip(&sums.b))) {
            let [anchor, near, far] = [t.anchor, t.near, t.far].map(|object| column[object as usize]);
            self.for_a.put(triplet_ix, a - weight, b, (near != far) & (anchor == near));
            self.for_b.put(triplet_ix, a, b - weight, (near != far) & (anchor != near));
        }
    }

    /// Log likelihood of the gathered triplets if the feature had this weight.
    pub fn log_likelihood(&self, weight: f64, scoring: &Scoring) -> f64 {
        let (for_a, for_b) = (self.for_a.sums(), self.for_b.sums());
        log_likelihood(for_a.0, for_a.1, weight, 0.0, scoring) + log_likelihood(for_b.0, for_b.1, 0.0, weight, scoring)
    }

    /// Gives the feature this weight in all sums.
    pub fn apply(&self, sums: &mut PreferenceSums, weight: f64) {
        for (&triplet_ix, a) in self.for_a.triplets.iter().zip(self.for_a.sums().0) {
            sums.a[triplet_ix as usize] = a + weight;
        }
        for (&triplet_ix, b) in self.for_b.triplets.iter().zip(self.for_b.sums().1) {
            sums.b[triplet_ix as usize] = b + weight;
        }
    }
}
