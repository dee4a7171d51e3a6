//! Scores a change of one bit's column: other owners for the same bit.

use super::terms::log_likelihood;
use super::{PreferenceSums, Scoring, contribution};
use crate::triplets::{Role, Triplet, TripletSet};

/// Triplets are looked up one by one if those of the changed objects are fewer than one in this many.
const SPARSE: usize = 4;

/// Sums as they would be after a column changed from one set of owners to another.
#[derive(Debug, Clone, Default)]
pub struct ColumnTrial {
    /// All sums, if the last trial went through all triplets.
    sums: PreferenceSums,
    states: Vec<u8>,
    /// The triplets that change, with their old and new sums, if the last trial went through those of some objects.
    touched: Option<Vec<u32>>,
    before: PreferenceSums,
    after: PreferenceSums,
}

impl ColumnTrial {
    /// Log likelihood, given its value `now`, if some objects' bits in a column of this weight change. `state` gives
    /// an object's bits: the old one, plus twice the new one; the `changed` objects differ.
    pub fn log_likelihood(
        &mut self,
        triplets: &TripletSet,
        (sums, now): (&PreferenceSums, f64),
        (changed, state): (&[u32], impl Fn(u32) -> u8),
        weight: f64,
        scoring: &Scoring,
    ) -> f64 {
        if triplets.is_empty() {
            return now;
        }
        let appearances =
            |&object: &u32| triplets.anchored(object as usize).len() + triplets.others(object as usize).len();
        if SPARSE * changed.iter().map(appearances).sum::<usize>() < triplets.len() {
            self.change_some(triplets, sums, (changed, state), &change_table(weight));
            return now + self.after.log_likelihood(scoring) - self.before.log_likelihood(scoring);
        }
        self.touched = None;
        self.states.clear();
        self.states.extend((0..triplets.n_objects() as u32).map(state));
        self.change_all(triplets, sums, &change_table(weight));
        log_likelihood(&self.sums.a, &self.sums.b, (0.0, 0.0), &sums.slips, scoring)
    }

    fn change_all(&mut self, triplets: &TripletSet, sums: &PreferenceSums, changes: &ChangeTable) {
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
    }

    fn change_some(
        &mut self,
        triplets: &TripletSet,
        sums: &PreferenceSums,
        (changed, state): (&[u32], impl Fn(u32) -> u8),
        changes: &ChangeTable,
    ) {
        let mut touched = self.touched.take().unwrap_or_default();
        [&mut self.before, &mut self.after].into_iter().for_each(PreferenceSums::clear);
        touched.clear();
        let mut change = |triplet_ix: usize, t: Triplet| {
            let [anchor, near, far] = [t.anchor, t.near, t.far].map(|object| usize::from(state(object) & 3));
            let (change_a, change_b) = changes[anchor][near | far << 2];
            if (change_a, change_b) != (0.0, 0.0) {
                let ((a, b), slip) = (sums.of(triplet_ix), sums.slips.get(triplet_ix).copied());
                touched.push(triplet_ix as u32);
                self.before.push(a, b, slip);
                self.after.push(a + change_a, b + change_b, slip);
            }
        };
        // A triplet of several changed objects counts once: for the anchor, else for near.
        let stays = |object: u32| matches!(state(object) & 3, 0 | 3);
        for object in changed.iter().map(|&object| object as usize) {
            for triplet_ix in triplets.anchored(object) {
                change(triplet_ix, triplets.triplets()[triplet_ix]);
            }
            let (near, far) = triplets.others(object).split_at(triplets.n_entries(object, Role::Near));
            for entry in near.iter().filter(|entry| stays(entry.others[0])) {
                let [anchor, far] = entry.others;
                change(entry.triplet_ix as usize, Triplet { anchor, near: object as u32, far });
            }
            for entry in far.iter().filter(|entry| entry.others.into_iter().all(stays)) {
                let [anchor, near] = entry.others;
                change(entry.triplet_ix as usize, Triplet { anchor, near, far: object as u32 });
            }
        }
        self.touched = Some(touched);
    }

    /// Accepts the last trial.
    pub fn accept(&mut self, sums: &mut PreferenceSums) {
        if let Some(touched) = &self.touched {
            for (at, &triplet_ix) in touched.iter().enumerate() {
                (sums.a[triplet_ix as usize], sums.b[triplet_ix as usize]) = self.after.of(at);
            }
        } else if !sums.a.is_empty() {
            std::mem::swap(&mut self.sums.a, &mut sums.a);
            std::mem::swap(&mut self.sums.b, &mut sums.b);
        }
    }
}

/// Change of (A, B) by the (old, new) states of the anchor, then by those of near and far, two bits each.
type ChangeTable = [[(f64, f64); 16]; 4];

fn change_table(weight: f64) -> ChangeTable {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitMatrix;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Triplets of the changed objects alone, some of which share a triplet, give what all triplets do.
    #[test]
    fn some_triplets_stand_for_all() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let n = 30u32;
        for case in 0..200 {
            let mut triplet = || loop {
                let [anchor, near, far] = [0; 3].map(|_| rng.random_range(0..n));
                if anchor != near && near != far && anchor != far {
                    return Triplet { anchor, near, far };
                }
            };
            let triplets = TripletSet::new(n as usize, (0..400).map(|_| triplet()).collect()).unwrap();
            let old: Vec<u8> = (0..n).map(|_| rng.random_range(0..2)).collect();
            let mut bits = BitMatrix::new(n as usize);
            bits.push_column(&old);
            let (scoring, weight) = (
                if case % 3 == 2 { Scoring::logistic(0.05, 0.6) } else { Scoring::ratio(0.05, f64::from(case % 3)) },
                0.75,
            );
            let mut sums = PreferenceSums::default();
            sums.rebuild(&triplets, &bits, &[weight]);
            let changed: Vec<u32> = (0..n).filter(|_| rng.random_range(0..6) == 0).collect();
            let mut new = old.clone();
            changed.iter().for_each(|&object| new[object as usize] ^= 1);

            let (mut all, mut some) = (ColumnTrial::default(), ColumnTrial::default());
            let state = |object: u32| old[object as usize] | new[object as usize] << 1;
            all.states = (0..n).map(state).collect();
            all.change_all(&triplets, &sums, &change_table(weight));
            let expected = all.sums.log_likelihood(&scoring);
            some.change_some(&triplets, &sums, (&changed, state), &change_table(weight));
            let ratio = some.after.log_likelihood(&scoring) - some.before.log_likelihood(&scoring);
            let now = sums.log_likelihood(&scoring);
            assert!((now + ratio - expected).abs() < 1e-10);
            let mut either = ColumnTrial::default();
            let found = either.log_likelihood(&triplets, (&sums, now), (&changed, state), weight, &scoring);
            assert!((found - expected).abs() < 1e-10);
            let mut other = sums.clone();
            all.accept(&mut sums);
            some.accept(&mut other);
            assert_eq!((sums.a, sums.b), (other.a, other.b));
        }
    }
}
