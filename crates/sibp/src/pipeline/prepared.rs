//! Joins data, a model and its settings into a fit that can be run and saved.

use super::{Budget, Fit, FitError, Fitted, Part, Shortage, Sizes, Teaching};
use crate::bits::BitMatrix;
use crate::data::{Inputs, Labels, Storage, Table};
use crate::format::{Digests, ModelInfo, TripletOrigin};
use crate::model::{Observations, Positions, Reference};
use crate::run::{RunControl, RunEnd, RunError, sample};
use crate::trace::ChainRecord;
use crate::transform::{InputTransform, Transform};
use crate::triplets::{FromLabelsReport, Triplet, TripletSet};

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
}

/// Triplets with their origin.
struct Taught {
    triplets: Vec<Triplet>,
    origin: TripletOrigin,
    report: Option<FromLabelsReport>,
}

impl Prepared {
    pub(super) fn new(fit: Fit, memory: Option<u64>) -> Result<Self, FitError> {
        let about = fit.options.kind.about();
        let Some(table) = &fit.objects else { return Err(FitError::NoInputs { model: about.name }) };
        fit.settings.check()?;
        let steps = match &fit.transform {
            Some(steps) => steps.clone(),
            None => about.transform.parse()?,
        };
        let sizes = Sizes { n_triplets: n_triplets(&fit, table), ..fit.sizes(&steps, &table.inputs) };
        if let Some(free) = memory {
            check_memory(&sizes, free)?;
        }
        let Taught { triplets, origin, report } = taught(&fit, table)?;
        let triplets = TripletSet::new(table.inputs.n_objects(), triplets)?;
        let (transform, transformed) = Transform::fit_apply(&steps, &table.inputs)?;
        transformed.check_squares()?;
        let model = fit.options.build(&transformed, table.labels.as_ref().map(Labels::class_of))?;
        model.check()?;
        let digests = Digests::new(&table.inputs, table.labels.as_ref(), table.ids.as_ref(), &triplets)
            .with_given(fit.given.as_ref().map(|given| &given.codes));
        let mut observations = Observations::new(transformed, triplets);
        if let Some(given) = &fit.given {
            observations.given = BitMatrix::from_codes(&given.codes);
        }
        let mut inputs = None;
        match (model.reference(), &table.labels) {
            (Reference::Classes, Some(labels)) => {
                observations.positions = Positions::Classes(labels.class_of().to_vec());
            }
            (Reference::Inputs, _) => inputs = Some(observations.inputs.clone()),
            _ => {}
        }
        let info = ModelInfo {
            model,
            settings: fit.settings,
            transform,
            n_objects: table.inputs.n_objects(),
            input_names: table.input_names.clone(),
            triplets: origin,
            digests,
            labels: table.labels.clone(),
            ids: table.ids.clone(),
            given: fit.given,
            inputs,
        };
        Ok(Self { observations, info, labels_report: report, sizes })
    }

    /// Runs all chains, or resumes from the records of an earlier, unfinished run of the same fit.
    pub fn run(
        &self,
        control: &RunControl<'_>,
        resume: Option<Vec<ChainRecord>>,
    ) -> Result<(Fitted, RunEnd), RunError> {
        let outcome = sample(&self.info.model, &self.observations, &self.info.settings, control, resume)?;
        Ok((Fitted { info: self.info.clone(), chains: outcome.chains }, outcome.end))
    }
}

fn taught(fit: &Fit, table: &Table) -> Result<Taught, FitError> {
    let about = fit.options.kind.about();
    let nothing = || Taught { triplets: Vec::new(), origin: TripletOrigin::None, report: None };
    match (&fit.teaching, &table.labels) {
        (Teaching::Triplets(triplets), _) => {
            let origin = TripletOrigin::Given { n_triplets: triplets.len() };
            Ok(Taught { triplets: triplets.clone(), origin, report: None })
        }
        (Teaching::Nothing, _) => Ok(nothing()),
        (Teaching::Labels(_), _) if !about.supervised => Ok(nothing()),
        (Teaching::Labels(_), None) => Err(FitError::NoLabels { model: about.name }),
        (Teaching::Labels(options), Some(labels)) => {
            let built = options.build(labels, &table.inputs)?;
            let origin = TripletOrigin::Labels { n_triplets: built.triplets.len(), options: *options };
            Ok(Taught { triplets: built.triplets, origin, report: Some(built.report) })
        }
    }
}

/// The number of triplets that will be made.
fn n_triplets(fit: &Fit, table: &Table) -> usize {
    match (&fit.teaching, &table.labels) {
        (Teaching::Triplets(triplets), _) => triplets.len(),
        (Teaching::Labels(options), Some(labels)) if fit.options.kind.about().supervised => {
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

impl Fit {
    fn sizes(&self, steps: &InputTransform, inputs: &Inputs) -> Sizes {
        Sizes {
            on_disk: matches!(inputs.storage(), Storage::Disk(_)),
            chains: self.settings.chains,
            draws: self.settings.draws,
            ..Sizes::new(self.options.kind, steps, (inputs.n_objects(), inputs.n_inputs(), inputs.number_bytes()))
        }
    }
}
