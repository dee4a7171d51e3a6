//! Lists the models, one line each, and asks each about itself where the choice is made at run time.

use super::definition::{
    About, DistanceDependentIbp, Footprint, ModelDefinition, PlainIbp, Reference, Shape, SuperGaussian, SuperProbit,
    Training,
};
use super::{Model, ModelOptions, Observations, ObservationsError, PreferencePrior, SettingsError, Start};
use crate::data::Inputs;
use crate::encode::{Encoder, EncoderChoice, EncoderError};
use crate::schedule::Schedule;
use crate::trace::Draw;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use thiserror::Error;

models! {
    /// Super Probit IBP: the data predict the bits, which explain the triplets.
    Probit(SuperProbit) = "probit",
    /// Super Gaussian IBP: bits generate the data and explain the triplets.
    Gaussian(SuperGaussian) = "gaussian",
    /// Plain IBP: bits generate the data.
    Ibp(PlainIbp) = "ibp",
    /// Distance-dependent IBP: bits generate the data and are shared by objects that are near each other.
    DdIbp(DistanceDependentIbp) = "ddibp",
    #[cfg(feature = "test-model")]
    /// A small model that only tests turn on.
    Bernoulli(super::bernoulli::NoisyOr) = "bernoulli",
}

/// Does the same to a model of any kind, where the type of its state matters.
pub trait ModelVisitor {
    /// What comes of it.
    type Output;
    /// Does it to a model of the kind `D`.
    fn visit<D: ModelDefinition>(self, model: &D::Model) -> Self::Output;
}

/// Does the same for any kind of model.
pub trait DefinitionVisitor {
    /// What comes of it.
    type Output;
    /// Does it for the kind `D`.
    fn visit<D: ModelDefinition>(self) -> Self::Output;
}

/// A text that names no model.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{name}' is no model; choose {}", names())]
pub struct UnknownModel {
    name: String,
}

fn names() -> String {
    ModelKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

impl FromStr for ModelKind {
    type Err = UnknownModel;

    fn from_str(text: &str) -> Result<Self, UnknownModel> {
        let found = Self::ALL.iter().copied().find(|kind| kind.name() == text);
        found.ok_or_else(|| UnknownModel { name: text.to_owned() })
    }
}

impl Default for ModelKind {
    /// The first of the list.
    fn default() -> Self {
        Self::ALL[0]
    }
}

impl ModelKind {
    /// Its name in files, on the command line and in Python.
    pub fn name(self) -> &'static str {
        self.about().name
    }
}

impl AnyModel {
    /// What holds for every model of its kind.
    pub fn about(&self) -> &'static About {
        self.kind().about()
    }
}
