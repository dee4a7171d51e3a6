//! Repeats a fit with the same settings on a part of its objects and judgements.

use super::JudgingError;
use crate::data::Table;
use crate::eval::probability_agreement;
use crate::format::{Fitted, GivenBits, ModelInfo};
use crate::model::AnyModel;
use crate::pipeline::{Asking, Fit, Objects};
use crate::run::{RunControl, RunEnd, RunSettings};
use crate::transform::InputTransform;
use crate::triplets::Triplet;

/// The settings of a fit, whatever it is fitted to.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// The model with all its settings.
    pub model: AnyModel,
    /// The input transform, which every fit fits anew.
    pub transform: InputTransform,
    /// Seed, sweeps, chains, draws.
    pub settings: RunSettings,
}

impl From<&ModelInfo> for Recipe {
    fn from(info: &ModelInfo) -> Self {
        Self { model: info.model.clone(), transform: info.transform.chosen(), settings: info.settings }
    }
}

/// Objects and the judgements about them, with the settings to fit by.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    /// How every part is fitted.
    pub recipe: &'a Recipe,
    /// The objects.
    pub table: &'a Table,
    /// Their given bits, where the model has some.
    pub given: Option<&'a GivenBits>,
    /// The judgements over the rows of the table.
    pub triplets: &'a [Triplet],
}

/// A fit to some of the objects, which answers questions about all of them.
pub(super) struct PartFit {
    pub fitted: Fitted,
    training: Vec<Option<u32>>,
}

impl Judged<'_> {
    /// Fits to these objects, ascending, and to judgements among them, numbered as in the whole table.
    pub(super) fn fit(
        &self,
        kept: &[usize],
        triplets: &[Triplet],
        control: &RunControl<'_>,
    ) -> Result<PartFit, JudgingError> {
        let mut training = vec![None; self.table.inputs.n_objects()];
        kept.iter().zip(0..).for_each(|(&object, row)| training[object] = Some(row));
        let row = |object: u32| training[object as usize];
        let among = |t: &Triplet| Some(Triplet { anchor: row(t.anchor)?, near: row(t.near)?, far: row(t.far)? });
        let triplets: Vec<Triplet> = triplets.iter().filter_map(among).collect();
        let Recipe { model, transform, settings } = self.recipe;
        // Agreement does not depend on the calibration of probabilities, which takes chains of its own.
        let fit = Fit::new(Table::from(self.table.inputs.select(kept)), triplets)
            .model(model.kind())
            .transform(transform.clone())
            .settings(*settings)
            .given(self.given.map(|given| GivenBits { codes: given.codes.select(kept), ..given.clone() }))
            .calibrates(false)
            .distils(None);
        let mut prepared = fit.prepare(control.memory)?;
        prepared.info.model = model.clone();
        match prepared.run(control, None)? {
            (fitted, RunEnd::Finished) => Ok(PartFit { fitted, training }),
            _ => Err(JudgingError::Stopped),
        }
    }

    /// Share of judgements that a fit's probabilities agree with, one half counting half.
    pub(super) fn agreement(&self, part: &PartFit, asked: &[Triplet], threads: usize) -> Result<f64, JudgingError> {
        // Bits that a model predicts for unseen objects are predicted here too.
        let known = self.given.filter(|given| given.predictor.is_none()).map(|given| &given.codes);
        let objects = Objects { inputs: &self.table.inputs, known, training: &part.training };
        let asking = Asking { threads, calibrated: false, ..Asking::default() };
        Ok(probability_agreement(&part.fitted.preferences(objects, asked, &asking)?.probabilities))
    }
}
