//! Defines what a model must provide so that no other code needs to know which model it is.
//!
//! A new model is one file that implements [`Model`] and [`ModelDefinition`], and one line in the registry.

mod ddibp;
mod gaussian;
mod probit;
mod words;

pub use ddibp::DistanceDependentIbp;
pub use gaussian::{PlainIbp, SuperGaussian};
pub use probit::SuperProbit;

use super::{Model, ModelOptions, Observations, ObservationsError, PreferencePrior, SettingsError, Start};
use crate::data::Inputs;
use crate::encode::{Encoder, EncoderChoice, EncoderError};
use crate::prior::proximity::Places;
use crate::schedule::Schedule;
use crate::trace::{Draw, RestoreError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;

/// A model as users see it.
pub trait ModelDefinition {
    /// The model's settings, which define the joint density.
    type Model: Model + fmt::Debug + Clone + PartialEq + Serialize + DeserializeOwned;

    /// The properties of every model of this kind.
    const ABOUT: About;

    /// Builds the model for these (transformed) inputs and classes, with the user's changes; unchecked.
    fn build(options: &ModelOptions, inputs: &Inputs, classes: Option<&[u32]>) -> Result<Self::Model, SettingsError>;

    /// Refuses settings that no run can use.
    fn check(model: &Self::Model) -> Result<(), SettingsError>;

    /// Refuses observations that the model cannot explain.
    fn check_observations(_: &Self::Model, _: &Observations) -> Result<(), ObservationsError> {
        Ok(())
    }

    /// Where chains start.
    fn start(model: &Self::Model) -> Start;

    /// Priors of the preference likelihood; `None` for a model that has none.
    fn preference(model: &Self::Model) -> Option<&PreferencePrior>;

    /// The data of training objects that unseen ones are compared with.
    fn reference(_: &Self::Model) -> Reference {
        Reference::Nothing
    }

    /// The encoder of one draw; `None` asks for the model's own choice.
    fn encoder(
        model: &Self::Model,
        draw: &Draw,
        training: &Training<'_>,
        choice: Option<EncoderChoice>,
        seed: u64,
    ) -> Result<Box<dyn Encoder>, EncoderError>;

    /// Adds to draws what their encoder needs and a run adds to its best and last draws only; `inputs` are the
    /// (transformed) training inputs, which know the `anchors` among the objects as they know no other.
    fn refit(
        _: &Self::Model,
        _inputs: &Inputs,
        _anchors: &[usize],
        _draws: &mut [&mut Draw],
        _threads: usize,
    ) -> Result<(), RestoreError> {
        Ok(())
    }

    /// Memory in bytes, beside inputs, triplets and draws.
    fn memory(_: Shape) -> Footprint {
        Footprint::default()
    }

    /// The settings in words: names and values, in order.
    fn facts(model: &Self::Model) -> Vec<(&'static str, String)>;

    /// A model and the shape of data on which [`crate::verify`] tries the whole schedule and every kernel of it alone, for
    /// models that have no checks of their own there.
    fn small_problem() -> Option<(Self::Model, Observations)> {
        None
    }
}

/// The properties of a kind of model.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// Name in files, on the command line and in Python.
    pub name: &'static str,
    /// Name in the literature.
    pub title: &'static str,
    /// The model's assumption, as a phrase.
    pub words: &'static str,
    /// Whether it learns from triplets.
    pub supervised: bool,
    /// The default input transform.
    pub transform: &'static str,
    /// Whether bits are predicted from the inputs: then objects may lack inputs, and any column of bits can be encoded.
    pub predicts_bits: bool,
    /// Whether it uses distances between objects, which then are options.
    pub distances: bool,
    /// Whether [`crate::tune`] can choose its settings.
    pub tunable: bool,
    /// A heading and a sentence that explain the picture of each bit.
    pub pictures: (&'static str, &'static str),
    /// The model's encoders, the default one first.
    pub encoders: &'static [EncoderChoice],
    /// The encoder that gives the law of an unseen object's bits under a draw, or draws from it.
    pub law: EncoderChoice,
    /// The default schedule.
    pub sweep: fn() -> Schedule,
}

impl About {
    /// The default schedule, before it is adapted to a large number of objects.
    pub fn schedule(&self) -> Schedule {
        (self.sweep)()
    }

    /// Name and assumption in a sentence.
    pub fn sentence(&self) -> String {
        format!("{}: {}", self.title, self.words)
    }

    /// Refuses an encoder that the model does not have.
    pub fn check_encoder(&self, choice: EncoderChoice) -> Result<EncoderChoice, EncoderError> {
        match self.encoders.contains(&choice) {
            true => Ok(choice),
            false => Err(EncoderError::Foreign { encoder: choice, model: self.name, offered: self.encoders }),
        }
    }
}

/// The data of training objects that a model stores to compare unseen ones with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    /// Nothing.
    Nothing,
    /// The transformed inputs of the training objects.
    Inputs,
    /// The classes of the training objects.
    Classes,
}

/// The information about training objects that encoders may use.
#[derive(Debug, Clone, Copy)]
pub struct Training<'a> {
    /// Number of transformed inputs.
    pub n_inputs: usize,
    /// Transformed inputs, where the model keeps them.
    pub inputs: Option<&'a Inputs>,
    /// Classes, where they are known.
    pub classes: Option<&'a [u32]>,
}

impl<'a> Training<'a> {
    /// The positions from which distances to the training objects are computed, where they are stored.
    pub fn places(&self, reference: Reference) -> Option<Places<'a>> {
        match reference {
            Reference::Nothing => None,
            Reference::Inputs => self.inputs.map(Places::Inputs),
            Reference::Classes => self.classes.map(Places::Classes),
        }
    }
}

/// Sizes that a model's memory depends on.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Objects.
    pub n_objects: u64,
    /// Transformed inputs.
    pub n_inputs: u64,
    /// Expected number of bits.
    pub n_bits: u64,
}

/// Memory in bytes, beside inputs, triplets and draws.
#[derive(Debug, Clone, Copy, Default)]
pub struct Footprint {
    /// Shared by all chains.
    pub shared: u64,
    /// Bytes for every object in every chain.
    pub of_object: u64,
}
