//! Gathers all triplets of one object so that flips of its bits cost a pass over contiguous memory.

use super::apply::{apply_flip, prepare};
use super::flips::{GROUP, Gathered, after_flip, after_flips};
use super::gain::{Evidence, largest_ratio};
use super::role::Flip;
use super::terms::log_likelihood;
use super::{Form, Scoring, SumCells};
use crate::bits::BitCells;
use crate::fault::{Fault, planted};
use crate::numerics::simd::LANES;
use crate::numerics::vector::Chunk;
use crate::triplets::{Role, TripletSet};
use std::ops::Range;

/// Scratch buffers for the update of one object: sums, and two words a triplet that encode the effect of the object's
/// bits.
///
/// The other two members do not change during the update, so the words are computed once for all bits: for an anchor
/// (near xor far, near); for near and far (the state of the bit that counts, whether it counts for A). Anchored
/// triplets fill whole chunks, followed by the others.
#[derive(Debug, Clone, Default)]
pub struct RowVisit {
    a: Vec<Chunk<f64>>,
    b: Vec<Chunk<f64>>,
    /// Half the lapse rate behind each triplet; empty where there is one for all.
    slips: Vec<f64>,
    /// Values derived from the sums for flips (see [`Gathered`]).
    derived: [Vec<Chunk<f64>>; 2],
    first: Vec<Chunk<u64>>,
    second: Vec<Chunk<u64>>,
    n_anchor: usize,
    n_near: usize,
    n_far: usize,
    /// Current log probability of the triplets, up to terms that no flip changes.
    now: f64,
    changed: bool,
    /// Flags of what has been gathered.
    has_sums: bool,
    has_words: bool,
    /// An upper bound on the gain of any flip, if it was computed.
    gain: Option<f64>,
}

/// A flip of one bit, ready to be accepted.
#[derive(Debug, Clone, Copy)]
pub struct RowTrial {
    flip: Flip,
    word: usize,
    after: f64,
    /// Log likelihood ratio of the flip.
    pub log_ratio: f64,
}

impl RowVisit {
    /// Gathers the triplets of `object_ix`.
    pub fn gather(
        &mut self,
        object_ix: usize,
        triplets: &TripletSet,
        bits: BitCells<'_>,
        sums: SumCells<'_>,
        scoring: &Scoring,
    ) {
        self.open(object_ix, triplets);
        self.gather_sums(object_ix, triplets, sums);
        self.gather_words(object_ix, triplets, bits, scoring);
    }

    /// Starts the update of an object, gathering only what turns out to be needed.
    pub fn open(&mut self, object_ix: usize, triplets: &TripletSet) {
        (self.changed, self.has_sums, self.has_words, self.gain) = (false, false, false, None);
        [self.n_anchor, self.n_near, self.n_far] =
            [Role::Anchor, Role::Near, Role::Far].map(|role| triplets.n_entries(object_ix, role));
    }

    /// Number of triplets of the object.
    pub fn n_triplets(&self) -> usize {
        self.n_anchor + self.n_near + self.n_far
    }

    /// Gathers the sums of the object's triplets, unless that was done.
    pub fn gather_sums(&mut self, object_ix: usize, triplets: &TripletSet, sums: SumCells<'_>) {
        if std::mem::replace(&mut self.has_sums, true) {
            return;
        }
        let n_chunks = self.n_chunks();
        self.a.resize(n_chunks, [1.0; LANES]);
        self.b.resize(n_chunks, [1.0; LANES]);
        let others = self.others_start();
        let (a, b) = (self.a.as_flattened_mut(), self.b.as_flattened_mut());
        let anchored = triplets.anchored(object_ix);
        a.iter_mut().zip(&sums.a[anchored.clone()]).for_each(|(to, from)| *to = from.get());
        b.iter_mut().zip(&sums.b[anchored]).for_each(|(to, from)| *to = from.get());
        for (entry, (a, b)) in triplets.others(object_ix).iter().zip(a[others..].iter_mut().zip(&mut b[others..])) {
            *a = sums.a[entry.triplet_ix as usize].get();
            *b = sums.b[entry.triplet_ix as usize].get();
        }
        self.gather_slips(object_ix, triplets, sums.slips);
    }

    fn gather_slips(&mut self, object_ix: usize, triplets: &TripletSet, slips: &[f64]) {
        self.slips.clear();
        if slips.is_empty() {
            return;
        }
        // Lanes behind the last triplet have some rate too: their probabilities are computed, and ignored.
        self.slips.extend_from_slice(&slips[triplets.anchored(object_ix)]);
        self.slips.resize(self.others_start(), 0.5);
        self.slips.extend(triplets.others(object_ix).iter().map(|entry| slips[entry.triplet_ix as usize]));
        self.slips.resize(self.n_chunks() * LANES, 0.5);
    }

    /// An upper bound on the log ratio of any flip of at most this weight, from the gathered sums.
    pub fn gain_bound(&mut self, weight: f64, scoring: &Scoring) -> f64 {
        if let Some(gain) = self.gain {
            return gain;
        }
        let gain = match scoring.form {
            Form::Ratio { .. } => self.ratio_gain(weight, scoring),
            Form::Logistic { .. } => self.logistic_gain(weight, scoring),
        };
        self.gain = Some(gain);
        gain
    }

