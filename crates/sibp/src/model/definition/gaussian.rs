//! Describes the Super Gaussian IBP, whose bits explain inputs and triplets, and the plain IBP, which has no triplets.

use super::{About, ModelDefinition, Training, words};
use crate::data::Inputs;
use crate::encode::{Encoder, EncoderChoice, EncoderError, GaussianEncoder};
use crate::model::settings::{check_gamma, check_preference, check_schedule, check_start, check_variance};
use crate::model::{GaussianModel, ModelOptions, PreferencePrior, Preset, SettingsError, Start};
use crate::prior::hyper::{GammaPrior, VariancePrior};
use crate::schedule::Schedule;
use crate::trace::Draw;

/// The linear Gaussian model, which triplets teach or which sees none.
pub struct LinearGaussian<const SUPERVISED: bool>;

/// The Super Gaussian IBP (Z → X).
pub type SuperGaussian = LinearGaussian<true>;

/// The plain IBP: the same joint without triplets.
pub type PlainIbp = LinearGaussian<false>;

/// Heading and explanation for a picture of a bit's image.
pub(super) const IMAGES: (&str, &str) = (
    "What each bit paints",
    "An input is explained as the sum of the images of its bits. Blue adds, orange takes away.",
);

const TAUGHT: About = About {
    name: "gaussian",
    title: "Super Gaussian IBP",
    words: "bits explain the inputs and the triplets",
    supervised: true,
    sweep: Schedule::gaussian,
    ..PLAIN
};

const PLAIN: About = About {
    name: "ibp",
    title: "plain IBP",
    words: "bits explain the inputs",
    supervised: false,
    transform: "centre",
    predicts_bits: false,
    distances: false,
    tunable: false,
    pictures: IMAGES,
    encoders: &[EncoderChoice::BestCode, EncoderChoice::Ridge, EncoderChoice::LeastSquares, EncoderChoice::Gibbs],
    law: EncoderChoice::Gibbs,
    sweep: Schedule::ibp,
};

impl<const SUPERVISED: bool> ModelDefinition for LinearGaussian<SUPERVISED> {
    type Model = GaussianModel;

    const ABOUT: About = if SUPERVISED { TAUGHT } else { PLAIN };

    fn build(options: &ModelOptions, inputs: &Inputs, _: Option<&[u32]>) -> Result<GaussianModel, SettingsError> {
        let mut model = GaussianModel::preset(options.preset(), inputs, SUPERVISED);
        model.preference = options.preference(model.preference);
        model.start = options.start.unwrap_or(model.start);
        model.schedule = match (&options.schedule, SUPERVISED) {
            (Some(schedule), _) => schedule.clone(),
            (None, true) => options.schedule_for(model.schedule, &model.preference),
            (None, false) => model.schedule,
        };
        Ok(model)
    }

    fn check(model: &GaussianModel) -> Result<(), SettingsError> {
        check_preference(&model.preference)?;
        check_gamma("concentration", model.concentration)?;
        check_variance("noise variance", model.noise)?;
        check_variance("image variance", model.image)?;
        check_start(model.start, Self::ABOUT.name, !matches!(model.start, Start::Links(_)))?;
        check_schedule(model, Self::ABOUT.name)
    }

    fn start(model: &GaussianModel) -> Start {
        model.start
    }

    fn preference(model: &GaussianModel) -> Option<&PreferencePrior> {
        Some(&model.preference)
    }

    fn encoder(
        _: &GaussianModel,
        draw: &Draw,
        training: &Training<'_>,
        choice: Option<EncoderChoice>,
        seed: u64,
    ) -> Result<Box<dyn Encoder>, EncoderError> {
        let choice = Self::ABOUT.check_encoder(choice.unwrap_or(EncoderChoice::BestCode))?;
        Ok(Box::new(GaussianEncoder::new(draw, training.n_inputs, choice, seed)?.with_new_bits(draw)?))
    }

    fn facts(model: &GaussianModel) -> Vec<(&'static str, String)> {
        let mut facts = if SUPERVISED { words::preference(&model.preference) } else { Vec::new() };
        facts.extend(image_facts(model));
        facts
    }
}

fn image_facts(model: &GaussianModel) -> [(&'static str, String); 5] {
    [
        ("concentration", words::gamma(model.concentration)),
        ("noise variance", words::inverse_gamma(model.noise)),
        ("image variance", words::inverse_gamma(model.image)),
        ("start", model.start.words()),
        ("schedule", model.schedule.to_string()),
    ]
}

impl GaussianModel {
    /// The default settings for these (transformed) inputs: variances have priors on the scale of the data.
    pub fn preset(preset: Preset, x: &Inputs, supervised: bool) -> Self {
        let variance = x.square_norm() / x.n_values() as f64;
        let variance = if variance > 0.0 { variance } else { 1.0 };
        Self {
            preference: PreferencePrior::preset(preset),
            concentration: GammaPrior::Gamma { shape: 1.0, rate: 1.0 },
            noise: VariancePrior::InverseGamma { shape: 1.0, rate: 0.1 * variance },
            image: VariancePrior::InverseGamma { shape: 1.0, rate: variance },
            start: Start::Coins(20),
            schedule: if supervised { Schedule::gaussian() } else { Schedule::ibp() },
        }
    }
}
