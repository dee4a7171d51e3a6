//! Joins what a fitted model needs to give codes: the draws that encode, their encoders, the training codes, the weights.

use super::{
    BitProbabilities, DdIbpEncoder, Encoder, GaussianEncoder, GaussianMethod, GivenEncoder, JoinedEncoder,
    ProbitEncoder, ProbitMethod,
};
use crate::codes::Codes;
use crate::data::Features;
use crate::format::ModelFile;
use crate::model::{AnyModel, ModelKind, PreferencePrior};
use crate::parallel::{map, n_threads};
use crate::posterior::CodeChoice;
use crate::trace::{Draw, RestoreError};
use thiserror::Error;

/// How an object gets its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncoderChoice {
    /// Probit: the most probable coefficients given the draw's bits.
    Refit,
    /// Probit: the draw's own coefficients.
    Drawn,
    /// Gaussian, plain IBP: the training code under which the object is most probable.
    BestCode,
    /// Gaussian, plain IBP: linear regression on the images of the bits, cut at one half.
    Ridge,
    /// Gaussian, plain IBP: least squares on the images of the bits, cut at one half.
    LeastSquares,
    /// Gaussian, plain IBP: a draw from the posterior of the bits.
    Gibbs,
    /// Distance-dependent IBP: links to training objects, then a draw from the posterior of the bits.
    Links,
}

/// Which draws encode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DrawChoice {
    /// The kept draw of the best chain with the highest log joint.
    #[default]
    Map,
    /// The last draw of the best chain.
    Last,
    /// The best kept draw of every chain, their bits side by side: longer codes, averaged distances.
    Concatenate,
}

impl From<DrawChoice> for CodeChoice {
    fn from(draws: DrawChoice) -> Self {
        match draws {
            DrawChoice::Map | DrawChoice::Concatenate => Self::Map,
            DrawChoice::Last => Self::Last,
        }
    }
}

/// Which codes training objects have when others are searched among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrainingCodes {
    /// The bits that were learned for them, from what was said about them: better neighbours wherever inputs alone
    /// predict bits badly.
    #[default]
    Learned,
    /// The bits that their inputs give, as for any object.
    Encoded,
}

impl TrainingCodes {
    fn of(self, draw: &Draw) -> &Codes {
        match (self, &draw.encoded) {
            (Self::Encoded, Some(encoded)) => encoded,
            _ => &draw.bits,
        }
    }
}

/// How codes are made from a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CodingOptions {
    /// How an object gets its bits; by default refit for probit models, best-code for the others.
    pub encoder: Option<EncoderChoice>,
    /// Which draws encode.
    pub draws: DrawChoice,
    /// Fixes the random choices of the Gibbs encoder.
    pub seed: u64,
    /// Which codes training objects have.
    pub training: TrainingCodes,
}

/// Why a model cannot encode as asked.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CodingError {
    /// No draw that encodes has a bit.
    #[error(
        "the model has no bits, so there are no codes; run more sweeps, or check that the inputs are not all alike"
    )]
    NoBits,
    /// The encoder belongs to probit models.
    #[error("the encoders refit and drawn are for probit models; choose best-code, ridge, least-squares or gibbs")]
    NotProbit,
    /// The encoder belongs to the other models.
    #[error("a probit model encodes by refit or drawn")]
    Probit,
    /// The model knows nothing of preferences.
    #[error("the model does not look at triplets, so it knows no preferences")]
    NoPreferences,
    /// The encoder belongs to the distance-dependent IBP.
    #[error("the encoder links is for ddibp models; choose best-code, ridge, least-squares or gibbs")]
    NotLinked,
    /// A draw lacks what its encoder needs.
    #[error(transparent)]
    Restore(#[from] RestoreError),
}

/// An encoder with what it is searched against.
pub struct Coding {
    /// Gives codes to objects.
    pub encoder: Box<dyn Encoder>,
    /// Codes of the training objects.
    pub database: Codes,
    /// Weight of each bit.
    pub weights: Vec<f64>,
}

impl CodingOptions {
    fn gaussian(&self) -> Result<GaussianMethod, CodingError> {
        match self.encoder {
            None | Some(EncoderChoice::BestCode) => Ok(GaussianMethod::BestCode),
            Some(EncoderChoice::Ridge) => Ok(GaussianMethod::Ridge),
            Some(EncoderChoice::LeastSquares) => Ok(GaussianMethod::LeastSquares),
            Some(EncoderChoice::Gibbs) => Ok(GaussianMethod::Gibbs),
            Some(EncoderChoice::Refit | EncoderChoice::Drawn) => Err(CodingError::NotProbit),
            Some(EncoderChoice::Links) => Err(CodingError::NotLinked),
        }
    }

    fn probit(&self) -> Result<ProbitMethod, CodingError> {
        match self.encoder {
            None | Some(EncoderChoice::Refit) => Ok(ProbitMethod::Refit),
            Some(EncoderChoice::Drawn) => Ok(ProbitMethod::Drawn),
            Some(_) => Err(CodingError::Probit),
        }
    }
}

/// The encoder behind given bits, if there are any.
pub fn with_given(given: Option<Codes>, learned: Box<dyn Encoder>) -> Box<dyn Encoder> {
    match given {
        Some(given) => Box::new(GivenEncoder::new(given, learned)),
        None => learned,
    }
}

