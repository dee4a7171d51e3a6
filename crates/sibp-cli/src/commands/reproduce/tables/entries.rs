//! Lists the methods of the tables with their settings, and the ways each is read.

use super::TableArgs;
use super::data::TableData;
use serde_json::{Map, Value, json};
use sibp::data::{DataError, InputTransform};
use sibp::encode::{GaussianMethod, ProbitMethod, TrainingCodes};
use sibp::method::{
    Attributes, DrawChoice, EncoderChoice, LatentMethod, LatentReading, LinearSvm, Method, RawNeighbours,
};
use sibp::model::{AnyModel, DdIbpModel, GaussianModel, Observations, Positions, Preset, ProbitModel};
use sibp::prior::proximity::{Decay, DecayKind, Distance, Places};
use sibp::run::{DEFAULT_DRAWS, RunSettings};
use sibp::triplets::FromLabels;

/// A method of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Entry {
    Hash,
    Ibp,
    InputDdIbp,
    OutputDdIbp,
    SuperGaussian,
    /// Learned beside given bits.
    SuperGaussianGiven,
    SuperProbit,
    /// Learned beside given bits.
    SuperProbitGiven,
    Reference,
    TransformedReference,
    Svm,
    TransformedSvm,
}

/// Whether given bits stand before the learned ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Extended,
    Alone,
}

impl Kind {
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Extended => "[h z]",
            Self::Alone => "z",
        }
    }
}

/// Encoders of the Gaussian models, the main table's first.
pub const GAUSSIAN: [(&str, EncoderChoice); 4] = [
    ("ridge", EncoderChoice::Gaussian(GaussianMethod::Ridge)),
    ("least-squares", EncoderChoice::Gaussian(GaussianMethod::LeastSquares)),
    ("gibbs", EncoderChoice::Gaussian(GaussianMethod::Gibbs)),
    ("best-code", EncoderChoice::Gaussian(GaussianMethod::BestCode)),
];
/// Of the dd-IBPs alone.
pub const LINKS: &str = "links";

/// Readings of the Super Probit IBP: draws, and the codes of training objects.
pub const LAST: &str = "last draw";
pub const LAST_ENCODED: &str = "last draw, training objects encoded";
pub const CHAINS: &str = "chains side by side";
pub const CHAINS_ENCODED: &str = "chains side by side, training objects encoded";
pub const AVERAGE: &str = "average over kept draws";
const PROBIT: [(&str, DrawChoice, TrainingCodes); 5] = [
    (LAST, DrawChoice::Last, TrainingCodes::Learned),
    (LAST_ENCODED, DrawChoice::Last, TrainingCodes::Encoded),
    (CHAINS, DrawChoice::EveryChain, TrainingCodes::Learned),
    (CHAINS_ENCODED, DrawChoice::EveryChain, TrainingCodes::Encoded),
    (AVERAGE, DrawChoice::Kept, TrainingCodes::Learned),
];

/// The name of a reading in result files.
pub fn reading(name: &str, kind: Kind) -> String {
    format!("{name}, {}", kind.symbol())
}

/// What decides the results beside the data.
pub struct Options {
    pub seed: u64,
    pub sweeps: u64,
    pub chains: usize,
    pub per_object: usize,
    pub standardised: &'static str,
    pub centred: &'static str,
    pub has_attributes: bool,
}

impl Options {
    pub fn new(args: &TableArgs, data: &TableData) -> Self {
        Self {
            seed: args.seed,
            sweeps: args.sweeps,
            chains: args.chains,
            per_object: args.per_object,
            standardised: data.standardised,
            centred: data.centred,
            has_attributes: data.attributes.is_some(),
        }
    }

    /// Refuses impossible numbers before the work begins.
    pub fn check(&self) -> anyhow::Result<()> {
        Ok(self.run(self.chains).check()?)
    }

    /// Draws that a chain keeps.
    pub fn n_kept(&self) -> usize {
        self.run(1).plan().n_kept()
    }

    fn run(&self, chains: usize) -> RunSettings {
        RunSettings { chains, draws: DEFAULT_DRAWS, ..RunSettings::new(0, self.sweeps) }
    }

    /// The codes that can be had: behind given bits only where there are some.
    pub fn kinds(&self) -> &'static [Kind] {
        if self.has_attributes { &[Kind::Extended, Kind::Alone] } else { &[Kind::Alone] }
    }
}

