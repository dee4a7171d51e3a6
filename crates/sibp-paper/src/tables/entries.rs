//! Lists the methods of the tables with their settings, and the ways each is read.

use super::TableArgs;
use super::data::TableData;
use crate::kept::{BUILD, Settings};
use crate::misuse::usage;
use serde_json::{Value, json};
use sibp::data::DataError;
use sibp::encode::EncoderChoice;
use sibp::method::{Attributes, GivenKind, LatentMethod, LatentRow, LinearSvm, Method, RawNeighbours};
use sibp::model::{Distance, ModelKind, ModelOptions, Preset, Schedule};
use sibp::pipeline::{DrawChoice, Reading, TrainingCodes};
use sibp::run::{DEFAULT_DRAWS, MAX_KEPT_DRAWS, RunSettings};
use sibp::transform::InputTransform;
use sibp::triplets::{FromLabels, NearChoice, Scheme};

/// A method of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum System {
    Hash,
    Ibp,
    InputDdIbp,
    OutputDdIbp,
    SuperGaussian,
    SuperProbit,
    /// The Super Probit IBP as the paper has it: see [`System::options`].
    Letter,
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

/// Readings of the Super Probit IBP: draws, and the codes of training objects. Those of one chain read the first, so
/// that they are on equal terms with models that have one chain.
pub const LAST: &str = "last draw";
pub const LAST_ENCODED: &str = "last draw, training objects encoded";
pub const BEST: &str = "last draw of the best chain";
pub const CHAINS: &str = "chains side by side";
pub const CHAINS_ENCODED: &str = "chains side by side, training objects encoded";
pub const AVERAGE: &str = "average over kept draws";
const ONE: Option<usize> = Some(1);
const PROBIT: [(&str, DrawChoice, TrainingCodes, Option<usize>); 6] = [
    (LAST, DrawChoice::Last, TrainingCodes::Learned, ONE),
    (LAST_ENCODED, DrawChoice::Last, TrainingCodes::Encoded, ONE),
    (BEST, DrawChoice::Last, TrainingCodes::Learned, None),
    (CHAINS, DrawChoice::LastOfEach, TrainingCodes::Learned, None),
    (CHAINS_ENCODED, DrawChoice::LastOfEach, TrainingCodes::Encoded, None),
    (AVERAGE, DrawChoice::Kept, TrainingCodes::Learned, ONE),
];
/// Further readings of the Super Probit IBP to the letter; the first shows what the draw's own coefficients cost.
pub const LAST_REFITTED: &str = "last draw, refitted coefficients";
pub const LAST_FIFTY: &str = "average over the last 50 sweeps";
/// The paper's number of draws to average over.
const FIFTY: usize = 50;

/// The settings that decide the results, beside the data.
pub struct Options {
    pub seed: u64,
    pub sweeps: u64,
    pub chains: usize,
    pub per_object: usize,
    pub standardised: &'static str,
    pub centred: &'static str,
    pub raw: &'static str,
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
            raw: data.raw,
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

    /// One chain that keeps every sweep of its last half, so that the last ones are next to each other.
    fn run_to_the_letter(&self) -> RunSettings {
        RunSettings { draws: (self.sweeps.div_ceil(2) as usize).min(MAX_KEPT_DRAWS), ..self.run(1) }
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

/// The name that [`parse_given`] parses.
pub fn given_name(given: GivenKind) -> &'static str {
    match given {
        GivenKind::Known => "known",
        GivenKind::Predicted => "predicted",
        GivenKind::None => "none",
    }
}

impl System {
    const ALL: [Self; 11] = [
        Self::Hash,
        Self::Ibp,
        Self::InputDdIbp,
        Self::OutputDdIbp,
        Self::SuperGaussian,
        Self::SuperProbit,
        Self::Letter,
        Self::Reference,
        Self::TransformedReference,
        Self::Svm,
        Self::TransformedSvm,
    ];

    /// The method with this name in files.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|system| system.file_name() == name)
    }

