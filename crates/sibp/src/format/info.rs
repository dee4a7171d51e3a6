//! Describes the data and settings of a fit: everything in a model file but the draws.

use super::hash_file::{self, BlockHead};
use super::{Calibration, ChainPart, Continued, Digests, FormatError};
use crate::codes::Codes;
use crate::data::{Ids, Inputs, Labels};
use crate::hash::HashStack;
use crate::model::{AnyModel, Reference, Training};
use crate::run::RunSettings;
use crate::transform::Transform;
use crate::triplets::FromLabels;
use serde::{Deserialize, Serialize};

/// Where the triplets came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "kebab-case")]
pub enum TripletOrigin {
    /// There are no triplets.
    None,
    /// From a file or an array.
    Given {
        /// How many.
        n_triplets: usize,
    },
    /// Built from labels.
    Labels {
        /// How many.
        n_triplets: usize,
        /// The options of the construction.
        options: FromLabels,
    },
}

impl TripletOrigin {
    /// How many triplets the model was fitted to.
    pub fn n_triplets(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Given { n_triplets } | Self::Labels { n_triplets, .. } => *n_triplets,
        }
    }
}

/// The data and settings of a fit: everything that decides its draws, and what is needed to use them.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelInfo {
    /// The model with all its settings.
    pub model: AnyModel,
    /// Seed, sweeps, chains, draws.
    pub settings: RunSettings,
    /// Transform of the inputs before they reach the model.
    pub transform: Transform,
    /// Number of training objects.
    pub n_objects: usize,
    /// Names of the inputs, before the transform.
    pub input_names: Option<Vec<String>>,
    /// Where the triplets came from.
    pub triplets: TripletOrigin,
    /// Digests of the training data.
    pub digests: Digests,
    /// Labels of the training objects.
    pub labels: Option<Labels>,
    /// Ids of the training objects.
    pub ids: Option<Ids>,
    /// Given bits of the training objects.
    pub given: Option<GivenBits>,
    /// Unsupervised bits, which stand last in codes.
    pub unsupervised: Option<UnsupervisedBits>,
    /// Transformed inputs of the training objects, for a model that encodes by distances to them.
    pub inputs: Option<Inputs>,
    /// How probabilities of triplets are recalibrated, where a rehearsal told.
    pub calibration: Option<Calibration>,
    /// The earlier fit that the chains started from, if they did.
    pub continues: Option<Continued>,
    /// Names of the judges, where they are known.
    pub judges: Option<Vec<String>>,
    /// Which chain of a fit this is, where the others run elsewhere.
    pub part: Option<ChainPart>,
}

/// Given bits, which objects had before the fit; in codes they stand before the learned ones.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenBits {
    /// Description of their origin.
    pub source: String,
    /// A code for each training object.
    pub codes: Codes,
    /// Predicts the given bits of other objects, from inputs as they are read.
    pub predictor: Option<HashStack>,
}

/// Unsupervised bits, which are computed from the inputs only and which no triplet taught. They are not part of the model:
/// they stand behind the learned bits and tell apart objects to which those give the same code.
#[derive(Debug, Clone, PartialEq)]
pub struct UnsupervisedBits {
    /// A code for each training object.
    pub codes: Codes,
    /// Gives them to any object, by inputs as they are read.
    pub hash: HashStack,
    /// Codes have as many of them as make up this number of bits in all; all of them where it is absent.
    pub fills_to: Option<usize>,
}

impl UnsupervisedBits {
    /// Number of them behind this many other bits.
    pub fn n_behind(&self, n_others: usize) -> usize {
        let n_bits = self.codes.n_bits();
        self.fills_to.map_or(n_bits, |width| width.saturating_sub(n_others).min(n_bits))
    }

    /// The first of them; `None` for none.
    pub fn first(&self, n_bits: usize) -> Option<(Codes, HashStack)> {
        let keep: Vec<bool> = (0..self.codes.n_bits()).map(|bit| bit < n_bits).collect();
        // A stack without bits is none.
        let hash = self.hash.select(&keep).ok()?;
        Some((self.codes.first_bits(n_bits), hash))
    }

    fn head(&self) -> UnsupervisedHead {
        UnsupervisedHead { n_bits: self.codes.n_bits(), fills_to: self.fills_to, hash: hash_file::heads(&self.hash) }
    }
}

impl GivenBits {
    fn head(&self) -> GivenHead {
        let predictor = self.predictor.as_ref().map(hash_file::heads);
        GivenHead { source: self.source.clone(), n_bits: self.codes.n_bits(), predictor }
    }
}

