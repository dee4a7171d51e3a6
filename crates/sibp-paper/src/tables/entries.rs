//! Lists the methods of the tables with their settings, and the ways each is read.

use super::TableArgs;
use super::data::TableData;
use crate::kept::Settings;
use crate::misuse::usage;
use serde_json::{Value, json};
use sibp::data::DataError;
use sibp::encode::EncoderChoice;
use sibp::method::{Attributes, GivenKind, LatentMethod, LatentRow, LinearSvm, Method, RawNeighbours};
use sibp::model::{Distance, GammaPrior, ModelKind, ModelOptions, Preset};
use sibp::pipeline::{DrawChoice, Reading, TrainingCodes};
use sibp::run::{DEFAULT_DRAWS, RunSettings};
use sibp::transform::InputTransform;
use sibp::triplets::FromLabels;

/// A method of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum System {
    Hash,
    Ibp,
    InputDdIbp,
    OutputDdIbp,
    SuperGaussian,
    SuperProbit,
    Reference,
    TransformedReference,
    Svm,
    TransformedSvm,
}

/// Describes the given bits in headings.
pub fn words(given: GivenKind) -> &'static str {
    match given {
        GivenKind::Known => "[h z], h of training objects true",
        GivenKind::Predicted => "[h z], h predicted for all",
        GivenKind::None => "z alone",
    }
}

/// A method with or without given bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    pub system: System,
    pub given: GivenKind,
}

/// Encoders of the Gaussian models, the main table's first.
pub const GAUSSIAN: [(&str, EncoderChoice); 4] = [
    ("ridge", EncoderChoice::Ridge),
    ("least-squares", EncoderChoice::LeastSquares),
    ("gibbs", EncoderChoice::Gibbs),
    ("best-code", EncoderChoice::BestCode),
];
/// Name of the reading by links, which only the distance-dependent IBPs have.
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
    (CHAINS, DrawChoice::LastOfEach, TrainingCodes::Learned),
    (CHAINS_ENCODED, DrawChoice::LastOfEach, TrainingCodes::Encoded),
    (AVERAGE, DrawChoice::Kept, TrainingCodes::Learned),
];

/// The settings that decide the results, beside the data.
pub struct Options {
    pub seed: u64,
    pub sweeps: u64,
    pub chains: usize,
    pub per_object: usize,
    pub standardised: &'static str,
    pub centred: &'static str,
    /// The parts of a table, by the given bits that stand before the learned ones.
    pub given: Vec<GivenKind>,
}

impl Options {
    pub fn new(args: &TableArgs<'_>, data: &TableData) -> anyhow::Result<Self> {
        Ok(Self {
            seed: args.seed,
            sweeps: args.sweeps,
            chains: args.chains,
            per_object: args.per_object,
            standardised: data.standardised,
            centred: data.centred,
            given: parts(&args.given, data)?,
        })
    }

    /// Refuses impossible numbers before the work begins.
    pub fn check(&self) -> anyhow::Result<()> {
        Ok(self.run(self.chains).check()?)
    }

    /// The seed of a repeat: the run's seed plus the repeat's number.
    pub fn seed_of(&self, repeat: usize) -> u64 {
        self.seed.wrapping_add(repeat as u64)
    }

    /// Number of draws that a chain keeps.
    pub fn n_kept(&self) -> usize {
        self.run(1).plan().n_kept()
    }

    fn run(&self, chains: usize) -> RunSettings {
        RunSettings { chains, draws: DEFAULT_DRAWS, ..RunSettings::new(0, self.sweeps) }
    }
}

/// The parts that were asked for, or all possible ones: parts with given bits only where the data have some.
fn parts(asked: &[GivenKind], data: &TableData) -> anyhow::Result<Vec<GivenKind>> {
    let can = |given: &GivenKind| data.attributes.is_some() || *given == GivenKind::None;
    if let Some(&given) = asked.iter().find(|given| !can(given)) {
        return Err(usage(format!("--given: {} have no attributes, so there is no part {}", data.name, words(given))));
    }
    let all = [GivenKind::Known, GivenKind::Predicted, GivenKind::None];
    Ok(all.into_iter().filter(|given| can(given) && (asked.is_empty() || asked.contains(given))).collect())
}

/// Parses `known`, `predicted` or `none`.
pub fn parse_given(text: &str) -> Result<GivenKind, String> {
    match text {
        "known" => Ok(GivenKind::Known),
        "predicted" => Ok(GivenKind::Predicted),
        "none" => Ok(GivenKind::None),
        _ => Err("it takes known, predicted and none".to_owned()),
    }
}

