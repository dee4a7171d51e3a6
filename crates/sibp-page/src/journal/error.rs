//! Says why a journal cannot be used.

use std::path::PathBuf;
use thiserror::Error;

/// Why a journal cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be opened, read or written.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The journal.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Another server has it.
    #[error("{path}: another server writes to this journal; end that one first, or give another file", path = path.display())]
    Locked {
        /// The journal.
        path: PathBuf,
    },
    /// A line that is no record.
    #[error("{path}: line {line}: {problem}", path = path.display())]
    Line {
        /// The journal.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// An earlier write failed and what it left could not be cleared away, or the server is ending.
    #[error("{path}: nothing more can be written; end the server, make room on the disk and start it again", path = path.display())]
    Broken {
        /// The journal.
        path: PathBuf,
    },
}
