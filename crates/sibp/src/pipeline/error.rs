//! Lists the reasons why nothing could be fitted, or why a fitted model gives no codes.

use super::{Budget, Sizes};
use crate::data::DataError;
use crate::encode::{EncoderChoice, EncoderError, list_encoders};
use crate::format::ContinueError;
use crate::model::SettingsError;
use crate::run::{RunError, RunSettingsError};
use crate::trace::RestoreError;
use crate::triplets::{FromLabelsError, TripletError};
use thiserror::Error;

/// Why nothing could be fitted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FitError {
    /// The model needs inputs, and there are none.
    #[error("the model {model} needs inputs, and there are none; from triplets alone the model probit can learn")]
    NoInputs {
        /// The model.
        model: &'static str,
    },
    /// No unsupervised bits can be made.
    #[error("no unsupervised bits can be made of these inputs: {reason}")]
    Unsupervised {
        /// The reason.
        reason: String,
    },
    /// An open code of a model whose bits the inputs do not predict.
    #[error("the preset open is for models whose bits are predicted by the inputs (probit), not for {model}")]
    OpenCode {
        /// The model.
        model: &'static str,
    },
    /// A code so short that no bit of it is left to be learned.
    #[error(
        "a code of at most {most} bits leaves none to learn, as {n_given} are given and {n_unsupervised} are unsupervised; \
         allow more bits, or fewer unsupervised ones"
    )]
    NoneToLearn {
        /// Bits of the code.
        most: usize,
        /// Given bits.
        n_given: usize,
        /// Unsupervised bits.
        n_unsupervised: usize,
    },
    /// A transform of inputs that are not there.
    #[error("there are no inputs to transform by '{transform}'")]
    NothingToTransform {
        /// The transform.
        transform: String,
    },
    /// The model learns from labels, and there are none.
    #[error("the model {model} was to learn from labels, and there are none")]
    NoLabels {
        /// The model.
        model: &'static str,
    },
    /// Given bits are those of other objects.
    #[error("there are given bits of {rows} objects, but {n_objects} objects; give a row of bits for each")]
    GivenRows {
        /// Objects.
        n_objects: usize,
        /// Rows of given bits.
        rows: usize,
    },
    /// Given bits help to explain triplets, which the model does not look at.
    #[error("given bits help to explain triplets, which the model {model} does not look at")]
    UnusedGivenBits {
        /// The model.
        model: &'static str,
    },
    /// A chain that the fit does not have.
    #[error("there is no chain {chain}: chains are 1 to {chains}")]
    NoSuchChain {
        /// The chain.
        chain: usize,
        /// Chains of the fit.
        chains: usize,
    },
    /// The inputs, or a transform that does not suit them.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Labels that no triplets can be made from.
    #[error(transparent)]
    Labels(#[from] FromLabelsError),
    /// Triplets about objects that do not exist.
    #[error(transparent)]
    Triplets(#[from] TripletError),
    /// A setting of the model.
    #[error(transparent)]
    Model(#[from] SettingsError),
    /// A setting of the run.
    #[error(transparent)]
    Settings(#[from] RunSettingsError),
    /// An earlier fit that chains cannot go on from.
    #[error(transparent)]
    Continue(#[from] ContinueError),
    /// There is too little memory.
    #[error(transparent)]
    Memory(#[from] Box<Shortage>),
    /// The run itself.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// The memory that a fit lacks.
#[derive(Debug, Error)]
#[error(
    "{} objects of {} inputs with {} triplets need about {} bytes of memory and {free} are free; most of it is for {}",
    sizes.n_objects, sizes.n_inputs, sizes.n_triplets, budget.total(), budget.largest().name()
)]
pub struct Shortage {
    /// Sizes of the fit.
    pub sizes: Sizes,
    /// What it needs.
    pub budget: Budget,
    /// Bytes that are free.
    pub free: u64,
}

/// Why a model gives no codes, or not in the requested way.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CodingError {
    /// No draw that encodes has a bit.
    #[error(
        "the model has no bits, so there are no codes; run more sweeps, or check that the inputs are not all alike"
    )]
    NoBits,
    /// There is no distilled code.
    #[error("the model holds no distilled code; fit it with one (--distil BITS), or choose another code")]
    NotDistilled,
    /// The model has no such encoder.
    #[error(transparent)]
    Encoder(EncoderError),
    /// The encoder needs more than the inputs and numbers of the model.
    #[error(
        "the encoder {encoder} needs the training objects or chance, and cannot leave its model: {}",
        if others.is_empty() {
            "take the model itself to where the objects are".to_owned()
        } else {
            format!("choose {}", list_encoders(others))
        }
    )]
    StaysHome {
        /// The encoder.
        encoder: EncoderChoice,
        /// Those of the model that can.
        others: Vec<EncoderChoice>,
    },
    /// Inputs that are not those of the training objects.
    #[error("these are not the inputs that the model was fitted to")]
    OtherInputs,
    /// The model has no preference likelihood.
    #[error("the model does not look at triplets, so it knows no preferences")]
    NoPreferences,
    /// A triplet names an object that has no inputs.
    #[error("a triplet names object {object}, but there are inputs of {n_objects} objects")]
    UnknownObject {
        /// The object.
        object: u32,
        /// Rows of the inputs.
        n_objects: usize,
    },
    /// Bits have no probabilities given inputs alone.
    #[error("only bits that inputs predict have probabilities, and the model {model} has others")]
    NoProbabilities {
        /// The model.
        model: &'static str,
    },
    /// Given bits of the objects are not known.
    #[error("the codes begin with {n_bits} given bits (from {source_name}), which are not known for these objects")]
    NoGivenBits {
        /// How many.
        n_bits: usize,
        /// Where those of the training objects came from.
        source_name: String,
    },
    /// Given bits were passed, but the codes have none.
    #[error("the codes begin with no given bits, so none can be told")]
    UnusedGivenBits,
    /// Given bits of the wrong shape.
    #[error("given bits of {rows} objects with {bits} bits each, instead of {n_objects} with {n_bits}")]
    GivenShape {
        /// Objects to encode.
        n_objects: usize,
        /// Given bits of a code.
        n_bits: usize,
        /// Rows found.
        rows: usize,
        /// Bits found.
        bits: usize,
    },
    /// Inputs that the transform does not take.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A draw lacks what its encoder needs.
    #[error(transparent)]
    Restore(#[from] RestoreError),
}

impl From<EncoderError> for CodingError {
    fn from(error: EncoderError) -> Self {
        match error {
            EncoderError::Restore(error) => Self::Restore(error),
            error => Self::Encoder(error),
        }
    }
}
