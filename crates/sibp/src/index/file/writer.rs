//! Writes index files, from an index in RAM or from a stream of codes.

use std::path::{Path, PathBuf};

use super::error::IndexFileError;
use super::header::Header;
use super::new_file::{End, NewFile};
use crate::codes::Codes;
use crate::fingerprint::Fingerprint;
use crate::index::about::{About, duplicate};
use crate::index::ids::Ids;
use crate::index::texts::{SeenNames, Texts};
use crate::index::{HammingIndex, IndexError};

pub(super) fn save(index: &HammingIndex, path: &Path) -> Result<(), IndexFileError> {
    Header::check_columns(index.about.columns())?;
    let write = || {
        let mut file = NewFile::create(path, index.n_bits())?;
        file.append_index(index)?;
        if let Some(texts) = index.texts() {
            (0..texts.len()).try_for_each(|row| file.append_text(texts.record(row)))?;
        }
        file.finish(End::of(&index.ids, &index.about), index.ids.given().unwrap_or_default().iter().copied(), None)
    };
    write().map_err(|source| IndexFileError::io(path, source))
}

/// Writes an index file from a stream of codes, so that it may be larger than RAM; only ids are held in memory (none
/// when they are row numbers, 16 bytes each when they are texts).
///
/// The file appears under its name by [`Self::finish`]; if dropped before, nothing is left behind.
#[derive(Debug)]
pub struct IndexWriter {
    path: PathBuf,
    file: NewFile,
    n_bits: usize,
    n_rows: usize,
    ids: Ids,
    /// Whether all ids were given at the start.
    numbered: bool,
    about: About,
    seen: SeenNames,
}

impl IndexWriter {
    /// Begins a file for codes of `n_bits` bits.
    pub fn create(path: &Path, n_bits: usize) -> Result<Self, IndexFileError> {
        let empty = HammingIndex::new(n_bits)?;
        let file = NewFile::create(path, n_bits).map_err(|source| IndexFileError::io(path, source))?;
        let (path, about, seen) = (path.to_owned(), About::default(), SeenNames::default());
        Ok(Self { path, file, n_bits, n_rows: 0, ids: empty.ids, numbered: false, about, seen })
    }

    /// Begins a file for codes whose ids are known: they are checked once, not again with every batch of codes. Ids in
    /// any order then cost no more than a sort.
    pub fn create_with_ids(path: &Path, n_bits: usize, ids: &[u64]) -> Result<Self, IndexFileError> {
        let mut writer = Self::create(path, n_bits)?;
        writer.ids.append(ids.len(), Some(ids))?;
        writer.numbered = true;
        Ok(writer)
    }

    /// States what makes the codes.
    pub fn encoder(mut self, encoder: Option<Fingerprint>) -> Self {
        self.about.encoder = encoder;
        self
    }

    /// States the columns of texts that come with the codes; where `named`, the first one holds the ids that users
    /// know, which must be distinct.
    pub fn columns(mut self, columns: Vec<String>, named: bool) -> Result<Self, IndexFileError> {
        Header::check_columns(&columns)?;
        self.about.named = named && !columns.is_empty();
        self.about.texts = (!columns.is_empty()).then(|| Texts::new(columns));
        Ok(self)
    }

    /// Adds codes, as [`HammingIndex::add`] does; after [`Self::create_with_ids`] they get the next of those ids.
    ///
    /// # Panics
    /// When ids are given here and were given at the start.
    pub fn append(&mut self, codes: &Codes, ids: Option<&[u64]>) -> Result<(), IndexFileError> {
        self.append_with_texts(codes, ids, None)
    }

    /// Adds codes with a row of texts for each.
    ///
    /// # Panics
    /// When ids are given here and were given at the start.
    pub fn append_with_texts(
        &mut self,
        codes: &Codes,
        ids: Option<&[u64]>,
        texts: Option<&Texts>,
    ) -> Result<(), IndexFileError> {
        HammingIndex::check_same_width(self.n_bits, codes)?;
        self.about.check(codes.n_objects(), texts)?;
        if self.numbered {
            assert!(ids.is_none(), "ids were given at the start");
            let n_codes = self.n_rows + codes.n_objects();
            if n_codes > self.ids.len() {
                return Err(IndexError::IdCount { n_codes, n_ids: self.ids.len() }.into());
            }
        } else {
            self.ids.append(codes.n_objects(), ids)?;
        }
        for (row, texts) in texts.iter().flat_map(|texts| (0..texts.len()).map(move |row| (row, texts))) {
            if self.about.named && !self.seen.insert(texts.cell(row, 0)) {
                return Err(duplicate(texts.cell(row, 0), self.n_rows + row).into());
            }
            self.file.append_text(texts.record(row)).map_err(|source| IndexFileError::io(&self.path, source))?;
        }
        self.n_rows += codes.n_objects();
        self.file.append(codes).map_err(|source| IndexFileError::io(&self.path, source))
    }

    /// Completes the file.
    pub fn finish(self) -> Result<(), IndexFileError> {
        if self.n_rows != self.ids.len() {
            return Err(IndexError::IdCount { n_codes: self.n_rows, n_ids: self.ids.len() }.into());
        }
        let ids = self.ids.given().unwrap_or_default().iter().copied();
        let done = self.file.finish(End::of(&self.ids, &self.about), ids, None);
        done.map_err(|source| IndexFileError::io(&self.path, source))
    }
}
