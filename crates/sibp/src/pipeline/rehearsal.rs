//! Rehearses a fit without some of its triplets, to see how many sweeps pay and how probabilities of unseen triplets must be
//! read.
//!
//! With labels, a fifth of the objects is held out with all triplets about them; with triplets, a tenth of these. One chain
//! learns from the rest, and its agreement with what was held out, and the sharpness of its probabilities, are stored with the
//! model: the held-out agreement of the fit. Where a part is small, several are held out in turn. The fit itself learns from
//! all.
//!
//! Where nobody chose the number of sweeps, the rehearsal comes first, looks after each of some numbers of them, and ends
//! with the first that is not clearly better than the one before; chains then do as many. All of this counts work and not
//! time, so that a seed gives the same bytes everywhere, also where chains run apart.

use super::prefer::{Asking, Objects};
use super::{Fitted, Prepared};
use crate::bits::BitMatrix;
use crate::codes::Codes;
use crate::data::Labels;
use crate::eval::probability_agreement;
use crate::format::{Calibration, GivenBits, ModelInfo, TripletOrigin};
use crate::held_out::HeldOut;
use crate::model::{Link, Observations};
use crate::parallel::map;
use crate::rng::{Purpose, Streams};
use crate::run::{Progress, RunControl, RunEnd, RunError, RunSettings, Stage, sample};
use crate::trace::ChainRecord;
use crate::transform::{InputTransform, Transform};
use crate::triplets::{FarChoice, FromLabels, NearChoice, Scheme, Teacher, Triplet, TripletSet};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
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
/// Kept draws, at most: a fit that keeps fewer rehearses with as many, as scores of draws take most of a short chain.
pub(super) const MOST_DRAWS: usize = 10;
/// The largest number of sweeps.
const SWEEPS: u64 = 150;

/// Agreement that is too little to go on for.
const LITTLE: f64 = 0.001;

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

/// A chain that rehearses.
struct Pupil {
    data: Observations,
    kept: Vec<usize>,
    questions: Vec<Triplet>,
    /// What it drew so far.
    records: Option<Vec<ChainRecord>>,
}

/// Held-out agreement after some sweeps of a rehearsal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Sweeps done.
    pub sweeps: u64,
    /// Share of held-out triplets that probabilities agree with.
    pub agreement: f64,
}

/// Probabilities of the questions of all parts, and what they are about.
struct Answers {
    probabilities: Vec<f64>,
    anchors: Vec<u32>,
    n_held: usize,
}

impl Prepared {
    /// Fixes the number of sweeps where nobody chose it: a rehearsal tells after how many held-out agreement is flat. A fit
    /// that is run without this does as many as its effort allows.
    pub fn settle(&mut self, control: &RunControl<'_>) -> Result<(), RunError> {
        if !self.until_flat || self.looks.len() < 2 {
            return Ok(());
        }
        let Some((mut pupils, n_held)) = self.pupils() else { return Ok(()) };
        (control.on_stage)(Stage::Rehearsing);
        let (mut looked, mut before) = (Vec::new(), None);
        for &sweeps in &self.looks {
            // Stopped: nothing is fixed, as it would not be what another run finds.
            let Some(answers) = self.rehearsed_to(sweeps, &mut pupils, n_held, control)? else { return Ok(()) };
            looked.push(Look { sweeps, agreement: probability_agreement(&answers.probabilities) });
            let ends = before.as_ref().is_some_and(|before| is_flat(before, &answers));
            before = Some(answers);
            if ends {
                break;
            }
        }
        self.info.settings.sweeps = looked.last().map_or(self.info.settings.sweeps, |look| look.sweeps);
        self.rehearsed = before.and_then(|answers| self.calibration_of(&answers)).filter(|_| self.calibrates);
        self.looked = looked;
        Ok(())
    }

    /// Takes the number of sweeps from a run that this one goes on with, where nobody chose it.
    pub fn settle_as(&mut self, earlier: &RunSettings) {
        if self.looks.contains(&earlier.sweeps) {
            self.info.settings.sweeps = earlier.sweeps;
        }
    }

