//! Reads and writes model files and checkpoints: documented layout, limits, checksum, atomic save.
//!
//! `docs/file-format.md` states the layout.

mod calibration;
mod container;
mod continuing;
mod digest;
mod encoder_file;
mod error;
mod fitted;
mod hash_file;
mod info;
mod part;
mod read;
mod resume;
mod tensors;
mod write;

pub use calibration::Calibration;
pub use continuing::{ContinueError, Continued};
pub use digest::Digests;
pub use encoder_file::{PortableEncoder, PortableGiven};
pub use error::FormatError;
pub use fitted::{Fitted, save};
pub use info::{GivenBits, ModelInfo, TripletOrigin, UnsupervisedBits};
pub use part::ChainPart;
pub use resume::{ResumeError, checkpoint_path, load_for_resume};

/// The value of the metadata's key `format` in a model file.
pub const FORMAT: &str = "sibp-model";
/// The value of the metadata's key `format` in a file of hashes.
pub const HASH_FORMAT: &str = "sibp-hash";
/// The value of the metadata's key `format` in a file of an encoder.
pub const ENCODER_FORMAT: &str = "sibp-encoder";
/// The version of the format that this program writes, and the newest it reads. Since version 2, draws have scores and
/// traces the log likelihood; since version 4, unsupervised bits may stand last in codes.
pub const VERSION: u64 = 4;
/// Largest number of bytes of a header.
pub const MAX_HEADER: usize = 100_000_000;
/// Largest number of training objects.
pub const MAX_OBJECTS: u64 = u32::MAX as u64 / 3;
