//! Joins data, a model and its settings into a fit that can be run and saved.

use super::suited::suited;
use super::unsupervised::{filling_bits, unsupervised_bits};
use super::{Budget, ChosenTransform, Fit, FitError, Fitted, Part, Shortage, Sizes, Teaching, recipe};
use crate::bits::BitMatrix;
use crate::data::{Inputs, Labels, Storage, Table};
use crate::format::{ChainPart, Digests, GivenBits, ModelInfo, TripletOrigin};
use crate::model::{About, AnyModel, Observations, Positions, Preset, Reference};
use crate::rng::{Purpose, Streams};
use crate::run::{RunControl, RunEnd, RunError, RunSettings, Stage, sample};
use crate::trace::{ChainRecord, Draw};
use crate::transform::{InputTransform, Transform};
use crate::triplets::{FromLabelsReport, Judgements, Triplet, TripletSet};
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
    pub(super) fn new(fit: Fit, memory: Option<u64>) -> Result<Self, FitError> {
        let Fit {
            objects,
            mut teaching,
            given,
            mut options,
            transform,
            mut settings,
            calibrates,
            distils,
            max_bits,
            unsupervised,
            open,
            earlier,
            chain,
        } = fit;
        options.preset.get_or_insert(teaching.preset());
        let about = options.kind.about();
        let table = objects_of(objects, &teaching, about)?;
        let is_bare = table.inputs.n_inputs() == 0;
        settings.check()?;
        if let Some(chain) = chain.filter(|&chain| chain == 0 || chain > settings.chains) {
            return Err(FitError::NoSuchChain { chain, chains: settings.chains });
        }
        // What suits the judgements may change with their number, but chains must go on in the same inputs.
        let transform = transform.or_else(|| earlier.as_ref().map(|earlier| earlier.info.transform.chosen()));
        let chosen = match transform {
            Some(steps) if is_bare && !steps.steps.is_empty() => {
                return Err(FitError::NothingToTransform { transform: steps.to_string() });
            }
            None if is_bare => Some(InputTransform { steps: Vec::new() }),
            chosen => chosen,
        };
        // A choice by the judgements, below, takes as much memory as the model's default.
        let mut likely = chosen.clone().map_or_else(|| about.transform.parse(), Ok)?;
        let inputs = &table.inputs;
        let by_labels = about.predicts_bits
            && matches!(teaching, Teaching::Labels(_))
            && options.preset == Some(Preset::Hash)
            && earlier.is_none();
        let found = match (&chosen, &table.labels) {
            (None, Some(labels)) if by_labels => recipe::transform_for(&likely, inputs, labels),
            _ => None,
        };
        if let Some(found) = &found {
            likely = found.steps.clone();
        }
        if by_labels && recipe::applies(&likely, inputs) {
            recipe::settled(&mut options, max_bits);
            if let (Teaching::Labels(own), true) = (&mut teaching, open.per_object) {
                *own = recipe::denser(*own, inputs.n_objects());
            }
            if open.effort {
                settings = recipe::effort(settings);
            }
        }
        let n_triplets = n_triplets(&teaching, &table, about);
        let sizes = Sizes {
            n_triplets,
            rehearses: calibrates && n_triplets > 0,
            on_disk: matches!(inputs.storage(), Storage::Disk(_)),
            chains: chain.map_or(settings.chains, |_| 1),
            draws: settings.draws,
            ..Sizes::new(options.kind, &likely, (inputs.n_objects(), inputs.n_inputs(), inputs.number_bytes()))
        };
        if let Some(free) = memory {
            check_memory(&sizes, free)?;
        }
        let n_unsupervised = unsupervised.unwrap_or(0);
        let unsupervised = match (unsupervised, &earlier) {
            // Chains go on, and so do the codes.
            (None, Some(earlier)) => earlier.info.unsupervised.clone(),
            (None, None) if by_labels && given.is_none() && inputs.n_objects() >= recipe::FEWEST_OBJECTS => {
                filling_bits(max_bits, &likely, inputs, settings.seed)
            }
            (None, None) => None,
            (Some(n_bits), _) => unsupervised_bits(n_bits, &likely, inputs, settings.seed)?,
        };
        let Taught { judgements, origin, report } = taught(teaching, &table, about)?;
        let mut triplets = TripletSet::new(table.inputs.n_objects(), judgements.triplets.clone())?;
        if let Some(judges) = &judgements.judges {
            triplets = triplets.judged(&judgements.triplets, judges);
        }
        let by_judgements = about.predicts_bits && matches!(origin, TripletOrigin::Given { .. });
        let steps = match chosen {
            None if by_judgements => suited(&table.inputs, &triplets),
            _ => likely,
        };
        let (transform, transformed) = Transform::fit_apply(&steps, &table.inputs)?;
        let transform = transform.filled_by(table.filling);
        transformed.check_squares()?;
        let model = options.build(&transformed, table.labels.as_ref().map(Labels::class_of))?;
        model.check()?;
        if let Some(given) = &given {
            check_given(given, inputs.n_objects(), &model)?;
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
            continues: earlier.as_ref().map(|earlier| earlier.continued.clone()),
            judges: judgements.judges.map(|judges| judges.names().to_vec()),
            part: None,
        };
        let starts = match earlier {
            None => None,
            Some(earlier) => {
                earlier.info.check_continue(&info)?;
                let mut starts = earlier.info.starts_among(earlier.starts, info.judges.as_deref());
                if let Some(chain) = chain {
                    starts = starts.into_iter().skip(chain - 1).take(1).collect();
                }
                Some(starts)
            }
        };
        let distils = distils.filter(|_| about.predicts_bits);
        let max_bits = max_bits.filter(|_| about.predicts_bits).map(|most| most.saturating_sub(n_unsupervised));
        if let Some(chain) = chain {
            let (of, build) = (settings.chains, ChainPart::build());
            info.part = Some(ChainPart { chain, of, rehearses: calibrates, distils, max_bits, build });
            info.settings.chains = 1;
        }
        Ok(Self {
            observations,
            info,
            labels_report: report,
            sizes,
            // It depends on no chain, and the first part has it for all.
            calibrates: calibrates && chain.is_none_or(|chain| chain == 1),
            distils,
            max_bits,
            chosen_transform: found,
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
        // A rehearsal sets chains up once more; what would only begin to do so is left out.
        let has_time = control.time_left().is_none_or(|left| left > stages.set_up());
        if self.calibrates && outcome.finished() && has_time {
            (control.on_stage)(Stage::Rehearsing);
            info.calibration = self.calibration(control)?;
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

/// The objects of a fit; those of triplets alone have no inputs.
fn objects_of(objects: Option<Table>, teaching: &Teaching, about: &About) -> Result<Table, FitError> {
    let table = match (objects, teaching) {
        (Some(table), _) => table,
        (None, Teaching::Triplets(judgements)) => Table::from(Inputs::none(n_mentioned(&judgements.triplets))),
        (None, _) => return Err(FitError::NoInputs { model: about.name }),
    };
    let can_do_without = about.predicts_bits && matches!(teaching, Teaching::Triplets(_));
    match table.inputs.n_inputs() {
        0 if !can_do_without => Err(FitError::NoInputs { model: about.name }),
        _ => Ok(table),
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

/// Number of objects of which the last one is mentioned.
fn n_mentioned(triplets: &[Triplet]) -> usize {
    triplets.iter().map(|t| t.anchor.max(t.near).max(t.far) as usize + 1).max().unwrap_or(0)
}

/// Triplets that there will be.
fn n_triplets(teaching: &Teaching, table: &Table, about: &About) -> usize {
    match (teaching, &table.labels) {
        (Teaching::Triplets(judgements), _) => judgements.triplets.len(),
        (Teaching::Labels(options), Some(labels)) if about.supervised => {
            usize::try_from(options.n_triplets(labels)).unwrap_or(usize::MAX)
        }
        _ => 0,
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