    /// Rehearses after a run; `None` where there are too few triplets, or it was stopped.
    pub(super) fn calibration(&self, control: &RunControl<'_>) -> Result<Option<Calibration>, RunError> {
        let Some((mut pupils, n_held)) = self.pupils() else { return Ok(None) };
        (control.on_stage)(Stage::Rehearsing);
        let answers = self.rehearsed_to(self.rehearsal_sweeps(), &mut pupils, n_held, control)?;
        Ok(answers.and_then(|answers| self.calibration_of(&answers)))
    }

    /// Sweeps of a rehearsal after the run: as many as before it, where it tells their number.
    fn rehearsal_sweeps(&self) -> u64 {
        let sweeps = self.info.settings.sweeps;
        if !self.looks.is_empty() {
            return sweeps;
        }
        // It starts anew, so it needs the sweeps of all fits that led here.
        let before = self.info.continues.as_ref().map_or(0, |earlier| earlier.sweeps);
        sweeps.saturating_add(before).min(SWEEPS)
    }

    fn calibration_of(&self, answers: &Answers) -> Option<Calibration> {
        let prior = self.info.model.preference()?;
        let found = Calibration::fit(&answers.probabilities, answers.n_held);
        match prior.link {
            Link::Ratio => found,
            // Its slope is learned with the bits, so probabilities are as sure as they should be; a single chain is surer
            // than the mean of many, and its sharpness would make them too timid.
            Link::Logistic(_) => found.map(|found| Calibration { sharpness: 1.0, ..found }),
        }
    }

    /// The chains of a rehearsal at their start, and the number of what is held out; `None` where there is too little.
    fn pupils(&self) -> Option<(Vec<Pupil>, usize)> {
        self.info.model.preference()?;
        let plans = self.rehearsals();
        if plans.iter().map(|plan| plan.questions.len()).sum::<usize>() < FEWEST {
            return None;
        }
        let n_held = plans.iter().map(|plan| plan.n_held).sum();
        Some((plans.into_iter().map(|plan| self.pupil(plan)).collect(), n_held))
    }

    fn pupil(&self, plan: Rehearsal) -> Pupil {
        let mut data = Observations::new(self.observations.inputs.select(&plan.kept), plan.triplets);
        data.given = BitMatrix::from_codes(&self.observations.given.to_codes().select(&plan.kept));
        let is_anchor = |object: &usize| self.observations.anchors.binary_search(object).is_ok();
        data.anchors = (0..plan.kept.len()).filter(|&row| is_anchor(&plan.kept[row])).collect();
        Pupil { data, kept: plan.kept, questions: plan.questions, records: None }
    }

    /// Lets chains go on to this many sweeps and asks them; `None` where they were stopped. Their progress is that of one
    /// chain more.
    fn rehearsed_to(
        &self,
        sweeps: u64,
        pupils: &mut [Pupil],
        n_held: usize,
        control: &RunControl<'_>,
    ) -> Result<Option<Answers>, RunError> {
        let chain_ix = self.info.settings.chains;
        let threads = control.n_threads();
        let control = RunControl {
            threads: (threads / pupils.len()).max(1),
            stop: control.stop,
            time_limit: control.time_limit,
            clock: control.clock,
            on_progress: &|progress: &Progress| (control.on_progress)(&Progress { chain_ix, ..*progress }),
            ..RunControl::default()
        };
        let anchors = pupils.iter().flat_map(|pupil| pupil.questions.iter().map(|asked| asked.anchor)).collect();
        let pupils: Vec<Mutex<&mut Pupil>> = pupils.iter_mut().map(Mutex::new).collect();
        let found = map(threads, pupils.len(), |at| match pupils[at].lock() {
            Ok(mut pupil) => self.rehearse(&mut pupil, sweeps, &control),
            Err(_) => Ok(None),
        });
        let found: Option<Vec<Vec<f64>>> = found.into_iter().collect::<Result<_, _>>()?;
        Ok(found.map(|found| Answers { probabilities: found.concat(), anchors, n_held }))
    }