    /// A - B decides alone: it grows by the weight, where the object is the anchor by twice that.
    fn logistic_gain(&self, weight: f64, scoring: &Scoring) -> f64 {
        let (start, n_others) = (self.others_start(), self.n_near + self.n_far);
        let part = |range: Range<usize>, less: f64| {
            self.log_likelihood(range.clone(), (weight, -less), scoring)
                - self.log_likelihood(range, (0.0, 0.0), scoring)
        };
        part(0..self.n_anchor, weight) + part(start..start + n_others, 0.0)
    }

    fn ratio_gain(&self, weight: f64, scoring: &Scoring) -> f64 {
        let split = self.others_start() / LANES;
        let ((a, b), (other_a, other_b)) = ((&self.a[..split], &self.b[..split]), (&self.a[split..], &self.b[split..]));
        let anchored = Evidence { n: self.n_anchor, a, b };
        let others = Evidence { n: self.n_near + self.n_far, a: other_a, b: other_b };
        largest_ratio(anchored, others, weight, scoring).ln()
    }

    /// Gathers the effects of flips on the sums, which have been gathered, unless that was done.
    pub fn gather_words(&mut self, object_ix: usize, triplets: &TripletSet, bits: BitCells<'_>, scoring: &Scoring) {
        if !std::mem::replace(&mut self.has_words, true) {
            self.fill_words(object_ix, triplets, bits);
            self.prepare(scoring);
            self.now = self.log_after(0, Flip::NONE, scoring);
        }
    }

    fn prepare(&mut self, scoring: &Scoring) {
        let (n_chunks, split) = (self.n_chunks(), self.others_start() / LANES);
        let [first, second] = &mut self.derived;
        first.resize(n_chunks, [0.0; LANES]);
        second.resize(n_chunks, [0.0; LANES]);
        prepare((&self.a, &self.b), split, (first, second), (&self.slips, scoring));
    }

    fn fill_words(&mut self, object_ix: usize, triplets: &TripletSet, bits: BitCells<'_>) {
        let n_words = self.n_chunks() * bits.words_per_row();
        self.first.resize(n_words, [0; LANES]);
        self.second.resize(n_words, [0; LANES]);
        let (n_all, others, n_near) = (self.n_chunks() * LANES, self.others_start(), self.n_near);
        for word in 0..bits.words_per_row() {
            let of = |object: u32| bits.row(object as usize)[word].get();
            let at = word * n_all;
            let first = &mut self.first.as_flattened_mut()[at..at + n_all];
            let second = &mut self.second.as_flattened_mut()[at..at + n_all];
            for (at, t) in triplets.triplets()[triplets.anchored(object_ix)].iter().enumerate() {
                let (near, far) = (of(t.near), of(t.far));
                (first[at], second[at]) = (near ^ far, near);
            }
            for (at, entry) in triplets.others(object_ix).iter().enumerate() {
                let [anchor, other] = entry.others.map(of);
                // The bit counts where it differs from the other object's: for a near object it counts for A if it
                // then has the anchor's state, for a far object if anchor and near agree.
                let for_a = if at < n_near { anchor ^ other } else { !(anchor ^ other) };
                (first[others + at], second[others + at]) = (!other, for_a);
            }
        }
    }

    fn n_chunks(&self) -> usize {
        self.n_anchor.div_ceil(LANES) + (self.n_near + self.n_far).div_ceil(LANES)
    }

    /// Index of the first triplet in which the object is near or far.
    fn others_start(&self) -> usize {
        self.n_anchor.next_multiple_of(LANES)
    }

    /// Evaluates setting a bit of the object to `to` (it now has the other value).
    pub fn trial(&self, bit_ix: usize, to: bool, weight: f64, scoring: &Scoring) -> RowTrial {
        let (flip, word) = (Flip::new(bit_ix, to, weight), bit_ix / 64);
        if self.n_chunks() == 0 {
            return RowTrial { flip, word, after: 0.0, log_ratio: 0.0 };
        }
        let after = self.log_after(word, flip, scoring);
        RowTrial { flip, word, after, log_ratio: after - self.log_now(scoring) }
    }

    fn log_now(&self, scoring: &Scoring) -> f64 {
        let forgetful = planted(Fault::ForgottenAnchor) || planted(Fault::ForgottenFar);
        if forgetful { self.log_after(0, Flip::NONE, scoring) } else { self.now }
    }

    /// Evaluates up to [`GROUP`] bits, each as [`Self::trial`] would; accepting one invalidates the others.
    pub fn trials(&self, bits: &[(usize, bool, f64)], scoring: &Scoring) -> [RowTrial; GROUP] {
        if let &[(bit_ix, to, weight)] = bits {
            return [self.trial(bit_ix, to, weight, scoring); GROUP];
        }
        let (mut flips, mut words) = ([Flip::NONE; GROUP], [0; GROUP]);
        for ((flip, word), (bit_ix, to, weight)) in flips.iter_mut().zip(&mut words).zip(bits.iter().copied()) {
            (*flip, *word) = (Flip::new(bit_ix, to, weight), bit_ix / 64);
        }
        if planted(Fault::GroupOfOneWord) {
            words = [words[0]; GROUP];
        }
        let (anchored, others) = self.roles(words);
        let (after, now) = (after_flips(anchored, others, flips, scoring), self.log_now(scoring));
        std::array::from_fn(|at| {
            let after = after[at].ln();
            RowTrial { flip: flips[at], word: words[at], after, log_ratio: after - now }
        })
    }