impl System {
    /// Name used in file names.
    fn file_name(self) -> &'static str {
        match self {
            Self::Hash => "hash",
            Self::Ibp => "ibp",
            Self::InputDdIbp => "input-ddibp",
            Self::OutputDdIbp => "output-ddibp",
            Self::SuperGaussian => "super-gaussian",
            Self::SuperProbit => "super-probit",
            Self::Reference => "reference",
            Self::TransformedReference => "reference-transformed",
            Self::Svm => "svm",
            Self::TransformedSvm => "svm-transformed",
        }
    }

    /// Name used in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hash => "Hash",
            Self::Ibp => "IBP",
            Self::InputDdIbp => "Input dd-IBP",
            Self::OutputDdIbp => "Output dd-IBP",
            Self::SuperGaussian => "Super Gaussian IBP",
            Self::SuperProbit => "Super Probit IBP",
            Self::Reference => "Reference",
            Self::TransformedReference => "Reference, transformed",
            Self::Svm => "Linear SVM",
            Self::TransformedSvm => "Linear SVM, transformed",
        }
    }

    /// Whether the method can be combined with these given bits.
    pub fn takes(self, given: GivenKind) -> bool {
        match self {
            Self::Hash => given != GivenKind::None,
            _ => self.is_latent() || given == GivenKind::None,
        }
    }

    fn is_supervised(self) -> bool {
        matches!(self, Self::SuperProbit | Self::SuperGaussian)
    }

    fn is_latent(self) -> bool {
        self.is_supervised() || matches!(self, Self::Ibp | Self::InputDdIbp | Self::OutputDdIbp)
    }

    fn chains(self, options: &Options) -> usize {
        if self == Self::SuperProbit { options.chains } else { 1 }
    }

    fn transform(self, options: &Options) -> &'static str {
        match self {
            Self::Reference | Self::Svm => "none",
            Self::Hash | Self::SuperProbit | Self::TransformedReference | Self::TransformedSvm => options.standardised,
            Self::Ibp | Self::InputDdIbp | Self::OutputDdIbp | Self::SuperGaussian => options.centred,
        }
    }

    /// The model with its settings; methods without a model get that of the Super Gaussian IBP.
    fn options(self) -> ModelOptions {
        let paper = |kind| ModelOptions::new(kind, Preset::Paper);
        match self {
            // Codes are searched by plain Hamming distance, which counts given bits like learned ones.
            Self::SuperProbit => ModelOptions {
                given_weights: Some(GammaPrior::Fixed(1.0)),
                ..ModelOptions::new(ModelKind::Probit, Preset::Hash)
            },
            Self::InputDdIbp => paper(ModelKind::DdIbp),
            Self::OutputDdIbp => ModelOptions { distance: Distance::Output, ..paper(ModelKind::DdIbp) },
            Self::Ibp => paper(ModelKind::Ibp),
            _ => paper(ModelKind::Gaussian),
        }
    }
}

impl Entry {
    /// Name used in file names.
    pub fn file_name(self) -> String {
        let given = match self.given {
            GivenKind::Known => "-class",
            GivenKind::Predicted => "-predicted",
            GivenKind::None => "",
        };
        format!("{}{given}", self.system.file_name())
    }

    /// Everything beside data and repeat that decides the results of this entry, for people and for comparison.
    pub fn settings(self, options: &Options) -> Settings {
        let mut settings = Settings::new();
        let mut put = |name: &str, value: Value| drop(settings.insert(name.to_owned(), value));
        let system = self.system;
        put("method", json!(self.file_name()));
        put("version", json!(env!("CARGO_PKG_VERSION")));
        put("transform", json!(system.transform(options)));
        if system.is_latent() {
            put("sweeps", json!(options.sweeps));
            put("chains", json!(system.chains(options)));
        }
        if system.is_supervised() {
            put("per-object", json!(options.per_object));
        }
        if self.given != GivenKind::None {
            put("transform of the predictor", json!(options.standardised));
        }
        settings
    }

    /// The entry whose fit this one shares: models of the inputs alone learn without given bits, which are then put
    /// beside the learned ones.
    pub fn fit(self) -> Self {
        let alone = self.system.is_latent() && !self.system.is_supervised();
        if alone { Self { given: GivenKind::None, ..self } } else { self }
    }

    /// The method with all its readings, those behind the first of these given bits first.
    pub fn method(self, options: &Options, given: &[GivenKind]) -> Result<Box<dyn Method>, DataError> {
        let system = self.system;
        let name = system.name().to_owned();
        let transform: InputTransform = system.transform(options).parse()?;
        let triplets = FromLabels { per_object: options.per_object, ..FromLabels::default() };
        Ok(match system {
            System::Hash => Box::new(Attributes { name, transform, given: self.given }),
            System::Reference | System::TransformedReference => Box::new(RawNeighbours { name, transform }),
            System::Svm | System::TransformedSvm => Box::new(LinearSvm { name, transform }),
            _ => Box::new(LatentMethod {
                name,
                transform,
                triplets,
                extends: self.fit().given,
                options: system.options(),
                settings: options.run(system.chains(options)),
                rows: given.iter().flat_map(|&given| system.rows(given)).collect(),
            }),
        })
    }
}

impl System {
    fn rows(self, given: GivenKind) -> Vec<LatentRow> {
        let probit = |(name, draws, training): (&str, DrawChoice, TrainingCodes)| {
            LatentRow::new(name, Reading { draws, training, ..Reading::default() })
        };
        let last = |name: &str, encoder: EncoderChoice| {
            LatentRow::new(name, Reading { encoder: Some(encoder), ..DrawChoice::Last.into() })
        };
        let gaussian = GAUSSIAN.into_iter().map(|(name, encoder)| last(name, encoder));
        let rows: Vec<LatentRow> = match self {
            System::SuperProbit => PROBIT.into_iter().map(probit).collect(),
            System::InputDdIbp | System::OutputDdIbp => gaussian.chain([last(LINKS, EncoderChoice::Links)]).collect(),
            _ => gaussian.collect(),
        };
        rows.into_iter().map(|row| LatentRow { given, ..row }).collect()
    }
}
