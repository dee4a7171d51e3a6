//! Offers the latent feature models as methods: one fit, read in several ways.

use super::hashes::attribute_predictor;
use super::{CodeSearch, Examples, GivenKind, Method, MethodError, Reading};
use crate::bits::BitMatrix;
use crate::codes::Codes;
use crate::data::{InputTransform, Transform};
use crate::encode::{
    DdIbpEncoder, Encoder, GaussianEncoder, GaussianMethod, JoinedEncoder, ProbitEncoder, ProbitMethod, TrainingCodes,
};
use crate::hash::HashStack;
use crate::model::{AnyModel, Observations, Positions};
use crate::posterior::{CodeChoice, Posterior};
use crate::run::{RunControl, RunEnd, RunSettings, fit};
use crate::trace::{ChainRecord, Draw};
use crate::triplets::{FromLabels, TripletSet};

/// A model that is fitted to triplets from labels, or to the inputs alone.
pub struct LatentMethod {
    /// Its name in tables.
    pub name: String,
    /// What is done to inputs first.
    pub transform: InputTransform,
    /// How triplets are made from labels; `None` for models that look at none. The seed is that of the training.
    pub triplets: Option<FromLabels>,
    /// Which bits help to explain the triplets.
    pub extends: GivenKind,
    /// The model for these data. Classes stand in their positions, for distances between them.
    pub model: Box<dyn Fn(&Observations) -> AnyModel + Sync>,
    /// Sweeps, chains and draws; the seed is that of the training.
    pub settings: RunSettings,
    /// The rows it gives.
    pub readings: Vec<LatentReading>,
}

/// One way to read a fit.
#[derive(Debug, Clone)]
pub struct LatentReading {
    /// Its name in tables.
    pub name: String,
    /// Which draws encode; the bits of several stand side by side, which averages their distances.
    pub draws: ReadingDraws,
    /// How unseen objects get bits.
    pub encoder: ReadingEncoder,
    /// Which codes training objects have. Models other than the probit one have drawn bits only.
    pub training: TrainingCodes,
    /// Which bits stand before the learned ones.
    pub given: GivenKind,
    /// Whether the model's weights count in distances.
    pub weighted: bool,
}

impl LatentReading {
    /// Plain Hamming distance of learned bits.
    pub fn new(name: impl Into<String>, draws: ReadingDraws, encoder: ReadingEncoder) -> Self {
        let training = TrainingCodes::default();
        Self { name: name.into(), draws, encoder, training, given: GivenKind::None, weighted: false }
    }
}

/// Which draws encode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadingDraws {
    /// The kept draw of the best chain with the highest log joint.
    Map,
    /// The last draw of the best chain.
    Last,
    /// The last draw of every chain.
    EveryChain,
    /// All kept draws of the best chain.
    Kept,
}

/// How unseen objects get bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadingEncoder {
    /// Of the probit model.
    Probit(ProbitMethod),
    /// Of the Gaussian models, the dd-IBP among them.
    Gaussian(GaussianMethod),
    /// By links to training objects (dd-IBP).
    Links,
}

/// Data, transform and predictor of known bits that readings share.
struct Fitted<'a> {
    method: &'a LatentMethod,
    examples: &'a Examples<'a>,
    transform: Transform,
    data: Observations,
    model: AnyModel,
    predictor: Option<HashStack>,
    seed: u64,
}

impl Method for LatentMethod {
    fn name(&self) -> &str {
        &self.name
    }

    fn train(&self, examples: &Examples<'_>, seed: u64, control: &RunControl<'_>) -> Result<Vec<Reading>, MethodError> {
        let fitted = Fitted::prepare(self, examples, seed)?;
        let settings = RunSettings { seed, ..self.settings };
        let outcome = fit(&fitted.model, &fitted.data, &settings, control, None)?;
        if outcome.end == RunEnd::Stopped {
            return Err(MethodError::Stopped);
        }
        self.readings.iter().map(|reading| fitted.read(reading, &outcome.chains)).collect()
    }
}

impl LatentMethod {
    fn predicts(&self) -> bool {
        self.extends == GivenKind::Predicted || self.readings.iter().any(|reading| reading.given != GivenKind::None)
    }

    /// Bits of the training objects.
    fn given(
        &self,
        which: GivenKind,
        examples: &Examples<'_>,
        predictor: Option<&HashStack>,
    ) -> Result<Option<Codes>, MethodError> {
        match (which, examples.attributes, predictor) {
            (GivenKind::None, ..) => Ok(None),
            (GivenKind::Known, Some(known), _) => Ok(Some(known.clone())),
            (GivenKind::Predicted, _, Some(predictor)) => Ok(Some(predictor.encode(examples.features)?)),
            _ => Err(self.no_attributes()),
        }
    }

    fn no_attributes(&self) -> MethodError {
        MethodError::NoAttributes { method: self.name.clone() }
    }
}