impl ModelFile {
    /// The draws that were chosen to encode, whether they have bits or not.
    pub fn chosen_draws(&self, draws: DrawChoice) -> Vec<&Draw> {
        let posterior = self.posterior();
        match draws {
            DrawChoice::Concatenate => posterior.chosen_of_each(draws.into()),
            DrawChoice::Map | DrawChoice::Last => vec![posterior.chosen(draws.into()).0],
        }
    }

    /// The draws that encode; a model without bits cannot.
    pub fn encoding_draws(&self, draws: DrawChoice) -> Result<Vec<&Draw>, CodingError> {
        let chosen = self.chosen_draws(draws);
        if chosen.iter().all(|draw| draw.bits.n_bits() == 0) { Err(CodingError::NoBits) } else { Ok(chosen) }
    }

    /// Encoder, database and weights of the draws that encode; `given` holds the given bits of the objects to encode.
    pub fn coding(&self, options: &CodingOptions, given: Option<Codes>) -> Result<Coding, CodingError> {
        self.coding_by(&self.encoding_draws(options.draws)?, options, given)
    }

    /// The same by these draws, for a caller who can use codes without bits.
    pub fn coding_by(
        &self,
        draws: &[&Draw],
        options: &CodingOptions,
        given: Option<Codes>,
    ) -> Result<Coding, CodingError> {
        let encoders = draws.iter().map(|draw| self.encoder(draw, options)).collect::<Result<Vec<_>, _>>()?;
        let known = self.info.given.iter().map(|given| &given.codes);
        let databases: Vec<&Codes> = known.chain(draws.iter().map(|draw| options.training.of(draw))).collect();
        let learned = draws.iter().flat_map(|draw| draw.weights.iter().copied());
        Ok(Coding {
            encoder: with_given(given, Box::new(JoinedEncoder::new(encoders))),
            weights: self.given_weights(draws)?.into_iter().chain(learned).collect(),
            database: Codes::side_by_side(&databases),
        })
    }

    /// Weights of the given bits: their sums over the draws, as each draw's distance counts them once.
    pub fn given_weights(&self, draws: &[&Draw]) -> Result<Vec<f64>, RestoreError> {
        let Some(given) = &self.info.given else { return Ok(Vec::new()) };
        let n_bits = given.codes.n_bits();
        let mut sums = vec![0.0; n_bits];
        for draw in draws {
            let weights = draw.tensor("given_weights", &[n_bits])?;
            sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
        }
        Ok(sums)
    }

    /// The encoder of one draw.
    pub fn encoder(&self, draw: &Draw, options: &CodingOptions) -> Result<Box<dyn Encoder>, CodingError> {
        let n_inputs = self.info.transform.n_outputs();
        Ok(match &self.info.model {
            AnyModel::Probit(_) => Box::new(ProbitEncoder::new(draw, n_inputs, options.probit()?)?),
            AnyModel::Gaussian(_) | AnyModel::Ibp(_) => {
                Box::new(GaussianEncoder::new(draw, n_inputs, options.gaussian()?, options.seed)?)
            }
            AnyModel::DdIbp(model) => match (options.encoder, self.info.places(model)) {
                (None | Some(EncoderChoice::Links), Some(places)) => {
                    Box::new(DdIbpEncoder::new(draw, model, &places, n_inputs, options.seed)?)
                }
                _ => Box::new(GaussianEncoder::new(draw, n_inputs, options.gaussian()?, options.seed)?),
            },
        })
    }

    /// The bit probabilities of a probit model's draws; `None` for other models.
    pub fn bit_probabilities(&self, options: &CodingOptions) -> Result<Option<BitProbabilities>, CodingError> {
        if self.info.model.kind() != ModelKind::Probit {
            return Ok(None);
        }
        let n_inputs = self.info.transform.n_outputs();
        let draws = self.encoding_draws(options.draws)?;
        Ok(Some(BitProbabilities::of_draws(draws, n_inputs, options.probit()?)?))
    }

    /// Priors of the preference likelihood; `None` for a model that has none.
    pub fn preference(&self) -> Option<&PreferencePrior> {
        match &self.info.model {
            AnyModel::Probit(model) => Some(&model.preference),
            AnyModel::Gaussian(model) | AnyModel::Ibp(model) => Some(&model.preference),
            AnyModel::DdIbp(_) => None,
        }
    }
}

/// Encodes on several threads (0: all cores); the codes do not depend on how many.
pub fn encode_parallel(encoder: &dyn Encoder, features: &Features, first_row: u64, threads: usize) -> Codes {
    let n = features.n_objects();
    let threads = n_threads(threads).min(n);
    let part = n.div_ceil(threads).max(1);
    let starts: Vec<usize> = (0..n).step_by(part).collect();
    let parts = map(threads, starts.len(), |at| {
        let rows: Vec<usize> = (starts[at]..(starts[at] + part).min(n)).collect();
        encoder.encode(&features.select(&rows), first_row + starts[at] as u64)
    });
    let mut codes = Codes::zeros(n, encoder.n_bits());
    for (start, part) in starts.iter().zip(&parts) {
        (0..part.n_objects()).for_each(|row| codes.set_row(start + row, part.row(row)));
    }
    codes
}
