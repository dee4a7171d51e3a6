//! Writes and reads the CSV files from which all pages are laid out.

use anyhow::{Context, bail};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;

/// The lines as CSV, with a header.
pub fn to_csv<T: Serialize>(lines: &[T]) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    lines.iter().try_for_each(|line| writer.serialize(line))?;
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// The lines of a CSV text.
pub fn from_csv<T: DeserializeOwned>(text: &str) -> anyhow::Result<Vec<T>> {
    Ok(csv::Reader::from_reader(text.as_bytes()).into_deserialize().collect::<Result<_, _>>()?)
}

/// Reads a file of lines; it must hold at least one.
pub fn read<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let lines = from_csv(&text).with_context(|| path.display().to_string())?;
    if lines.is_empty() {
        bail!("{}: holds no lines", path.display());
    }
    Ok(lines)
}
