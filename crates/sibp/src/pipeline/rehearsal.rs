//! Rehearses a fit without some of its triplets, to see how probabilities of unseen triplets must be read.
//!
//! With labels, a fifth of the objects is held out with all triplets about them; with triplets, a tenth of these. One chain
//! learns from the rest, and the sharpness of its probabilities for what was held out is stored with the model. Where a part
//! is small, several are held out in turn.

use super::prefer::{Asking, Objects};
use super::{Fitted, Prepared};
use crate::bits::BitMatrix;
use crate::codes::Codes;
use crate::data::Labels;
use crate::format::{Calibration, GivenBits, ModelInfo, TripletOrigin};
use crate::held_out::HeldOut;
use crate::model::{Link, Observations};
use crate::parallel::{map, n_threads};
use crate::rng::{Purpose, Streams};
use crate::run::{Progress, RunControl, RunEnd, RunError, RunSettings, sample};
use crate::transform::{InputTransform, Transform};
use crate::triplets::{FarChoice, FromLabels, NearChoice, Scheme, Teacher, Triplet, TripletSet};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::sync::Mutex;

/// One part in this many of the objects is held out with labels, and of the triplets without.
const OBJECT_PARTS: usize = 5;
const TRIPLET_PARTS: usize = 10;
/// Held-out triplets: fewer than the first tell nothing, more than the second nothing new.
const FEWEST: usize = 20;
const MOST: usize = 4000;
/// Objects or triplets that are enough to hold out; of fewer, several parts are held out in turn.
const ENOUGH_OBJECTS: usize = 100;
const ENOUGH_TRIPLETS: usize = 500;
/// Triplets for each held-out object.
const PER_OBJECT: usize = 20;
/// Codes drawn for an object, where they are drawn.
const CODES: usize = 200;
/// Kept draws, and below the largest number of sweeps.
pub(super) const DRAWS: usize = 10;
const SWEEPS: u64 = 150;

/// What a rehearsal learns from, and what it is asked.
struct Rehearsal {
    /// The objects that it learns from.
    kept: Vec<usize>,
    /// Triplets among those, as they are numbered there.
    triplets: TripletSet,
    /// Triplets over all objects that it is asked.
    questions: Vec<Triplet>,
    /// What they are about: objects, or the triplets themselves.
    n_held: usize,
}

impl Prepared {
    /// Rehearses after a run; `None` where there are too few triplets, or it was stopped. Its progress is
    /// that of one chain more.
    pub(super) fn calibration(&self, control: &RunControl<'_>) -> Result<Option<Calibration>, RunError> {
        let Some(prior) = self.info.model.preference() else { return Ok(None) };
        let plans = self.rehearsals();
        if plans.iter().map(|plan| plan.questions.len()).sum::<usize>() < FEWEST {
            return Ok(None);
        }
        let threads = n_threads(control.threads);
        let control = RunControl {
            threads: (threads / plans.len()).max(1),
            stop: control.stop,
            time_limit: control.time_limit,
            clock: control.clock,
            on_progress: control.on_progress,
            ..RunControl::default()
        };
        let n_held = plans.iter().map(|plan| plan.n_held).sum();
        // Each is taken, not copied: triplets may be much of the memory.
        let plans: Vec<Mutex<Option<Rehearsal>>> = plans.into_iter().map(|plan| Mutex::new(Some(plan))).collect();
        let taken = |at: usize| plans[at].lock().ok().and_then(|mut plan| plan.take());
        let found = map(threads, plans.len(), |at| taken(at).map_or(Ok(None), |plan| self.rehearse(plan, &control)));
        let found: Option<Vec<Vec<f64>>> = found.into_iter().collect::<Result<_, _>>()?;
        let calibration = found.and_then(|found| Calibration::fit(&found.concat(), n_held));
        Ok(match prior.link {
            Link::Ratio => calibration,
            // Its slope is learned with the bits, so probabilities are as sure as they should be; a single chain is surer
            // than the mean of many, and its sharpness would make them too timid.
            Link::Logistic(_) => calibration.map(|found| Calibration { sharpness: 1.0, ..found }),
        })
    }

