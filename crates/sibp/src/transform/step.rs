//! Defines the steps of an input transform, and reads and writes them as text.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::data::{DataError, Precision};

/// A step of an input transform, as the user chooses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// The square root of every value, good for counts and histograms.
    SquareRoot,
    /// Subtracts every column's mean.
    Centre,
    /// Subtracts every column's mean and divides by its standard deviation; constant columns become 0.
    Standardise,
    /// Divides all values by one number, so that the mean squared norm of the rows is 1.
    Scale,
    /// Divides every row by its norm, good for embeddings that are compared by their angle; rows of zeros stay.
    Unit,
    /// Projects on this many principal axes.
    Principal(usize),
    /// Rounds every value to single precision, which halves the memory or the disk that inputs need.
    Single,
    /// Maps to this many random Fourier features, so that boundaries may be curved.
    Fourier(usize),
    /// Maps to the similarity to this many training objects; its width in percent of the median distance may be given.
    Anchors(usize, Similarity, Option<usize>),
}

/// How the similarity of two objects falls with their distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Similarity {
    /// exp(-d²/2) of the Euclidean distance: smooth, good where inputs count together.
    Gaussian,
    /// exp(-d) of the sum of absolute differences: good for histograms, and where single inputs tell.
    Laplace,
}

impl Similarity {
    /// Both, by the names of their steps.
    const ALL: [(Self, &'static str); 2] = [(Self::Gaussian, "anchors"), (Self::Laplace, "laplace")];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Gaussian => "Gaussian similarity",
            Self::Laplace => "Laplacian similarity",
        }
    }

    fn step_name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

impl FromStr for Step {
    type Err = DataError;

    fn from_str(text: &str) -> Result<Self, DataError> {
        let unknown = || DataError::UnknownStep {
            asked: text.trim().to_owned(),
            known: "sqrt, centre, standardise, scale, unit, single, pca:N, fourier:N, anchors:N, laplace:N".to_owned(),
        };
        let mut parts = text.trim().split(':');
        let name = parts.next().unwrap_or_default();
        let sizes = parts.map(|size| size.parse::<usize>().map_err(|_| unknown())).collect::<Result<Vec<_>, _>>()?;
        if let Some((similarity, _)) = Similarity::ALL.into_iter().find(|(_, own)| *own == name) {
            return match sizes.as_slice() {
                [size] => Ok(Self::Anchors(*size, similarity, None)),
                [size, percent] => Ok(Self::Anchors(*size, similarity, Some(*percent))),
                _ => Err(unknown()),
            };
        }
        let size = match sizes.as_slice() {
            [] => None,
            [size] => Some(*size),
            _ => return Err(unknown()),
        };
        match (name, size) {
            ("sqrt", None) => Ok(Self::SquareRoot),
            ("centre", None) => Ok(Self::Centre),
            ("standardise", None) => Ok(Self::Standardise),
            ("scale", None) => Ok(Self::Scale),
            ("unit", None) => Ok(Self::Unit),
            ("single", None) => Ok(Self::Single),
            ("pca", Some(size)) => Ok(Self::Principal(size)),
            ("fourier", Some(size)) => Ok(Self::Fourier(size)),
            _ => Err(unknown()),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SquareRoot => f.write_str("sqrt"),
            Self::Centre => f.write_str("centre"),
            Self::Standardise => f.write_str("standardise"),
            Self::Scale => f.write_str("scale"),
            Self::Unit => f.write_str("unit"),
            Self::Single => f.write_str("single"),
            Self::Principal(size) => write!(f, "pca:{size}"),
            Self::Fourier(size) => write!(f, "fourier:{size}"),
            Self::Anchors(size, similarity, None) => write!(f, "{}:{size}", similarity.step_name()),
            Self::Anchors(size, similarity, Some(percent)) => write!(f, "{}:{size}:{percent}", similarity.step_name()),
        }
    }
}

/// An input transform as the user chooses it: steps in order, none to leave the inputs as they are.
///
/// ```
/// use sibp::transform::InputTransform;
/// let steps: InputTransform = "sqrt,standardise".parse()?;
/// assert_eq!(steps.to_string(), "sqrt,standardise");
/// assert!("square".parse::<InputTransform>().is_err());
/// # Ok::<(), sibp::data::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InputTransform {
    /// The steps in order.
    pub steps: Vec<Step>,
}

impl InputTransform {
    /// Bytes in which an output number is stored, for input numbers of `n_bytes`.
    pub fn number_bytes(&self, n_bytes: usize) -> usize {
        match self.steps.last() {
            None => n_bytes,
            Some(Step::Single) => Precision::Single.bytes(),
            Some(_) => Precision::Double.bytes(),
        }
    }

    /// Number of output columns for `n_inputs` input columns.
    pub fn n_outputs(&self, n_inputs: usize) -> usize {
        self.steps.iter().fold(n_inputs, |n_inputs, step| match step {
            Step::Principal(size) | Step::Fourier(size) | Step::Anchors(size, ..) => *size,
            _ => n_inputs,
        })
    }
}

impl FromStr for InputTransform {
    type Err = DataError;

    fn from_str(text: &str) -> Result<Self, DataError> {
        if matches!(text.trim(), "" | "none") {
            return Ok(Self::default());
        }
        Ok(Self { steps: text.split(',').map(str::parse).collect::<Result<_, _>>()? })
    }
}

impl fmt::Display for InputTransform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.steps.iter().map(Step::to_string).collect();
        f.write_str(if names.is_empty() { "none".to_owned() } else { names.join(",") }.as_str())
    }
}
