//! Extends codes: learns further bits for new objects and keeps those that help, while every old bit stays as it is.
//!
//! Each chain leaves out another fifth of the new objects, and bits are judged on triplets about objects that they have
//! not seen: every new object is scored once, by the bits of all chains that left it out, joined as they would be added.
//! - Nothing is added unless the old bits with these explain the triplets better than the old bits alone, under their
//!   weights as they were and as the chains see them. The means of the parts are compared by one-sided paired tests at
//!   [`LEVEL`], as objects of a part share their chains; with a single part, its objects.
//! - If so, bits without which the triplets of its part are explained at least as well are dropped from each chain, if
//!   those that are left pass the same test on objects that did not choose them: those of one half of each part under
//!   the choice of the other half. Few objects choose badly.
//!
//! Distances are weighted: old bits, of which there may be many, get the weights that the chains give them.
//!
//! ```no_run
//! use sibp::data::{Inputs, Labels};
//! use sibp::extend::{ExtendError, ExtendSettings, GrowingCode};
//! use sibp::triplets::{FromLabels, Teacher};
//! # fn batches() -> Vec<(Inputs, Labels)> { Vec::new() }
//! # fn grow(mut code: GrowingCode) -> Result<(), ExtendError> {
//! for (inputs, labels) in batches() {
//!     let teacher = Teacher::Labels(&labels, FromLabels::default());
//!     let report = code.learn(&inputs, teacher, None, &ExtendSettings::default())?;
//!     println!("{} bits more, agreement {:.3} -> {:.3}", report.n_added, report.before, report.after);
//! }
//! # Ok(())
//! # }
//! ```

mod needed;
mod origin;
mod rule;
mod settings;
#[cfg(test)]
mod tests;

pub use crate::hash::GrowingCode;
pub use needed::{BitUse, bit_uses, needed_bits};
pub use origin::{OriginError, Recovered, recover};
pub use settings::{ExtendError, ExtendSettings};

use crate::codes::Codes;
use crate::data::{Inputs, Table};
use crate::eval::{PairedTest, mean};
use crate::fault::{Fault, planted};
use crate::format::GivenBits;
use crate::hash::{HashBlock, HashStack, Remembered};
use crate::held_out::{Exam, HeldOut};
use crate::model::ModelOptions;
use crate::parallel::{map, n_threads};
use crate::pipeline::{DrawChoice, Fit};
use crate::prior::hyper::GammaPrior;
use crate::rng::{Purpose, Streams};
use crate::run::RunControl;
use crate::transform::{InputTransform, Transform};
use crate::triplets::{Teacher, TeacherError, Triplet, TripletSet};
use rule::{PartScores, verdict};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// One part in this many of the new objects is left out by each chain.
const PARTS: usize = 5;
/// Draws that a chain keeps to choose from. Each costs a few sweeps: its bits are fitted to the inputs.
const DRAWS: usize = 2;
/// Total weight of all old bits together that the prior expects.
const OLD_CODE_WEIGHT: f64 = 10.0;
/// Significance level of the test that adds bits: how often bits are added at most where none helps. It is high because
/// missing a useful bit costs more than a useless one.
pub const LEVEL: f64 = 0.2;

/// The result of one extension.
#[derive(Debug, Clone, PartialEq)]
pub struct Extension {
    /// Bits that the chains proposed.
    pub n_tried: usize,
    /// Bits added.
    pub n_added: usize,
    /// Agreement of the old bits with held-out triplets; ties count half.
    pub before: f64,
    /// Agreement with all proposed bits.
    pub proposed: f64,
    /// Agreement with the bits that are added, on objects that neither taught nor chose them.
    pub after: f64,
    /// Paired test over parts whether the proposed bits raise agreement: the less significant of the two.
    pub test: PairedTest,
    /// Objects whose agreement decided, each counted once; with triplets, anchors of a part.
    pub n_judged: usize,
    /// Number of objects learned from, remembered ones included.
    pub n_objects: usize,
    /// Time taken.
    pub seconds: f64,
}

/// The bits that one chain proposes.
struct Proposal {
    /// The part that the chain left out.
    part: usize,
    block: Option<HashBlock>,
    /// The bits of all objects.
    codes: Codes,
    /// Weights of the old bits.
    old_weights: Vec<f64>,
    /// Weights of the bits, where each half of the part dropped those that it does not need.
    by_half: [Vec<f64>; 2],
}

