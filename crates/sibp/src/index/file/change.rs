//! Changes an index file without loading it: the new file is written as a stream, then put in place of the old one.

use std::path::{Path, PathBuf};

use super::error::IndexFileError;
use super::lock::IndexLock;
use super::new_file::{End, NewFile};
use crate::codes::Codes;
use crate::fingerprint::Fingerprint;
use crate::index::about::{About, duplicate};
use crate::index::texts::{SeenNames, Texts};
use crate::index::{HammingIndex, IndexError, MAX_BITS};

/// Rows that are copied at once.
const ROWS: usize = 1 << 16;

/// One change of an index file, during which no other process can begin one.
#[derive(Debug)]
pub struct IndexChange {
    index: HammingIndex,
    out: PathBuf,
    lock: Option<IndexLock>,
}

/// What a change left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// Codes in the file now.
    pub n_codes: usize,
    /// Bits of a code.
    pub n_bits: usize,
    /// The id that the first added code got, where codes were numbered.
    pub first_id: Option<u64>,
}

impl IndexChange {
    /// Opens a file for a change that replaces it, or that is written to `out`. Waits while another process changes
    /// the file; `waiting` is called then. Every byte is checked, since the new file gets checksums of its own.
    pub fn begin(path: &Path, out: Option<&Path>, waiting: &mut dyn FnMut()) -> Result<Self, IndexFileError> {
        // The same file by another name is replaced too.
        let replaced =
            |out: &Path| out.canonicalize().is_ok_and(|out| path.canonicalize().is_ok_and(|path| path == out));
        let lock = match out.is_none_or(replaced) {
            true => Some(IndexLock::acquire(path, waiting)?),
            false => None,
        };
        Ok(Self { index: HammingIndex::open_checked(path)?, out: out.unwrap_or(path).to_owned(), lock })
    }

    /// The index as it is before the change.
    pub fn index(&self) -> &HammingIndex {
        &self.index
    }

    /// Adds codes, a batch at a time, each with a row of texts a code if the index has columns. Ids are given for all
    /// batches together, or numbered.
    pub fn add<E: From<IndexFileError>>(
        self,
        batches: impl Iterator<Item = Result<(Codes, Option<Texts>), E>>,
        ids: Option<&[u64]>,
    ) -> Result<Added, E> {
        let index = &self.index;
        // Ids are looked at before the copying begins.
        if let Some(ids) = ids {
            index.ids.growth(ids.len(), Some(ids)).map_err(IndexFileError::from)?;
        }
        let mut file = self.create(index.n_bits())?;
        file.append_index(index).map_err(|error| self.io(error))?;
        self.copy_texts(&mut file, |_| true)?;
        let (mut n_new, mut seen) = (0, SeenNames::default());
        for batch in batches {
            let (codes, texts) = batch?;
            HammingIndex::check_same_width(index.n_bits(), &codes).map_err(IndexFileError::from)?;
            index.about.check(codes.n_objects(), texts.as_ref()).map_err(IndexFileError::from)?;
            file.append(&codes).map_err(|error| self.io(error))?;
            self.add_texts(&mut file, texts.as_ref(), n_new, &mut seen)?;
            n_new += codes.n_objects();
        }
        self.check_stored_names(&seen)?;
        let growth = index.ids.growth(n_new, ids).map_err(IndexFileError::from)?;
        let first_id = if ids.is_none() { growth.ids(None).next() } else { None };
        let all = index.ids().chain(growth.ids(ids));
        self.finish(file, End::of(&index.ids, &index.about).grown(&growth), all)?;
        Ok(Added { n_codes: index.len() + n_new, n_bits: index.n_bits(), first_id })
    }

    fn add_texts(
        &self,
        file: &mut NewFile,
        texts: Option<&Texts>,
        n_before: usize,
        seen: &mut SeenNames,
    ) -> Result<(), IndexFileError> {
        for (row, texts) in texts.iter().flat_map(|texts| (0..texts.len()).map(move |row| (row, texts))) {
            if self.index.is_named() && !seen.insert(texts.cell(row, 0)) {
                return Err(duplicate(texts.cell(row, 0), n_before + row).into());
            }
            file.append_text(texts.record(row)).map_err(|error| self.io(error))?;
        }
        Ok(())
    }

    /// Refuses new ids that are stored already.
    fn check_stored_names(&self, new: &SeenNames) -> Result<(), IndexFileError> {
        let Some(texts) = self.index.texts().filter(|_| self.index.is_named()) else { return Ok(()) };
        match (0..texts.len()).find(|&row| new.contains(texts.cell(row, 0))) {
            Some(row) => Err(IndexError::StoredName { id: texts.cell(row, 0).to_owned() }.into()),
            None => Ok(()),
        }
    }

