//! Holds the settings of an extension, and the reasons why one can fail.

use crate::data::DataError;
use crate::hash::{MemoryError, StackError};
use crate::model::{ModelKind, ModelOptions, Preset};
use crate::pipeline::{CodingError, FitError};
use crate::prior::hyper::GammaPrior;
use crate::transform::{InputTransform, Step};
use crate::triplets::TeacherError;
use std::fmt;
use std::sync::atomic::AtomicBool;
use thiserror::Error;

/// How codes are extended.
#[derive(Clone)]
pub struct ExtendSettings<'a> {
    /// The model that proposes bits.
    pub model: ModelOptions,
    /// Prior of the weights of old bits; by default all of them together weigh as much as ten new ones.
    pub old_weights: Option<GammaPrior>,
    /// Transform of the inputs before they reach the model.
    pub transform: InputTransform,
    /// Source of all random numbers.
    pub seed: u64,
    /// Chains that propose bits.
    pub chains: usize,
    /// Sweeps of every chain.
    pub sweeps: u64,
    /// Largest number of remembered objects.
    pub capacity: usize,
    /// Threads; 0 takes all cores.
    pub threads: usize,
    /// Once true, learning ends with an error and the codes stay as they were.
    pub stop: &'a AtomicBool,
    /// Called as each chain ends, with its number.
    pub on_chain: &'a (dyn Fn(usize) + Sync),
}

/// A stop flag that is never raised.
static NEVER: AtomicBool = AtomicBool::new(false);

impl Default for ExtendSettings<'_> {
    fn default() -> Self {
        Self {
            model: ModelOptions::new(ModelKind::default(), Preset::Hash),
            old_weights: None,
            transform: InputTransform { steps: vec![Step::Standardise, Step::Scale] },
            seed: 0,
            chains: 5,
            sweeps: 200,
            capacity: 1000,
            threads: 0,
            stop: &NEVER,
            on_chain: &|_| (),
        }
    }
}

impl fmt::Debug for ExtendSettings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("ExtendSettings");
        out.field("model", &self.model).field("transform", &self.transform).field("seed", &self.seed);
        out.field("chains", &self.chains).field("sweeps", &self.sweeps).field("capacity", &self.capacity);
        out.finish_non_exhaustive()
    }
}

impl ExtendSettings<'_> {
    pub(super) fn check(&self) -> Result<(), ExtendError> {
        if self.chains == 0 {
            return Err(ExtendError::NoChain);
        }
        if self.model.preset == Some(Preset::Open) {
            return Err(ExtendError::OpenPreset);
        }
        Ok(())
    }
}

/// Why codes could not be extended; the codes are unchanged.
#[derive(Debug, Error)]
pub enum ExtendError {
    /// The number of chains is 0.
    #[error("the number of chains is 0; it must be at least 1")]
    NoChain,
    /// A preset that adds unsupervised bits.
    #[error("the preset open adds unsupervised bits, but codes are extended by learned bits; choose hash")]
    OpenPreset,
    /// Objects with another number of inputs.
    #[error("the objects have {got} inputs, but the codes were learned from {expected}")]
    Inputs {
        /// Inputs of the codes.
        expected: usize,
        /// Inputs of the objects.
        got: usize,
    },
    /// Old bits that do not fit the objects or the codes.
    #[error("the objects need {n_objects} codes of {n_bits} old bits, but {given_objects} of {given_bits} are given")]
    Given {
        /// Objects of the batch.
        n_objects: usize,
        /// Old bits.
        n_bits: usize,
        /// Codes given.
        given_objects: usize,
        /// Bits given.
        given_bits: usize,
    },
    /// Objects that cannot be joined with the remembered ones.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// No triplet is about a held-out object.
    #[error("no triplet is left for objects that are held out; learning further bits needs more objects or triplets")]
    NothingHeldOut,
    /// The stop flag was raised.
    #[error("stopped; the codes are as they were")]
    Stopped,
    /// The model's bits are not thresholds of projections, which alone stay valid for any object.
    #[error("bits of the model {model} are no function of the inputs alone, so they cannot extend codes")]
    NotLinear {
        /// The model.
        model: &'static str,
    },
    /// Inputs that the transform does not allow.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Labels or triplets that teach nothing about the objects at hand.
    #[error(transparent)]
    Teacher(#[from] TeacherError),
    /// A fit.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// Codes of a fit.
    #[error(transparent)]
    Coding(#[from] CodingError),
    /// Blocks that do not belong together.
    #[error(transparent)]
    Stack(#[from] StackError),
}
