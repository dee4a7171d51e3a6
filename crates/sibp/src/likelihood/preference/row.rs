//! Gathers all triplets of one object so that flips of its bits cost a pass over contiguous memory.

use super::terms::{
    Flip, Gathered, anchor_apply, anchor_ratio, inverse_probabilities, log_likelihood, other_apply, other_ratio,
};
use super::{PreferenceSums, Scoring};
use crate::bits::BitMatrix;
use crate::fault::{Fault, planted};
use crate::triplets::{Role, RoleEntry, TripletSet};
use std::ops::Range;

/// Scratch for one object's visit: sums, and two words a triplet that say what a bit of the object does there.
///
/// The other two members do not change during the visit, so the words are computed once for all features:
/// for an anchor (near xor far, near); for near and far (the state of the bit that counts, whether it counts for A).
#[derive(Debug, Clone, Default)]
pub struct RowVisit {
    a: Vec<f64>,
    b: Vec<f64>,
    inverse: Vec<f64>,
    first: Vec<u64>,
    second: Vec<u64>,
    /// End of the anchor, near and far entries.
    ends: [usize; 3],
    changed: bool,
}

impl RowVisit {
    /// Gathers the triplets of `object_ix`.
    pub fn gather(
        &mut self,
        object_ix: usize,
        triplets: &TripletSet,
        features: &BitMatrix,
        sums: &PreferenceSums,
        scoring: &Scoring,
    ) {
        self.changed = false;
        let entries = triplets.all_entries(object_ix);
        let n_anchor = triplets.entries(object_ix, Role::Anchor).len();
        let n_near = triplets.entries(object_ix, Role::Near).len();
        self.ends = [n_anchor, n_anchor + n_near, entries.len()];
        self.a.clear();
        self.b.clear();
        self.a.extend(entries.iter().map(|e| sums.a[e.triplet_ix as usize]));
        self.b.extend(entries.iter().map(|e| sums.b[e.triplet_ix as usize]));
        self.inverse.resize(entries.len(), 0.0);
        inverse_probabilities(&self.a, &self.b, &mut self.inverse, scoring);
        self.gather_words(entries, features);
    }

    fn gather_words(&mut self, entries: &[RoleEntry], features: &BitMatrix) {
        let [anchors, nears, _] = self.ends;
        self.first.clear();
        self.second.clear();
        for word in 0..features.words_per_row() {
            let of = |object: u32| features.row(object as usize)[word];
            for (at, entry) in entries.iter().enumerate() {
                let [p, q] = entry.others.map(of);
                let (first, second) = if at < anchors {
                    (p ^ q, p)
                } else if at < nears {
                    // Others are (anchor, far): the bit counts where it differs from far, for A if it then equals the anchor's.
                    (!q, p ^ q)
                } else {
                    // Others are (anchor, near): it counts where it differs from near, for A if anchor and near agree.
                    (!q, !(p ^ q))
                };
                self.first.push(first);
                self.second.push(second);
            }
        }
    }

    /// Log likelihood ratio of setting a feature of the object to `to` (it now has the other value).
    pub fn log_ratio(&self, feature_ix: usize, to: bool, weight: f64, scoring: &Scoring) -> f64 {
        if self.a.is_empty() {
            return 0.0;
        }
        let flip = Flip { bit: (feature_ix % 64) as u32, to: to.into(), weight };
        let word = feature_ix / 64;
        let anchors = 0..if planted(Fault::ForgottenAnchor) { 0 } else { self.ends[0] };
        let others = self.ends[0]..self.ends[if planted(Fault::ForgottenFar) { 1 } else { 2 }];
        anchor_ratio(self.gathered(anchors, word), flip, scoring)
            + other_ratio(self.gathered(others, word), flip, scoring)
    }

    fn gathered(&self, range: Range<usize>, word: usize) -> Gathered<'_> {
        let words = range.start + word * self.ends[2]..range.end + word * self.ends[2];
        Gathered {
            a: &self.a[range.clone()],
            b: &self.b[range.clone()],
            inverse: &self.inverse[range],
            first: &self.first[words.clone()],
            second: &self.second[words],
        }
    }

    /// Sets a feature of the object to `to`.
    pub fn flip(&mut self, feature_ix: usize, to: bool, weight: f64, scoring: &Scoring) {
        let flip = Flip { bit: (feature_ix % 64) as u32, to: to.into(), weight };
        let from = (feature_ix / 64) * self.ends[2];
        let [anchors, _, all] = self.ends;
        let words = (&self.first[from..from + all], &self.second[from..from + all]);
        let (a_anchor, a_other) = self.a.split_at_mut(anchors);
        let (b_anchor, b_other) = self.b.split_at_mut(anchors);
        anchor_apply(a_anchor, b_anchor, (&words.0[..anchors], &words.1[..anchors]), flip);
        other_apply(a_other, b_other, (&words.0[anchors..], &words.1[anchors..]), flip);
        inverse_probabilities(&self.a, &self.b, &mut self.inverse, scoring);
        self.changed = true;
    }

    /// Log likelihood ratio of adding `weight` (of either sign) to the features that only this object owns.
    ///
    /// Such features count against the triplets in which the object is near, and for those in which it is far.
    pub fn singleton_log_ratio(&self, weight: f64, scoring: &Scoring) -> f64 {
        let [anchors, nears, all] = self.ends;
        let part = |range: Range<usize>, add_a, add_b| {
            let (a, b) = (&self.a[range.clone()], &self.b[range]);
            log_likelihood(a, b, add_a, add_b, scoring) - log_likelihood(a, b, 0.0, 0.0, scoring)
        };
        part(anchors..nears, 0.0, weight) + part(nears..all, weight, 0.0)
    }

    /// Adds `weight` to the features that only this object owns; no flips may follow in this visit.
    pub fn add_singletons(&mut self, weight: f64) {
        let [anchors, nears, _] = self.ends;
        for b in &mut self.b[anchors..nears] {
            *b += weight;
        }
        for a in &mut self.a[nears..] {
            *a += weight;
        }
        self.changed = true;
    }

    /// Writes the sums back if anything changed.
    pub fn scatter(&self, object_ix: usize, triplets: &TripletSet, sums: &mut PreferenceSums) {
        if !self.changed || planted(Fault::StaleSums) {
            return;
        }
        for ((entry, &a), &b) in triplets.all_entries(object_ix).iter().zip(&self.a).zip(&self.b) {
            sums.a[entry.triplet_ix as usize] = a;
            sums.b[entry.triplet_ix as usize] = b;
        }
    }
}
