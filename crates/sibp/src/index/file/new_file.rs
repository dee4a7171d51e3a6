//! Writes the parts of a new index file in the order in which they come, beside the old file, and gives it the name.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::header::{HEADER_BYTES, Header};
use super::lock::IndexLock;
use crate::backing::Line;
use crate::codes::Codes;
use crate::data::AtomicFile;
use crate::fingerprint::Fingerprint;
use crate::index::HammingIndex;
use crate::index::about::About;
use crate::index::ids::{Growth, Ids};
use crate::index::planes::{BLOCK, Planes};

/// What the header says beside numbers and checksums.
#[derive(Debug)]
pub(super) struct End<'a> {
    pub stores_ids: bool,
    pub ascending: bool,
    pub next_id: Option<u64>,
    pub encoder: Option<Fingerprint>,
    pub columns: &'a [String],
    pub named: bool,
}

impl<'a> End<'a> {
    /// The end of a file with these ids.
    pub fn of(ids: &Ids, about: &'a About) -> Self {
        let About { encoder, named, .. } = *about;
        let (stores_ids, ascending, next_id) = (ids.given().is_some(), ids.ascending(), ids.next());
        Self { stores_ids, ascending, next_id, encoder, columns: about.columns(), named }
    }

    /// The same with ids that have grown.
    pub fn grown(self, growth: &Growth) -> Self {
        Self { stores_ids: !growth.are_rows, ascending: growth.ascending, next_id: growth.next, ..self }
    }
}

/// A file that is being written.
#[derive(Debug)]
pub(super) struct NewFile {
    path: PathBuf,
    file: AtomicFile,
    hasher: Sha256,
    n_bits: usize,
    n_rows: usize,
    /// Rows of the block that is not full yet.
    rest: Planes,
    texts: Option<Spill>,
}

/// Rows of texts, which stand behind the codes, on disk until all codes are written. The files have no names.
#[derive(Debug)]
struct Spill {
    bytes: BufWriter<File>,
    ends: BufWriter<File>,
    n_bytes: u64,
}

impl NewFile {
    pub fn create(path: &Path, n_bits: usize) -> io::Result<Self> {
        let mut file = AtomicFile::create(path)?;
        file.write_all(&[0; HEADER_BYTES])?;
        let (rest, hasher) = (Planes::new(n_bits), Sha256::new());
        Ok(Self { path: path.to_owned(), file, hasher, n_bits, n_rows: 0, rest, texts: None })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.file.write_all(bytes)
    }

    fn write_lines(&mut self, lines: &[Line]) -> io::Result<()> {
        lines.iter().try_for_each(|line| self.write(&line.0))
    }

    /// Appends codes of the file's width.
    pub fn append(&mut self, codes: &Codes) -> io::Result<()> {
        self.rest.append(codes);
        self.n_rows += codes.n_objects();
        let rest = std::mem::replace(&mut self.rest, Planes::new(self.n_bits));
        let full = rest.n_rows() / BLOCK;
        self.write_blocks(&rest, full)?;
        let n_left = rest.n_rows() - full * BLOCK;
        match Codes::from_bytes(n_left, self.n_bits, rest.codes(full * BLOCK, n_left)) {
            Ok(left) => self.rest.append(&left),
            Err(error) => unreachable!("appended codes are whole rows with clean ends: {error}"),
        }
        Ok(())
    }

    /// Appends all codes of an index of the same width; to a file without codes whole blocks are copied as they are.
    pub fn append_index(&mut self, index: &HammingIndex) -> io::Result<()> {
        let full = if self.n_rows == 0 { index.len() / BLOCK } else { 0 };
        self.write_blocks(&index.planes, full)?;
        self.n_rows += full * BLOCK;
        let mut first = full * BLOCK;
        while first < index.len() {
            let end = index.len().min(first + (1 << 16));
            self.append(&index.codes_of_rows(first..end))?;
            first = end;
        }
        Ok(())
    }

    /// Appends the stored bytes of a row of texts.
    pub fn append_text(&mut self, record: &[u8]) -> io::Result<()> {
        let spill = match &mut self.texts {
            Some(spill) => spill,
            None => self.texts.insert(Spill::create(&self.path)?),
        };
        spill.n_bytes += record.len() as u64;
        spill.bytes.write_all(record)?;
        spill.ends.write_all(&spill.n_bytes.to_le_bytes())
    }

    /// Writes the first blocks of some planes.
    fn write_blocks(&mut self, planes: &Planes, n_blocks: usize) -> io::Result<()> {
        for block in 0..n_blocks {
            // Planes of later groups follow those of earlier ones: a file has one group.
            for group in planes.groups() {
                self.write_lines(group.block(block))?;
            }
        }
        Ok(())
    }

    /// Writes what is left, and gives the file its name, under `held` or under a lock of its own: whoever changes the
    /// file that had the name so far must not put another one in place of this.
    pub fn finish(mut self, end: End, ids: impl Iterator<Item = u64>, held: Option<&IndexLock>) -> io::Result<()> {
        let rest = std::mem::replace(&mut self.rest, Planes::new(self.n_bits));
        self.write_blocks(&rest, rest.n_blocks())?;
        if end.stores_ids {
            for id in ids {
                self.write(&id.to_le_bytes())?;
            }
        }
        let text_bytes = match self.texts.take() {
            Some(Spill { bytes, ends, n_bytes }) => {
                self.copy(ends)?;
                self.copy(bytes)?;
                n_bytes
            }
            None => 0,
        };
        let header = Header {
            n_rows: self.n_rows,
            n_bits: self.n_bits,
            stores_ids: end.stores_ids,
            ascending: end.ascending,
            next_id: end.next_id,
            body_sha256: self.hasher.finalize().into(),
            encoder: end.encoder,
            columns: end.columns.to_vec(),
            named: end.named,
            text_bytes,
        };
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&header.write())?;
        let _own = if held.is_some() { None } else { IndexLock::acquire_existing(&self.path)? };
        self.file.commit()
    }

    fn copy(&mut self, from: BufWriter<File>) -> io::Result<()> {
        let mut from = from.into_inner().map_err(io::IntoInnerError::into_error)?;
        from.seek(SeekFrom::Start(0))?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            match from.read(&mut buffer)? {
                0 => return Ok(()),
                n => self.write(&buffer[..n])?,
            }
        }
    }
}

impl Spill {
    fn create(target: &Path) -> io::Result<Self> {
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = || tempfile::tempfile_in(folder).map(|file| BufWriter::with_capacity(1 << 16, file));
        Ok(Self { bytes: file()?, ends: file()?, n_bytes: 0 })
    }
}
