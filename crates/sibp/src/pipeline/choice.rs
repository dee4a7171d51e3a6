//! Settles what nobody chose, as far as that can be told before triplets are made.

use super::nearness_scale::{nearness_scale, same_scale};
use super::unsupervised::{filling_bits, leave_room, unsupervised_bits};
use super::{ChosenTransform, Fit, FitError, Lesson, Sizes, Teaching, recipe};
use crate::data::{Inputs, Storage, Table};
use crate::format::UnsupervisedBits;
use crate::model::{About, Preset};
use crate::run::{DEFAULT_DRAWS, RunSettings};
use crate::transform::InputTransform;
use crate::triplets::Triplet;

/// What a fit is to, and what it chose for itself.
pub(super) struct Choice {
    pub table: Table,
    /// The transform that somebody set, or that there is no choice of.
    pub set: Option<InputTransform>,
    /// The transform as far as it is known: judgements may suggest another one, which takes as much memory.
    pub likely: InputTransform,
    /// The transform that labels suggested, and why.
    pub found: Option<ChosenTransform>,
    pub settings: RunSettings,
    /// Triplets that there will be.
    pub n_triplets: usize,
    /// Whether labels decide what is open.
    by_labels: bool,
}

impl Choice {
    /// Takes the objects out of the fit, and changes its options and its teaching where they are open.
    pub fn of(fit: &mut Fit) -> Result<Self, FitError> {
        let preset = *fit.options.preset.get_or_insert(fit.teaching.preset());
        let about = fit.options.kind.about();
        let table = objects_of(fit.objects.take(), &fit.teaching, about)?;
        let mut settings = fit.chosen.settings(fit.seed, fit.effort.work(fit.teaching.lesson()), DEFAULT_DRAWS);
        settings.check()?;
        let set = set_transform(fit, table.inputs.n_inputs() == 0)?;
        let mut likely = set.clone().map_or_else(|| about.transform.parse(), Ok)?;
        let is_taught = about.predicts_bits && matches!(fit.teaching, Teaching::Labels(_));
        let by_labels = is_taught && matches!(preset, Preset::Hash | Preset::Open) && fit.earlier.is_none();
        if preset == Preset::Open {
            open_code(fit)?;
        }
        let found = match (&set, &table.labels) {
            (None, Some(labels)) if by_labels => recipe::transform_for(&likely, &table.inputs, labels),
            _ => None,
        };
        if let Some(found) = &found {
            likely = found.steps.clone();
        }
        if by_labels && recipe::applies(&likely, &table.inputs) {
            recipe::settled(&mut fit.options, fit.max_bits);
            if let (Teaching::Labels(own), true) = (&mut fit.teaching, fit.leaves_triplets) {
                *own = recipe::denser(*own, table.inputs.n_objects());
            }
            let has_few = recipe::has_few_objects(&table.inputs);
            let lesson = if has_few { Lesson::FewObjects } else { Lesson::ManyInputs };
            settings = fit.chosen.settings(fit.seed, fit.effort.work(lesson), recipe::DRAWS);
            let leaves_code = fit.leaves_distilling && fit.chosen.chains.is_none() && fit.max_bits.is_none();
            if has_few && leaves_code && settings.chains > 1 {
                fit.distils = Some(recipe::DISTILLED_BITS);
            }
        }
        if let Some(chain) = fit.chain.filter(|&chain| chain == 0 || chain > settings.chains) {
            return Err(FitError::NoSuchChain { chain, chains: settings.chains });
        }
        let n_triplets = n_triplets(&fit.teaching, &table, about);
        Ok(Self { table, set, likely, found, settings, n_triplets, by_labels })
    }

    /// The sizes that the fit's memory depends on.
    pub fn sizes(&self, fit: &Fit) -> Sizes {
        let inputs = &self.table.inputs;
        Sizes {
            n_triplets: self.n_triplets,
            rehearses: fit.calibrates && self.n_triplets > 0,
            on_disk: matches!(inputs.storage(), Storage::Disk(_)),
            chains: fit.chain.map_or(self.settings.chains, |_| 1),
            draws: self.settings.draws,
            ..Sizes::new(fit.options.kind, &self.likely, (inputs.n_objects(), inputs.n_inputs(), inputs.number_bytes()))
        }
    }

    /// The unsupervised bits.
    pub fn unsupervised(&self, fit: &Fit) -> Result<Option<UnsupervisedBits>, FitError> {
        let (inputs, seed) = (&self.table.inputs, self.settings.seed);
        let fills = self.labels_tell() && fit.given.is_none();
        Ok(match (fit.unsupervised, &fit.earlier) {
            // Chains go on, and so do the codes.
            (None, Some(earlier)) => earlier.info.unsupervised.clone(),
            (None, None) if fills => filling_bits(fit.max_bits, &self.scale(), inputs, seed),
            (None, None) => None,
            (Some(n_bits), _) => unsupervised_bits(n_bits, &self.scale(), inputs, seed)?,
        })
    }

    /// Whether labels decide what is open, and are enough to tell.
    fn labels_tell(&self) -> bool {
        self.by_labels && self.table.inputs.n_objects() >= recipe::FEWEST_OBJECTS
    }

    /// The scale on which inputs are quantised: that of the transform, unless labels choose. Whether somebody set the
    /// transform does not matter, so that a fit with what another one chose is the same fit.
    fn scale(&self) -> InputTransform {
        match &self.table.labels {
            Some(labels) if self.labels_tell() => nearness_scale(&self.likely, &self.table.inputs, labels),
            _ => same_scale(&self.likely),
        }
    }
}

/// Settles the bits of an open code where nobody chose.
fn open_code(fit: &mut Fit) -> Result<(), FitError> {
    let about = fit.options.kind.about();
    if !about.predicts_bits {
        return Err(FitError::OpenCode { model: about.name });
    }
    let n_given = fit.given.as_ref().map_or(0, |given| given.codes.n_bits());
    match &fit.earlier {
        // Chains go on with the unsupervised bits that they had.
        Some(earlier) => {
            let mut n_bits = earlier.info.unsupervised.as_ref().map(|bits| bits.codes.n_bits());
            leave_room(n_given, &mut fit.max_bits, &mut n_bits);
        }
        None => leave_room(n_given, &mut fit.max_bits, &mut fit.unsupervised),
    }
    Ok(())
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

/// The transform that is not open: what suits judgements may change with their number, but chains go on in the same inputs,
/// and where there are no inputs there is nothing to transform.
fn set_transform(fit: &Fit, is_bare: bool) -> Result<Option<InputTransform>, FitError> {
    let earlier = || fit.earlier.as_ref().map(|earlier| earlier.info.transform.chosen());
    match fit.transform.clone().or_else(earlier) {
        Some(steps) if is_bare && !steps.steps.is_empty() => {
            Err(FitError::NothingToTransform { transform: steps.to_string() })
        }
        None if is_bare => Ok(Some(InputTransform { steps: Vec::new() })),
        set => Ok(set),
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