    /// Removes the codes with these ids (an id may come twice); when one is unknown, nothing is changed.
    pub fn remove(self, ids: &[u64]) -> Result<Added, IndexFileError> {
        let positions = self.index.positions(ids);
        if let Some(at) = positions.iter().position(Option::is_none) {
            return Err(IndexError::UnknownId { id: ids[at] }.into());
        }
        self.remove_rows(positions.into_iter().flatten().collect())
    }

    /// Removes the codes with these text ids; when one is unknown, nothing is changed.
    pub fn remove_named<S: AsRef<str>>(self, names: &[S]) -> Result<Added, IndexFileError> {
        let positions = self.index.named_positions(names);
        if let Some(at) = positions.iter().position(Option::is_none) {
            return Err(IndexError::UnknownName { id: names[at].as_ref().to_owned() }.into());
        }
        self.remove_rows(positions.into_iter().flatten().collect())
    }

    fn remove_rows(self, mut gone: Vec<usize>) -> Result<Added, IndexFileError> {
        gone.sort_unstable();
        gone.dedup();
        let index = &self.index;
        let stays = |row: &usize| gone.binary_search(row).is_err();
        let mut file = self.create(index.n_bits())?;
        for rows in chunks(index.len()) {
            let first = rows.start;
            let kept: Vec<usize> = rows.clone().filter(stays).map(|row| row - first).collect();
            file.append(&index.codes_of_rows(rows).select(&kept)).map_err(|error| self.io(error))?;
        }
        self.copy_texts(&mut file, |row| stays(&row))?;
        let ids = || (0..index.len()).filter(stays).map(|row| index.ids.get(row));
        let ascending = ids().is_sorted_by(|a, b| a < b);
        let end = End::of(&index.ids, &index.about);
        let stores_ids = end.stores_ids || !gone.is_empty();
        self.finish(file, End { stores_ids, ascending, ..end }, ids())?;
        Ok(Added { n_codes: index.len() - gone.len(), n_bits: index.n_bits(), first_id: None })
    }

    /// Appends bits to every code, a row of `bits` a code in row order, a batch at a time; `encoder` says what makes
    /// the longer codes, if that is known.
    pub fn extend<E: From<IndexFileError>>(
        self,
        n_more: usize,
        batches: impl Iterator<Item = Result<Codes, E>>,
        encoder: Option<Fingerprint>,
    ) -> Result<Added, E> {
        let index = &self.index;
        let n_bits = index.n_bits() + n_more;
        if n_bits > MAX_BITS {
            return Err(IndexFileError::from(IndexError::Width { n_bits }).into());
        }
        let mut file = self.create(n_bits)?;
        let mut n_rows = 0;
        for batch in batches {
            let more = batch?;
            let first = n_rows;
            n_rows += more.n_objects();
            // Too many are only counted, for the message. Batches may be longer than what old codes should take.
            for rows in chunks(if n_rows > index.len() { 0 } else { more.n_objects() }) {
                let old = index.codes_of_rows(first + rows.start..first + rows.end);
                let longer = Codes::side_by_side(&[&old, &more.select(&rows.collect::<Vec<_>>())]);
                file.append(&longer).map_err(|error| self.io(error))?;
            }
        }
        if n_rows != index.len() {
            return Err(IndexFileError::from(IndexError::ExtendRows { expected: index.len(), found: n_rows }).into());
        }
        self.copy_texts(&mut file, |_| true)?;
        let end = End { encoder, ..End::of(&index.ids, &index.about) };
        self.finish(file, end, index.ids())?;
        Ok(Added { n_codes: n_rows, n_bits, first_id: None })
    }

    fn create(&self, n_bits: usize) -> Result<NewFile, IndexFileError> {
        NewFile::create(&self.out, n_bits).map_err(|error| self.io(error))
    }

    /// Copies the texts of some rows.
    fn copy_texts(&self, file: &mut NewFile, stays: impl Fn(usize) -> bool) -> Result<(), IndexFileError> {
        let About { texts: Some(texts), .. } = &self.index.about else { return Ok(()) };
        let mut rows = (0..texts.len()).filter(|&row| stays(row));
        rows.try_for_each(|row| file.append_text(texts.record(row))).map_err(|error| self.io(error))
    }

    fn finish(&self, file: NewFile, end: End, ids: impl Iterator<Item = u64>) -> Result<(), IndexFileError> {
        file.finish(end, ids, self.lock.as_ref()).map_err(|error| self.io(error))
    }

    fn io(&self, source: std::io::Error) -> IndexFileError {
        IndexFileError::io(&self.out, source)
    }
}

fn chunks(n_rows: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..n_rows).step_by(ROWS).map(move |first| first..(first + ROWS).min(n_rows))
}
