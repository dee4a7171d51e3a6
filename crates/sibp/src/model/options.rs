//! Holds the choice of a model, and the user's changes of its preset.

use super::{Link, ModelKind, PreferencePrior, Preset, Start};
use crate::prior::hyper::{GammaPrior, LapsePrior};
use crate::prior::proximity::{DecayChoice, DecayKind, Distance};
use crate::schedule::Schedule;

/// A model by name and preset, with the user's changes.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelOptions {
    /// The model.
    pub kind: ModelKind,
    /// The preset that its settings start from; by default the one that suits what the model learns from.
    pub preset: Option<Preset>,
    /// The schedule of a sweep; by default that of the model, adapted to the number of objects.
    pub schedule: Option<Schedule>,
    /// Where chains start.
    pub start: Option<Start>,
    /// The form of the preference probability.
    pub link: Option<Link>,
    /// Pseudo-weight of the ratio.
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
    pub fn new(kind: ModelKind, preset: impl Into<Option<Preset>>) -> Self {
        Self {
            kind,
            preset: preset.into(),
            schedule: None,
            start: None,
            link: None,
            pseudo_weight: None,
            lapse: None,
            weights: None,
            given_weights: None,
            distance: Distance::Input,
            decay: DecayChoice::Suited(DecayKind::Exponential),
        }
    }

    /// The preset that settings start from: for hashing, where nothing else was chosen.
    pub fn preset(&self) -> Preset {
        self.preset.unwrap_or(Preset::Hash)
    }

    /// The user's schedule; else that of the model, with what the link needs.
    pub fn schedule_for(&self, own: Schedule, preference: &PreferencePrior) -> Schedule {
        match (&self.schedule, preference.link) {
            (Some(schedule), _) => schedule.clone(),
            (None, Link::Ratio) => own,
            (None, Link::Logistic(_)) => own.with_slope(),
        }
    }

    /// The preset's priors of the preference likelihood, with the user's changes.
    pub fn preference(&self, preset: PreferencePrior) -> PreferencePrior {
        PreferencePrior {
            pseudo_weight: self.pseudo_weight.unwrap_or(preset.pseudo_weight),
            lapse: self.lapse.unwrap_or(preset.lapse),
            weights: self.weights.unwrap_or(preset.weights),
            given_weights: self.given_weights.or(preset.given_weights),
            link: self.link.unwrap_or(preset.link),
        }
    }
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self::new(ModelKind::default(), None)
    }
}

impl From<ModelKind> for ModelOptions {
    fn from(kind: ModelKind) -> Self {
        Self { kind, ..Self::default() }
    }
}