impl<'a> Fitted<'a> {
    fn prepare(method: &'a LatentMethod, examples: &'a Examples<'a>, seed: u64) -> Result<Self, MethodError> {
        let (transform, features) = Transform::fit_apply(&method.transform, examples.features)?;
        let n = features.n_objects();
        let triplets = match &method.triplets {
            Some(options) => FromLabels { seed, ..*options }.build(examples.labels, examples.features)?.triplets,
            None => Vec::new(),
        };
        let mut data = Observations::new(features, TripletSet::new(n, triplets)?);
        data.positions = Positions::Classes(examples.labels.class_of().to_vec());
        let predictor = match (method.predicts(), examples.predictor) {
            (true, Some(predictor)) => Some(predictor.clone()),
            (true, None) => {
                let known = examples.attributes.ok_or_else(|| method.no_attributes())?;
                Some(attribute_predictor(transform.clone(), &data.features, known)?)
            }
            (false, _) => None,
        };
        if let Some(given) = method.given(method.extends, examples, predictor.as_ref())? {
            data.given = BitMatrix::from_codes(&given);
        }
        let model = (method.model)(&data);
        Ok(Self { method, examples, transform, data, model, predictor, seed })
    }

    fn read(&self, reading: &LatentReading, chains: &[ChainRecord]) -> Result<Reading, MethodError> {
        let posterior = Posterior::new(chains);
        let draws: Vec<&Draw> = match reading.draws {
            ReadingDraws::Map => vec![posterior.chosen(CodeChoice::Map).0],
            ReadingDraws::Last => vec![posterior.chosen(CodeChoice::Last).0],
            ReadingDraws::EveryChain => posterior.chosen_of_each(CodeChoice::Last),
            ReadingDraws::Kept => chains[posterior.best_chain()].all_draws().collect(),
        };
        let encoders = draws.iter().map(|draw| self.encoder(reading, draw)).collect::<Result<Vec<_>, _>>()?;
        let encoder = JoinedEncoder::new(encoders);
        let database = match (reading.encoder, reading.training) {
            (ReadingEncoder::Probit(_), TrainingCodes::Encoded) => encoder.encode(&self.data.features, 0),
            _ => Codes::side_by_side(&draws.iter().map(|draw| &draw.bits).collect::<Vec<_>>()),
        };
        let classes = self.examples.labels.class_of();
        let mut search = CodeSearch::new(self.transform.clone(), Box::new(encoder), database, classes);
        let mut n_given = 0;
        let given = self.method.given(reading.given, self.examples, self.predictor.as_ref())?;
        if let (Some(given), Some(predictor)) = (given, &self.predictor) {
            n_given = given.n_bits();
            search = search.behind(&given, predictor.clone());
        }
        if !reading.weighted && n_given > 0 && draws.len() > 1 {
            // The sum of the draws' distances, each of which counts known bits once.
            let given = vec![draws.len() as f64; n_given];
            search = search.weighted(given.into_iter().chain(draws.iter().flat_map(|d| vec![1.0; d.bits.n_bits()])));
        }
        if reading.weighted {
            let given = self.given_weights(&draws, n_given)?;
            search = search.weighted(given.into_iter().chain(draws.iter().flat_map(|draw| draw.weights.clone())));
        }
        Ok(Reading::new(&reading.name, search))
    }

    /// Sums over draws, as each draw's distance counts known bits once; 1 where the model did not see them.
    fn given_weights(&self, draws: &[&Draw], n_given: usize) -> Result<Vec<f64>, MethodError> {
        if self.method.extends == GivenKind::None {
            return Ok(vec![draws.len() as f64; n_given]);
        }
        let mut sums = vec![0.0; n_given];
        for draw in draws.iter().filter(|_| n_given > 0) {
            let weights = draw.tensor("given_weights", &[n_given])?;
            sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
        }
        Ok(sums)
    }

    fn encoder(&self, reading: &LatentReading, draw: &Draw) -> Result<Box<dyn Encoder>, MethodError> {
        let n_inputs = self.data.features.n_inputs();
        Ok(match (&self.model, reading.encoder) {
            (AnyModel::Probit(_), ReadingEncoder::Probit(method)) => {
                Box::new(ProbitEncoder::new(draw, n_inputs, method)?)
            }
            (AnyModel::Gaussian(_) | AnyModel::Ibp(_) | AnyModel::DdIbp(_), ReadingEncoder::Gaussian(method)) => {
                Box::new(GaussianEncoder::new(draw, n_inputs, method, self.seed)?)
            }
            (AnyModel::DdIbp(model), ReadingEncoder::Links) if let Some(places) = model.places(&self.data) => {
                Box::new(DdIbpEncoder::new(draw, model, &places, n_inputs, self.seed)?)
            }
            (_, encoder) => {
                let method = self.method.name.clone();
                return Err(MethodError::ForeignEncoder { method, encoder: format!("{encoder:?}") });
            }
        })
    }
}