impl ModelInfo {
    /// Number of inputs an object must have, before the transform.
    pub fn n_inputs(&self) -> usize {
        self.transform.n_inputs()
    }

    /// The part that is stored in the metadata.
    pub(super) fn head(&self) -> Head {
        Head {
            model: self.model.clone(),
            settings: self.settings,
            transform: self.transform.clone(),
            n_objects: self.n_objects,
            input_names: self.input_names.clone(),
            class_names: self.labels.as_ref().map(|labels| labels.names().to_vec()),
            triplets: self.triplets.clone(),
            digests: self.digests.clone(),
            given: self.given.as_ref().map(GivenBits::head),
            unsupervised: self.unsupervised.as_ref().map(UnsupervisedBits::head),
            calibration: self.calibration,
            continues: self.continues.clone(),
            judges: self.judges.clone(),
            part: self.part.clone(),
        }
    }

    /// Refuses parts that do not belong together.
    pub(super) fn check(&self) -> Result<(), FormatError> {
        self.settings.check()?;
        self.model.check()?;
        if let Some(part) = &self.part {
            part.check(self.settings.chains)?;
        }
        let n_objects = self.n_objects;
        let limit = super::MAX_OBJECTS;
        if n_objects == 0 || n_objects as u64 > limit {
            return Err(FormatError::Limit { what: "the number of objects", value: n_objects as u64, limit });
        }
        let counts = [
            ("input names", self.n_inputs(), self.input_names.as_ref().map(Vec::len)),
            ("labels", n_objects, self.labels.as_ref().map(Labels::len)),
            ("ids", n_objects, self.ids.as_ref().map(Ids::len)),
            ("rows of inputs", n_objects, self.inputs.as_ref().map(Inputs::n_objects)),
            ("columns of inputs", self.transform.n_outputs(), self.inputs.as_ref().map(Inputs::n_inputs)),
            ("codes of given bits", n_objects, self.given.as_ref().map(|given| given.codes.n_objects())),
            ("codes of unsupervised bits", n_objects, self.unsupervised.as_ref().map(|bits| bits.codes.n_objects())),
        ];
        let unsupervised = self.unsupervised.as_ref().map(|bits| {
            [
                ("inputs of unsupervised bits", self.n_inputs(), Some(bits.hash.n_inputs())),
                ("unsupervised bits", bits.codes.n_bits(), Some(bits.hash.n_bits())),
            ]
        });
        let predictor = self.given.as_ref().and_then(|given| given.predictor.as_ref().map(|stack| (given, stack)));
        let predicted = predictor.map(|(given, stack)| {
            [
                ("inputs of the predictor of given bits", self.n_inputs(), Some(stack.n_inputs())),
                ("bits of the predictor of given bits", given.codes.n_bits(), Some(stack.n_bits())),
            ]
        });
        let of_hashes = predicted.into_iter().chain(unsupervised).flatten();
        for (what, expected, found) in counts.into_iter().chain(of_hashes) {
            if let Some(found) = found.filter(|&found| found != expected) {
                return Err(FormatError::Count { what, expected, found });
            }
        }
        let missing = match self.model.reference() {
            Reference::Inputs if self.inputs.is_none() => "rows of inputs, for distances to them,",
            Reference::Classes if self.labels.is_none() => "labels, for distances between classes,",
            _ => return Ok(()),
        };
        Err(FormatError::Count { what: missing, expected: n_objects, found: 0 })
    }

    /// The information about training objects that encoders may use.
    pub fn training(&self) -> Training<'_> {
        Training {
            n_inputs: self.transform.n_outputs(),
            inputs: self.inputs.as_ref(),
            classes: self.labels.as_ref().map(Labels::class_of),
        }
    }
}

/// The JSON text of the metadata. Labels and ids themselves are tensors.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    pub model: AnyModel,
    pub settings: RunSettings,
    pub transform: Transform,
    pub n_objects: usize,
    pub input_names: Option<Vec<String>>,
    pub class_names: Option<Vec<String>>,
    pub triplets: TripletOrigin,
    pub digests: Digests,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<GivenHead>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsupervised: Option<UnsupervisedHead>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<Continued>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judges: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<ChainPart>,
}

/// The metadata of the given bits.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GivenHead {
    pub source: String,
    pub n_bits: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predictor: Option<Vec<BlockHead>>,
}

/// The metadata of the unsupervised bits.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnsupervisedHead {
    pub n_bits: usize,
    pub fills_to: Option<usize>,
    pub hash: Vec<BlockHead>,
}
