//! Opens a model file for the commands that use one: its draws, its encoder, its words for people.

use crate::failure::usage;
use crate::input::read_codes;
use crate::output;
use anyhow::bail;
use clap::ValueEnum;
use sibp::codes::Codes;
use sibp::data::{DataError, Features};
use sibp::encode::{
    DdIbpEncoder, Encoder, GaussianEncoder, GaussianMethod, GivenEncoder, JoinedEncoder, ProbitEncoder, ProbitMethod,
};
use sibp::format::ModelFile;
use sibp::model::{AnyModel, ModelKind, PreferencePrior};
use sibp::posterior::CodeChoice;
use sibp::trace::Draw;
use std::path::{Path, PathBuf};

/// A model and where it came from.
#[derive(Debug)]
pub struct Model {
    /// The file's place, for messages.
    pub path: PathBuf,
    /// What it holds.
    pub file: ModelFile,
}

/// How codes are made from a model.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Encoding")]
pub struct EncodeArgs {
    /// How an object gets its bits [default: refit for probit models, links for ddibp, best-code for the others]
    #[arg(long, value_enum)]
    pub encoder: Option<EncoderArg>,
    /// Which draws encode
    #[arg(long, value_enum, default_value = "map")]
    pub code: CodeArg,
    /// Fixes the random choices of the gibbs encoder
    #[arg(long, default_value_t = 0)]
    pub encoder_seed: u64,
    /// Bits that the objects have already (.npy, 0/1 columns or packed), for a model that was fitted with given bits
    #[arg(long, value_name = "FILE")]
    pub given_bits: Option<PathBuf>,
}

/// The encoders on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EncoderArg {
    /// probit: the most probable coefficients given the draw's bits
    Refit,
    /// probit: the draw's own coefficients
    Drawn,
    /// gaussian, ibp, ddibp: the training code under which the object is most probable
    BestCode,
    /// gaussian, ibp, ddibp: linear regression on the images of the bits, cut at one half
    Ridge,
    /// gaussian, ibp, ddibp: least squares on the images of the bits, cut at one half
    LeastSquares,
    /// gaussian, ibp, ddibp: a draw from the posterior of the bits
    Gibbs,
    /// ddibp: the same, with links to training objects as prior (output distances: the class is drawn along)
    Links,
}

/// The draws on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub enum CodeArg {
    /// The kept draw of the best chain with the highest log joint
    #[default]
    Map,
    /// The last draw of the best chain
    Last,
    /// The best kept draw of every chain, their bits side by side: longer codes, averaged distances
    Concatenate,
}

impl From<CodeArg> for CodeChoice {
    fn from(code: CodeArg) -> Self {
        match code {
            CodeArg::Map | CodeArg::Concatenate => Self::Map,
            CodeArg::Last => Self::Last,
        }
    }
}

impl EncodeArgs {
    fn gaussian(&self) -> anyhow::Result<GaussianMethod> {
        Ok(match self.encoder {
            None | Some(EncoderArg::BestCode) => GaussianMethod::BestCode,
            Some(EncoderArg::Ridge) => GaussianMethod::Ridge,
            Some(EncoderArg::LeastSquares) => GaussianMethod::LeastSquares,
            Some(EncoderArg::Gibbs) => GaussianMethod::Gibbs,
            Some(EncoderArg::Refit | EncoderArg::Drawn) => {
                return Err(usage("--encoder refit and drawn are for probit models; choose best-code, ridge, ..."));
            }
            Some(EncoderArg::Links) => {
                return Err(usage("--encoder links is for ddibp models; choose best-code, ridge, ..."));
            }
        })
    }

    fn probit(&self) -> anyhow::Result<ProbitMethod> {
        match self.encoder {
            None | Some(EncoderArg::Refit) => Ok(ProbitMethod::Refit),
            Some(EncoderArg::Drawn) => Ok(ProbitMethod::Drawn),
            Some(_) => Err(usage("a probit model encodes by --encoder refit or drawn")),
        }
    }
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

/// The encoder behind given bits, if there are any.
pub fn with_given(given: Option<Codes>, learned: Box<dyn Encoder>) -> Box<dyn Encoder> {
    match given {
        Some(given) => Box::new(GivenEncoder::new(given, learned)),
        None => learned,
    }
}

impl Model {
    /// Loads and checks a model file.
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        Ok(Self { path: path.to_owned(), file: ModelFile::load(path)? })
    }

    /// The draws that encode; a model without bits cannot.
    pub fn encoding_draws(&self, code: CodeArg) -> anyhow::Result<Vec<&Draw>> {
        let posterior = self.file.posterior();
        let draws = match code {
            CodeArg::Concatenate => posterior.chosen_of_each(code.into()),
            CodeArg::Map | CodeArg::Last => vec![posterior.chosen(code.into()).0],
        };
        if draws.iter().all(|draw| draw.bits.n_bits() == 0) {
            bail!(
                "{}: the model has no bits, so there are no codes; run more sweeps, or check that the inputs are not \
                 all alike",
                self.path.display()
            );
        }
        Ok(draws)
    }

    /// Encoder, database and weights of the draws that encode. `n_objects` are to be encoded, where that is known.
    pub fn coding(&self, args: &EncodeArgs, n_objects: Option<usize>) -> anyhow::Result<Coding> {
        let given = self.given_bits(args, n_objects)?;
        self.coding_with(args, given)
    }

