//! Extends codes: learns further bits for new objects and keeps those that help, while every old bit stays as it is.
//!
//! A fifth of every batch is held out for good: no bit is ever learned from it. The bits that the chains propose are
//! judged by triplets about these objects:
//! - nothing is added unless the old bits with all proposed ones explain held-out triplets better than the old bits alone,
//!   under their weights as they were and as the chains see them (one-sided paired tests over the held-out objects at
//!   95 %);
//! - if so, every bit without which held-out triplets are explained at least as well is dropped.
//!
//! Distances are weighted: old bits, of which there may be many, get the weights that the chains give them.
//!
//! ```no_run
//! use sibp::data::{Features, Labels};
//! use sibp::extend::{ExtendError, ExtendSettings, GrowingCode};
//! use sibp::triplets::{FromLabels, Teacher};
//! # fn batches() -> Vec<(Features, Labels)> { Vec::new() }
//! # fn grow(mut code: GrowingCode) -> Result<(), ExtendError> {
//! for (features, labels) in batches() {
//!     let teacher = Teacher::Labels(&labels, FromLabels::default());
//!     let report = code.learn(&features, teacher, None, &ExtendSettings::default())?;
//!     println!("{} bits more, agreement {:.3} -> {:.3}", report.n_added, report.before, report.after);
//! }
//! # Ok(())
//! # }
//! ```

mod memory;
mod needed;
mod origin;
mod settings;

pub use memory::{Lessons, Memory, Remembered};
pub use needed::{BitUse, bit_uses, needed_bits};
pub use origin::{OriginError, Recovered, recover};
pub use settings::{ExtendError, ExtendSettings};

use crate::bits::BitMatrix;
use crate::codes::Codes;
use crate::data::{Features, Transform};
use crate::encode::ProbitMethod;
use crate::eval::{HeldOut, PairedTest, mean, paired_t_test};
use crate::hash::{HashBlock, HashStack};
use crate::model::{AnyModel, Observations, ProbitModel};
use crate::posterior::{CodeChoice, Posterior};
use crate::prior::hyper::GammaPrior;
use crate::run::{RunControl, RunSettings, fit};
use crate::triplets::Teacher;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

/// One part in this many is held out.
const PARTS: usize = 5;
/// Draws that a chain keeps to choose from.
const DRAWS: usize = 10;
/// Weight of all old bits together, as the prior expects it.
const OLD_CODE_WEIGHT: f64 = 10.0;

/// Codes that can be extended again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct GrowingCode {
    /// All bits.
    pub stack: HashStack,
    /// Objects seen before.
    pub memory: Memory,
}

/// What one extension did.
#[derive(Debug, Clone, PartialEq)]
pub struct Extension {
    /// Bits that the chains proposed.
    pub n_tried: usize,
    /// Bits added.
    pub n_added: usize,
    /// Agreement of the old bits with held-out triplets; ties count half.
    pub before: f64,
    /// Agreement of the new codes.
    pub after: f64,
    /// Whether all proposed bits together raise agreement, object by object: the less certain of both tests.
    pub test: PairedTest,
    /// Objects learned from, those in memory included.
    pub n_objects: usize,
    /// Time taken.
    pub seconds: f64,
}

/// What one chain proposes.
struct Proposal {
    block: Option<HashBlock>,
    /// Weights of the old bits.
    old_weights: Vec<f64>,
}

/// All that the chains share.
struct Lesson<'a> {
    settings: &'a ExtendSettings<'a>,
    teacher: Teacher<'a>,
    /// Transformed inputs of all objects.
    features: Features,
    transform: Transform,
    /// Old bits of all objects.
    given: Codes,
    part: HeldOut,
    source: String,
}

impl GrowingCode {
    /// Codes that have seen nothing yet.
    pub fn new(stack: HashStack) -> Self {
        Self { stack, memory: Memory::default() }
    }

