//! Saves and loads whole model files.

use super::container::Container;
use super::{FormatError, ModelInfo, read, write};
use crate::data::AtomicFile;
use crate::trace::posterior::Posterior;
use crate::trace::{ChainRecord, Draw};
use std::convert::Infallible;
use std::fs;
use std::io::Write;
use std::path::Path;

/// A fitted model, or an unfinished one: its data and settings, and the draws of every chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// Everything but the draws.
    pub info: ModelInfo,
    /// One record a chain.
    pub chains: Vec<ChainRecord>,
    /// One code that stands for all chains, if the fit was to make one.
    pub distilled: Option<Draw>,
}

impl Fitted {
    /// Whether all chains did all sweeps.
    pub fn finished(&self) -> bool {
        self.chains.iter().all(|chain| chain.sweeps_done == self.info.settings.sweeps)
    }

    /// Gives access to the draws.
    pub fn posterior(&self) -> Posterior<'_> {
        Posterior::new(&self.chains)
    }

    /// The bytes of the file; equal models give equal bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FormatError> {
        Ok(bytes_of(&self.container()?))
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(file: &[u8]) -> Result<Self, FormatError> {
        read::model_file(file)
    }

    /// Saves the model so that `path` holds either its old bytes or all of the new ones, whatever happens.
    pub fn save(&self, path: &Path) -> Result<(), FormatError> {
        let saved = self.container().and_then(|container| save_container(path, &container));
        saved.map_err(|problem| problem.in_file(path))
    }

    fn container(&self) -> Result<Container<'_>, FormatError> {
        write::container(&self.info, &self.chains.iter().collect::<Vec<_>>(), self.distilled.as_ref())
    }

    /// Loads a model.
    pub fn load(path: &Path) -> Result<Self, FormatError> {
        load_bytes(path).and_then(|file| Self::from_bytes(&file)).map_err(|problem| problem.in_file(path))
    }
}

/// Saves an unfinished model so that `path` holds either its old bytes or all of the new ones, whatever happens.
pub fn save(path: &Path, info: &ModelInfo, chains: &[&ChainRecord]) -> Result<(), FormatError> {
    let saved = write::container(info, chains, None).and_then(|container| save_container(path, &container));
    saved.map_err(|problem| problem.in_file(path))
}

pub(super) fn save_container(path: &Path, container: &Container) -> Result<(), FormatError> {
    let io = |reason| FormatError::Io { action: "write", reason };
    let mut file = AtomicFile::create(path).map_err(io)?;
    container.pour(&mut |bytes| file.write_all(bytes)).map_err(io)?;
    file.commit().map_err(io)
}

pub(super) fn bytes_of(container: &Container) -> Vec<u8> {
    let mut file = Vec::new();
    let Ok(()) = container.pour(&mut |bytes| {
        file.extend_from_slice(bytes);
        Ok::<(), Infallible>(())
    });
    file
}

pub(super) fn load_bytes(path: &Path) -> Result<Vec<u8>, FormatError> {
    fs::read(path).map_err(|reason| FormatError::Io { action: "read", reason })
}
