//! Says what a model must tell about itself so that nothing else needs to ask which model it is.
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
use crate::trace::Draw;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;

/// A model as the product offers it.
pub trait ModelDefinition {
    /// Its settings, which state the joint.
    type Model: Model + fmt::Debug + Clone + PartialEq + Serialize + DeserializeOwned;

    /// What holds for every model of the kind.
    const ABOUT: About;

    /// The model for these (transformed) inputs and classes, with what the user changed; unchecked.
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

    /// What of the training objects unseen ones are compared with.
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

    /// Memory beside inputs, triplets and draws, in bytes.
    fn memory(_: Shape) -> Footprint {
        Footprint::default()
    }

    /// Its settings in words: names and values, in order.
    fn facts(model: &Self::Model) -> Vec<(&'static str, String)>;

    /// A model and the shape of data on which [`crate::verify`] tries the whole schedule and every kernel of it alone, for
    /// models that have no checks of their own there.
    fn small_problem() -> Option<(Self::Model, Observations)> {
        None
    }
}

/// What holds for every model of a kind.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// Its name in files, on the command line and in Python.
    pub name: &'static str,
    /// Its name in the literature.
    pub title: &'static str,
    /// What it assumes, in a sentence without its beginning and end.
    pub words: &'static str,
    /// Whether triplets teach it.
    pub supervised: bool,
    /// The input transform that suits it.
    pub transform: &'static str,
    /// Whether it looks at distances between objects, which then are options.
    pub distances: bool,
    /// Whether [`crate::tune`] can choose its settings.
    pub tunable: bool,
    /// How people should read a picture of each bit: a heading and a sentence.
    pub pictures: (&'static str, &'static str),
    /// Its encoders, the default one first.
    pub encoders: &'static [EncoderChoice],
    /// What a sweep does unless the user says otherwise.
    pub sweep: fn() -> Schedule,
}

impl About {
    /// What a sweep does unless the user says otherwise, or objects are many.
    pub fn schedule(&self) -> Schedule {
        (self.sweep)()
    }

    /// Name and assumption, for people.
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

/// What of the training objects a model keeps to compare unseen ones with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    /// Nothing.
    Nothing,
    /// Their transformed inputs.
    Inputs,
    /// Their classes.
    Classes,
}

/// What encoders may ask about the training objects.
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
    /// What distances to the training objects are taken from, where it is there.
    pub fn places(&self, reference: Reference) -> Option<Places<'a>> {
        match reference {
            Reference::Nothing => None,
            Reference::Inputs => self.inputs.map(Places::Inputs),
            Reference::Classes => self.classes.map(Places::Classes),
        }
    }
}

/// Sizes that the memory of a model depends on.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Objects.
    pub n_objects: u64,
    /// Transformed inputs.
    pub n_inputs: u64,
    /// Bits that are expected.
    pub n_bits: u64,
}

/// Bytes beside inputs, triplets and draws.
#[derive(Debug, Clone, Copy, Default)]
pub struct Footprint {
    /// Shared by all chains.
    pub shared: u64,
    /// Of every object in every chain.
    pub of_object: u64,
}