impl Proposal {
    fn weights(&self) -> &[f64] {
        self.block.as_ref().map_or(&[], |block| &block.weights)
    }
}

/// The data and settings that all chains share.
struct Lesson<'a> {
    settings: &'a ExtendSettings<'a>,
    teacher: Teacher<'a>,
    /// Transformed inputs of all objects.
    inputs: Inputs,
    transform: Transform,
    /// Old bits of all objects.
    given: Codes,
    /// Weights of the old bits before the extension.
    given_weights: Vec<f64>,
    parts: Vec<HeldOut>,
    /// Objects before the first new one.
    n_remembered: usize,
    /// Batches before this one.
    n_batches: u64,
    source: String,
}

impl GrowingCode {
    /// Adds objects that the old bits were learned from to the remembered objects.
    pub fn remember(
        &mut self,
        inputs: &Inputs,
        teacher: Teacher<'_>,
        settings: &ExtendSettings<'_>,
    ) -> Result<(), ExtendError> {
        self.check(inputs, None)?;
        let seen = self.memory.joined(inputs, teacher, settings.seed)?;
        self.memory.remember(&seen, settings.capacity);
        Ok(())
    }

    /// Learns bits from a batch of objects. `given` holds their old bits where those are known; otherwise they are
    /// predicted.
    ///
    /// Time and memory depend on the batch and on the number of remembered objects, not on everything seen so far.
    pub fn learn(
        &mut self,
        inputs: &Inputs,
        teacher: Teacher<'_>,
        given: Option<&Codes>,
        settings: &ExtendSettings<'_>,
    ) -> Result<Extension, ExtendError> {
        let began = Instant::now();
        settings.check()?;
        self.check(inputs, given)?;
        let seen = self.memory.joined(inputs, teacher, settings.seed)?;
        let mut old_bits = self.stack.encode(&seen.inputs)?;
        if let Some(given) = given {
            let first = seen.inputs.n_objects() - inputs.n_objects();
            (0..inputs.n_objects()).for_each(|row| old_bits.set_row(first + row, given.row(row)));
        }
        let parts = self.parts(&seen, inputs.n_objects(), teacher, settings.seed);
        if parts.is_empty() {
            return Err(ExtendError::NothingHeldOut);
        }
        let (transform, transformed) = Transform::fit_apply(&settings.transform, &seen.inputs)?;
        let lesson = Lesson {
            settings,
            teacher: seen.teacher(teacher),
            inputs: transformed,
            transform,
            given: old_bits,
            given_weights: self.stack.weights(),
            parts,
            n_remembered: seen.inputs.n_objects() - inputs.n_objects(),
            n_batches: self.memory.n_batches,
            source: format!("extension {}", self.memory.n_batches + 1),
        };
        let proposals = lesson.proposals()?;
        let (added, mut report) = self.decide(&lesson, &proposals)?;
        report.n_objects = seen.inputs.n_objects();
        if let Some(stack) = added {
            self.stack = stack;
        }
        self.memory.remember(&seen, settings.capacity);
        report.seconds = began.elapsed().as_secs_f64();
        Ok(report)
    }

    fn check(&self, inputs: &Inputs, given: Option<&Codes>) -> Result<(), ExtendError> {
        let (expected, got) = (self.stack.n_inputs(), inputs.n_inputs());
        if expected != got {
            return Err(ExtendError::Inputs { expected, got });
        }
        let Some(given) = given else { return Ok(()) };
        let (n_objects, n_bits) = (inputs.n_objects(), self.stack.n_bits());
        if (given.n_objects(), given.n_bits()) != (n_objects, n_bits) {
            let (given_objects, given_bits) = (given.n_objects(), given.n_bits());
            return Err(ExtendError::Given { n_objects, n_bits, given_objects, given_bits });
        }
        Ok(())
    }

    /// Deals the new objects, which come after the remembered ones, into held-out parts. Old bits were learned from
    /// the remembered objects, which therefore cannot judge them.
    fn parts(&self, seen: &Remembered, n_new: usize, teacher: Teacher<'_>, seed: u64) -> Vec<HeldOut> {
        let mut rng = Streams::new(seed, 0).rng(Purpose::Extend, 0, self.memory.n_batches);
        let n_objects = seen.inputs.n_objects();
        let among_all = |part: &HeldOut| {
            let mut is_held = vec![false; n_objects];
            part.held.iter().for_each(|&object| is_held[n_objects - n_new + object] = true);
            HeldOut::new(seen.teacher(teacher), &is_held)
        };
        HeldOut::parts(teacher, n_new, PARTS, &mut rng).iter().map(among_all).collect()
    }

