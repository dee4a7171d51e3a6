//! Gives codes to unseen objects by one draw of a model, or by several side by side.

mod choice;
mod ddibp;
mod gaussian;
mod joined;
mod parallel;
mod probit;
mod stored;

pub(crate) use choice::list_encoders;
pub use choice::{EncoderChoice, EncoderError, UnknownEncoder};
pub use ddibp::DdIbpEncoder;
pub use gaussian::GaussianEncoder;
pub use joined::JoinedEncoder;
pub use parallel::encode_parallel;
pub use probit::ProbitEncoder;
pub use stored::{Candidates, StoredEncoder, StoredError};

use crate::codes::Codes;
use crate::data::Inputs;

/// Encodes objects as codes of a fixed number of bits.
pub trait Encoder: Send + Sync {
    /// Bits a code.
    fn n_bits(&self) -> usize;
    /// Inputs an object must have.
    fn n_inputs(&self) -> usize;
    /// Codes of (transformed) inputs. `first_row` is the number of the first object in the whole stream, so that
    /// chunks of any size give the same codes.
    ///
    /// # Panics
    /// When the number of inputs differs: callers transform by the model's own transform, which checks it.
    fn encode(&self, inputs: &Inputs, first_row: u64) -> Codes;
    /// P(bit = 1) of every object and bit, row by row, or a continuous estimate of the bits between 0 and 1; `None` where
    /// the encoder gives neither.
    fn probabilities(&self, _inputs: &Inputs) -> Option<Vec<f64>> {
        None
    }
    /// Whether bits have probabilities given inputs alone.
    fn has_probabilities(&self) -> bool {
        false
    }
    /// Draws of the codes of every object from their posterior, for encoders that sample; `None` for others.
    fn draws(&self, _inputs: &Inputs, _first_row: u64, _n_draws: usize) -> Option<Vec<Vec<DrawnCode>>> {
        None
    }
    /// The hyperplane of each bit, where a bit is a threshold of a projection; `None` otherwise.
    fn hyperplanes(&self) -> Option<Hyperplanes> {
        None
    }
    /// The numbers that decide its bits; `None` where they also depend on training objects or on chance.
    fn stored(&self) -> Option<StoredEncoder> {
        None
    }
}

/// A draw of an object's code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnCode {
    /// The bits that training objects have too.
    pub bits: Vec<bool>,
    /// Further bits that only this object has.
    pub n_new: usize,
}

/// Bits of the form x·g + t > 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperplanes {
    /// g of every bit, bits × inputs.
    pub coefficients: Vec<f64>,
    /// t of every bit.
    pub offsets: Vec<f64>,
}
