//! Holds what a user brings: feature vectors, ids and labels.

mod error;
mod features;
mod labels;

pub use error::DataError;
pub use features::Features;
pub use labels::Labels;