    /// The stack with the bits that are kept, if any, and the report.
    fn decide(
        &self,
        lesson: &Lesson<'_>,
        proposals: &[Proposal],
    ) -> Result<(Option<HashStack>, Extension), ExtendError> {
        let parts = lesson.scores(proposals);
        let verdict = verdict(&parts).ok_or(ExtendError::NothingHeldOut)?;
        let agreement = |of: fn(&PartScores) -> &Vec<f64>| {
            mean(&parts.iter().flat_map(|part| of(part).iter().copied()).collect::<Vec<_>>())
        };
        let mut report = Extension {
            n_tried: proposals.iter().map(|p| p.weights().len()).sum(),
            n_added: 0,
            before: agreement(|part| &part.before),
            proposed: agreement(|part| &part.with_all),
            after: agreement(|part| &part.before),
            test: verdict.test,
            n_judged: parts.iter().map(|part| part.before.len()).sum(),
            n_objects: 0,
            seconds: 0.0,
        };
        let kept = if planted(Fault::ExtensionAlways) {
            proposals.iter().filter_map(|p| p.block.clone()).collect()
        } else if verdict.helps && verdict.prune {
            lesson.kept(proposals)
        } else if verdict.helps {
            proposals.iter().filter_map(|p| p.block.clone()).collect()
        } else {
            Vec::new()
        };
        let Some(block) = HashBlock::joined(&kept) else { return Ok((None, report)) };
        report.n_added = block.hash.n_bits();
        report.after = if verdict.prune { agreement(|part| &part.with_needed) } else { report.proposed };
        let old_weights = lesson.old_weights(&proposals.iter().collect::<Vec<_>>());
        Ok((Some(self.stack.with_weights(&old_weights)?.with(block)?), report))
    }
}

