//! Opens a model file for the commands that use one: its draws, its encoder, its words for people.

use crate::expected::Expecter;
use crate::failure::usage;
use crate::input::read_codes;
use crate::output;
use crate::stream::GivenSource;
use anyhow::{anyhow, bail};
use clap::ValueEnum;
use sibp::codes::Codes;
use sibp::data::{DataError, Features};
use sibp::encode::{Coding, CodingError, CodingOptions, DrawChoice, EncoderChoice, TrainingCodes};
use sibp::format::ModelFile;
use sibp::model::ModelKind;
use sibp::posterior::CodeChoice;
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
    /// Codes of the training objects, where others are searched among them
    #[arg(long, value_enum, default_value = "learned")]
    pub training_codes: TrainingArg,
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

/// The codes of training objects on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub enum TrainingArg {
    /// The bits that were learned for them
    #[default]
    Learned,
    /// The bits that their inputs give, as for any object
    Encoded,
}

impl From<CodeArg> for DrawChoice {
    fn from(code: CodeArg) -> Self {
        match code {
            CodeArg::Map => Self::Map,
            CodeArg::Last => Self::Last,
            CodeArg::Concatenate => Self::Concatenate,
        }
    }
}

impl From<CodeArg> for CodeChoice {
    fn from(code: CodeArg) -> Self {
        DrawChoice::from(code).into()
    }
}

impl EncodeArgs {
    /// The library's options.
    pub fn options(&self) -> CodingOptions {
        let encoder = self.encoder.map(|encoder| match encoder {
            EncoderArg::Refit => EncoderChoice::Refit,
            EncoderArg::Drawn => EncoderChoice::Drawn,
            EncoderArg::BestCode => EncoderChoice::BestCode,
            EncoderArg::Ridge => EncoderChoice::Ridge,
            EncoderArg::LeastSquares => EncoderChoice::LeastSquares,
            EncoderArg::Gibbs => EncoderChoice::Gibbs,
            EncoderArg::Links => EncoderChoice::Links,
        });
        let training = match self.training_codes {
            TrainingArg::Learned => TrainingCodes::Learned,
            TrainingArg::Encoded => TrainingCodes::Encoded,
        };
        CodingOptions { encoder, draws: self.code.into(), seed: self.encoder_seed, training }
    }
}

impl Model {
    /// Loads and checks a model file.
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        Ok(Self { path: path.to_owned(), file: ModelFile::load(path)? })
    }

    /// Says a failure to encode in the words of the command line.
    pub fn explain(&self, error: CodingError) -> anyhow::Error {
        match error {
            CodingError::NoBits | CodingError::NoPreferences => anyhow!("{}: {error}", self.path.display()),
            CodingError::NotProbit | CodingError::Probit | CodingError::NotLinked => {
                usage(format!("--encoder: {error}"))
            }
            CodingError::Restore(error) => error.into(),
        }
    }

    /// Encoder, database and weights of the draws that encode, with given bits for the objects to encode.
    pub fn coding(&self, args: &EncodeArgs, given: Option<Codes>) -> anyhow::Result<Coding> {
        self.file.coding(&args.options(), given).map_err(|error| self.explain(error))
    }

    /// Where the given bits of the objects to encode come from: the file that the user names, else the model's own
    /// predictor.
    pub fn given_source(&self, args: &EncodeArgs) -> anyhow::Result<GivenSource> {
        let model = self.path.display();
        match (&self.file.info.given, &args.given_bits) {
            (None, None) => Ok(GivenSource::None),
            (None, Some(_)) => Err(usage(format!("--given-bits: {model} was fitted without given bits"))),
            (Some(given), Some(path)) => {
                let codes = read_codes(path, Some(given.codes.n_bits()))?;
                Ok(GivenSource::Known { codes, path: path.clone() })
            }
            (Some(given), None) => match &given.predictor {
                Some(stack) => Ok(GivenSource::Predicted(stack.clone())),
                None => Err(usage(format!(
                    "{model} was fitted with {} (from {}): give those of the objects to encode with --given-bits",
                    output::count(given.codes.n_bits(), "given bit"),
                    given.source
                ))),
            },
        }
    }

    /// Given bits of all rows of a file of features.
    pub fn given_bits(&self, args: &EncodeArgs, features: &Features, source: &Path) -> anyhow::Result<Option<Codes>> {
        let given = self.given_source(args)?;
        given.check_rows(features.n_objects(), true)?;
        self.check_inputs(features.n_inputs(), source)?;
        given.rows(features, 0).map_err(|error| error.in_file(source).into())
    }

    /// Bit probabilities and weights, which `--expected` needs.
    pub fn expecter(&self, args: &EncodeArgs) -> anyhow::Result<Expecter> {
        let bits = self.file.bit_probabilities(&args.options()).map_err(|error| self.explain(error))?;
        let Some(bits) = bits else {
            let (path, kind) = (self.path.display(), kind_name(self.file.info.model.kind()));
            return Err(usage(format!("--expected needs the bit probabilities of a probit model; {path} is {kind}")));
        };
        let weights = self.coding(args, None)?.weights.iter().map(|&w| w as f32).collect();
        Ok(Expecter { bits, weights })
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
