//! Offers the library's models and encoders on the command line, by the names and words they have there.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use sibp::encode::EncoderChoice;
use sibp::model::ModelKind;
use std::sync::LazyLock;

/// A model on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModelArg(pub ModelKind);

impl ValueEnum for ModelArg {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<ModelArg>> = LazyLock::new(|| ModelKind::ALL.iter().copied().map(ModelArg).collect());
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let about = self.0.about();
        Some(PossibleValue::new(about.name).help(about.sentence()))
    }
}

/// An encoder on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncoderArg(pub EncoderChoice);

impl ValueEnum for EncoderArg {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<EncoderArg>> =
            LazyLock::new(|| EncoderChoice::ALL.iter().copied().map(EncoderArg).collect());
        &ALL
    }

    /// The encoder's name and its description, preceded by the models that offer it.
    fn to_possible_value(&self) -> Option<PossibleValue> {
        let models = models_with(self.0).join(", ");
        Some(PossibleValue::new(self.0.name()).help(format!("{models}: {}", self.0.words())))
    }
}

/// Names of the models that have an encoder.
pub fn models_with(encoder: EncoderChoice) -> Vec<&'static str> {
    let has = |kind: &&ModelKind| kind.about().encoders.contains(&encoder);
    ModelKind::ALL.iter().filter(has).map(|kind| kind.name()).collect()
}
