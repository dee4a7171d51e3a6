//! Updates every object of the probit model: Gibbs over its bits (Eq. 15), active bits only.
//!
//! Objects that share no triplet depend on each other only through bits that no other object owns: these keep their
//! last owner. So the objects are coloured, and all objects of one colour (an independent set of the triplet graph)
//! are updated at the same time, on all threads; bits whose owners all have that colour are left alone. Updates of the
//! colour cannot change which bits those are.

use crate::bits::BitCells;
use crate::fault::{Fault, planted};
use crate::likelihood::preference::{GROUP, PreferenceSums, RowTrial, RowVisit, Scoring, SumCells};
use crate::likelihood::probit::{Heights, Limits, Odds};
use crate::parallel::{Shared, for_each, for_each_assigned};
use crate::rng::numbered;
use crate::state::{Count, LatentCode, Observations, ProbitModel, ProbitScratch, ProbitState, Proposal, Tally};
use crate::triplets::TripletSet;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

/// One Gibbs pass over all objects. The last owner of a bit keeps it: bits are removed by the birth–death kernel.
pub fn step<R: Rng>(
    model: &ProbitModel,
    data: &Observations,
    state: &mut ProbitState,
    scratch: &mut ProbitScratch,
    rng: &mut R,
) {
    let heights = Heights::new(&scratch.basis, &state.atoms, scratch.threads);
    let pass = Pass {
        triplets: &data.triplets,
        scoring: state.code.scoring(&model.preference),
        odds: heights.log_odds(&state.atoms, scratch.threads),
        seed: rng.random(),
        limits: scratch.limits,
    };
    let mut visitors: Vec<Visitor> = (0..scratch.threads).map(|_| Visitor::default()).collect();
    for set in scratch.independent.iter() {
        pass.visit_set(set, &mut state.code, &mut scratch.preference.sums, &mut visitors);
        count_shared(set.len().div_ceil(scratch.limits.take), &visitors, &mut scratch.tally);
    }
    visitors.iter().for_each(|visitor| visitor.count_flips(&mut scratch.tally));
}

/// The fixed data of one pass over all objects.
struct Pass<'a> {
    triplets: &'a TripletSet,
    scoring: Scoring,
    odds: Odds,
    /// Seed from which every object gets a random stream of its own.
    seed: [u8; 32],
    limits: Limits,
}

/// Scratch buffers of a thread that updates objects.
#[derive(Default)]
struct Visitor {
    row: RowVisit,
    order: Vec<usize>,
    words: Vec<u64>,
    /// Number of consecutive rejected flips.
    calm: usize,
    /// Change of the number of owners of every bit.
    counts: Vec<i64>,
    /// Objects of the current colour.
    n_visited: usize,
    /// Flips so far, and those of them that were scored together with others.
    flips: Count,
    grouped: Count,
}

/// Counts a colour that several threads could share, and whether they did.
fn count_shared(n_takes: usize, visitors: &[Visitor], tally: &mut Tally) {
    if n_takes > 1 && visitors.len() > 1 {
        let n_busy = visitors.iter().filter(|visitor| visitor.n_visited > 0).count();
        tally.note(Proposal::SharedColour, n_busy > 1);
    }
}

impl Pass<'_> {
    #[allow(unsafe_code)]
    fn visit_set(&self, set: &[u32], code: &mut LatentCode, sums: &mut PreferenceSums, visitors: &mut [Visitor]) {
        let free = owned_outside(set, code);
        for visitor in visitors.iter_mut() {
            visitor.n_visited = 0;
            visitor.counts.clear();
            visitor.counts.resize(code.weights.len(), 0);
        }
        let (words, words_per_row) = code.bits.words_mut();
        let (a, b, slips) = sums.values_mut();
        // SAFETY: an update writes its object's row and sums, and reads rows and sums of triplets with that object. No
        // other object of the same colour is in those triplets, so none reads or writes what this one writes.
        let (words, a, b) = unsafe { (Shared::new(words), Shared::new(a), Shared::new(b)) };
        let Limits { take: at_once, assigned, .. } = self.limits;
        let visit = |visitor: &mut Visitor, take: usize| {
            let rows = BitCells::new(words.cells(), words_per_row);
            let sums = SumCells { a: a.cells(), b: b.cells(), slips };
            for &object in set.chunks(at_once).nth(take).into_iter().flatten() {
                visitor.visit(self, object as usize, &free, &code.weights, rows, sums);
            }
        };
        let n_takes = set.len().div_ceil(at_once);
        if assigned {
            for_each_assigned(visitors, n_takes, visit);
        } else {
            for_each(visitors, n_takes, visit);
        }
        let n_counted = if planted(Fault::OneThreadCounted) { 1 } else { visitors.len() };
        for visitor in &visitors[..n_counted] {
            code.bits.recount(&visitor.counts);
        }
    }
}

/// Bits with an owner outside of this colour.
fn owned_outside(set: &[u32], code: &LatentCode) -> Vec<usize> {
    let mut left = code.bits.counts().to_vec();
    for &object in set {
        code.bits.ones(object as usize).for_each(|bit_ix| left[bit_ix] -= 1);
    }
    (0..left.len()).filter(|&bit_ix| left[bit_ix] > 0 || planted(Fault::ClassTakesAll)).collect()
}

