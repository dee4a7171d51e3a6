//! Reads settings from Python's dictionaries.

use crate::error::wrong;
use pyo3::prelude::*;
use serde_json::{Value, json};
use sibp::data::Filling;
use sibp::encode::UnknownEncoder;
use sibp::model::{GammaPrior, LapsePrior, LinkError, ModelOptions, Preset, UnknownDecay, UnknownModel};
use sibp::pipeline::{DrawChoice, Effort, Reading};
use sibp::triplets::FromLabels;

/// Parses a value by its name in files; `argument` is named in the error message.
pub fn named<T: serde::de::DeserializeOwned>(argument: &str, name: &str) -> PyResult<T> {
    let problem = |error| wrong(argument, format!("{name:?} is unknown: {error}"));
    serde_json::from_value(Value::String(name.to_owned())).map_err(problem)
}

/// A number, or the two numbers of a prior.
#[derive(FromPyObject)]
pub enum NumberOrPrior {
    Number(f64),
    Prior((f64, f64)),
}

impl NumberOrPrior {
    /// As a lapse rate.
    pub fn lapse(&self) -> LapsePrior {
        match *self {
            Self::Number(value) => LapsePrior::Fixed(value),
            Self::Prior((a, b)) => LapsePrior::Beta { a, b },
        }
    }

    /// As a weight.
    pub fn gamma(&self) -> GammaPrior {
        match *self {
            Self::Number(value) => GammaPrior::Fixed(value),
            Self::Prior((shape, rate)) => GammaPrior::Gamma { shape, rate },
        }
    }
}

/// The parameters of an estimator that decide the draws.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct FitOptions {
    pub kind: String,
    pub preset: Option<String>,
    pub link: Option<String>,
    pub input_transform: Option<String>,
    pub start: Option<String>,
    pub pseudo_weight: Option<f64>,
    pub lapse: Option<NumberOrPrior>,
    pub weights: Option<NumberOrPrior>,
    pub schedule: Option<String>,
    pub distance: String,
    pub decay: String,
    pub seed: u64,
    pub effort: String,
    pub sweeps: Option<u64>,
    pub chains: Option<usize>,
    pub draws: Option<usize>,
    pub distil: Option<usize>,
    pub max_bits: Option<usize>,
    pub unsupervised_bits: Option<usize>,
    pub from_labels: FromLabelsOptions,
}

impl FitOptions {
    /// The model's own options.
    pub fn model(&self) -> PyResult<ModelOptions> {
        let kind = self.kind.parse().map_err(|error: UnknownModel| wrong("kind", error))?;
        let preset: Option<Preset> = self.preset.as_deref().map(|name| named("preset", name)).transpose()?;
        let link = self.link.as_deref().map(str::parse).transpose();
        let schedule = self.schedule.as_deref().map(str::parse).transpose();
        let start = self.start.as_deref().map(str::parse).transpose();
        Ok(ModelOptions {
            schedule: schedule.map_err(|error| wrong("schedule", error))?,
            start: start.map_err(|error| wrong("start", error))?,
            link: link.map_err(|error: LinkError| wrong("link", error))?,
            pseudo_weight: self.pseudo_weight,
            lapse: self.lapse.as_ref().map(NumberOrPrior::lapse),
            weights: self.weights.as_ref().map(NumberOrPrior::gamma),
            distance: named("distance", &self.distance)?,
            decay: self.decay.parse().map_err(|error: UnknownDecay| wrong("decay", error))?,
            ..ModelOptions::new(kind, preset)
        })
    }

    /// How much work the fit may do.
    pub fn effort(&self) -> PyResult<Effort> {
        named("effort", &self.effort)
    }
}

/// How triplets are made from labels.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct FromLabelsOptions {
    pub scheme: String,
    pub per_object: usize,
    pub near: String,
    pub far: String,
}

impl FromLabelsOptions {
    /// The library's options.
    pub fn with_seed(&self, seed: u64) -> PyResult<FromLabels> {
        let far = if self.far == "impostor" { "nearest-impostor" } else { &self.far };
        Ok(FromLabels {
            scheme: named("scheme", &self.scheme)?,
            per_object: self.per_object,
            near: named("near", &self.near)?,
            far: named("far", far)?,
            seed,
        })
    }
}

/// How codes are made from a model.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct CodeOptions {
    pub encoder: Option<String>,
    pub code: String,
    pub seed: u64,
}

impl CodeOptions {
    /// The library's options.
    pub fn reading(&self) -> PyResult<Reading> {
        let encoder = self.encoder.as_deref().map(str::parse).transpose();
        let draws = match self.code.as_str() {
            "suited" => DrawChoice::Suited,
            "distil" => DrawChoice::Distilled,
            "map" => DrawChoice::Map,
            "last" => DrawChoice::Last,
            "concatenate" => DrawChoice::Concatenate,
            name => {
                return Err(wrong(
                    "code",
                    format!("{name:?} is unknown; choose suited, distil, map, last or concatenate"),
                ));
            }
        };
        let encoder = encoder.map_err(|error: UnknownEncoder| wrong("encoder", error))?;
        Ok(Reading { encoder, draws, seed: self.seed, ..Reading::default() })
    }
}

/// The rule by which missing values were treated, and the numbers that took their place.
pub fn filling_of(rule: &str, values: Vec<f64>) -> PyResult<Filling> {
    match rule {
        "mean" => Ok(Filling::Mean { values }),
        "median" => Ok(Filling::Median { values }),
        "drop" => Ok(Filling::Drop),
        other => Err(wrong("missing", format!("{other:?} is unknown; choose mean, median or drop"))),
    }
}

/// The settings of a fitted model as JSON.
pub fn settings_text(file: &sibp::format::Fitted) -> String {
    let info = &file.info;
    json!({
        "model": info.model,
        "run": info.settings,
        "input_transform": info.transform.chosen().to_string(),
        "triplets": info.triplets,
        "n_objects": info.n_objects,
        "n_inputs": info.n_inputs(),
        "input_names": info.input_names,
        "schedule": info.model.schedule().to_string(),
        "supervised": info.model.about().supervised,
        "distances": info.model.about().distances,
        "distilled": file.distilled.as_ref().map(|draw| draw.bits.n_bits()),
    })
    .to_string()
}