    /// Probabilities of the questions, by one chain that has not seen them; `None` where it was stopped.
    fn rehearse(&self, pupil: &mut Pupil, sweeps: u64, control: &RunControl<'_>) -> Result<Option<Vec<f64>>, RunError> {
        let settings =
            RunSettings { chains: 1, draws: self.info.settings.draws.min(MOST_DRAWS), sweeps, ..self.info.settings };
        let plan = settings.plan();
        let replanned = |record: ChainRecord| record.replanned(&plan);
        let resume = pupil.records.take().map(|records| records.into_iter().map(replanned).collect::<Result<_, _>>());
        let resume = resume.transpose().map_err(|problem| RunError::Record { chain_ix: 0, problem })?;
        let outcome = sample(&self.info.model, &pupil.data, &settings, control, resume)?;
        if outcome.end != RunEnd::Finished {
            return Ok(None);
        }
        let given = self.observations.given.to_codes();
        let info = self.info_among(&pupil.kept, &given, settings)?;
        let fitted = Fitted { info, chains: outcome.chains, distilled: None };
        let mut training = vec![None; self.info.n_objects];
        pupil.kept.iter().zip(0..).for_each(|(&object, row)| training[object] = Some(row));
        let known = self.info.given.as_ref().map(|_| &given);
        let objects = Objects { inputs: &self.observations.inputs, known, training: &training };
        let asking = Asking { calibrated: false, codes: CODES, threads: control.threads, ..Asking::default() };
        let found = fitted.preferences(objects, &pupil.questions, &asking);
        let found = found.map_err(|error| RunError::Calibration { reason: error.to_string() })?;
        pupil.records = Some(fitted.chains);
        Ok(Some(found.probabilities))
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

/// Whether agreement did not clearly rise, by more than its standard error between anchors.
fn is_flat(before: &Answers, now: &Answers) -> bool {
    let mut rises: BTreeMap<u32, f64> = BTreeMap::new();
    for ((before, now), anchor) in before.probabilities.iter().zip(&now.probabilities).zip(&now.anchors) {
        *rises.entry(*anchor).or_default() += agrees(*now) - agrees(*before);
    }
    let n = now.anchors.len().max(1) as f64;
    let rise = rises.values().sum::<f64>() / n;
    let error = rises.values().map(|rise| rise * rise).sum::<f64>().sqrt() / n;
    rise <= error.max(LITTLE)
}

/// 1 where a probability agrees, one half where it does not tell.
fn agrees(probability: f64) -> f64 {
    f64::from(u8::from(probability > 0.5)) + 0.5 * f64::from(u8::from(probability == 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers to ten questions about each of ten anchors, of which the first ones are right.
    fn answers(right: [usize; 10]) -> Answers {
        let probabilities = right.iter().flat_map(|&n| (0..10).map(move |at| if at < n { 0.9 } else { 0.1 })).collect();
        Answers { probabilities, anchors: (0..100).map(|at| at / 10).collect(), n_held: 10 }
    }

    #[test]
    fn agreement_that_rises_by_its_error_or_less_is_flat() {
        let before = answers([5; 10]);
        assert!(is_flat(&before, &answers([5; 10])) && is_flat(&before, &answers([4; 10])));
        // One anchor alone, however much it rises, is within its own error.
        assert!(is_flat(&before, &answers([10, 5, 5, 5, 5, 5, 5, 5, 5, 5])));
        assert!(!is_flat(&before, &answers([6; 10])));
        assert!(!is_flat(&before, &answers([7, 7, 5, 5, 7, 7, 5, 7, 4, 7])));
    }

    #[test]
    fn answers_that_do_not_tell_agree_by_half() {
        assert_eq!([0.7, 0.5, 0.2].map(agrees), [1.0, 0.5, 0.0]);
        assert_eq!(probability_agreement(&[0.7, 0.5, 0.2]), 0.5);
    }
}
