//! Describes the Super Probit IBP: the inputs predict the bits, which explain the triplets.

use super::{About, Footprint, ModelDefinition, Shape, Training, words};
use crate::data::Inputs;
use crate::encode::{Encoder, EncoderChoice, EncoderError, ProbitEncoder};
use crate::likelihood::probit::{Basis, Limits};
use crate::model::probit::refit;
use crate::model::settings::{check_gamma, check_preference, check_schedule, check_start, check_variance};
use crate::model::{ModelOptions, PreferencePrior, Preset, ProbitModel, SettingsError, Start};
use crate::prior::hyper::{GammaPrior, VariancePrior};
use crate::schedule::Schedule;
use crate::trace::{Draw, RestoreError};

/// The Super Probit IBP (X → Z).
pub struct SuperProbit;

impl ModelDefinition for SuperProbit {
    type Model = ProbitModel;

    const ABOUT: About = About {
        name: "probit",
        title: "Super Probit IBP",
        words: "the inputs predict the bits, which explain the triplets",
        supervised: true,
        transform: "standardise,scale",
        predicts_bits: true,
        distances: false,
        tunable: true,
        pictures: ("What each bit looks for", "Blue pixels speak for the bit, orange ones against it."),
        encoders: &[EncoderChoice::Refit, EncoderChoice::Drawn],
        law: EncoderChoice::Drawn,
        sweep: Schedule::probit,
    };

    fn build(options: &ModelOptions, inputs: &Inputs, _: Option<&[u32]>) -> Result<ProbitModel, SettingsError> {
        let mut model = ProbitModel::preset(options.preset());
        model.preference = options.preference(model.preference);
        model.schedule = options.schedule_for(model.schedule.for_objects(inputs.n_objects()), &model.preference);
        model.start = options.start.unwrap_or(model.start);
        Ok(model)
    }

    fn check(model: &ProbitModel) -> Result<(), SettingsError> {
        check_preference(&model.preference)?;
        check_gamma("concentration", model.concentration)?;
        check_variance("coefficient variance", model.coefficient)?;
        check_start(model.start, Self::ABOUT.name, !matches!(model.start, Start::Links(_)))?;
        check_schedule(model, Self::ABOUT.name)
    }

    fn start(model: &ProbitModel) -> Start {
        model.start
    }

    fn preference(model: &ProbitModel) -> Option<&PreferencePrior> {
        Some(&model.preference)
    }

    fn encoder(
        _: &ProbitModel,
        draw: &Draw,
        training: &Training<'_>,
        choice: Option<EncoderChoice>,
        _: u64,
    ) -> Result<Box<dyn Encoder>, EncoderError> {
        let choice = Self::ABOUT.check_encoder(choice.unwrap_or(EncoderChoice::Refit))?;
        Ok(Box::new(ProbitEncoder::new(draw, training.n_inputs, choice)?))
    }

    fn refit(
        _: &ProbitModel,
        inputs: &Inputs,
        anchors: &[usize],
        draws: &mut [&mut Draw],
        threads: usize,
    ) -> Result<(), RestoreError> {
        let basis = match Basis::new(inputs) {
            Ok(basis) => basis,
            Err(error) => panic!("the inputs are finite, yet their axes were not found: {error}"),
        };
        draws.iter_mut().try_for_each(|draw| refit(&basis, anchors, draw, threads))
    }

    /// Memory for rotated inputs (of a sample where there are many), of many inputs in single precision too, and for
    /// heights and log odds of every bit.
    fn memory(shape: Shape) -> Footprint {
        let rows = shape.n_objects.min(Limits::STANDARD.many_objects as u64);
        let number = if shape.n_inputs > Limits::STANDARD.head as u64 { 12 } else { 8 };
        Footprint {
            shared: rows.saturating_mul(shape.n_inputs).saturating_mul(number),
            of_object: 2 * shape.n_bits * 8,
        }
    }

    fn facts(model: &ProbitModel) -> Vec<(&'static str, String)> {
        let mut facts = words::preference(&model.preference);
        facts.extend([
            ("concentration", words::gamma(model.concentration)),
            ("coefficient variance", words::inverse_gamma(model.coefficient)),
            ("start", model.start.words()),
            ("schedule", model.schedule.to_string()),
        ]);
        facts
    }
}

impl ProbitModel {
    /// The default settings; inputs should be standardised and scaled to a mean squared norm of 1.
    pub fn preset(preset: Preset) -> Self {
        Self {
            preference: PreferencePrior::preset(preset),
            concentration: GammaPrior::Gamma { shape: 1.0, rate: 1.0 },
            coefficient: VariancePrior::InverseGamma { shape: 1.0, rate: 1.0 },
            start: Start::Hyperplanes(30),
            schedule: Schedule::probit(),
            rate_seed: 0,
        }
    }
}
