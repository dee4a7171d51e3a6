//! Stores an index in a memory-mapped file, which opens in the same time at any size.
//!
//! # Layout
//! All numbers are little-endian. Bytes not named are 0.
//!
//! | bytes | holds |
//! |---|---|
//! | 0..8 | `SIBPIDX` and a zero byte |
//! | 8..12 | version: 1, or 2 where the file has an encoder or texts |
//! | 12..16 | flags: 1 = ids are stored, 2 = ids rise with the rows, 4 = no id is left to hand out; in version 2 also 8 = the encoder is known, 16 = the first column of texts holds the ids that users know |
//! | 16..24 | number of codes |
//! | 24..32 | bits a code, 1 to 4096 |
//! | 32..40 | the id that the next unnamed code gets |
//! | 40..48 | length of the file |
//! | 48..80 | SHA-256 of the body: all bytes from 4096 on |
//! | 80..112 | version 1: SHA-256 of bytes 0..80. Version 2: fingerprint of the encoder |
//! | 112..120 | version 2: bytes of all texts |
//! | 120..128 | version 2: number of columns of texts |
//! | 128..160 | version 2: SHA-256 of bytes 0..128 and 160..4096 |
//! | 160..4096 | version 2: names of the columns, each a 32-bit length and UTF-8 bytes |
//! | 4096.. | the codes: blocks of 256 rows; in a block byte plane after byte plane; in a plane the bytes of its 256 rows. The last block is filled up with zero codes |
//! | then | with flag 1: one 64-bit id a code; without it, ids are row numbers |
//! | then | with columns: for each code a 64-bit number, where its row of texts ends, counted from the first text |
//! | then | with columns: for each code its row of texts, each a 32-bit length and UTF-8 bytes |
//!
//! Bit 0 of a code is the highest bit of its first byte, as in numpy's `packbits`; unused bits of the last byte are 0.
//!
//! # What is checked when
//! [`HammingIndex::open`] reads the first 4096 bytes only: a change there, another length, or a foreign file is an
//! error. A change in the body is found by [`HammingIndex::verify`], which reads the whole file. A search of a
//! damaged body gives wrong neighbours but touches nothing outside the file.
//! Saving writes beside the target and renames, so a file is never changed in place; a program that does change a
//! mapped file in place, or shortens it, breaks the processes that have it open.

mod change;
mod error;
mod header;
mod lock;
mod new_file;
mod writer;

pub use change::{Added, IndexChange};
pub use error::IndexFileError;
pub use lock::IndexLock;
pub use writer::IndexWriter;

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::HammingIndex;
use super::about::About;
use super::ids::Ids;
use super::planes::Planes;
use super::texts::Texts;
use crate::backing::{Backing, Mapping};
use header::{HEADER_BYTES, Header};

impl HammingIndex {
    /// Opens an index file in constant time: its codes are mapped, and only its first 4096 bytes are checked.
    /// Adding to or removing from an opened index copies it into memory; the file changes only by [`Self::save`].
    pub fn open(path: &Path) -> Result<Self, IndexFileError> {
        let io = |source| IndexFileError::io(path, source);
        let mut file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        file.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut bytes).map_err(io)?;
        let header = Header::read(&bytes, length).map_err(|problem| problem.at(path))?;
        let map = Arc::new(Mapping::new(&file).map_err(io)?);
        if map.len() as u64 != length {
            return Err(IndexFileError::Length { path: path.to_owned(), expected: length, found: map.len() as u64 });
        }
        let lines = Backing::mapped(&map, HEADER_BYTES, header.n_lines());
        let ids = header.stores_ids.then(|| Backing::mapped(&map, header.ids_at(), header.n_rows));
        let texts = (!header.columns.is_empty()).then(|| {
            let n_bytes = header.text_bytes as usize;
            let ends = Backing::mapped(&map, header.ends_at(), header.n_rows);
            Texts::from_parts(header.columns.clone(), Backing::mapped(&map, header.texts_at(), n_bytes), ends)
        });
        Ok(Self {
            about: About { encoder: header.encoder, texts, named: header.named },
            planes: Planes::from_lines(header.n_rows, header.n_bits, lines),
            ids: Ids::from_parts(header.n_rows, ids, header.next_id, header.ascending),
            revision: 0,
        })
    }

    /// Reads a whole index file and checks every byte, and that ids are distinct.
    pub fn verify(path: &Path) -> Result<(), IndexFileError> {
        let index = Self::open_checked(path)?;
        let path = || path.to_owned();
        match (index.ids.fault(), index.texts().and_then(Texts::fault)) {
            (Some(id), _) => Err(IndexFileError::Ids { path: path(), id }),
            (None, Some(row)) => Err(IndexFileError::Texts { path: path(), row }),
            (None, None) => Ok(()),
        }
    }

    /// Opens an index file after checking every byte by the checksums, in little memory.
    pub(super) fn open_checked(path: &Path) -> Result<Self, IndexFileError> {
        let index = Self::open(path)?;
        let io = |source| IndexFileError::io(path, source);
        let mut file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let mut first = vec![0; HEADER_BYTES];
        file.read_exact(&mut first).map_err(io)?;
        let header = Header::read(&first, length).map_err(|problem| problem.at(path))?;
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            match file.read(&mut buffer).map_err(io)? {
                0 => break,
                n => hasher.update(&buffer[..n]),
            }
        }
        if hasher.finalize()[..] != header.body_sha256 {
            return Err(IndexFileError::BodyChecksum { path: path.to_owned() });
        }
        Ok(index)
    }

    /// Writes the index to a file atomically: whatever interrupts, the name holds either the old bytes or all of the
    /// new ones.
    pub fn save(&self, path: &Path) -> Result<(), IndexFileError> {
        writer::save(self, path)
    }
}
