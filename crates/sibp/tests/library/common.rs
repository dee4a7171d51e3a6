//! Makes small input files for the tests.

use std::path::{Path, PathBuf};

use sibp::data::{Inputs, ReadOptions, read_labels, read_table};
use tempfile::TempDir;

/// A folder that is gone after the test.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }
}

/// A `.npy` file of format version 1.
pub fn npy(descr: &str, fortran_order: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': {fortran_order}, 'shape': {shape}, }}");
    while (text.len() + 11) % 64 != 0 {
        text.push(' ');
    }
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

/// Inputs and class numbers of a folder of shared data.
pub fn labelled(folder: &Path) -> (Inputs, Vec<u32>) {
    let inputs = read_table(&folder.join("features.npy"), &ReadOptions::default()).unwrap().inputs;
    let labels = read_labels(&folder.join("labels.npy"), &ReadOptions::default()).unwrap();
    // The numbers of the file, not those of the classes in order: attribute tables are indexed by them.
    let names: Vec<u32> = labels.names().iter().map(|name| name.parse().unwrap()).collect();
    (inputs, labels.class_of().iter().map(|&class| names[class as usize]).collect())
}

/// The bytes of numbers, little-endian.
macro_rules! le {
    ($($value:expr),+ $(,)?) => {
        [$($value.to_le_bytes().to_vec()),+].concat()
    };
}
pub(crate) use le;

/// The folder of larger data sets, if it is there.
pub fn shared_data(set: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("SIBP_SHARED_DATA") {
        Some(root) => PathBuf::from(root),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    let folder = root.join(set);
    if !folder.is_dir() {
        eprintln!("skipped: {} is not there; set SIBP_SHARED_DATA", folder.display());
        return None;
    }
    Some(folder)
}
