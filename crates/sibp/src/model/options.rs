//! Holds the choice of a model, and the user's changes of its preset.

use super::{ModelKind, PreferencePrior, Preset, Start};
use crate::prior::hyper::{GammaPrior, LapsePrior};
use crate::prior::proximity::{DecayChoice, DecayKind, Distance};
use crate::schedule::Schedule;

/// A model by name and preset, with the user's changes.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelOptions {
    /// The model.
    pub kind: ModelKind,
    /// The preset that its settings start from.
    pub preset: Preset,
    /// The schedule of a sweep; by default that of the model, adapted to the number of objects.
    pub schedule: Option<Schedule>,
    /// Where chains start.
    pub start: Option<Start>,
    /// Pseudo-weight of the preference likelihood.
    pub pseudo_weight: Option<f64>,
    /// Lapse rate or its prior.
    pub lapse: Option<LapsePrior>,
    /// Weights of the bits or their prior.
    pub weights: Option<GammaPrior>,
    /// Weights of given bits or their prior.
    pub given_weights: Option<GammaPrior>,
    /// How distances are measured, for a model that uses them.
    pub distance: Distance,
    /// How proximity falls with distance, for a model that uses distances.
    pub decay: DecayChoice,
}

impl ModelOptions {
    /// The unchanged preset.
    pub fn new(kind: ModelKind, preset: Preset) -> Self {
        Self {
            kind,
            preset,
            schedule: None,
            start: None,
            pseudo_weight: None,
            lapse: None,
            weights: None,
            given_weights: None,
            distance: Distance::Input,
            decay: DecayChoice::Suited(DecayKind::Exponential),
        }
    }

    /// The preset's priors of the preference likelihood, with the user's changes.
    pub fn preference(&self, preset: PreferencePrior) -> PreferencePrior {
        PreferencePrior {
            pseudo_weight: self.pseudo_weight.unwrap_or(preset.pseudo_weight),
            lapse: self.lapse.unwrap_or(preset.lapse),
            weights: self.weights.unwrap_or(preset.weights),
            given_weights: self.given_weights.or(preset.given_weights),
        }
    }
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self::new(ModelKind::default(), Preset::Hash)
    }
}

impl From<ModelKind> for ModelOptions {
    fn from(kind: ModelKind) -> Self {
        Self { kind, ..Self::default() }
    }
}