impl Visitor {
    /// Gibbs updates of the free bits of an object, in a fresh random order.
    fn visit(
        &mut self,
        pass: &Pass<'_>,
        object_ix: usize,
        free: &[usize],
        weights: &[f64],
        rows: BitCells<'_>,
        sums: SumCells<'_>,
    ) {
        let mut rng = numbered(pass.seed, object_ix);
        self.row.gather(object_ix, pass.triplets, rows, sums, &pass.scoring);
        self.words.clear();
        self.words.extend(rows.row(object_ix).iter().map(|word| word.get()));
        self.order.clear();
        self.order.extend_from_slice(free);
        self.order.shuffle(&mut rng);
        let mut choice = Choice { odds: pass.odds.row(object_ix), weights, scoring: &pass.scoring, rng: &mut rng };
        let mut next = 0;
        while next < self.order.len() {
            let some = self.calm >= pass.limits.calm;
            next += if some { self.try_group(next, &mut choice) } else { self.try_one(next, &mut choice) };
        }
        self.n_visited += 1;
        self.flips.proposed += self.order.len() as u64;
        rows.row(object_ix).iter().zip(&self.words).for_each(|(cell, &word)| cell.set(word));
        self.row.scatter(object_ix, pass.triplets, sums);
    }
}

/// The terms that decide the bits of an object.
struct Choice<'a, R> {
    odds: &'a [f64],
    weights: &'a [f64],
    scoring: &'a Scoring,
    rng: &'a mut R,
}

impl Visitor {
    /// Draws the next bit in order; returns how many were drawn.
    fn try_one<R: Rng>(&mut self, next: usize, choice: &mut Choice<'_, R>) -> usize {
        let bit_ix = self.order[next];
        let (to, weight) = (!self.has(bit_ix), choice.weights[bit_ix]);
        let trial = self.row.trial(bit_ix, to, weight, choice.scoring);
        self.decide(bit_ix, trial, choice);
        1
    }

    /// As [`Self::try_some`], counted.
    fn try_group<R: Rng>(&mut self, next: usize, choice: &mut Choice<'_, R>) -> usize {
        let before = self.flips.accepted;
        let done = self.try_some(next, choice);
        self.grouped.proposed += done as u64;
        self.grouped.accepted += self.flips.accepted - before;
        done
    }

    /// Adds the flips to a tally; nothing is counted flip by flip, as there are so many.
    fn count_flips(&self, tally: &mut Tally) {
        let Self { flips, grouped, .. } = self;
        let single = Count { proposed: flips.proposed - grouped.proposed, accepted: flips.accepted - grouped.accepted };
        tally.note_all(Proposal::Flip, single);
        tally.note_all(Proposal::GroupedFlip, *grouped);
    }

    /// Evaluates several flips at once, and draws bits up to the first accepted one, which invalidates those behind
    /// it.
    fn try_some<R: Rng>(&mut self, next: usize, choice: &mut Choice<'_, R>) -> usize {
        let n = GROUP.min(self.order.len() - next);
        let mut flips = [(0, false, 0.0); GROUP];
        for (flip, &f) in flips.iter_mut().zip(&self.order[next..next + n]) {
            *flip = (f, !self.has(f), choice.weights[f]);
        }
        let trials = self.row.trials(&flips[..n], choice.scoring);
        for (done, trial) in (1..=n).zip(trials) {
            if self.decide(self.order[next + done - 1], trial, choice) && !planted(Fault::GroupGoesOn) {
                return done;
            }
        }
        n
    }

    fn has(&self, bit_ix: usize) -> bool {
        self.words[bit_ix / 64] >> (bit_ix % 64) & 1 == 1
    }

    /// Flips the bit or not; returns whether it did.
    fn decide<R: Rng>(&mut self, bit_ix: usize, trial: RowTrial, choice: &mut Choice<'_, R>) -> bool {
        let to = !self.has(bit_ix);
        let prior = if to { choice.odds[bit_ix] } else { -choice.odds[bit_ix] };
        let flips = accepted(prior + trial.log_ratio, choice.rng);
        self.calm = if flips { 0 } else { self.calm + 1 };
        if flips {
            self.words[bit_ix / 64] ^= 1 << (bit_ix % 64);
            self.counts[bit_ix] += if to { 1 } else { -1 };
            self.flips.accepted += 1;
            self.row.accept(trial, choice.scoring);
        }
        flips
    }
}

/// True with probability 1 / (1 + e^-log_odds).
pub(super) fn accepted<R: Rng>(log_odds: f64, rng: &mut R) -> bool {
    let u = rng.random::<f64>();
    (u / (1.0 - u)).ln() < log_odds
}

#[cfg(test)]
mod tests {
    use crate::data::Inputs;
    use crate::model::{Model, Observations, Preset, ProbitModel, Threads};
    use crate::rng::{Purpose, Streams};
    use crate::triplets::{Triplet, TripletSet};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// More objects than fit in a part, so that every loop is shared.
    #[test]
    fn threads_change_no_draw() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let n = 9_000u32;
        let bits = Inputs::new(n as usize, 3, (0..3 * n).map(|_| rng.random::<f64>() - 0.5).collect()).unwrap();
        let triplet = |anchor: u32| Triplet { anchor, near: (anchor + 7) % n, far: (anchor + 1000) % n };
        let triplets = TripletSet::new(n as usize, (0..n).map(triplet).collect()).unwrap();
        let data = Observations::new(bits, triplets);
        let model = ProbitModel::preset(Preset::Hash);
        let streams = Streams::new(5, 0);
        let states: Vec<_> = [1, 2, 5]
            .into_iter()
            .map(|threads| {
                let mut scratch = model.prepare(&data, Threads { setup: threads, sweep: threads });
                let mut state = model.start(&data, &scratch, &mut streams.rng(Purpose::Start, 0, 0));
                for sweep in 1..=2 {
                    model.sweep(&data, &mut state, &mut scratch, &streams, sweep);
                }
                let record = model.record(&data, &state, &mut scratch);
                (state, record)
            })
            .collect();
        assert!(states[0].0.atoms.len() > 1);
        assert!(states.iter().all(|state| state == &states[0]));
    }
}
