//! Lists every way in which a model file can be wrong.

use crate::codes::CodesError;
use crate::model::SettingsError;
use crate::run::RunSettingsError;
use crate::trace::RecordError;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A file that cannot be read or written as a model.
#[derive(Debug, Error)]
pub enum FormatError {
    /// Any other mistake, in a named file.
    #[error("{}: {problem}", file.display())]
    InFile {
        /// The file.
        file: PathBuf,
        /// What is wrong with it. It is in the message, so it is no further cause, which would be printed again.
        problem: Box<FormatError>,
    },
    /// The system refused to read or write.
    #[error("cannot {action}: {reason}")]
    Io {
        /// What was tried: `"read"` or `"write"`.
        action: &'static str,
        /// The system's words.
        reason: io::Error,
    },
    /// Something is larger than the format allows.
    #[error("{what} is {value}; the limit is {limit}")]
    Limit {
        /// What is too large.
        what: &'static str,
        /// How large it is.
        value: u64,
        /// The largest allowed.
        limit: u64,
    },
    /// The container is damaged, cut short, or something else altogether.
    #[error("not a sibp model: {reason}; the file is damaged, cut short, or of another kind")]
    NotSafetensors {
        /// What the container's reader says.
        reason: String,
    },
    /// A safetensors file of another program.
    #[error("not a sibp model: it holds tensors, but its header does not begin as ours do")]
    NotModel,
    /// A file of this program, but of another kind.
    #[error("a {found} file, but a {expected} file is needed here")]
    OtherKind {
        /// The format needed.
        expected: &'static str,
        /// The format found.
        found: String,
    },
    /// A file of a later version of this program.
    #[error(
        "made by a newer version: sibp {program} wrote format {version}, this one reads up to {}; update sibp",
        super::VERSION
    )]
    Newer {
        /// Version of the format.
        version: u64,
        /// Version of the program that wrote it.
        program: String,
    },
    /// The bytes do not match the checksum.
    #[error("damaged: the checksum is {found}, but the file says {expected}; fetch or make it again")]
    Checksum {
        /// The checksum in the file.
        expected: String,
        /// The checksum of its bytes.
        found: String,
    },
    /// A key of the metadata is missing or unreadable.
    #[error("the metadata '{key}' cannot be read: {reason}")]
    Metadata {
        /// The key.
        key: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// A tensor is missing.
    #[error("the tensor '{name}' is missing")]
    MissingTensor {
        /// Its name.
        name: String,
    },
    /// A tensor that has no place in a model.
    #[error("the tensor '{name}' has no place in a model")]
    UnexpectedTensor {
        /// Its name.
        name: String,
    },
    /// A tensor of another type.
    #[error("the tensor '{name}' has type {found} instead of {expected}")]
    TensorType {
        /// Its name.
        name: String,
        /// The type it must have.
        expected: &'static str,
        /// The type it has.
        found: String,
    },
    /// A tensor of another shape.
    #[error("the tensor '{name}' has shape {found:?} instead of {expected}")]
    TensorShape {
        /// Its name.
        name: String,
        /// The shape it must have, in words.
        expected: String,
        /// The shape it has.
        found: Vec<usize>,
    },
    /// Run settings that are invalid.
    #[error(transparent)]
    RunSettings(#[from] RunSettingsError),
    /// Model settings that are invalid.
    #[error(transparent)]
    ModelSettings(#[from] SettingsError),
    /// Packed codes that are invalid.
    #[error("the tensor '{name}' cannot be codes: {problem}")]
    Codes {
        /// Its name.
        name: String,
        /// What is wrong.
        problem: CodesError,
    },
    /// Draws that do not match the run settings.
    #[error("chain {chain_ix}: {problem}")]
    Record {
        /// Which chain.
        chain_ix: usize,
        /// What is wrong.
        problem: RecordError,
    },
    /// A class number without a name.
    #[error("object {object_ix} has class {class}, but there are only {n_classes} class names")]
    Class {
        /// The object.
        object_ix: usize,
        /// Its class number.
        class: u32,
        /// Number of names.
        n_classes: usize,
    },
    /// Ids that are not texts, or not unique.
    #[error("the ids cannot be used: {reason}")]
    Ids {
        /// What is wrong.
        reason: String,
    },
    /// Inputs of the training objects that are no finite matrix.
    #[error("the inputs of the training objects cannot be used: {reason}")]
    Inputs {
        /// What is wrong.
        reason: String,
    },
    /// Parts that are about different numbers of objects or inputs.
    #[error("{what}: there are {found} instead of {expected}")]
    Count {
        /// What was counted.
        what: &'static str,
        /// How many there must be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
}

impl FormatError {
    /// Adds the file's name.
    pub(super) fn in_file(self, path: &Path) -> Self {
        Self::InFile { file: path.to_owned(), problem: Box::new(self) }
    }

    /// The mistake without the file's name.
    pub fn problem(&self) -> &Self {
        match self {
            Self::InFile { problem, .. } => problem.problem(),
            other => other,
        }
    }
}
