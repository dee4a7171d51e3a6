//! Lists the models, one line each, and dispatches to the one chosen at run time.

use super::definition::{
    About, DistanceDependentIbp, Footprint, ModelDefinition, PlainIbp, Reference, Shape, SuperGaussian, SuperProbit,
    Training,
};
use super::{Model, ModelOptions, Observations, ObservationsError, PreferencePrior, SettingsError, Start};
use crate::data::Inputs;
use crate::encode::{Encoder, EncoderChoice, EncoderError};
use crate::schedule::Schedule;
use crate::trace::{Draw, RestoreError};
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
    /// A small model for tests only.
    Bernoulli(super::bernoulli::NoisyOr) = "bernoulli",
}

/// An operation on a model of any kind, generic over the type of its state.
pub trait ModelVisitor {
    /// Result of the operation.
    type Output;
    /// Applies the operation to a model of the kind `D`.
    fn visit<D: ModelDefinition>(self, model: &D::Model) -> Self::Output;
}

/// An operation on any kind of model, without a model's settings.
pub trait DefinitionVisitor {
    /// Result of the operation.
    type Output;
    /// Applies the operation to the kind `D`.
    fn visit<D: ModelDefinition>(self) -> Self::Output;
}

/// The error for a text that names no model.
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
    /// The first model of the list.
    fn default() -> Self {
        Self::ALL[0]
    }
}

impl ModelKind {
    /// Name in files, on the command line and in Python.
    pub fn name(self) -> &'static str {
        self.about().name
    }
}

impl AnyModel {
    /// The properties of models of this kind.
    pub fn about(&self) -> &'static About {
        self.kind().about()
    }
}
