//! Lets one process at a time change an index file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use super::error::IndexFileError;

/// The right to change an index file; it ends when this is dropped, or with the process.
///
/// The file itself is locked (`flock`, which works over NFS too), so nothing lies about afterwards. A change replaces
/// the file, so whoever waited looks whether the locked file still has the name, and otherwise locks the new one.
/// Readers take no lock: a file is never changed in place.
#[derive(Debug)]
pub struct IndexLock {
    _file: File,
}

impl IndexLock {
    /// Waits until nobody else changes the file; `waiting` is called if somebody does.
    pub fn acquire(path: &Path, waiting: &mut dyn FnMut()) -> Result<Self, IndexFileError> {
        Self::locked(path, waiting).map_err(|source| IndexFileError::io(path, source))
    }

    /// As [`Self::acquire`]; nothing where there is no file yet.
    pub(super) fn acquire_existing(path: &Path) -> io::Result<Option<Self>> {
        match Self::locked(path, &mut || ()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            locked => locked.map(Some),
        }
    }

    fn locked(path: &Path, waiting: &mut dyn FnMut()) -> io::Result<Self> {
        let mut waited = false;
        loop {
            // Over NFS an exclusive lock needs a file that is open for writing.
            let file = OpenOptions::new().read(true).write(true).open(path).or_else(|error| match error.kind() {
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => File::open(path),
                _ => Err(error),
            })?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    if !std::mem::replace(&mut waited, true) {
                        waiting();
                    }
                    file.lock()?;
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
            if still_named(&file, path)? {
                return Ok(Self { _file: file });
            }
        }
    }
}

/// Whether the path still leads to this file.
#[cfg(unix)]
fn still_named(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (locked, named) = (file.metadata()?, fs::metadata(path)?);
    Ok((locked.dev(), locked.ino()) == (named.dev(), named.ino()))
}

/// Elsewhere a file that is open cannot be replaced.
#[cfg(not(unix))]
fn still_named(_: &File, path: &Path) -> io::Result<bool> {
    fs::metadata(path).map(|_| true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waited_locks_the_file_that_has_the_name_now() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, b"old").unwrap();
        let first = IndexLock::acquire(&path, &mut || panic!("nobody else is there")).unwrap();
        let (told, waits) = std::sync::mpsc::channel();
        let second = std::thread::spawn({
            let path = path.clone();
            move || {
                let lock = IndexLock::acquire(&path, &mut || told.send(()).unwrap()).unwrap();
                let mut text = String::new();
                io::Read::read_to_string(&mut &lock._file, &mut text).unwrap();
                text
            }
        });
        waits.recv().unwrap();
        fs::write(folder.path().join("b"), b"new").unwrap();
        fs::rename(folder.path().join("b"), &path).unwrap();
        drop(first);
        assert_eq!(second.join().unwrap(), "new");
    }
}
