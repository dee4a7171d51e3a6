//! Writes a file atomically: its name holds either the old bytes or all of the new ones.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file under a temporary name beside its target; [`AtomicFile::commit`] gives it the target's name.
/// Dropped without that, it is removed and the target stays as it was.
#[derive(Debug)]
pub struct AtomicFile {
    file: Option<BufWriter<File>>,
    temporary: PathBuf,
    target: PathBuf,
}

impl AtomicFile {
    /// Opens a new file in the folder of `target`.
    pub fn create(target: &Path) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        if fs::metadata(target).is_ok_and(|meta| !meta.is_file()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the target is not a regular file"));
        }
        let name = target.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no file name"))?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
        let temporary = target.with_file_name(hidden);
        let file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        Ok(Self { file: Some(BufWriter::with_capacity(1 << 16, file)), temporary, target: target.to_owned() })
    }

    /// Flushes the bytes to disk, renames the file to its target, and flushes the folder.
    pub fn commit(mut self) -> io::Result<()> {
        if let Some(file) = self.file.take() {
            file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        }
        fs::rename(&self.temporary, &self.target)?;
        sync_folder(&self.target)
    }

    fn open_file(&mut self) -> io::Result<&mut BufWriter<File>> {
        self.file.as_mut().ok_or_else(|| io::Error::other("the file was committed"))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.open_file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.open_file()?.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.open_file()?.seek(to)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // After a commit there is no file under the temporary name, so a failure here is expected.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Makes a rename durable; only Unix lets a folder be opened for that.
fn sync_folder(target: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_old_bytes_until_committed_and_leaves_no_litter() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.bin");
        fs::write(&target, b"old").unwrap();
        let mut dropped = AtomicFile::create(&target).unwrap();
        dropped.write_all(b"half").unwrap();
        drop(dropped);
        assert_eq!(fs::read(&target).unwrap(), b"old");
        let mut kept = AtomicFile::create(&target).unwrap();
        kept.write_all(b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"old");
        kept.commit().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(AtomicFile::create(folder.path()).is_err());
    }
}
