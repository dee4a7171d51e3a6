//! Lists the ways in which an object can get its bits.

use crate::trace::RestoreError;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// How an object gets its bits. Each model has some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncoderChoice {
    /// The most probable coefficients given the draw's bits: much better codes than a single draw of them.
    Refit,
    /// The draw's own coefficients.
    Drawn,
    /// The training code under which the object is most probable.
    BestCode,
    /// Linear regression on the bits' images (the input pattern that each bit adds) around the mean code, with the
    /// training codes' covariance as prior, rounded at one half.
    Ridge,
    /// Least squares on the bits' images, rounded at one half: the paper's encoder, near chance when bits outnumber
    /// inputs.
    LeastSquares,
    /// A draw from the posterior of the bits by Gibbs sampling.
    Gibbs,
    /// Links to training objects as prior, then a draw from the posterior of the bits (with output distances the class
    /// is sampled too).
    Links,
}

impl EncoderChoice {
    /// All encoders.
    pub const ALL: &[Self] =
        &[Self::Refit, Self::Drawn, Self::BestCode, Self::Ridge, Self::LeastSquares, Self::Gibbs, Self::Links];

    /// Whether its bits depend on the inputs and on numbers of the model alone, so that they can be given anywhere: not on
    /// training objects, nor on chance.
    pub fn travels(self) -> bool {
        match self {
            Self::Refit | Self::Drawn | Self::BestCode | Self::Ridge | Self::LeastSquares => true,
            Self::Gibbs | Self::Links => false,
        }
    }

    /// Name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Refit => "refit",
            Self::Drawn => "drawn",
            Self::BestCode => "best-code",
            Self::Ridge => "ridge",
            Self::LeastSquares => "least-squares",
            Self::Gibbs => "gibbs",
            Self::Links => "links",
        }
    }

    /// Description in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Refit => "the most probable coefficients given the draw's bits",
            Self::Drawn => "the draw's own coefficients",
            Self::BestCode => "the training code under which the object is most probable",
            Self::Ridge => "linear regression on the images of the bits, cut at one half",
            Self::LeastSquares => "least squares on the images of the bits, cut at one half",
            Self::Gibbs => "a draw from the posterior of the bits",
            Self::Links => {
                "the same, with links to training objects as prior (output distances: the class is drawn too)"
            }
        }
    }
}

impl fmt::Display for EncoderChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for a text that names no encoder.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{name:?} is unknown; choose {}", list_encoders(EncoderChoice::ALL))]
pub struct UnknownEncoder {
    name: String,
}

impl FromStr for EncoderChoice {
    type Err = UnknownEncoder;

    fn from_str(text: &str) -> Result<Self, UnknownEncoder> {
        let found = Self::ALL.iter().copied().find(|choice| choice.name() == text);
        found.ok_or_else(|| UnknownEncoder { name: text.to_owned() })
    }
}

/// Why a draw cannot encode in the chosen way.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EncoderError {
    /// The encoder is not one of this model's.
    #[error("the model {model} does not encode by {encoder}; choose {}", list_encoders(offered))]
    Foreign {
        /// The encoder.
        encoder: EncoderChoice,
        /// The model.
        model: &'static str,
        /// The encoders that the model has.
        offered: &'static [EncoderChoice],
    },
    /// The inputs or classes of the training objects, needed for distances to them, are not stored.
    #[error("the model holds nothing that distances to its training objects could be taken from")]
    NoPlaces,
    /// The draw's coefficients were not refitted to its bits.
    #[error(
        "the draw of sweep {sweep} was not prepared for the encoder 'refit': that is done at the end of a run, for the best \
         and the last draw of each chain. If the run was cut off, resume it; otherwise refit with the training inputs, or \
         encode by 'drawn'"
    )]
    NotRefitted {
        /// The draw.
        sweep: u64,
    },
    /// A draw lacks what its encoder needs.
    #[error(transparent)]
    Restore(#[from] RestoreError),
}

/// "refit or drawn", "ridge, gibbs or links".
pub(crate) fn list_encoders(choices: &[EncoderChoice]) -> String {
    let names: Vec<&str> = choices.iter().map(|choice| choice.name()).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}