    /// The same with given bits that were read already.
    pub fn coding_with(&self, args: &EncodeArgs, given: Option<Codes>) -> anyhow::Result<Coding> {
        let draws = self.encoding_draws(args.code)?;
        let encoders = draws.iter().map(|draw| self.encoder(draw, args)).collect::<Result<Vec<_>, _>>()?;
        let known = self.file.info.given.iter().map(|given| &given.codes);
        let databases: Vec<&Codes> = known.chain(draws.iter().map(|draw| draw.database())).collect();
        let learned = draws.iter().flat_map(|draw| draw.weights.iter().copied());
        Ok(Coding {
            encoder: with_given(given, Box::new(JoinedEncoder::new(encoders))),
            weights: self.given_weights(&draws)?.into_iter().chain(learned).collect(),
            database: Codes::side_by_side(&databases),
        })
    }

    /// Given bits of the objects to encode: those of the file that the user names, if the model was fitted with some.
    pub fn given_bits(&self, args: &EncodeArgs, n_objects: Option<usize>) -> anyhow::Result<Option<Codes>> {
        let model = self.path.display();
        match (&self.file.info.given, &args.given_bits) {
            (None, None) => Ok(None),
            (None, Some(_)) => Err(usage(format!("--given-bits: {model} was fitted without given bits"))),
            (Some(given), None) => Err(usage(format!(
                "{model} was fitted with {} (from {}): give those of the objects to encode with --given-bits",
                output::count(given.codes.n_bits(), "given bit"),
                given.source
            ))),
            (Some(given), Some(path)) => {
                let codes = read_codes(path, Some(given.codes.n_bits()))?;
                if let Some(n) = n_objects.filter(|&n| n != codes.n_objects()) {
                    bail!(
                        "{} has {} but there are {} to encode; give a row of bits for each",
                        path.display(),
                        output::count(codes.n_objects(), "row"),
                        output::count(n, "object")
                    );
                }
                Ok(Some(codes))
            }
        }
    }

    /// Weights of the given bits: their sums over the draws, as each draw's distance counts them once.
    pub fn given_weights(&self, draws: &[&Draw]) -> anyhow::Result<Vec<f64>> {
        let Some(given) = &self.file.info.given else { return Ok(Vec::new()) };
        let n_bits = given.codes.n_bits();
        let mut sums = vec![0.0; n_bits];
        for draw in draws {
            let weights = draw.tensor("given_weights", &[n_bits])?;
            sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
        }
        Ok(sums)
    }

    /// The encoder of one draw.
    pub fn encoder(&self, draw: &Draw, args: &EncodeArgs) -> anyhow::Result<Box<dyn Encoder>> {
        let n_inputs = self.file.info.transform.n_outputs();
        Ok(match &self.file.info.model {
            AnyModel::Probit(_) => Box::new(ProbitEncoder::new(draw, n_inputs, args.probit()?)?),
            AnyModel::Gaussian(_) | AnyModel::Ibp(_) => {
                Box::new(GaussianEncoder::new(draw, n_inputs, args.gaussian()?, args.encoder_seed)?)
            }
            AnyModel::DdIbp(model) => match (args.encoder, self.file.info.places(model)) {
                (None | Some(EncoderArg::Links), Some(places)) => {
                    Box::new(DdIbpEncoder::new(draw, model, &places, n_inputs, args.encoder_seed)?)
                }
                _ => Box::new(GaussianEncoder::new(draw, n_inputs, args.gaussian()?, args.encoder_seed)?),
            },
        })
    }

    /// The encoders of a probit model's draws, in the order of their bits; `None` for other models.
    pub fn probit_encoders(&self, args: &EncodeArgs) -> anyhow::Result<Option<Vec<ProbitEncoder>>> {
        if self.file.info.model.kind() != ModelKind::Probit {
            return Ok(None);
        }
        let n_inputs = self.file.info.transform.n_outputs();
        let encoder = |draw: &&Draw| Ok(ProbitEncoder::new(draw, n_inputs, args.probit()?)?);
        Ok(Some(self.encoding_draws(args.code)?.iter().map(encoder).collect::<anyhow::Result<_>>()?))
    }

    /// Refuses inputs of another number than the model was fitted to; `source` names their file.
    pub fn check_inputs(&self, n_inputs: usize, source: &Path) -> anyhow::Result<()> {
        let expected = self.file.info.transform.n_inputs();
        if n_inputs != expected {
            bail!(
                "{} has {n_inputs} columns but the model {} was fitted to {expected}; give the same inputs in the same \
                 order",
                source.display(),
                self.path.display()
            );
        }
        Ok(())
    }

    /// Transforms inputs as the training inputs were; `source` names their file in messages.
    pub fn transform(&self, features: &Features, source: &Path) -> anyhow::Result<Features> {
        self.check_inputs(features.n_inputs(), source)?;
        let transformed = self.file.info.transform.apply(features);
        transformed.map_err(|error: DataError| error.in_file(source).into())
    }

    /// Priors of the preference likelihood; `None` for a model that has none.
    pub fn preference(&self) -> Option<&PreferencePrior> {
        match &self.file.info.model {
            AnyModel::Probit(model) => Some(&model.preference),
            AnyModel::Gaussian(model) | AnyModel::Ibp(model) => Some(&model.preference),
            AnyModel::DdIbp(_) => None,
        }
    }

    /// Whether triplets had a part in it.
    pub fn has_triplets(&self) -> bool {
        self.file.info.triplets.n_triplets() > 0
    }
}

/// The name of a model on the command line.
pub fn kind_name(kind: ModelKind) -> &'static str {
    match kind {
        ModelKind::Probit => "probit",
        ModelKind::Gaussian => "gaussian",
        ModelKind::Ibp => "ibp",
        ModelKind::DdIbp => "ddibp",
    }
}
