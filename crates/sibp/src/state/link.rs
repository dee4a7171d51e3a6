//! Defines the links between bits and the probability of a preference, by name.

use crate::prior::hyper::SlopePrior;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use thiserror::Error;

/// How the weight of the bits that speak for near (A) and for far (B) becomes a probability.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Link {
    /// A/(A + B), Eq. (2), with a pseudo-weight.
    #[default]
    Ratio,
    /// 1/(1 + exp(-slope (A - B))), with a prior of the slope.
    Logistic(SlopePrior),
}

impl Link {
    /// The logistic link with the default prior of its slope.
    pub const LOGISTIC: Self = Self::Logistic(SlopePrior::LogNormal { mean: 0.0, deviation: 2.0 });

    /// Whether it is the ratio.
    pub(super) fn is_ratio(&self) -> bool {
        *self == Self::Ratio
    }
}

/// The error for a text that names no link.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is no link; write ratio, logistic or logistic:SLOPE")]
pub struct LinkError(String);

impl FromStr for Link {
    type Err = LinkError;

    /// `ratio`, `logistic` or `logistic:0.3`.
    fn from_str(text: &str) -> Result<Self, LinkError> {
        let wrong = || LinkError(text.to_owned());
        match text.split_once(':') {
            None if text == "ratio" => Ok(Self::Ratio),
            None if text == "logistic" => Ok(Self::LOGISTIC),
            Some(("logistic", slope)) => {
                slope.parse().map(|slope| Self::Logistic(SlopePrior::Fixed(slope))).map_err(|_| wrong())
            }
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_have_names() {
        assert_eq!("ratio".parse(), Ok(Link::Ratio));
        assert_eq!("logistic".parse(), Ok(Link::LOGISTIC));
        assert_eq!("logistic:0.3".parse(), Ok(Link::Logistic(SlopePrior::Fixed(0.3))));
        for text in ["linear", "logistic:", "logistic:x", "ratio:2"] {
            assert_eq!(text.parse::<Link>(), Err(LinkError(text.to_owned())));
        }
    }
}
