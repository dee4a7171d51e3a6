//! Opens files of codes of any kind: indexes, which know their width and what made them, and plain arrays and tables.

use super::code_chunks::CodeChunks;
use super::described::ChunkTexts;
use super::looks_like_index;
use anyhow::{Context, bail};
use sibp::codes::Codes;
use sibp::data::ReadOptions;
use sibp::fingerprint::Fingerprint;
use sibp::index::{HammingIndex, Texts};
use std::path::Path;

/// Rows of an index taken at once.
const ROWS: usize = 1 << 16;

/// The codes of a file, in order.
pub enum CodeSource {
    /// An index.
    Index {
        /// The index.
        index: HammingIndex,
        /// Rows taken so far.
        n_taken: usize,
    },
    /// Packed bytes or columns of 0 and 1.
    Plain(CodeChunks),
}

/// Some codes with what came beside them.
pub struct CodeBatch {
    /// The codes.
    pub codes: Codes,
    /// Ids and cells of the same file.
    pub chunk: ChunkTexts,
    /// Texts of an index.
    pub texts: Option<Texts>,
}

impl CodeSource {
    /// Opens an index, or a file of codes of `n_bits` bits.
    pub fn open(path: &Path, n_bits: Option<usize>, options: &ReadOptions) -> anyhow::Result<Self> {
        if !looks_like_index(path) {
            return Ok(Self::Plain(CodeChunks::open(path, n_bits, options)?));
        }
        let index = HammingIndex::open(path)?;
        match n_bits {
            Some(n_bits) if n_bits != index.n_bits() => {
                bail!("{} holds codes of {} bits, not of {n_bits}", path.display(), index.n_bits())
            }
            _ => Ok(Self::Index { index, n_taken: 0 }),
        }
    }

    /// Bits a code.
    pub fn n_bits(&self) -> usize {
        match self {
            Self::Index { index, .. } => index.n_bits(),
            Self::Plain(chunks) => chunks.n_bits(),
        }
    }

    /// What made the codes, if the file says it.
    pub fn encoder(&self) -> Option<Fingerprint> {
        match self {
            Self::Index { index, .. } => index.encoder(),
            Self::Plain(_) => None,
        }
    }

    /// The index, if it is one.
    pub fn index(&self) -> Option<&HammingIndex> {
        match self {
            Self::Index { index, .. } => Some(index),
            Self::Plain(_) => None,
        }
    }
}

impl Iterator for CodeSource {
    type Item = anyhow::Result<CodeBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Plain(chunks) => {
                let codes = chunks.next()?;
                Some(codes.map(|codes| CodeBatch { codes, chunk: chunks.texts(), texts: None }))
            }
            Self::Index { index, n_taken } => {
                let rows = *n_taken..index.len().min(*n_taken + ROWS);
                *n_taken = rows.end;
                let codes = (!rows.is_empty()).then(|| index.codes_of_rows(rows.clone()))?;
                let texts = index.texts().map(|texts| texts.rows(rows));
                Some(Ok(CodeBatch { codes, chunk: ChunkTexts::default(), texts }))
            }
        }
    }
}

/// A file of codes, or the model that makes them, and what it says about their encoder.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// The file.
    pub path: &'a Path,
    /// What made its codes, if it says so.
    pub encoder: Option<Fingerprint>,
}

/// Refuses codes that were made by another encoder than those of an index, or that do not say what made them.
pub fn check_encoders(index: Origin, other: Origin, any_encoder: bool) -> anyhow::Result<()> {
    let (name, of) = (index.path.display(), other.path.display());
    match (index.encoder, other.encoder) {
        _ if any_encoder => Ok(()),
        (Some(stored), Some(found)) if stored != found => bail!(
            "{name} holds codes of the encoder {stored}, but {of} is of {found}: their bits mean different things. \
             Encode both with the same model and the same --code; --any-encoder compares them nevertheless"
        ),
        (Some(stored), None) => {
            // A file that is not there says nothing either.
            std::fs::metadata(other.path).with_context(|| of.to_string())?;
            bail!(
                "{name} holds codes of the encoder {stored}, and {of} does not say what made its codes: encode to \
                 .sibx, which says it, or give inputs and --model; --any-encoder takes them nevertheless"
            )
        }
        _ => Ok(()),
    }
}