    /// Takes objects into the memory that old bits were learned from.
    pub fn remember(
        &mut self,
        features: &Features,
        teacher: Teacher<'_>,
        settings: &ExtendSettings<'_>,
    ) -> Result<(), ExtendError> {
        self.check(features, None)?;
        let seen = self.memory.joined(features, teacher, 0, settings.seed)?;
        self.memory.remember(&seen, settings.capacity);
        Ok(())
    }

    /// Learns from a batch of objects. `given` holds their old bits where those are known; otherwise they are predicted.
    ///
    /// Time and memory depend on the batch and on the objects remembered, not on all that was ever seen.
    pub fn learn(
        &mut self,
        features: &Features,
        teacher: Teacher<'_>,
        given: Option<&Codes>,
        settings: &ExtendSettings<'_>,
    ) -> Result<Extension, ExtendError> {
        let began = Instant::now();
        settings.check()?;
        self.check(features, given)?;
        let seen = self.memory.joined(features, teacher, PARTS, settings.seed)?;
        let mut old_bits = self.stack.encode(&seen.features)?;
        if let Some(given) = given {
            let first = seen.features.n_objects() - features.n_objects();
            (0..features.n_objects()).for_each(|row| old_bits.set_row(first + row, given.row(row)));
        }
        let part = HeldOut::new(seen.teacher(teacher), &seen.held_out);
        if part.exam.is_empty() {
            return Err(ExtendError::NothingHeldOut);
        }
        let (transform, transformed) = Transform::fit_apply(&settings.transform, &seen.features)?;
        let lesson = Lesson {
            settings,
            teacher: seen.teacher(teacher),
            features: transformed,
            transform,
            given: old_bits,
            part,
            source: format!("extension {}", self.memory.n_batches + 1),
        };
        let proposals = lesson.proposals()?;
        let (added, mut report) = self.decide(&lesson, &proposals)?;
        if let Some(stack) = added {
            self.stack = stack;
        }
        self.memory.remember(&seen, settings.capacity);
        report.seconds = began.elapsed().as_secs_f64();
        Ok(report)
    }

    fn check(&self, features: &Features, given: Option<&Codes>) -> Result<(), ExtendError> {
        let (expected, got) = (self.stack.n_inputs(), features.n_inputs());
        if expected != got {
            return Err(ExtendError::Inputs { expected, got });
        }
        let Some(given) = given else { return Ok(()) };
        let (n_objects, n_bits) = (features.n_objects(), self.stack.n_bits());
        if (given.n_objects(), given.n_bits()) != (n_objects, n_bits) {
            let (given_objects, given_bits) = (given.n_objects(), given.n_bits());
            return Err(ExtendError::Given { n_objects, n_bits, given_objects, given_bits });
        }
        Ok(())
    }

