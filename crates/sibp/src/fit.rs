//! Joins data, a model and its settings into a problem that can be run and saved.

use crate::bits::BitMatrix;
use crate::data::{DataError, Features, InputTransform, Labels, Table, Transform};
use crate::format::{Digests, GivenBits, ModelInfo, TripletOrigin};
use crate::kernel::Schedule;
use crate::model::{
    AnyModel, DdIbpModel, GaussianModel, ModelKind, Observations, Positions, PreferencePrior, Preset, ProbitModel,
    SettingsError, Start,
};
use crate::prior::hyper::{GammaPrior, LapsePrior};
use crate::prior::proximity::{Decay, DecayKind, Distance, Places};
use crate::run::{RunSettings, RunSettingsError};
use crate::triplets::TripletSet;
use std::str::FromStr;
use thiserror::Error;

/// How fast nearness fades with distance, in the distance-dependent IBP.
///
/// As text: `exponential:RATE`, `window:WIDTH` or `logistic:CENTRE,SCALE`, or the word alone for numbers that suit the
/// data.
///
/// ```
/// use sibp::fit::DecayChoice;
/// use sibp::prior::proximity::{Decay, DecayKind};
/// assert_eq!("window".parse(), Ok(DecayChoice::Suited(DecayKind::Window)));
/// assert_eq!("logistic:3,0.5".parse(), Ok(DecayChoice::Given(Decay::Logistic { centre: 3.0, scale: 0.5 })));
/// assert!("logistic:3".parse::<DecayChoice>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DecayChoice {
    /// A form whose numbers suit the data.
    Suited(DecayKind),
    /// These numbers.
    Given(Decay),
}

/// A text that names no decay.
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

/// A model by name and preset, with what the user changed.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelOptions {
    /// Which model.
    pub kind: ModelKind,
    /// Where its settings begin.
    pub preset: Preset,
    /// What a sweep does; see [`default_schedule`].
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
    /// What nearness is, in the distance-dependent IBP.
    pub distance: Distance,
    /// How fast it fades, in the same model.
    pub decay: DecayChoice,
}

impl ModelOptions {
    /// The preset as it is.
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

    /// The model for these (transformed) inputs and classes, unchecked.
    pub fn model(&self, inputs: &Features, classes: Option<&[u32]>) -> Result<AnyModel, ProblemError> {
        Ok(match self.kind {
            ModelKind::Probit => {
                let mut model = self.probit();
                if self.schedule.is_none() {
                    model.schedule = model.schedule.for_objects(inputs.n_objects());
                }
                AnyModel::Probit(model)
            }
            ModelKind::Gaussian => AnyModel::Gaussian(self.gaussian(inputs, true)),
            ModelKind::Ibp => AnyModel::Ibp(self.gaussian(inputs, false)),
            ModelKind::DdIbp => AnyModel::DdIbp(self.linked(inputs, classes)?),
        })
    }

    fn linked(&self, inputs: &Features, classes: Option<&[u32]>) -> Result<DdIbpModel, ProblemError> {
        let places = match (self.distance, classes) {
            (Distance::Input, _) => Places::Inputs(inputs),
            (Distance::Output, Some(classes)) => Places::Classes(classes),
            (Distance::Output, None) => return Err(ProblemError::NoClasses),
        };
        let decay = match self.decay {
            DecayChoice::Given(decay) => decay,
            DecayChoice::Suited(kind) => Decay::suited(kind, &places),
        };
        let mut model = DdIbpModel::preset(inputs, self.distance, decay);
        model.schedule = self.schedule.clone().unwrap_or(model.schedule);
        model.start = self.start.unwrap_or(model.start);
        Ok(model)
    }

    /// The probit model, which needs no inputs to set its priors; unchecked.
    pub fn probit(&self) -> ProbitModel {
        let mut model = ProbitModel::preset(self.preset);
        model.schedule = self.schedule.clone().unwrap_or(model.schedule);
        model.start = self.start.unwrap_or(model.start);
        model.preference = self.preference(model.preference);
        model
    }