impl Lesson<'_> {
    /// Runs all chains; what they propose does not depend on the number of threads.
    fn proposals(&self) -> Result<Vec<Proposal>, ExtendError> {
        let proposals = map(n_threads(self.settings.threads), self.settings.chains, |chain| {
            let proposal = self.proposal(chain);
            (self.settings.on_chain)(chain);
            proposal
        });
        proposals.into_iter().collect()
    }

    /// The model's options. All old bits together weigh as much as a few new ones, unless the user or the data say
    /// otherwise: many old bits that carry no information about the new objects must not outweigh the new ones.
    fn model(&self) -> ModelOptions {
        let rate = (self.given.n_bits() as f64 / OLD_CODE_WEIGHT).max(1.0);
        let given_weights = self.settings.old_weights.unwrap_or(GammaPrior::Gamma { shape: 1.0, rate });
        let (preset, given_weights) = (Some(self.settings.model.preset()), Some(given_weights));
        ModelOptions { preset, given_weights, ..self.settings.model.clone() }
    }

    /// The triplets whose anchor is new. Old bits were learned from the remembered objects and explain triplets about
    /// these too well; they would seem better than they are, and nothing would be added.
    fn about_new(&self, kept: &[usize], triplets: &TripletSet) -> Result<TripletSet, TeacherError> {
        let is_new = |t: &&Triplet| kept[t.anchor as usize] >= self.n_remembered;
        let about: Vec<Triplet> = triplets.triplets().iter().filter(is_new).copied().collect();
        Ok(TripletSet::new(kept.len(), about)?)
    }

    /// Runs one chain on all objects but the part that it leaves out, and scores its bits on that part.
    fn proposal(&self, chain: usize) -> Result<Proposal, ExtendError> {
        let part_ix = chain % self.parts.len();
        let part = &self.parts[part_ix];
        let inputs = self.inputs.select(&part.kept);
        let triplets = self.about_new(&part.kept, &self.teacher.triplets_among(&part.kept, &inputs)?)?;
        let given = GivenBits { source: "old bits".to_owned(), codes: self.given.select(&part.kept), predictor: None };
        let fit = Fit::new(Table::from(inputs), triplets.triplets().to_vec())
            .model(self.model())
            .transform(InputTransform { steps: Vec::new() })
            .given(given)
            .seed(Streams::new(self.settings.seed, chain).seed(Purpose::Extend, 2, self.n_batches))
            .sweeps(self.settings.sweeps)
            .chains(1)
            .draws(DRAWS)
            .calibrates(false)
            .distils(None);
        let model = fit.kind().name();
        let control = RunControl { threads: 1, stop: self.settings.stop, ..RunControl::default() };
        let fitted = fit.run(&control)?;
        if self.settings.stop.load(Ordering::Relaxed) {
            return Err(ExtendError::Stopped);
        }
        let coder = fitted.coder_or_empty(DrawChoice::Map)?;
        let (n_old, n_learned) = (self.given.n_bits(), coder.n_bits() - self.given.n_bits());
        let old_weights = coder.weights()[..n_old].to_vec();
        // The inputs were transformed before the objects were split into parts, in the same way for all chains.
        let block = coder.to_block(&self.source).map(|block| HashBlock { transform: self.transform.clone(), ..block });
        if block.is_none() && n_learned > 0 {
            return Err(ExtendError::NotLinear { model });
        }
        let codes = match &block {
            Some(block) => block.encode_transformed(&self.inputs),
            None => Codes::zeros(self.inputs.n_objects(), 0),
        };
        let mut proposal = Proposal { part: part_ix, block, codes, old_weights, by_half: Default::default() };
        proposal.by_half = part.exam.halves().map(|half| self.needed(&half, &proposal));
        Ok(proposal)
    }

    /// Weights of a chain's bits, 0 for those that the exam does not need.
    fn needed(&self, exam: &Exam, proposal: &Proposal) -> Vec<f64> {
        let codes = Codes::side_by_side(&[&self.given, &proposal.codes]);
        let weights = [&proposal.old_weights, proposal.weights()].concat();
        let n_old = self.given.n_bits();
        let needed = needed_bits(exam, &codes, &weights, n_old);
        (n_old..weights.len()).map(|bit| if needed[bit] { weights[bit] } else { 0.0 }).collect()
    }

    /// What is left of each chain's bits when those are dropped that its part does not need.
    fn kept(&self, proposals: &[Proposal]) -> Vec<HashBlock> {
        let kept = map(n_threads(self.settings.threads), proposals.len(), |chain| {
            let proposal = &proposals[chain];
            let weights = self.needed(&self.parts[proposal.part].exam, proposal);
            let bits: Vec<usize> = (0..weights.len()).filter(|&bit| weights[bit] > 0.0).collect();
            proposal.block.as_ref()?.select(&bits)
        });
        kept.into_iter().flatten().collect()
    }

    /// The distances of all chains are added up; each counts the old bits once.
    fn old_weights(&self, proposals: &[&Proposal]) -> Vec<f64> {
        (0..self.given.n_bits()).map(|bit| proposals.iter().map(|p| p.old_weights[bit]).sum()).collect()
    }

    /// Scores of each part under the joined bits of all chains that left it out.
    fn scores(&self, proposals: &[Proposal]) -> Vec<PartScores> {
        let mut parts: Vec<Vec<&Proposal>> = vec![Vec::new(); self.parts.len()];
        if planted(Fault::ExtensionCountsTwice) {
            parts = proposals.iter().map(|proposal| vec![proposal]).collect();
        } else {
            proposals.iter().for_each(|proposal| parts[proposal.part].push(proposal));
        }
        parts.iter().filter(|chains| !chains.is_empty()).map(|chains| self.part_scores(chains)).collect()
    }

    /// Scores of the part that these chains left out, each half by bits that the other half needs.
    fn part_scores(&self, chains: &[&Proposal]) -> PartScores {
        let bits = chains.iter().map(|chain| &chain.codes);
        let codes = Codes::side_by_side(&[&self.given].into_iter().chain(bits).collect::<Vec<_>>());
        let old = self.old_weights(chains);
        let joined = |of: &dyn Fn(&Proposal) -> Vec<f64>| {
            old.iter().copied().chain(chains.iter().flat_map(|chain| of(chain))).collect::<Vec<f64>>()
        };
        let mut scores = PartScores::default();
        for (at, half) in self.parts[chains[0].part].exam.halves().iter().enumerate() {
            let needed = joined(&|chain| chain.by_half[1 - at].clone());
            scores.before.extend(half.scores(&self.given, &self.given_weights));
            scores.reweighted.extend(half.scores(&self.given, &old));
            scores.with_all.extend(half.scores(&codes, &joined(&|chain| chain.weights().to_vec())));
            scores.with_needed.extend(half.scores(&codes, &needed));
        }
        scores
    }
}
