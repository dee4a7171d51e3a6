//! Opens a model file for the commands that use one: its draws, its encoder, its description.

use crate::choices::{EncoderArg, models_with};
use crate::failure::usage;
use crate::input::Columns;
use crate::output;
use anyhow::anyhow;
use clap::ValueEnum;
use sibp::data::DataError;
use sibp::encode::EncoderError;
use sibp::format::Fitted;
use sibp::pipeline::{Coder, CodingError, DrawChoice, Reading, TrainingCodes};
use sibp::trace::posterior::CodeChoice;
use std::path::{Path, PathBuf};

/// A model and where it came from.
#[derive(Debug)]
pub struct Model {
    /// Path of the file, for messages.
    pub path: PathBuf,
    /// The loaded model.
    pub file: Fitted,
}

/// How codes are made from a model.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Encoding")]
pub struct EncodeArgs {
    /// How an object gets its bits [default: refit for probit models, links for ddibp, best-code for the others]
    #[arg(long, value_enum)]
    pub encoder: Option<EncoderArg>,
    /// Which draws encode [default: distil where the model has such a code, else map]
    #[arg(long, value_enum, default_value = "suited", hide_default_value = true)]
    pub code: CodeArg,
    /// Fixes the random choices of the gibbs encoder
    #[arg(long, default_value_t = 0)]
    pub encoder_seed: u64,
    /// Codes of the training objects when other objects are searched among them
    #[arg(long, value_enum, default_value = "learned")]
    pub training_codes: TrainingArg,
    /// Bits that the objects already have (.npy, 0/1 columns or packed), for a model that was fitted with given bits
    #[arg(long, value_name = "FILE")]
    pub given_bits: Option<PathBuf>,
}

/// The draws on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub enum CodeArg {
    /// A distilled code where the model has one, else map
    #[default]
    Suited,
    /// One code that stands for all chains; a model has it if the fit made one (--distil)
    Distil,
    /// The kept draw of the best chain with the highest score
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
    /// The bits that their inputs predict, as for any other object
    Encoded,
}

impl From<CodeArg> for DrawChoice {
    fn from(code: CodeArg) -> Self {
        match code {
            CodeArg::Suited => Self::Suited,
            CodeArg::Distil => Self::Distilled,
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
    pub fn reading(&self) -> Reading {
        let training = match self.training_codes {
            TrainingArg::Learned => TrainingCodes::Learned,
            TrainingArg::Encoded => TrainingCodes::Encoded,
        };
        let encoder = self.encoder.map(|encoder| encoder.0);
        Reading { encoder, draws: self.code.into(), seed: self.encoder_seed, training }
    }
}

impl Model {
    /// Loads and checks a model file.
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        Ok(Self { path: path.to_owned(), file: Fitted::load(path)? })
    }

    /// Rewords an encoding error for the command line; `source` names the file of the objects.
    pub fn explain(&self, error: CodingError, source: &Path) -> anyhow::Error {
        explain(&self.path, error, source)
    }

    /// Builds the coder that turns inputs into codes.
    pub fn coder(&self, args: &EncodeArgs) -> anyhow::Result<Coder> {
        self.file.coder(args.reading()).map_err(|error| self.explain(error, &self.path))
    }

    /// The inputs that the model was fitted to.
    pub fn columns(&self) -> Columns {
        let info = &self.file.info;
        let columns = Columns::new(info.input_names.as_deref(), info.n_inputs(), &self.path);
        columns.filled_by(info.transform.filling())
    }

    /// Whether the model was fitted to triplets.
    pub fn has_triplets(&self) -> bool {
        self.file.has_triplets()
    }
}

/// Explains on the command line's terms why the model or hash at `path` gives no codes to the objects of `source`.
pub fn explain(path: &Path, error: CodingError, source: &Path) -> anyhow::Error {
    let model = path.display();
    match error {
        CodingError::Encoder(error @ EncoderError::Foreign { encoder, .. }) => {
            usage(format!("--encoder: {error}; {encoder} is for {}", models_with(encoder).join(", ")))
        }
        CodingError::NoProbabilities { model: kind } => {
            usage(format!("--expected needs the bit probabilities of a probit model; {model} is {kind}"))
        }
        CodingError::NoGivenBits { n_bits, source_name } => usage(format!(
            "{model} was fitted with {} (from {source_name}): give those of the objects to encode with --given-bits",
            output::count(n_bits, "given bit"),
        )),
        CodingError::Data(DataError::WrongInputs { expected, found }) => anyhow!(
            "{} has {found} columns but {model} was fitted to {expected}; give the same inputs in the same order",
            source.display(),
        ),
        CodingError::Data(error) => error.in_file(source).into(),
        CodingError::Restore(error) => error.into(),
        error => anyhow!("{model}: {error}"),
    }
}