    /// The stack with the bits that are kept, if any, and the report.
    fn decide(&self, lesson: &Lesson, proposals: &[Proposal]) -> Result<(Option<HashStack>, Extension), ExtendError> {
        let (exam, given) = (&lesson.part.exam, &lesson.given);
        // The distances of all chains are added up; each counts the old bits once.
        let old_weights: Vec<f64> =
            (0..given.n_bits()).map(|bit| proposals.iter().map(|p| p.old_weights[bit]).sum()).collect();
        let blocks: Vec<HashBlock> = proposals.iter().filter_map(|p| p.block.clone()).collect();
        let (mut codes, mut weights) = (given.clone(), old_weights.clone());
        let proposed = HashBlock::joined(&blocks);
        if let Some(block) = &proposed {
            codes = Codes::side_by_side(&[given, &block.encode_transformed(&lesson.features)]);
            weights.extend_from_slice(&block.weights);
        }
        let before = exam.scores(given, &self.stack.weights());
        let with_all = exam.scores(&codes, &weights);
        let above = |other: &[f64]| paired_t_test(&with_all, other).map_err(|_| ExtendError::NothingHeldOut);
        let tests = [above(&before)?, above(&exam.scores(given, &old_weights))?];
        let mut report = Extension {
            n_tried: codes.n_bits() - given.n_bits(),
            n_added: 0,
            before: mean(&before),
            after: mean(&before),
            test: if tests[0].p > tests[1].p { tests[0] } else { tests[1] },
            n_objects: lesson.features.n_objects(),
            seconds: 0.0,
        };
        let Some(block) = proposed.filter(|_| report.test.is_significant()) else { return Ok((None, report)) };
        let needed = needed_bits(exam, &codes, &weights, given.n_bits());
        let kept: Vec<usize> = (0..report.n_tried).filter(|bit| needed[given.n_bits() + bit]).collect();
        let Some(block) = block.select(&kept) else { return Ok((None, report)) };
        weights.iter_mut().zip(&needed).filter(|(_, needed)| !**needed).for_each(|(weight, _)| *weight = 0.0);
        report.n_added = kept.len();
        report.after = mean(&exam.scores(&codes, &weights));
        Ok((Some(self.stack.with_weights(&old_weights)?.with(block)?), report))
    }
}

impl Lesson<'_> {
    /// Runs all chains; what they propose does not depend on the number of threads.
    fn proposals(&self) -> Result<Vec<Proposal>, ExtendError> {
        let n_chains = self.settings.chains;
        let threads = match self.settings.threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            loop {
                let chain = next.fetch_add(1, Ordering::Relaxed);
                if chain >= n_chains {
                    return done;
                }
                done.push((chain, self.proposal(chain)));
                (self.settings.on_chain)(chain);
            }
        };
        let mut results: Vec<(usize, Result<Proposal, ExtendError>)> = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.min(n_chains)).map(|_| scope.spawn(work)).collect();
            let join = |worker: thread::ScopedJoinHandle<'_, _>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            workers.into_iter().flat_map(join).collect()
        });
        results.sort_by_key(|(chain, _)| *chain);
        results.into_iter().map(|(_, proposal)| proposal).collect()
    }

    /// The model, with weights of old bits such that all of them together weigh as much as a few new ones, unless the
    /// data say otherwise: many old bits that know nothing of the new objects must not drown what is learned now.
    fn model(&self) -> ProbitModel {
        let mut model = self.settings.model.clone();
        let rate = self.given.n_bits() as f64 / OLD_CODE_WEIGHT;
        model.preference.given_weights =
            self.settings.old_weights.or(Some(GammaPrior::Gamma { shape: 1.0, rate: rate.max(1.0) }));
        model
    }

    /// Runs one chain on all objects that are not held out.
    fn proposal(&self, chain: usize) -> Result<Proposal, ExtendError> {
        let part = &self.part;
        let features = self.features.select(&part.kept);
        let triplets = self.teacher.triplets_among(&part.kept, &features)?;
        let mut data = Observations::new(features, triplets);
        data.given = BitMatrix::from_codes(&self.given.select(&part.kept));
        let model = AnyModel::Probit(self.model());
        let seed = self.settings.seed.wrapping_add(chain as u64);
        let run = RunSettings { chains: 1, draws: DRAWS, ..RunSettings::new(seed, self.settings.sweeps) };
        let control = RunControl { threads: 1, stop: self.settings.stop, ..RunControl::default() };
        let outcome = fit(&model, &data, &run, &control, None)?;
        if self.settings.stop.load(Ordering::Relaxed) {
            return Err(ExtendError::Stopped);
        }
        let draw = Posterior::new(&outcome.chains).chosen(CodeChoice::Map).0;
        let old_weights = draw.tensor("given_weights", &[self.given.n_bits()])?.to_vec();
        let block = HashBlock::of_probit(&self.source, self.transform.clone(), &[draw], ProbitMethod::Refit)?;
        Ok(Proposal { block, old_weights })
    }
}
