//! Extends codes: learns further bits for new objects and keeps those that help, while every old bit stays as it is.
//!
//! Each chain leaves out another fifth of the new objects, and its bits are judged on triplets about this held-out
//! set:
//! - nothing is added unless the old bits with the chains' bits explain such triplets better than the old bits alone,
//!   under their weights as they were and as the chains see them (one-sided paired tests over all objects left out at
//!   80 %);
//! - if so, every bit without which its chain's triplets are explained at least as well is dropped.
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
mod settings;

pub use crate::hash::GrowingCode;
pub use needed::{BitUse, bit_uses, needed_bits};
pub use origin::{OriginError, Recovered, recover};
pub use settings::{ExtendError, ExtendSettings};

use crate::codes::Codes;
use crate::data::{Inputs, Table};
use crate::eval::{PairedTest, mean, paired_t_test};
use crate::format::GivenBits;
use crate::hash::{HashBlock, HashStack, Remembered};
use crate::held_out::HeldOut;
use crate::model::ModelOptions;
use crate::parallel::{map, n_threads};
use crate::pipeline::{DrawChoice, Fit};
use crate::prior::hyper::GammaPrior;
use crate::rng::{Purpose, Streams};
use crate::run::RunControl;
use crate::transform::{InputTransform, Transform};
use crate::triplets::{Teacher, TeacherError, Triplet, TripletSet};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// One part in this many of the new objects is left out by each chain.
const PARTS: usize = 5;
/// Draws that a chain keeps to choose from. Each costs a few sweeps: its bits are fitted to the inputs.
const DRAWS: usize = 2;
/// Total weight of all old bits together that the prior expects.
const OLD_CODE_WEIGHT: f64 = 10.0;
/// Significance level of the test that adds bits. It is high because missing a useful bit costs more than a useless
/// one.
const LEVEL: f64 = 0.2;

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
    /// Agreement of the new codes: of each chain's kept bits behind the old ones, on what that chain left out. It
    /// flatters, as the same triplets decided which bits to keep; `proposed` does not.
    pub after: f64,
    /// Paired test whether all proposed bits together raise agreement, object by object: the less significant of the
    /// two.
    pub test: PairedTest,
    /// Number of objects learned from, remembered ones included.
    pub n_objects: usize,
    /// Time taken.
    pub seconds: f64,
}

/// The bits that one chain proposes, and their scores on the objects it left out.
struct Proposal {
    block: Option<HashBlock>,
    /// Weights of the old bits.
    old_weights: Vec<f64>,
    /// Which of the block's bits are needed.
    needed: Vec<usize>,
    scores: Scores,
}

/// Scores of the held-out objects.
struct Scores {
    /// With the old bits under their weights as they were.
    before: Vec<f64>,
    /// With the old bits under the chain's weights.
    reweighted: Vec<f64>,
    /// With all bits.
    with_all: Vec<f64>,
    /// With the bits that are needed.
    with_needed: Vec<f64>,
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
        let (added, mut report) = self.decide(&proposals)?;
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
    fn decide(&self, proposals: &[Proposal]) -> Result<(Option<HashStack>, Extension), ExtendError> {
        let all = |of: fn(&Scores) -> &Vec<f64>| -> Vec<f64> {
            proposals.iter().flat_map(|p| of(&p.scores)).copied().collect()
        };
        let (before, with_all) = (all(|s| &s.before), all(|s| &s.with_all));
        let above = |other: &[f64]| paired_t_test(&with_all, other).map_err(|_| ExtendError::NothingHeldOut);
        let tests = [above(&before)?, above(&all(|s| &s.reweighted))?];
        let mut report = Extension {
            n_tried: proposals.iter().filter_map(|p| p.block.as_ref()).map(|block| block.hash.n_bits()).sum(),
            n_added: 0,
            before: mean(&before),
            proposed: mean(&with_all),
            after: mean(&before),
            test: if tests[0].p > tests[1].p { tests[0] } else { tests[1] },
            n_objects: 0,
            seconds: 0.0,
        };
        let kept = |p: &Proposal| p.block.as_ref().and_then(|block| block.select(&p.needed));
        let block = HashBlock::joined(&proposals.iter().filter_map(kept).collect::<Vec<_>>());
        let Some(block) = block.filter(|_| report.test.p < LEVEL) else { return Ok((None, report)) };
        report.n_added = block.hash.n_bits();
        report.after = mean(&all(|s| &s.with_needed));
        // The distances of all chains are added up; each counts the old bits once.
        let old_weights: Vec<f64> =
            (0..self.stack.n_bits()).map(|bit| proposals.iter().map(|p| p.old_weights[bit]).sum()).collect();
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
        ModelOptions { given_weights: Some(given_weights), ..self.settings.model.clone() }
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
        let part = &self.parts[chain % self.parts.len()];
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
            .draws(DRAWS);
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
        Ok(self.judged(part, block, old_weights))
    }

    fn judged(&self, part: &HeldOut, block: Option<HashBlock>, old_weights: Vec<f64>) -> Proposal {
        let (n_old, exam) = (self.given.n_bits(), &part.exam);
        let (mut codes, mut weights) = (self.given.clone(), old_weights.clone());
        if let Some(block) = &block {
            codes = Codes::side_by_side(&[&self.given, &block.encode_transformed(&self.inputs)]);
            weights.extend_from_slice(&block.weights);
        }
        let needed = needed_bits(exam, &codes, &weights, n_old);
        let left: Vec<f64> = weights.iter().zip(&needed).map(|(w, &needed)| if needed { *w } else { 0.0 }).collect();
        let scores = Scores {
            before: exam.scores(&self.given, &self.given_weights),
            reweighted: exam.scores(&self.given, &old_weights),
            with_all: exam.scores(&codes, &weights),
            with_needed: exam.scores(&codes, &left),
        };
        let needed = (0..codes.n_bits() - n_old).filter(|bit| needed[n_old + bit]).collect();
        Proposal { block, old_weights, needed, scores }
    }
}
