//! Joins data, a model and its settings into a fit that can be run and saved.

use super::choice::Choice;
use super::effort::looks;
use super::fit::Earlier;
use super::suited::suited;
use super::{Budget, ChosenTransform, Fit, FitError, Fitted, Look, Part, Shortage, Sizes, Teaching};
use crate::bits::BitMatrix;
use crate::data::{Labels, Table};
use crate::format::{Calibration, ChainPart, Digests, GivenBits, ModelInfo, TripletOrigin};
use crate::model::{About, AnyModel, Observations, Positions, Reference};
use crate::rng::{Purpose, Streams};
use crate::run::{RunControl, RunEnd, RunError, RunSettings, Stage, sample};
use crate::trace::{ChainRecord, Draw};
use crate::transform::Transform;
use crate::triplets::{FromLabelsReport, Judgements, TripletSet};
use std::sync::Mutex;
use std::time::Duration;

/// A model, its data, and the description of both in the model file.
#[derive(Debug)]
pub struct Prepared {
    /// Transformed inputs, triplets and given bits.
    pub observations: Observations,
    /// Model and settings.
    pub info: ModelInfo,
    /// Report on classes that are too small, where triplets were made from labels.
    pub labels_report: Option<FromLabelsReport>,
    /// The sizes that the fit's memory depends on.
    pub sizes: Sizes,
    /// Whether a finished run rehearses without some triplets, to calibrate the probabilities of others.
    pub calibrates: bool,
    /// Bits of the code that a finished run distils from all chains, if it does.
    pub distils: Option<usize>,
    /// Largest number of given and learned bits of the default code: a longer one is distilled to as many.
    pub max_bits: Option<usize>,
    /// The transform and why it was chosen, where the training objects decided.
    pub chosen_transform: Option<ChosenTransform>,
    /// Numbers of sweeps after which a rehearsal looks whether more pay; none where somebody chose their number.
    pub(super) looks: Vec<u64>,
    /// Whether it does so before the run.
    pub(super) until_flat: bool,
    /// What it saw.
    pub looked: Vec<Look>,
    /// What it says about probabilities, where it came before the run.
    pub(super) rehearsed: Option<Calibration>,
    /// The states from which chains start, where they continue an earlier fit.
    starts: Option<Vec<Draw>>,
}

/// Triplets with their origin.
struct Taught {
    judgements: Judgements,
    origin: TripletOrigin,
    report: Option<FromLabelsReport>,
}

