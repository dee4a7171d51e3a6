//! Writes index files, from an index in RAM or from a stream of codes.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::error::IndexFileError;
use super::header::{HEADER_BYTES, Header};
use crate::backing::Line;
use crate::codes::Codes;
use crate::data::AtomicFile;
use crate::index::ids::Ids;
use crate::index::planes::{BLOCK, Planes};
use crate::index::{HammingIndex, IndexError};

/// The body of a file that is being written, with its checksum.
#[derive(Debug)]
struct Body {
    file: AtomicFile,
    hasher: Sha256,
}

impl Body {
    fn create(path: &Path) -> io::Result<Self> {
        let mut file = AtomicFile::create(path)?;
        file.write_all(&[0; HEADER_BYTES])?;
        Ok(Self { file, hasher: Sha256::new() })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.file.write_all(bytes)
    }

    fn write_lines(&mut self, lines: &[Line]) -> io::Result<()> {
        lines.iter().try_for_each(|line| self.write(&line.0))
    }

    /// Writes the ids and the header, and gives the file its name.
    fn finish(mut self, n_rows: usize, n_bits: usize, ids: &Ids) -> io::Result<()> {
        for id in ids.given().unwrap_or_default() {
            self.write(&id.to_le_bytes())?;
        }
        let header = Header {
            n_rows,
            n_bits,
            stores_ids: ids.given().is_some(),
            ascending: ids.ascending(),
            next_id: ids.next(),
            body_sha256: self.hasher.finalize().into(),
        };
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&header.write())?;
        self.file.commit()
    }
}

pub(super) fn save(index: &HammingIndex, path: &Path) -> Result<(), IndexFileError> {
    let write = || {
        let mut body = Body::create(path)?;
        for block in 0..index.planes.n_blocks() {
            // Planes of later groups follow those of earlier ones: a file has one group.
            for group in index.planes.groups() {
                body.write_lines(group.block(block))?;
            }
        }
        body.finish(index.len(), index.n_bits(), &index.ids)
    };
    write().map_err(|source| IndexFileError::io(path, source))
}

/// Writes an index file from a stream of codes, so that it may be larger than RAM; only ids are held in memory (none
/// when they are row numbers).
///
/// The file appears under its name by [`Self::finish`]; if dropped before, nothing is left behind.
#[derive(Debug)]
pub struct IndexWriter {
    path: PathBuf,
    body: Body,
    n_bits: usize,
    n_rows: usize,
    ids: Ids,
    /// Whether all ids were given at the start.
    named: bool,
    /// Rows of the block that is not full yet.
    rest: Planes,
}

impl IndexWriter {
    /// Begins a file for codes of `n_bits` bits.
    pub fn create(path: &Path, n_bits: usize) -> Result<Self, IndexFileError> {
        let empty = HammingIndex::new(n_bits)?;
        let body = Body::create(path).map_err(|source| IndexFileError::io(path, source))?;
        Ok(Self { path: path.to_owned(), body, n_bits, n_rows: 0, ids: empty.ids, named: false, rest: empty.planes })
    }

    /// Begins a file for codes whose ids are known: they are checked once, not again with every batch of codes. Ids in
    /// any order then cost no more than a sort.
    pub fn create_with_ids(path: &Path, n_bits: usize, ids: &[u64]) -> Result<Self, IndexFileError> {
        let mut writer = Self::create(path, n_bits)?;
        writer.ids.append(ids.len(), Some(ids))?;
        writer.named = true;
        Ok(writer)
    }

    /// Adds codes, as [`HammingIndex::add`] does; after [`Self::create_with_ids`] they get the next of those ids.
    ///
    /// # Panics
    /// When ids are given here and were given at the start.
    pub fn append(&mut self, codes: &Codes, ids: Option<&[u64]>) -> Result<(), IndexFileError> {
        HammingIndex::check_same_width(self.n_bits, codes)?;
        if self.named {
            assert!(ids.is_none(), "ids were given at the start");
            let n_codes = self.n_rows + codes.n_objects();
            if n_codes > self.ids.len() {
                return Err(IndexError::IdCount { n_codes, n_ids: self.ids.len() }.into());
            }
        } else {
            self.ids.append(codes.n_objects(), ids)?;
        }
        self.rest.append(codes);
        self.n_rows += codes.n_objects();
        let full = self.rest.n_rows() / BLOCK;
        self.flush(full).map_err(|source| IndexFileError::io(&self.path, source))?;
        let left = self.rest.codes(full * BLOCK, self.rest.n_rows() - full * BLOCK);
        let left = Codes::from_bytes(self.rest.n_rows() - full * BLOCK, self.n_bits, left);
        self.rest = Planes::new(self.n_bits);
        match left {
            Ok(left) => self.rest.append(&left),
            Err(error) => unreachable!("appended codes are whole rows with clean ends: {error}"),
        }
        Ok(())
    }

    /// Completes the file.
    pub fn finish(mut self) -> Result<(), IndexFileError> {
        if self.n_rows != self.ids.len() {
            return Err(IndexError::IdCount { n_codes: self.n_rows, n_ids: self.ids.len() }.into());
        }
        let Self { path, n_rows, n_bits, .. } = &self;
        let (path, n_rows, n_bits) = (path.clone(), *n_rows, *n_bits);
        self.flush(self.rest.n_blocks())
            .and_then(|()| self.body.finish(n_rows, n_bits, &self.ids))
            .map_err(|source| IndexFileError::io(&path, source))
    }

    /// Writes the first blocks of the rows that are waiting.
    fn flush(&mut self, n_blocks: usize) -> io::Result<()> {
        for block in 0..n_blocks {
            for group in self.rest.groups() {
                self.body.write_lines(group.block(block))?;
            }
        }
        Ok(())
    }
}
