//! Reads codes and the codes that are tried against them: indexes or arrays.

use super::code_source::{Origin, check_encoders};
use super::codes::{CodePair, looks_like_codes, looks_like_index, read_codes, read_pair, read_pair_of_any_width};
use anyhow::bail;
use sibp::codes::Codes;
use sibp::fingerprint::Fingerprint;
use sibp::index::HammingIndex;
use std::path::Path;

/// How the files of codes are read.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// Bits of packed codes, if they are known.
    pub n_bits: Option<usize>,
    /// Whether the width of packed codes does not matter.
    pub any_width: bool,
    /// Whether codes of other encoders are taken too.
    pub any_encoder: bool,
}

/// Whether a path is meant as a file of codes rather than a model.
pub fn holds_codes(path: &Path) -> bool {
    looks_like_codes(path) || looks_like_index(path)
}

/// The codes of a file in row order, what made them, and their index if it is one.
pub fn read_database(path: &Path, n_bits: Option<usize>) -> anyhow::Result<(Codes, Option<HammingIndex>)> {
    if !looks_like_index(path) {
        return Ok((read_codes(path, n_bits)?, None));
    }
    let index = HammingIndex::open(path)?;
    match n_bits {
        Some(n_bits) if n_bits != index.n_bits() => {
            bail!("{} holds codes of {} bits, not of {n_bits}", path.display(), index.n_bits())
        }
        _ => Ok((index.codes(), Some(index))),
    }
}

/// Reads both files and checks that they can be compared.
pub fn read_two(database: &Path, queries: &Path, reading: Reading) -> anyhow::Result<CodePair> {
    let n_bits = match (looks_like_index(database), looks_like_index(queries)) {
        (false, false) if reading.any_width => return read_pair_of_any_width(database, queries, reading.n_bits),
        (false, false) => return read_pair(database, queries, reading.n_bits),
        (true, _) => HammingIndex::open(database)?.n_bits(),
        (false, true) => HammingIndex::open(queries)?.n_bits(),
    };
    let (first, of_first) = read_database(database, Some(n_bits))?;
    let (second, of_second) = read_database(queries, Some(n_bits))?;
    let encoder =
        |index: &Option<HammingIndex>| -> Option<Fingerprint> { index.as_ref().and_then(HammingIndex::encoder) };
    let (stored, asked) = (encoder(&of_first), encoder(&of_second));
    let (stored, asked) = (Origin { path: database, encoder: stored }, Origin { path: queries, encoder: asked });
    check_encoders(stored, asked, reading.any_encoder)?;
    Ok(CodePair { database: first, queries: second })
}