    /// Probabilities of the questions, by one chain that has not seen them; `None` where it was stopped.
    fn rehearse(&self, plan: Rehearsal, control: &RunControl<'_>) -> Result<Option<Vec<f64>>, RunError> {
        let given = self.observations.given.to_codes();
        let mut data = Observations::new(self.observations.inputs.select(&plan.kept), plan.triplets);
        data.given = BitMatrix::from_codes(&given.select(&plan.kept));
        let is_anchor = |object: &usize| self.observations.anchors.binary_search(object).is_ok();
        data.anchors = (0..plan.kept.len()).filter(|&row| is_anchor(&plan.kept[row])).collect();
        // It starts anew, so it needs the sweeps of all fits that led here.
        let before = self.info.continues.as_ref().map_or(0, |earlier| earlier.sweeps);
        let sweeps = self.info.settings.sweeps.saturating_add(before).min(SWEEPS);
        let settings = RunSettings { chains: 1, draws: DRAWS, sweeps, ..self.info.settings };
        let chain_ix = self.info.settings.chains;
        let control = RunControl {
            on_progress: &|progress: &Progress| (control.on_progress)(&Progress { chain_ix, ..*progress }),
            ..*control
        };
        let outcome = sample(&self.info.model, &data, &settings, &control, None)?;
        if outcome.end != RunEnd::Finished {
            return Ok(None);
        }
        let fitted =
            Fitted { info: self.info_among(&plan.kept, &given, settings)?, chains: outcome.chains, distilled: None };
        let mut training = vec![None; self.info.n_objects];
        plan.kept.iter().zip(0..).for_each(|(&object, row)| training[object] = Some(row));
        let known = self.info.given.as_ref().map(|_| &given);
        let objects = Objects { inputs: &self.observations.inputs, known, training: &training };
        let asking = Asking { calibrated: false, codes: CODES, threads: control.threads, ..Asking::default() };
        match fitted.preferences(objects, &plan.questions, &asking) {
            Ok(found) => Ok(Some(found.probabilities)),
            Err(error) => Err(RunError::Calibration { reason: error.to_string() }),
        }
    }

    /// What is learned from and what is asked, several times over where little can be held out at a time.
    fn rehearsals(&self) -> Vec<Rehearsal> {
        let mut rng = Streams::new(self.info.settings.seed, 0).rng(Purpose::Rehearsal, 0, 0);
        match (&self.info.triplets, &self.info.labels) {
            (TripletOrigin::Labels { options, .. }, Some(labels)) => self.without_objects(labels, options, &mut rng),
            (TripletOrigin::Given { .. }, _) => self.without_triplets(&mut rng),
            _ => Vec::new(),
        }
    }

    /// Holds objects out, some of every class, and asks about them alone.
    fn without_objects(&self, labels: &Labels, options: &FromLabels, rng: &mut ChaCha8Rng) -> Vec<Rehearsal> {
        let teacher = Teacher::Labels(labels, *options);
        let inputs = &self.observations.inputs;
        let random = FromLabels {
            per_object: PER_OBJECT,
            scheme: Scheme::Paired,
            near: NearChoice::Random,
            far: FarChoice::Random,
            ..*options
        };
        let parts = HeldOut::parts(teacher, self.info.n_objects, OBJECT_PARTS, rng);
        let mut plan = |part: HeldOut| {
            let triplets = teacher.triplets_among(&part.kept, &inputs.select(&part.kept)).ok()?;
            let asked = Teacher::Labels(labels, random).triplets_among(&part.held, &inputs.select(&part.held)).ok()?;
            let object = |row: u32| part.held[row as usize] as u32;
            let over_all = |t: &Triplet| Triplet { anchor: object(t.anchor), near: object(t.near), far: object(t.far) };
            let mut questions: Vec<Triplet> = asked.triplets().iter().map(over_all).collect();
            questions.shuffle(rng);
            questions.truncate(MOST);
            let n_held = part.held.len();
            Some(Rehearsal { kept: part.kept, triplets, questions, n_held })
        };
        let n_parts = ENOUGH_OBJECTS.div_ceil(self.info.n_objects / OBJECT_PARTS + 1).min(OBJECT_PARTS);
        parts.into_iter().take(n_parts).filter_map(&mut plan).collect()
    }

    /// Holds triplets out; their objects are learned from the others.
    fn without_triplets(&self, rng: &mut ChaCha8Rng) -> Vec<Rehearsal> {
        let mut triplets = self.observations.triplets.triplets().to_vec();
        triplets.shuffle(rng);
        let size = (triplets.len() / TRIPLET_PARTS).clamp(1, MOST);
        let n_parts = ENOUGH_TRIPLETS.div_ceil(size).min(OBJECT_PARTS).min(triplets.len() / size);
        let part = |at: usize| -> Option<Rehearsal> {
            let held = at * size..(at + 1) * size;
            let (before, after) = (&triplets[..held.start], &triplets[held.end..]);
            let kept = (0..self.info.n_objects).collect();
            let questions = triplets[held].to_vec();
            let others = TripletSet::new(self.info.n_objects, [before, after].concat()).ok()?;
            Some(Rehearsal { kept, triplets: others, n_held: questions.len(), questions })
        };
        (0..n_parts).filter_map(part).collect()
    }

    /// The description of a fit to some of the objects, whose inputs are transformed already.
    fn info_among(&self, kept: &[usize], given: &Codes, settings: RunSettings) -> Result<ModelInfo, RunError> {
        let nothing = InputTransform { steps: Vec::new() };
        let given = self.info.given.as_ref().map(|own| GivenBits { codes: given.select(kept), ..own.clone() });
        Ok(ModelInfo {
            settings,
            transform: Transform::fit(&nothing, &self.observations.inputs)?,
            n_objects: kept.len(),
            labels: None,
            ids: None,
            given,
            unsupervised: None,
            part: None,
            ..self.info.clone()
        })
    }
}
