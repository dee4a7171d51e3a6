//! Writes the codes as a faiss file: `IndexBinaryFlat`, inside an `IndexBinaryIDMap` where ids are not row numbers.
//!
//! faiss wants whole bytes, so the width is rounded up to a multiple of 8; the bits added are 0 everywhere and change
//! no distance. faiss's ids are signed: ids from 2^63 on cannot be written.

use std::io::{self, Write};
use std::path::Path;

use super::file::IndexFileError;
use super::{HammingIndex, IndexError};
use crate::data::AtomicFile;

/// faiss's number for the metric of binary indexes.
const METRIC_L2: i32 = 1;

/// Rows taken from the planes at a time.
const CHUNK: usize = 1 << 14;

impl HammingIndex {
    /// Writes a file that `faiss.read_index_binary` opens, in place of what was there.
    pub fn export_faiss(&self, path: &Path) -> Result<(), IndexFileError> {
        if let Some(id) = self.ids().find(|&id| id > i64::MAX as u64) {
            return Err(IndexError::IdTooLarge { id }.into());
        }
        let write = || {
            let mut file = AtomicFile::create(path)?;
            if self.ids.given().is_some() {
                self.write_head(&mut file, b"IBMp")?;
            }
            self.write_flat(&mut file)?;
            if let Some(ids) = self.ids.given() {
                file.write_all(&(ids.len() as u64).to_le_bytes())?;
                ids.iter().try_for_each(|id| file.write_all(&id.to_le_bytes()))?;
            }
            file.commit()
        };
        write().map_err(|source| IndexFileError::io(path, source))
    }

    /// Writes the header that every binary index of faiss begins with.
    fn write_head(&self, file: &mut impl Write, kind: &[u8; 4]) -> io::Result<()> {
        let n_bytes = self.planes.n_planes() as i32;
        file.write_all(kind)?;
        file.write_all(&(8 * n_bytes).to_le_bytes())?;
        file.write_all(&n_bytes.to_le_bytes())?;
        file.write_all(&(self.len() as i64).to_le_bytes())?;
        file.write_all(&[1])?; // is trained
        file.write_all(&METRIC_L2.to_le_bytes())
    }

    fn write_flat(&self, file: &mut impl Write) -> io::Result<()> {
        self.write_head(file, b"IBxF")?;
        file.write_all(&((self.len() * self.planes.n_planes()) as u64).to_le_bytes())?;
        for first in (0..self.len()).step_by(CHUNK) {
            file.write_all(&self.planes.codes(first, CHUNK.min(self.len() - first)))?;
        }
        Ok(())
    }
}
