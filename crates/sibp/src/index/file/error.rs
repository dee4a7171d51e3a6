//! Lists every way in which an index file can be wrong.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::index::IndexError;

/// Why an index file cannot be read or written.
#[derive(Debug, Error)]
pub enum IndexFileError {
    /// The system could not read or write.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not an index file.
    #[error("{}: not an index file of sibp; build one with `sibp index build`", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a newer version.
    #[error("{}: index format version {version} is newer than this program's ({}); update sibp", path.display(), super::header::VERSION)]
    Newer {
        /// The file.
        path: PathBuf,
        /// Version of the file.
        version: u32,
    },
    /// The first 4096 bytes do not match their checksum or have bytes set that must be 0.
    #[error("{}: the header is damaged; restore the file or build it again", path.display())]
    HeaderChecksum {
        /// The file.
        path: PathBuf,
    },
    /// A field of the header has an impossible value.
    #[error("{}: the header's {field} is {value}, which is impossible", path.display())]
    Field {
        /// The file.
        path: PathBuf,
        /// The field.
        field: &'static str,
        /// Its value.
        value: u64,
    },
    /// The file is shorter or longer than it should be.
    #[error("{}: the file has {found} bytes instead of {expected}; it was cut off or added to", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// Bytes it should have.
        expected: u64,
        /// Bytes it has.
        found: u64,
    },
    /// The codes or ids do not match their checksum.
    #[error("{}: the codes or ids are damaged; restore the file or build it again", path.display())]
    BodyChecksum {
        /// The file.
        path: PathBuf,
    },
    /// The stored ids are not distinct, or do not rise although the header says so.
    #[error("{}: id {id} is stored twice or out of order", path.display())]
    Ids {
        /// The file.
        path: PathBuf,
        /// The id.
        id: u64,
    },
    /// A row of texts is not one cell a column.
    #[error("{}: the texts of row {row} are damaged", path.display())]
    Texts {
        /// The file.
        path: PathBuf,
        /// The row.
        row: usize,
    },
    /// The codes or ids to be written are wrong.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl IndexFileError {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

/// An error in a header, before the file's name is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Problem {
    Foreign,
    Newer(u32),
    Checksum,
    Field(&'static str, u64),
    Length { expected: u64, found: u64 },
}

impl Problem {
    pub fn at(self, path: &Path) -> IndexFileError {
        let path = path.to_owned();
        match self {
            Self::Foreign => IndexFileError::Foreign { path },
            Self::Newer(version) => IndexFileError::Newer { path, version },
            Self::Checksum => IndexFileError::HeaderChecksum { path },
            Self::Field(field, value) => IndexFileError::Field { path, field, value },
            Self::Length { expected, found } => IndexFileError::Length { path, expected, found },
        }
    }
}