    fn log_after(&self, word: usize, flip: Flip, scoring: &Scoring) -> f64 {
        let (anchored, others) = self.roles([word]);
        let [after] = after_flip(anchored, others, [flip], scoring);
        after.ln()
    }

    /// The triplets that the object anchors, and the others.
    fn roles<const N: usize>(&self, words: [usize; N]) -> (Gathered<'_, N>, Gathered<'_, N>) {
        let split = self.others_start() / LANES;
        let n_anchor = if planted(Fault::ForgottenAnchor) { 0 } else { self.n_anchor };
        let n_others = self.n_near + if planted(Fault::ForgottenFar) { 0 } else { self.n_far };
        (self.gathered(n_anchor, 0..split, words), self.gathered(n_others, split..self.n_chunks(), words))
    }

    fn gathered<const N: usize>(&self, n: usize, chunks: Range<usize>, words: [usize; N]) -> Gathered<'_, N> {
        let mut of_flips = [(&self.first[..0], &self.second[..0]); N];
        for (of_flip, word) in of_flips.iter_mut().zip(words) {
            let at = chunks.start + word * self.n_chunks()..chunks.end + word * self.n_chunks();
            *of_flip = (&self.first[at.clone()], &self.second[at]);
        }
        let [first, second] = &self.derived;
        Gathered { n, first: &first[chunks.clone()], second: &second[chunks], words: of_flips }
    }

    /// Accepts the last trial. A and B are exact, so its values stay valid.
    pub fn accept(&mut self, trial: RowTrial, scoring: &Scoring) {
        let (n_chunks, split) = (self.n_chunks(), self.others_start() / LANES);
        let words = trial.word * n_chunks..(trial.word + 1) * n_chunks;
        let [first, second] = &mut self.derived;
        let sums = (&mut self.a[..], &mut self.b[..]);
        let words = (&self.first[words.clone()], &self.second[words]);
        apply_flip(sums, (first, second), words, split, trial.flip, (&self.slips, scoring));
        self.now = trial.after;
        self.changed = true;
        if !planted(Fault::GainKeptAfterFlip) {
            self.gain = None;
        }
    }

    /// Log likelihood ratio of adding `weight` (of either sign) to the bits that only this object owns.
    ///
    /// Such bits count against the triplets in which the object is near, and for those in which it is far.
    pub fn singleton_log_ratio(&self, weight: f64, scoring: &Scoring) -> f64 {
        let part = |range: Range<usize>, add: (f64, f64)| {
            self.log_likelihood(range.clone(), add, scoring) - self.log_likelihood(range, (0.0, 0.0), scoring)
        };
        let (near, far) = self.near_and_far();
        part(near, (0.0, weight)) + part(far, (weight, 0.0))
    }

    /// Log likelihood of some gathered triplets, with something added to A and B.
    fn log_likelihood(&self, range: Range<usize>, add: (f64, f64), scoring: &Scoring) -> f64 {
        let slips = self.slips.get(range.clone()).unwrap_or_default();
        log_likelihood(&self.a.as_flattened()[range.clone()], &self.b.as_flattened()[range], add, slips, scoring)
    }

    fn near_and_far(&self) -> (Range<usize>, Range<usize>) {
        let (start, middle) = (self.others_start(), self.others_start() + self.n_near);
        (start..middle, middle..middle + self.n_far)
    }

    /// Adds `weight` to the bits that only this object owns; no flips may follow in this update.
    pub fn add_singletons(&mut self, weight: f64) {
        let (near, far) = self.near_and_far();
        for b in &mut self.b.as_flattened_mut()[near] {
            *b += weight;
        }
        for a in &mut self.a.as_flattened_mut()[far] {
            *a += weight;
        }
        self.changed = true;
    }

    /// Writes the sums back if anything changed.
    pub fn scatter(&self, object_ix: usize, triplets: &TripletSet, sums: SumCells<'_>) {
        if !self.changed || planted(Fault::StaleSums) {
            return;
        }
        let (a, b) = (self.a.as_flattened(), self.b.as_flattened());
        let anchored = triplets.anchored(object_ix);
        sums.a[anchored.clone()].iter().zip(a).for_each(|(to, &from)| to.set(from));
        sums.b[anchored].iter().zip(b).for_each(|(to, &from)| to.set(from));
        let others = self.others_start();
        for (entry, (&a, &b)) in triplets.others(object_ix).iter().zip(a[others..].iter().zip(&b[others..])) {
            sums.a[entry.triplet_ix as usize].set(a);
            sums.b[entry.triplet_ix as usize].set(b);
        }
    }
}
