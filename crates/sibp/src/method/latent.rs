//! Provides the latent-feature models as methods: one fit, read in several ways.

use super::hashes::attribute_predictor;
use super::{CodeSearch, Examples, GivenKind, Method, MethodError, Row};
use crate::codes::Codes;
use crate::data::Table;
use crate::format::{Fitted, GivenBits};
use crate::hash::HashStack;
use crate::model::ModelOptions;
use crate::pipeline::{Fit, Reading, Teaching};
use crate::run::{RunControl, RunSettings};
use crate::transform::{InputTransform, Transform};
use crate::triplets::FromLabels;

/// A model that is fitted to triplets from labels, or to the inputs alone.
#[derive(Debug, Clone)]
pub struct LatentMethod {
    /// Name in tables.
    pub name: String,
    /// Transform of the inputs.
    pub transform: InputTransform,
    /// Options for triplets from labels, for models that learn from them. The seed is that of the training.
    pub triplets: FromLabels,
    /// The given bits that the model extends.
    pub extends: GivenKind,
    /// The model.
    pub options: ModelOptions,
    /// Sweeps, chains and draws; the seed is that of the training.
    pub settings: RunSettings,
    /// The readings of the fit, one row each.
    pub rows: Vec<LatentRow>,
}

/// One way to read a fit, as a row of a table.
#[derive(Debug, Clone)]
pub struct LatentRow {
    /// Name in tables.
    pub name: String,
    /// Which draws encode, how, and which codes training objects have.
    pub reading: Reading,
    /// The given bits that stand before the learned ones.
    pub given: GivenKind,
    /// Whether the model's weights count in distances.
    pub weighted: bool,
    /// Number of chains to read, the first ones; all where it is absent. A fit of several chains then has rows that are
    /// on equal terms with those of a model that has one chain.
    pub chains: Option<usize>,
    /// Number of kept draws of every chain to read, the last ones; all where it is absent.
    pub last: Option<usize>,
}

impl LatentRow {
    /// A reading by plain Hamming distance of learned bits.
    pub fn new(name: impl Into<String>, reading: impl Into<Reading>) -> Self {
        Self {
            name: name.into(),
            reading: reading.into(),
            given: GivenKind::None,
            weighted: false,
            chains: None,
            last: None,
        }
    }
}

/// A fit with the predictor of known bits that its rows share.
struct Trained<'a> {
    method: &'a LatentMethod,
    examples: &'a Examples<'a>,
    fitted: Fitted,
    predictor: Option<HashStack>,
    seed: u64,
}

impl Method for LatentMethod {
    fn name(&self) -> &str {
        &self.name
    }

    fn train(&self, examples: &Examples<'_>, seed: u64, control: &RunControl<'_>) -> Result<Vec<Row>, MethodError> {
        let predictor = self.predictor(examples)?;
        let given = self.given(self.extends, examples, predictor.as_ref())?;
        let given = given.map(|codes| GivenBits { source: self.name.clone(), codes, predictor: None });
        let table = Table { labels: Some(examples.labels.clone()), ..Table::from(examples.inputs.clone()) };
        let fit = Fit::new(table, Teaching::Labels(FromLabels { seed, ..self.triplets }))
            .model(self.options.clone())
            .transform(self.transform.clone())
            .given(given)
            .settings(RunSettings { seed, ..self.settings })
            .calibrates(false);
        let fitted = fit.run(control)?;
        if !fitted.finished() {
            return Err(MethodError::Stopped);
        }
        let trained = Trained { method: self, examples, fitted, predictor, seed };
        self.rows.iter().map(|row| trained.read(row)).collect()
    }
}

impl LatentMethod {
    fn predicts(&self) -> bool {
        self.extends == GivenKind::Predicted || self.rows.iter().any(|row| row.given != GivenKind::None)
    }

    /// The predictor of the known bits of other objects, where a row or the fit needs it.
    fn predictor(&self, examples: &Examples<'_>) -> Result<Option<HashStack>, MethodError> {
        match (self.predicts(), examples.predictor) {
            (false, _) => Ok(None),
            (true, Some(predictor)) => Ok(Some(predictor.clone())),
            (true, None) => {
                let known = examples.attributes.ok_or_else(|| self.no_attributes())?;
                let (transform, inputs) = Transform::fit_apply(&self.transform, examples.inputs)?;
                attribute_predictor(transform, &inputs, known).map(Some)
            }
        }
    }

    /// Given bits of the training objects.
    fn given(
        &self,
        which: GivenKind,
        examples: &Examples<'_>,
        predictor: Option<&HashStack>,
    ) -> Result<Option<Codes>, MethodError> {
        match (which, examples.attributes, predictor) {
            (GivenKind::None, ..) => Ok(None),
            (GivenKind::Known, Some(known), _) => Ok(Some(known.clone())),
            (GivenKind::Predicted, _, Some(predictor)) => Ok(Some(predictor.encode(examples.inputs)?)),
            _ => Err(self.no_attributes()),
        }
    }

    fn no_attributes(&self) -> MethodError {
        MethodError::NoAttributes { method: self.name.clone() }
    }
}

impl Trained<'_> {
    fn read(&self, row: &LatentRow) -> Result<Row, MethodError> {
        let reading = Reading { seed: self.seed, ..row.reading };
        // Each row adds its own given bits, which may differ from those of the fit, or adds none.
        let mut fitted = self.fitted.part(row.chains, row.last);
        fitted.refit(reading.draws, self.examples.inputs, 1)?;
        let learned = fitted.learned_coder(reading)?;
        let n_draws = fitted.chosen_draws(reading.draws)?.len();
        let given = self.method.given(row.given, self.examples, self.predictor.as_ref())?;
        let n_given = given.as_ref().map_or(0, Codes::n_bits);
        let given_weights = self.given_weights(&fitted, &reading, n_given)?;
        let learned_weights = learned.weights().to_vec();
        let mut search = CodeSearch::new(learned, self.examples.labels.class_of());
        if let (Some(given), Some(predictor)) = (given, &self.predictor) {
            search = search.behind(&given, predictor.clone());
        }
        if row.weighted {
            search = search.weighted(given_weights.into_iter().chain(learned_weights));
        } else if n_given > 0 && n_draws > 1 {
            // The sum of the draws' distances, each of which counts known bits once.
            let given = vec![n_draws as f64; n_given];
            search = search.weighted(given.into_iter().chain(vec![1.0; learned_weights.len()]));
        }
        Ok(Row::new(&row.name, search))
    }

    /// Sums over draws, as each draw's distance counts known bits once; 1 each where the model did not see them.
    fn given_weights(&self, fitted: &Fitted, reading: &Reading, n_given: usize) -> Result<Vec<f64>, MethodError> {
        if self.method.extends == GivenKind::None || n_given == 0 {
            return Ok(vec![fitted.chosen_draws(reading.draws)?.len() as f64; n_given]);
        }
        Ok(fitted.coder_or_empty(*reading)?.weights()[..n_given].to_vec())
    }
}
