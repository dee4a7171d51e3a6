//! Parses a decay of proximity with distance from text.

use super::proximity::{Decay, DecayKind};
use std::str::FromStr;
use thiserror::Error;

/// A decay of proximity with distance, in the distance-dependent IBP.
///
/// As text: `exponential:RATE`, `window:WIDTH` or `logistic:CENTRE,SCALE`, or the word alone for parameters fitted to
/// the data.
///
/// ```
/// use sibp::prior::proximity::{Decay, DecayChoice, DecayKind};
/// assert_eq!("window".parse(), Ok(DecayChoice::Suited(DecayKind::Window)));
/// assert_eq!("logistic:3,0.5".parse(), Ok(DecayChoice::Given(Decay::Logistic { centre: 3.0, scale: 0.5 })));
/// assert!("logistic:3".parse::<DecayChoice>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DecayChoice {
    /// A form whose parameters are fitted to the data.
    Suited(DecayKind),
    /// A form with given parameters.
    Given(Decay),
}

/// The error for a text that names no decay.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{text}' is no decay; write exponential:RATE, window:WIDTH or logistic:CENTRE,SCALE, or the word alone")]
pub struct UnknownDecay {
    /// The text.
    pub text: String,
}

impl FromStr for DecayChoice {
    type Err = UnknownDecay;

    fn from_str(text: &str) -> Result<Self, UnknownDecay> {
        read_decay(text).ok_or_else(|| UnknownDecay { text: text.to_owned() })
    }
}

fn read_decay(text: &str) -> Option<DecayChoice> {
    let Some((kind, numbers)) = text.split_once(':') else {
        return match text {
            "exponential" => Some(DecayChoice::Suited(DecayKind::Exponential)),
            "window" => Some(DecayChoice::Suited(DecayKind::Window)),
            "logistic" => Some(DecayChoice::Suited(DecayKind::Logistic)),
            _ => None,
        };
    };
    let numbers: Vec<f64> = numbers.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
    let decay = match (kind, numbers.as_slice()) {
        ("exponential", &[rate]) => Decay::Exponential { rate },
        ("window", &[width]) => Decay::Window { width },
        ("logistic", &[centre, scale]) => Decay::Logistic { centre, scale },
        _ => return None,
    };
    Some(DecayChoice::Given(decay))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decays_are_read_as_the_help_shows_them() {
        let given = |decay| Ok(DecayChoice::Given(decay));
        assert_eq!("exponential".parse(), Ok(DecayChoice::Suited(DecayKind::Exponential)));
        assert_eq!("window".parse(), Ok(DecayChoice::Suited(DecayKind::Window)));
        assert_eq!("logistic".parse(), Ok(DecayChoice::Suited(DecayKind::Logistic)));
        assert_eq!("exponential:2.5".parse(), given(Decay::Exponential { rate: 2.5 }));
        assert_eq!("window:0".parse(), given(Decay::Window { width: 0.0 }));
        assert_eq!("logistic:3,0.5".parse(), given(Decay::Logistic { centre: 3.0, scale: 0.5 }));
        for text in ["linear", "linear:1", "", "logistic:3", "window:1,2", "window:wide", "exponential:", ":1"] {
            assert_eq!(text.parse::<DecayChoice>(), Err(UnknownDecay { text: text.to_owned() }));
        }
    }
}
