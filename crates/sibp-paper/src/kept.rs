//! Keeps a result in a small file with the settings it was made by, so that a run that was interrupted goes on.

use anyhow::Context;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sibp::data::AtomicFile;
use std::io::Write as _;
use std::path::Path;

/// The hash of the sources that decide results. A result of another build is made anew.
pub const BUILD: &str = env!("SIBP_BUILD");

/// Everything that decides a result, by name.
pub type Settings = Map<String, Value>;

/// A stored result with its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kept<T> {
    /// The settings that made the result; with any other setting it is not reused.
    pub settings: Settings,
    #[serde(flatten)]
    pub result: T,
}

/// The content of a result file.
pub enum Found<T> {
    /// A result of the same settings.
    Done(T),
    /// A result of other settings, with the names of those that differ.
    Other(Vec<String>),
    /// Nothing, or nothing that can be read.
    Nothing,
}

impl<T: Serialize + DeserializeOwned> Kept<T> {
    /// Reads a result file and compares its settings.
    pub fn find(path: &Path, settings: &Settings) -> Found<T> {
        let read = std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        let Some(kept) = read else { return Found::Nothing };
        let keys = settings.keys().chain(kept.settings.keys().filter(|key| !settings.contains_key(*key)));
        let differs = |key: &&String| settings.get(*key) != kept.settings.get(*key);
        let other: Vec<String> = keys.filter(differs).cloned().collect();
        if other.is_empty() { Found::Done(kept.result) } else { Found::Other(other) }
    }

    /// Writes the result atomically.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_vec(self).context("a result cannot be written as JSON")?;
        save(path, &text)
    }
}

/// Writes a file, atomically.
pub fn save(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let refused = || format!("{}: cannot write", path.display());
    let mut file = AtomicFile::create(path).with_context(refused)?;
    file.write_all(bytes).with_context(refused)?;
    file.commit().with_context(refused)
}
