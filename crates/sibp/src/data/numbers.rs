//! Keeps the numbers of a large table in double or single precision, in RAM or in a memory-mapped scratch file.

use super::{DataError, NpyElement};
use crate::backing::{Backing, Mapping, Plain};
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where tables are kept while they are used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Storage {
    /// In memory.
    #[default]
    Memory,
    /// In unnamed files in this folder, which are deleted after their last use; the system caches in RAM what fits. An
    /// `.npy` file that can be memory-mapped as it is needs no such file.
    Disk(PathBuf),
}

/// The precision in which numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precision {
    Single,
    Double,
}

impl Precision {
    /// Bytes of a number.
    pub fn bytes(self) -> usize {
        match self {
            Self::Single => size_of::<f32>(),
            Self::Double => size_of::<f64>(),
        }
    }
}

/// Stored numbers, whose clones share the memory.
#[derive(Debug, Clone)]
pub(crate) enum Numbers {
    Double(Arc<Backing<f64>>),
    Single(Arc<Backing<f32>>),
}

impl Numbers {
    /// Memory-maps a file's numbers from byte `at` on.
    pub fn mapped(file: &File, precision: Precision, at: usize, len: usize) -> std::io::Result<Self> {
        let map = Arc::new(Mapping::new(file)?);
        Ok(match precision {
            Precision::Double => Self::Double(Arc::new(Backing::mapped(&map, at, len))),
            Precision::Single => Self::Single(Arc::new(Backing::mapped(&map, at, len))),
        })
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Double(values) => values.len(),
            Self::Single(values) => values.len(),
        }
    }

    pub fn get(&self, range: Range<usize>) -> Cow<'_, [f64]> {
        match self {
            Self::Double(values) => Cow::Borrowed(&values[range]),
            Self::Single(values) => Cow::Owned(values[range].iter().map(|&value| f64::from(value)).collect()),
        }
    }
}

impl From<Vec<f64>> for Numbers {
    fn from(values: Vec<f64>) -> Self {
        Self::Double(Arc::new(Backing::Owned(values)))
    }
}

/// Writes numbers one after another to their storage.
pub(super) enum NumberWriter {
    Double(Sink<f64>),
    Single(Sink<f32>),
}

impl NumberWriter {
    pub fn new(precision: Precision, storage: &Storage) -> Result<Self, DataError> {
        Ok(match precision {
            Precision::Double => Self::Double(Sink::new(storage)?),
            Precision::Single => Self::Single(Sink::new(storage)?),
        })
    }

    pub fn push(&mut self, values: &[f64]) -> Result<(), DataError> {
        match self {
            Self::Double(sink) => sink.push(values),
            Self::Single(sink) => sink.push(values),
        }
    }

    pub fn finish(self) -> Result<Numbers, DataError> {
        Ok(match self {
            Self::Double(sink) => Numbers::Double(Arc::new(sink.finish()?)),
            Self::Single(sink) => Numbers::Single(Arc::new(sink.finish()?)),
        })
    }
}

/// A number type of one of the stored precisions.
pub(super) trait Number: Plain + NpyElement {
    fn rounded(value: f64) -> Self;
}

impl Number for f64 {
    fn rounded(value: f64) -> Self {
        value
    }
}

impl Number for f32 {
    fn rounded(value: f64) -> Self {
        value as f32
    }
}

/// The destination of numbers that are being written.
pub(super) enum Sink<T> {
    Memory(Vec<T>),
    Disk { output: BufWriter<File>, folder: PathBuf, len: usize },
}

impl<T: Number> Sink<T> {
    fn new(storage: &Storage) -> Result<Self, DataError> {
        let Storage::Disk(folder) = storage else { return Ok(Self::Memory(Vec::new())) };
        let file = tempfile::tempfile_in(folder).map_err(|error| scratch(folder, &error))?;
        Ok(Self::Disk { output: BufWriter::with_capacity(1 << 20, file), folder: folder.clone(), len: 0 })
    }

    fn push(&mut self, values: &[f64]) -> Result<(), DataError> {
        match self {
            Self::Memory(kept) => kept.extend(values.iter().map(|&value| T::rounded(value))),
            Self::Disk { output, folder, len } => {
                let mut bytes = Vec::with_capacity(size_of_val(values));
                values.iter().for_each(|&value| T::rounded(value).put(&mut bytes));
                output.write_all(&bytes).map_err(|error| scratch(folder, &error))?;
                *len += values.len();
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Backing<T>, DataError> {
        match self {
            Self::Memory(values) => Ok(Backing::Owned(values)),
            Self::Disk { output, folder, len } => {
                let file = output.into_inner().map_err(|error| scratch(&folder, error.error()))?;
                let map = Mapping::new(&file).map_err(|error| scratch(&folder, &error))?;
                Ok(Backing::mapped(&Arc::new(map), 0, len))
            }
        }
    }
}

fn scratch(folder: &Path, error: &std::io::Error) -> DataError {
    DataError::Scratch { folder: folder.to_owned(), reason: error.to_string() }
}
