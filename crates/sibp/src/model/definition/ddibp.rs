//! Describes the distance-dependent IBP: bits explain the inputs, and objects near each other share them.

use super::gaussian::IMAGES;
use super::{About, Footprint, ModelDefinition, Reference, Shape, Training, words};
use crate::data::Inputs;
use crate::encode::{DdIbpEncoder, Encoder, EncoderChoice, EncoderError, GaussianEncoder};
use crate::model::settings::{check_gamma, check_schedule, check_start, check_variance, positive};
use crate::model::{
    DdIbpModel, GaussianModel, MAX_LINKED_OBJECTS, ModelOptions, Observations, ObservationsError, PreferencePrior,
    Preset, SettingsError, Start,
};
use crate::prior::proximity::{Decay, DecayChoice, Distance, Places};
use crate::schedule::Schedule;
use crate::trace::Draw;

/// The distance-dependent IBP.
pub struct DistanceDependentIbp;

impl ModelDefinition for DistanceDependentIbp {
    type Model = DdIbpModel;

    const ABOUT: About = About {
        name: "ddibp",
        title: "distance-dependent IBP",
        words: "bits explain the inputs, near objects share them",
        supervised: false,
        transform: "centre",
        predicts_bits: false,
        distances: true,
        tunable: false,
        pictures: IMAGES,
        encoders: &[
            EncoderChoice::Links,
            EncoderChoice::BestCode,
            EncoderChoice::Ridge,
            EncoderChoice::LeastSquares,
            EncoderChoice::Gibbs,
        ],
        law: EncoderChoice::Links,
        sweep: Schedule::ddibp,
    };

    fn build(options: &ModelOptions, inputs: &Inputs, classes: Option<&[u32]>) -> Result<DdIbpModel, SettingsError> {
        let places = match (options.distance, classes) {
            (Distance::Input, _) => Places::Inputs(inputs),
            (Distance::Output, Some(classes)) => Places::Classes(classes),
            (Distance::Output, None) => return Err(SettingsError::NoClasses),
        };
        let decay = match options.decay {
            DecayChoice::Given(decay) => decay,
            DecayChoice::Suited(kind) => Decay::suited(kind, &places),
        };
        let mut model = DdIbpModel::preset(inputs, options.distance, decay);
        model.schedule = options.schedule.clone().unwrap_or(model.schedule);
        model.start = options.start.unwrap_or(model.start);
        Ok(model)
    }

    fn check(model: &DdIbpModel) -> Result<(), SettingsError> {
        match model.decay {
            Decay::Exponential { rate } => positive("decay rate", rate)?,
            Decay::Window { width } if width.is_finite() && width >= 0.0 => {}
            Decay::Window { width } => return Err(SettingsError::Window { width }),
            Decay::Logistic { centre, scale } => {
                positive("decay centre", centre).and_then(|()| positive("decay scale", scale))?;
            }
        }
        check_gamma("concentration", model.concentration)?;
        check_variance("noise variance", model.noise)?;
        check_variance("image variance", model.image)?;
        check_start(model.start, Self::ABOUT.name, matches!(model.start, Start::Links(_) | Start::Prior))?;
        check_schedule(model, Self::ABOUT.name)
    }

    /// Refuses data without the distances that the model needs.
    fn check_observations(model: &DdIbpModel, data: &Observations) -> Result<(), ObservationsError> {
        let n_objects = data.inputs.n_objects();
        let places = model.places(data).ok_or(ObservationsError::NoClasses)?;
        if places.n_objects() != n_objects {
            return Err(ObservationsError::Places { n_objects, found: places.n_objects() });
        }
        match n_objects <= MAX_LINKED_OBJECTS {
            true => Ok(()),
            false => Err(ObservationsError::TooManyObjects { n_objects, limit: MAX_LINKED_OBJECTS }),
        }
    }

    fn start(model: &DdIbpModel) -> Start {
        model.start
    }

    fn preference(_: &DdIbpModel) -> Option<&PreferencePrior> {
        None
    }

    fn reference(model: &DdIbpModel) -> Reference {
        match model.distance {
            Distance::Input => Reference::Inputs,
            Distance::Output => Reference::Classes,
        }
    }

    fn encoder(
        model: &DdIbpModel,
        draw: &Draw,
        training: &Training<'_>,
        choice: Option<EncoderChoice>,
        seed: u64,
    ) -> Result<Box<dyn Encoder>, EncoderError> {
        let choice = Self::ABOUT.check_encoder(choice.unwrap_or(EncoderChoice::Links))?;
        Ok(match (choice, training.places(Self::reference(model))) {
            (EncoderChoice::Links, Some(places)) => {
                Box::new(DdIbpEncoder::new(draw, model.decay, &places, training.n_inputs, seed)?)
            }
            (EncoderChoice::Links, None) => return Err(EncoderError::NoPlaces),
            _ => Box::new(GaussianEncoder::new(draw, training.n_inputs, choice, seed)?),
        })
    }

    /// Memory for the proximities of all pairs, and for links.
    fn memory(shape: Shape) -> Footprint {
        let pairs = shape.n_objects.saturating_mul(shape.n_objects);
        Footprint { shared: pairs.saturating_mul(8), of_object: shape.n_bits * 8 }
    }

    fn facts(model: &DdIbpModel) -> Vec<(&'static str, String)> {
        let distance = match model.distance {
            Distance::Input => "between inputs",
            Distance::Output => "0 within a class, 1 between classes",
        };
        let decay = match model.decay {
            Decay::Exponential { rate } => format!("exponential, rate {rate}"),
            Decay::Window { width } => format!("window of width {width}"),
            Decay::Logistic { centre, scale } => format!("logistic, centre {centre}, scale {scale}"),
        };
        vec![
            ("distance", distance.to_owned()),
            ("decay", decay),
            ("concentration", words::gamma(model.concentration)),
            ("noise variance", words::inverse_gamma(model.noise)),
            ("image variance", words::inverse_gamma(model.image)),
            ("start", model.start.words()),
            ("schedule", model.schedule.to_string()),
        ]
    }
}

impl DdIbpModel {
    /// The default settings for these (transformed) inputs: scales as for the plain IBP.
    pub fn preset(x: &Inputs, distance: Distance, decay: Decay) -> Self {
        let plain = GaussianModel::preset(Preset::Hash, x, false);
        Self {
            distance,
            decay,
            concentration: plain.concentration,
            noise: plain.noise,
            image: plain.image,
            start: Start::Links(20),
            schedule: Schedule::ddibp(),
        }
    }
}