impl Prepared {
    pub(super) fn new(mut fit: Fit, memory: Option<u64>) -> Result<Self, FitError> {
        let choice = Choice::of(&mut fit)?;
        let sizes = choice.sizes(&fit);
        if let Some(free) = memory {
            check_memory(&sizes, free)?;
        }
        let unsupervised = choice.unsupervised(&fit)?;
        let about = fit.options.kind.about();
        let Choice { table, set, likely, found, settings, n_triplets, .. } = choice;
        let Taught { judgements, origin, report } = taught(fit.teaching, &table, about)?;
        let triplets = triplets_of(&judgements, table.inputs.n_objects())?;
        let by_judgements = about.predicts_bits && matches!(origin, TripletOrigin::Given { .. });
        let steps = match set {
            None if by_judgements => suited(&table.inputs, &triplets),
            _ => likely,
        };
        let (transform, transformed) = Transform::fit_apply(&steps, &table.inputs)?;
        let transform = transform.filled_by(table.filling);
        transformed.check_squares()?;
        let model = fit.options.build(&transformed, table.labels.as_ref().map(Labels::class_of))?;
        model.check()?;
        let given = fit.given;
        if let Some(given) = &given {
            check_given(given, table.inputs.n_objects(), &model)?;
        }
        let digests = Digests::new(&table.inputs, table.labels.as_ref(), table.ids.as_ref(), &triplets)
            .with_given(given.as_ref().map(|given| &given.codes));
        let mut observations = Observations::new(transformed, triplets);
        observations.anchors = transform.anchors().to_vec();
        if let Some(given) = &given {
            observations.given = BitMatrix::from_codes(&given.codes);
        }
        let mut kept = None;
        match (model.reference(), &table.labels) {
            (Reference::Classes, Some(labels)) => {
                observations.positions = Positions::Classes(labels.class_of().to_vec());
            }
            (Reference::Inputs, _) => kept = Some(observations.inputs.clone()),
            _ => {}
        }
        let mut info = ModelInfo {
            model,
            settings,
            transform,
            n_objects: table.inputs.n_objects(),
            input_names: table.input_names,
            triplets: origin,
            digests,
            labels: table.labels,
            ids: table.ids,
            given,
            unsupervised,
            inputs: kept,
            calibration: None,
            continues: fit.earlier.as_ref().map(|earlier| earlier.continued.clone()),
            judges: judgements.judges.map(|judges| judges.names().to_vec()),
            part: None,
        };
        let starts = fit.earlier.map(|earlier| starts_of(*earlier, &info, fit.chain)).transpose()?;
        let is_open = fit.chosen.sweeps.is_none() && fit.calibrates && n_triplets > 0;
        let distils = fit.distils.filter(|_| about.predicts_bits);
        let max_bits =
            fit.max_bits.filter(|_| about.predicts_bits).map(|most| most_to_learn(most, &info)).transpose()?;
        if let Some(chain) = fit.chain {
            let (of, build) = (settings.chains, ChainPart::build());
            info.part = Some(ChainPart { chain, of, rehearses: fit.calibrates, distils, max_bits, build });
            info.settings.chains = 1;
        }
        Ok(Self {
            observations,
            info,
            labels_report: report,
            sizes,
            // It depends on no chain, and the first part has it for all.
            calibrates: fit.calibrates && fit.chain.is_none_or(|chain| chain == 1),
            distils,
            max_bits,
            chosen_transform: found,
            looks: if is_open { looks(settings.sweeps) } else { Vec::new() },
            until_flat: fit.until_flat,
            looked: Vec::new(),
            rehearsed: None,
            starts,
        })
    }

    /// Runs all chains, or resumes from the records of an earlier, unfinished run of the same fit.
    pub fn run(
        &self,
        control: &RunControl<'_>,
        resume: Option<Vec<ChainRecord>>,
    ) -> Result<(Fitted, RunEnd), RunError> {
        let resume = resume.or_else(|| self.first_records());
        let stages = StageTimes::default();
        let first_chain = self.info.part.as_ref().map_or(control.first_chain, |part| part.chain - 1);
        let timed = RunControl { on_stage: &|stage| stages.note(stage, control), first_chain, ..*control };
        let outcome = sample(&self.info.model, &self.observations, &self.chain_settings(), &timed, resume)?;
        let mut info = self.info.clone();
        if self.calibrates && outcome.finished() {
            // A rehearsal sets chains up once more; what would only begin to do so is left out.
            let has_time = control.time_left().is_none_or(|left| left > stages.set_up());
            info.calibration = match self.rehearsed {
                None if has_time => self.calibration(control)?,
                rehearsed => rehearsed,
            };
        }
        let mut fitted = Fitted { info, chains: outcome.chains, distilled: None };
        if outcome.end == RunEnd::Finished && self.info.part.is_none() {
            (control.on_stage)(Stage::Distilling);
            fitted.distilled = self.distilled(&fitted, control.n_threads()).map_err(RunError::Distilling)?;
        }
        Ok((fitted, outcome.end))
    }

    /// Records of chains that start from the draws of an earlier fit.
    fn first_records(&self) -> Option<Vec<ChainRecord>> {
        self.starts.as_ref().map(|starts| starts.iter().cloned().map(ChainRecord::begin).collect())
    }

    /// The settings of the chains. Those that continue an earlier fit draw other random numbers than it did, also with the
    /// same seed: the state they start from depends on the earlier ones.
    fn chain_settings(&self) -> RunSettings {
        let settings = self.info.settings;
        match &self.info.continues {
            None => settings,
            Some(earlier) => {
                let seed = Streams::new(settings.seed, 0).seed(Purpose::Continue, 0, earlier.sweeps);
                RunSettings { seed, ..settings }
            }
        }
    }
}

