//! Opens a model file for the commands that use one: its draws, its encoder, its words for people.

use crate::failure::usage;
use anyhow::bail;
use clap::ValueEnum;
use sibp::data::{DataError, Features};
use sibp::encode::{Encoder, GaussianEncoder, GaussianMethod, ProbitEncoder, ProbitMethod};
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
#[derive(Debug, Clone, Copy, Default, clap::Args)]
#[command(next_help_heading = "Encoding")]
pub struct EncodeArgs {
    /// How an object gets its bits [default: best-code, for probit refit]
    #[arg(long, value_enum)]
    pub encoder: Option<EncoderArg>,
    /// Which draw of the chain with the best log joint encodes
    #[arg(long, value_enum, default_value = "map")]
    pub code: CodeArg,
    /// Fixes the random choices of the gibbs encoder
    #[arg(long, default_value_t = 0)]
    pub encoder_seed: u64,
}

/// The encoders on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EncoderArg {
    /// gaussian, ibp: the training code under which the object is most probable
    BestCode,
    /// gaussian, ibp: ridge regression on the images of the bits, cut at one half
    Ridge,
    /// gaussian, ibp: least squares on the images of the bits, cut at one half
    LeastSquares,
    /// gaussian, ibp: a draw from the posterior of the bits
    Gibbs,
    /// probit: the most probable coefficients given the draw's bits
    Refit,
    /// probit: the draw's own coefficients
    Drawn,
}

/// The draw on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub enum CodeArg {
    /// The kept draw with the highest log joint
    #[default]
    Map,
    /// The last draw
    Last,
}

impl From<CodeArg> for CodeChoice {
    fn from(code: CodeArg) -> Self {
        match code {
            CodeArg::Map => Self::Map,
            CodeArg::Last => Self::Last,
        }
    }
}

impl EncodeArgs {
    fn gaussian(&self) -> anyhow::Result<GaussianMethod> {
        match self.encoder {
            None | Some(EncoderArg::BestCode) => Ok(GaussianMethod::BestCode),
            Some(EncoderArg::Ridge) => Ok(GaussianMethod::Ridge),
            Some(EncoderArg::LeastSquares) => Ok(GaussianMethod::LeastSquares),
            Some(EncoderArg::Gibbs) => Ok(GaussianMethod::Gibbs),
            Some(EncoderArg::Refit | EncoderArg::Drawn) => {
                Err(usage("--encoder: this model has best-code, ridge, least-squares and gibbs"))
            }
        }
    }

    fn probit(&self) -> anyhow::Result<ProbitMethod> {
        match self.encoder {
            None | Some(EncoderArg::Refit) => Ok(ProbitMethod::Refit),
            Some(EncoderArg::Drawn) => Ok(ProbitMethod::Drawn),
            Some(_) => Err(usage("--encoder: the model probit has refit and drawn")),
        }
    }
}

impl Model {
    /// Loads and checks a model file.
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        Ok(Self { path: path.to_owned(), file: ModelFile::load(path)? })
    }

    /// The draw that encodes; a model without bits cannot.
    pub fn encoding_draw(&self, code: CodeArg) -> anyhow::Result<&Draw> {
        let (draw, _) = self.file.posterior().chosen(code.into());
        if draw.bits.n_bits() == 0 {
            bail!(
                "{}: the model has no bits, so there are no codes; run more sweeps, or check that the inputs are not \
                 all alike",
                self.path.display()
            );
        }
        Ok(draw)
    }

    /// The encoder of a draw.
    pub fn encoder(&self, draw: &Draw, args: &EncodeArgs) -> anyhow::Result<Box<dyn Encoder>> {
        let n_inputs = self.file.info.transform.n_outputs();
        match &self.file.info.model {
            AnyModel::Probit(_) => Ok(Box::new(ProbitEncoder::new(&[draw], n_inputs, args.probit()?)?)),
            AnyModel::Gaussian(_) | AnyModel::Ibp(_) => {
                Ok(Box::new(GaussianEncoder::new(draw, n_inputs, args.gaussian()?, args.encoder_seed)?))
            }
        }
    }

    /// Transforms inputs as the training inputs were; `source` names their file in messages.
    pub fn transform(&self, features: &Features, source: &Path) -> anyhow::Result<Features> {
        let transform = &self.file.info.transform;
        if features.n_inputs() != transform.n_inputs() {
            bail!(
                "{} has {} columns but the model {} was fitted to {}; give the same inputs in the same order",
                source.display(),
                features.n_inputs(),
                self.path.display(),
                transform.n_inputs()
            );
        }
        transform.apply(features).map_err(|error: DataError| error.in_file(source).into())
    }

    /// Priors of the preference likelihood.
    pub fn preference(&self) -> &PreferencePrior {
        match &self.file.info.model {
            AnyModel::Probit(model) => &model.preference,
            AnyModel::Gaussian(model) | AnyModel::Ibp(model) => &model.preference,
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
    }
}