    /// Name used in file names.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Hash => "hash",
            Self::Ibp => "ibp",
            Self::InputDdIbp => "input-ddibp",
            Self::OutputDdIbp => "output-ddibp",
            Self::SuperGaussian => "super-gaussian",
            Self::SuperProbit => "super-probit",
            Self::Letter => "super-probit-letter",
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
            Self::Letter => "Super Probit IBP to the letter",
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
        matches!(self, Self::SuperProbit | Self::SuperGaussian | Self::Letter)
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
            Self::Letter => options.raw,
            Self::Hash | Self::SuperProbit | Self::TransformedReference | Self::TransformedSvm => options.standardised,
            Self::Ibp | Self::InputDdIbp | Self::OutputDdIbp | Self::SuperGaussian => options.centred,
        }
    }

    /// Chains that a reading reads.
    pub fn chains_of(self, reading: &str, chains: usize) -> usize {
        let probit = self == Self::SuperProbit;
        let all = PROBIT.iter().any(|(name, _, _, chains)| probit && *name == reading && chains.is_none());
        if all { chains } else { 1 }
    }

    /// The model with its settings; methods without a model get that of the Super Gaussian IBP.
    ///
    /// Weights of given bits are drawn in every supervised model, as in the paper. To the letter: no pseudo-weight,
    /// Gamma weights, and the paper's sampler; the lapse rate of 0.01 stays, without which a triplet that only wrong bits
    /// speak to would have probability 0.
    fn options(self) -> ModelOptions {
        let paper = |kind| ModelOptions::new(kind, Preset::Paper);
        match self {
            Self::SuperProbit => ModelOptions::new(ModelKind::Probit, Preset::Hash),
            Self::Letter => ModelOptions { schedule: Some(Schedule::probit_slice()), ..paper(ModelKind::Probit) },
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
        put("build", json!(BUILD));
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
        Ok(match system {
            System::Hash => Box::new(Attributes { name, transform, given: self.given }),
            System::Reference | System::TransformedReference => Box::new(RawNeighbours { name, transform }),
            System::Svm | System::TransformedSvm => Box::new(LinearSvm { name, transform }),
            _ => Box::new(LatentMethod {
                name,
                transform,
                triplets: system.triplets(options),
                extends: self.fit().given,
                options: system.options(),
                settings: match system {
                    System::Letter => options.run_to_the_letter(),
                    _ => options.run(system.chains(options)),
                },
                rows: given.iter().flat_map(|&given| system.rows(given)).collect(),
            }),
        })
    }
}

impl System {
    /// Triplets from labels. Weinberger and Saul's are all pairs of the nearest objects of the anchor's class with objects
    /// of others; the other rows have as many triplets an anchor as near objects, which are drawn at random.
    fn triplets(self, options: &Options) -> FromLabels {
        let default = FromLabels { per_object: options.per_object, ..FromLabels::default() };
        match self {
            Self::Letter => FromLabels { scheme: Scheme::Product, near: NearChoice::Nearest, ..default },
            _ => default,
        }
    }

    fn rows(self, given: GivenKind) -> Vec<LatentRow> {
        let probit = |(name, draws, training, chains): (&str, DrawChoice, TrainingCodes, Option<usize>)| LatentRow {
            chains,
            ..LatentRow::new(name, Reading { draws, training, ..Reading::default() })
        };
        let letter = |name: &str, draws: DrawChoice, encoder: EncoderChoice| {
            let reading = Reading { encoder: Some(encoder), ..draws.into() };
            LatentRow { last: Some(FIFTY), ..LatentRow::new(name, reading) }
        };
        let last = |name: &str, encoder: EncoderChoice| {
            LatentRow::new(name, Reading { encoder: Some(encoder), ..DrawChoice::Last.into() })
        };
        let gaussian = GAUSSIAN.into_iter().map(|(name, encoder)| last(name, encoder));
        let rows: Vec<LatentRow> = match self {
            System::SuperProbit => PROBIT.into_iter().map(probit).collect(),
            System::Letter => vec![
                letter(LAST, DrawChoice::Last, EncoderChoice::Drawn),
                letter(LAST_REFITTED, DrawChoice::Last, EncoderChoice::Refit),
                letter(LAST_FIFTY, DrawChoice::Kept, EncoderChoice::Drawn),
            ],
            System::InputDdIbp | System::OutputDdIbp => gaussian.chain([last(LINKS, EncoderChoice::Links)]).collect(),
            _ => gaussian.collect(),
        };
        rows.into_iter().map(|row| LatentRow { given, ..row }).collect()
    }
}