/// How long chains took to be set up.
#[derive(Default)]
struct StageTimes(Mutex<(Duration, Duration)>);

impl StageTimes {
    /// Passes a stage on, and notes when set-up began and ended.
    fn note(&self, stage: Stage, control: &RunControl<'_>) {
        let now = control.clock.elapsed();
        if let Ok(mut times) = self.0.lock() {
            match stage {
                Stage::SettingUp => times.0 = now,
                Stage::Sampling => times.1 = now,
                _ => {}
            }
        }
        (control.on_stage)(stage);
    }

    fn set_up(&self) -> Duration {
        self.0.lock().map_or(Duration::ZERO, |times| times.1.saturating_sub(times.0))
    }
}

fn taught(teaching: Teaching, table: &Table, about: &About) -> Result<Taught, FitError> {
    match (teaching, &table.labels) {
        (Teaching::Triplets(judgements), _) => {
            let origin = TripletOrigin::Given { n_triplets: judgements.triplets.len() };
            Ok(Taught { judgements, origin, report: None })
        }
        (Teaching::Labels(_), None) if about.supervised => Err(FitError::NoLabels { model: about.name }),
        (Teaching::Labels(options), Some(labels)) if about.supervised => {
            let built = options.build(labels, &table.inputs)?;
            let origin = TripletOrigin::Labels { n_triplets: built.triplets.len(), options };
            Ok(Taught { judgements: built.triplets.into(), origin, report: Some(built.report) })
        }
        (Teaching::Nothing | Teaching::Labels(_), _) => {
            Ok(Taught { judgements: Judgements::default(), origin: TripletOrigin::None, report: None })
        }
    }
}

/// The triplets with who judged them.
fn triplets_of(judgements: &Judgements, n_objects: usize) -> Result<TripletSet, FitError> {
    let triplets = TripletSet::new(n_objects, judgements.triplets.clone())?;
    Ok(match &judgements.judges {
        Some(judges) => triplets.judged(&judgements.triplets, judges),
        None => triplets,
    })
}

/// The states from which chains go on, or the one chain that is run.
fn starts_of(earlier: Earlier, info: &ModelInfo, chain: Option<usize>) -> Result<Vec<Draw>, FitError> {
    earlier.info.check_continue(info)?;
    let starts = earlier.info.starts_among(earlier.starts, info.judges.as_deref());
    Ok(match chain {
        Some(chain) => starts.into_iter().skip(chain - 1).take(1).collect(),
        None => starts,
    })
}

/// The largest number of given and learned bits in a code of at most so many.
fn most_to_learn(most: usize, info: &ModelInfo) -> Result<usize, FitError> {
    let n_given = info.given.as_ref().map_or(0, |given| given.codes.n_bits());
    // Bits that fill codes up make room for learned ones.
    let fixed = info.unsupervised.as_ref().filter(|bits| bits.fills_to.is_none());
    let n_unsupervised = fixed.map_or(0, |bits| bits.codes.n_bits());
    match most.checked_sub(n_unsupervised) {
        Some(room) if room > n_given => Ok(room),
        _ => Err(FitError::NoneToLearn { most, n_given, n_unsupervised }),
    }
}

fn check_given(given: &GivenBits, n_objects: usize, model: &AnyModel) -> Result<(), FitError> {
    let rows = given.codes.n_objects();
    if rows != n_objects {
        return Err(FitError::GivenRows { n_objects, rows });
    }
    match model.preference() {
        Some(_) => Ok(()),
        None => Err(FitError::UnusedGivenBits { model: model.about().name }),
    }
}

/// Refuses a fit that does not fit into memory, before its triplets are made; the inputs are in memory already.
fn check_memory(sizes: &Sizes, free: u64) -> Result<(), FitError> {
    let budget = Budget::new(sizes);
    match budget.total().saturating_sub(budget.of(Part::Inputs)) > free {
        true => Err(FitError::Memory(Box::new(Shortage { sizes: *sizes, budget, free }))),
        false => Ok(()),
    }
}
