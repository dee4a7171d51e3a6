//! Gives codes to unseen objects, and probabilities to unseen preferences.

mod coding;
mod ddibp;
mod gaussian;
mod given;
mod joined;
mod prefer;
mod probabilities;
mod probit;

pub use coding::{
    Coding, CodingError, CodingOptions, DrawChoice, EncoderChoice, TrainingCodes, encode_parallel, with_given,
};
pub use ddibp::DdIbpEncoder;
pub use gaussian::{GaussianEncoder, GaussianMethod};
pub use given::GivenEncoder;
pub use joined::JoinedEncoder;
pub use prefer::{preference_probabilities, preference_probability};
pub use probabilities::BitProbabilities;
pub use probit::{ProbitEncoder, ProbitMethod};

use crate::codes::Codes;
use crate::data::Features;

/// Something that gives every object a code of a fixed number of bits.
pub trait Encoder: Sync {
    /// Bits a code.
    fn n_bits(&self) -> usize;
    /// Inputs an object must have.
    fn n_inputs(&self) -> usize;
    /// Codes of (transformed) features. `first_row` is the number of the first object in the whole stream, so that
    /// chunks of any size give the same codes.
    ///
    /// # Panics
    /// When the number of inputs differs: callers transform by the model's own transform, which checks it.
    fn encode(&self, features: &Features, first_row: u64) -> Codes;
}
