//! Names the models for settings, files and commands, where the choice is made at run time.

use super::{DdIbpModel, GaussianModel, ProbitModel, SettingsError};
use serde::{Deserialize, Serialize};

/// Which model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelKind {
    /// Super Probit IBP: the data predict the bits, which explain the triplets.
    Probit,
    /// Super Gaussian IBP: bits generate the data and explain the triplets.
    Gaussian,
    /// Plain IBP: bits generate the data.
    Ibp,
    /// Distance-dependent IBP: bits generate the data and are shared by objects that are near each other.
    #[serde(rename = "ddibp")]
    DdIbp,
}

/// A model with all its settings, as files store it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AnyModel {
    /// Super Probit IBP.
    Probit(ProbitModel),
    /// Super Gaussian IBP.
    Gaussian(GaussianModel),
    /// Plain IBP: the same model, run without triplets.
    Ibp(GaussianModel),
    /// Distance-dependent IBP.
    #[serde(rename = "ddibp")]
    DdIbp(DdIbpModel),
}

impl AnyModel {
    /// Which model it is.
    pub fn kind(&self) -> ModelKind {
        match self {
            Self::Probit(_) => ModelKind::Probit,
            Self::Gaussian(_) => ModelKind::Gaussian,
            Self::Ibp(_) => ModelKind::Ibp,
            Self::DdIbp(_) => ModelKind::DdIbp,
        }
    }

    /// Refuses settings that no run can use.
    pub fn check(&self) -> Result<(), SettingsError> {
        match self {
            Self::Probit(model) => model.check(),
            Self::Gaussian(model) | Self::Ibp(model) => model.check(),
            Self::DdIbp(model) => model.check(),
        }
    }
}