impl Entry {
    /// In file names.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Hash => "hash",
            Self::Ibp => "ibp",
            Self::InputDdIbp => "input-ddibp",
            Self::OutputDdIbp => "output-ddibp",
            Self::SuperGaussian => "super-gaussian",
            Self::SuperGaussianGiven => "super-gaussian-given",
            Self::SuperProbit => "super-probit",
            Self::SuperProbitGiven => "super-probit-given",
            Self::Reference => "reference",
            Self::TransformedReference => "reference-transformed",
            Self::Svm => "svm",
            Self::TransformedSvm => "svm-transformed",
        }
    }

    /// In tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hash => "Hash",
            Self::Ibp => "IBP",
            Self::InputDdIbp => "Input dd-IBP",
            Self::OutputDdIbp => "Output dd-IBP",
            Self::SuperGaussian | Self::SuperGaussianGiven => "Super Gaussian IBP",
            Self::SuperProbit | Self::SuperProbitGiven => "Super Probit IBP",
            Self::Reference => "Reference",
            Self::TransformedReference => "Reference, transformed",
            Self::Svm => "Linear SVM",
            Self::TransformedSvm => "Linear SVM, transformed",
        }
    }

    pub fn needs_attributes(self) -> bool {
        matches!(self, Self::Hash | Self::SuperGaussianGiven | Self::SuperProbitGiven)
    }

    /// Everything that decides its results beside data and repeat, for people and for comparison.
    pub fn settings(self, options: &Options) -> Map<String, Value> {
        let mut settings = Map::new();
        let mut put = |name: &str, value: Value| drop(settings.insert(name.to_owned(), value));
        put("method", json!(self.file_name()));
        put("version", json!(env!("CARGO_PKG_VERSION")));
        put("transform", json!(self.transform(options)));
        if self.is_latent() {
            put("sweeps", json!(options.sweeps));
            put("chains", json!(self.chains(options)));
            put("preset", json!(if self.is_probit() { "hash" } else { "paper" }));
        }
        if self.is_supervised() {
            put("per-object", json!(options.per_object));
        }
        settings
    }

    fn is_probit(self) -> bool {
        matches!(self, Self::SuperProbit | Self::SuperProbitGiven)
    }

    fn is_supervised(self) -> bool {
        self.is_probit() || matches!(self, Self::SuperGaussian | Self::SuperGaussianGiven)
    }

    fn is_latent(self) -> bool {
        self.is_supervised() || matches!(self, Self::Ibp | Self::InputDdIbp | Self::OutputDdIbp)
    }

    fn chains(self, options: &Options) -> usize {
        if self.is_probit() { options.chains } else { 1 }
    }

    fn transform(self, options: &Options) -> &'static str {
        match self {
            Self::Reference | Self::Svm => "none",
            Self::Hash | Self::TransformedReference | Self::TransformedSvm => options.standardised,
            _ if self.is_probit() => options.standardised,
            _ => options.centred,
        }
    }

    /// The method with all its readings.
    pub fn method(self, options: &Options) -> Result<Box<dyn Method>, DataError> {
        let name = self.name().to_owned();
        let transform: InputTransform = self.transform(options).parse()?;
        Ok(match self {
            Self::Hash => Box::new(Attributes { name, transform }),
            Self::Reference | Self::TransformedReference => Box::new(RawNeighbours { name, transform }),
            Self::Svm | Self::TransformedSvm => Box::new(LinearSvm { name, transform }),
            _ => {
                let triplets = FromLabels { per_object: options.per_object, ..FromLabels::default() };
                Box::new(LatentMethod {
                    name,
                    transform,
                    triplets: self.is_supervised().then_some(triplets),
                    extends_attributes: self.needs_attributes(),
                    model: Box::new(move |data| self.model(data)),
                    settings: options.run(self.chains(options)),
                    readings: self.readings(options),
                })
            }
        })
    }

    fn model(self, data: &Observations) -> AnyModel {
        let linked = |distance: Distance, places: Places| {
            let decay = Decay::suited(DecayKind::Exponential, &places);
            AnyModel::DdIbp(DdIbpModel::preset(&data.features, distance, decay))
        };
        match (self, &data.positions) {
            (Self::SuperProbit | Self::SuperProbitGiven, _) => AnyModel::Probit(ProbitModel::preset(Preset::Hash)),
            (Self::InputDdIbp, _) => linked(Distance::Input, Places::Inputs(&data.features)),
            (Self::OutputDdIbp, Positions::Classes(classes)) => linked(Distance::Output, Places::Classes(classes)),
            (Self::Ibp, _) => AnyModel::Ibp(GaussianModel::preset(Preset::Paper, &data.features, false)),
            _ => AnyModel::Gaussian(GaussianModel::preset(Preset::Paper, &data.features, true)),
        }
    }

    fn readings(self, options: &Options) -> Vec<LatentReading> {
        let mut read: Vec<LatentReading> = match self.is_probit() {
            true => PROBIT
                .map(|(name, draws, training)| {
                    let refit = EncoderChoice::Probit(ProbitMethod::Refit);
                    LatentReading { training, ..LatentReading::new(name, draws, refit) }
                })
                .to_vec(),
            false => GAUSSIAN.map(|(name, encoder)| LatentReading::new(name, DrawChoice::Last, encoder)).to_vec(),
        };
        if matches!(self, Self::InputDdIbp | Self::OutputDdIbp) {
            read.push(LatentReading::new(LINKS, DrawChoice::Last, EncoderChoice::Links));
        }
        let named = |kind: Kind| {
            move |one: &LatentReading| {
                let with_attributes = kind == Kind::Extended;
                LatentReading { name: reading(&one.name, kind), with_attributes, ..one.clone() }
            }
        };
        let kinds: &[Kind] = match self {
            Self::SuperGaussianGiven | Self::SuperProbitGiven => &[Kind::Extended],
            Self::SuperGaussian | Self::SuperProbit => &[Kind::Alone],
            _ => options.kinds(),
        };
        kinds.iter().flat_map(|&kind| read.iter().map(named(kind))).collect()
    }
}