    fn gaussian(&self, inputs: &Features, supervised: bool) -> GaussianModel {
        let mut model = GaussianModel::preset(self.preset, inputs, supervised);
        model.schedule = self.schedule.clone().unwrap_or(model.schedule);
        model.start = self.start.unwrap_or(model.start);
        model.preference = self.preference(model.preference);
        model
    }

    fn preference(&self, preset: PreferencePrior) -> PreferencePrior {
        PreferencePrior {
            pseudo_weight: self.pseudo_weight.unwrap_or(preset.pseudo_weight),
            lapse: self.lapse.unwrap_or(preset.lapse),
            weights: self.weights.unwrap_or(preset.weights),
            given_weights: self.given_weights.or(preset.given_weights),
        }
    }
}

/// The input transform that suits a model.
pub fn default_transform(kind: ModelKind) -> &'static str {
    match kind {
        ModelKind::Probit => "standardise,scale",
        ModelKind::Gaussian | ModelKind::Ibp | ModelKind::DdIbp => "centre",
    }
}

/// What a sweep of a model does unless the user says otherwise; of many objects, see [`Schedule::for_objects`].
pub fn default_schedule(kind: ModelKind) -> Schedule {
    match kind {
        ModelKind::Probit => Schedule::probit(),
        ModelKind::Gaussian => Schedule::gaussian(),
        ModelKind::Ibp => Schedule::ibp(),
        ModelKind::DdIbp => Schedule::ddibp(),
    }
}

/// The training data of a problem.
#[derive(Debug)]
pub struct TrainingData {
    /// Inputs as they were read, with labels, ids and names.
    pub table: Table,
    /// Triplets over the rows of the table.
    pub triplets: TripletSet,
    /// Where they came from.
    pub origin: TripletOrigin,
    /// Bits that the objects have already.
    pub given: Option<GivenBits>,
}

/// A model, the data it is to explain, and the words that describe both in the model file.
#[derive(Debug)]
pub struct Problem {
    /// Transformed inputs, triplets and given bits.
    pub observations: Observations,
    /// Model and settings.
    pub info: ModelInfo,
}

/// Why there is nothing to run.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ProblemError {
    /// The transform does not suit the inputs.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Distances between classes need labels.
    #[error("output distances are between classes, but the objects have no labels")]
    NoClasses,
    /// A setting of the model.
    #[error(transparent)]
    Model(#[from] SettingsError),
    /// A setting of the run.
    #[error(transparent)]
    Run(#[from] RunSettingsError),
}

impl Problem {
    /// Transforms the inputs and checks model and settings.
    pub fn new(
        data: TrainingData,
        transform: &InputTransform,
        options: &ModelOptions,
        settings: RunSettings,
    ) -> Result<Self, ProblemError> {
        let TrainingData { table, triplets, origin, given } = data;
        let (transform, transformed) = Transform::fit_apply(transform, &table.features)?;
        transformed.check_squares()?;
        let model = options.model(&transformed, table.labels.as_ref().map(Labels::class_of))?;
        model.check()?;
        settings.check()?;
        let digests = Digests::new(&table.features, table.labels.as_ref(), table.ids.as_ref(), &triplets)
            .with_given(given.as_ref().map(|given| &given.codes));
        let mut observations = Observations::new(transformed, triplets);
        if let Some(given) = &given {
            observations.given = BitMatrix::from_codes(&given.codes);
        }
        let mut inputs = None;
        if let AnyModel::DdIbp(model) = &model {
            match (model.distance, &table.labels) {
                (Distance::Output, Some(labels)) => {
                    observations.positions = Positions::Classes(labels.class_of().to_vec());
                }
                _ => inputs = Some(observations.features.clone()),
            }
        }
        let info = ModelInfo {
            model,
            settings,
            transform,
            n_objects: table.features.n_objects(),
            input_names: table.input_names,
            triplets: origin,
            digests,
            labels: table.labels,
            ids: table.ids,
            given,
            inputs,
        };
        Ok(Self { observations, info })
    }
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
