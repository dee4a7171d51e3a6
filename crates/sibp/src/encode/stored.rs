//! Takes out of an encoder the numbers that decide its bits, and makes an encoder of them again.

use super::{Encoder, GaussianEncoder, Hyperplanes, ProbitEncoder};
use crate::codes::Codes;
use thiserror::Error;

/// The numbers that decide the bits of an encoder, without the draw that they came from.
#[derive(Debug, Clone, PartialEq)]
pub enum StoredEncoder {
    /// A bit is 1 where x·g + t > 0, and its probability is Φ(x·g + t).
    Probit(Hyperplanes),
    /// A bit is 1 where x·g + t > 1/2, which is an estimate of it.
    Linear(Hyperplanes),
    /// An object gets the code under which it is most probable.
    BestCode(Candidates),
}

/// The codes that objects can get, and the law of the inputs of objects that have them.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidates {
    /// The codes, without repetition.
    pub codes: Codes,
    /// What each bit adds to the inputs, bits × inputs: their mean under a code is the sum over its bits.
    pub images: Vec<f64>,
    /// What the log density under each code begins with: the log of its share, and the constant of the normal law.
    pub log_constants: Vec<f64>,
    /// One over twice the variance of the inputs under each code.
    pub precisions: Vec<f64>,
}

/// Why stored numbers make no encoder.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StoredError {
    /// Lists that do not belong together.
    #[error("{what}: there are {found} numbers instead of {expected}")]
    Length {
        /// Which numbers.
        what: &'static str,
        /// How many there must be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A number that no encoder has.
    #[error("{what}: a number cannot be used")]
    Number {
        /// Which numbers.
        what: &'static str,
    },
    /// There is no code that an object could get.
    #[error("there is no code that an object could get")]
    NoCodes,
}

impl StoredEncoder {
    /// Bits of a code.
    pub fn n_bits(&self) -> usize {
        match self {
            Self::Probit(planes) | Self::Linear(planes) => planes.offsets.len(),
            Self::BestCode(candidates) => candidates.codes.n_bits(),
        }
    }

    /// Refuses numbers that do not belong together, for this number of (transformed) inputs.
    pub fn check(&self, n_inputs: usize) -> Result<(), StoredError> {
        match self {
            Self::Probit(planes) | Self::Linear(planes) => {
                let n_bits = planes.offsets.len();
                check_numbers("coefficients", &planes.coefficients, n_bits.saturating_mul(n_inputs))?;
                check_numbers("thresholds", &planes.offsets, n_bits)
            }
            Self::BestCode(Candidates { codes, images, log_constants, precisions }) => {
                let n_codes = codes.n_objects();
                if n_codes == 0 {
                    return Err(StoredError::NoCodes);
                }
                check_numbers("images", images, codes.n_bits().saturating_mul(n_inputs))?;
                check_numbers("log constants", log_constants, n_codes)?;
                check_numbers("precisions", precisions, n_codes)?;
                match precisions.iter().all(|&precision| precision > 0.0) {
                    true => Ok(()),
                    false => Err(StoredError::Number { what: "precisions" }),
                }
            }
        }
    }

    /// The encoder of these numbers, for this number of (transformed) inputs.
    pub fn restore(&self, n_inputs: usize) -> Result<Box<dyn Encoder>, StoredError> {
        self.check(n_inputs)?;
        Ok(match self.clone() {
            Self::Probit(planes) => Box::new(ProbitEncoder::of_hyperplanes(n_inputs, planes)),
            Self::Linear(planes) => Box::new(GaussianEncoder::of_hyperplanes(n_inputs, planes)),
            Self::BestCode(candidates) => Box::new(GaussianEncoder::of_candidates(n_inputs, &candidates)),
        })
    }
}

fn check_numbers(what: &'static str, numbers: &[f64], expected: usize) -> Result<(), StoredError> {
    let found = numbers.len();
    if found != expected {
        return Err(StoredError::Length { what, expected, found });
    }
    match numbers.iter().all(|number| number.is_finite()) {
        true => Ok(()),
        false => Err(StoredError::Number { what }),
    }
}
