//! Tells wrong options from later failures.

use std::fmt;

/// An invalid combination of options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misuse(pub String);

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misuse {}

/// Shorthand for an error about options.
pub(crate) fn usage(text: impl Into<String>) -> anyhow::Error {
    anyhow::Error::new(Misuse(text.into()))
}
