//! Searches binary codes exactly: Hamming, weighted and expected distances, and the k-NN vote.
//!
//! Codes are stored as byte planes in blocks of 256 (see `planes.rs`), so any width costs only its own bytes and
//! extending a code is adding planes. Few queries are compared with a block at a time; without AVX-512, 16 or more share
//! tables (see `kernel/batch`). Both read the same planes, of which there is one copy; the tables take 32 KiB and the
//! sums of a batch at most 32 KiB a thread. The environment variable `SIBP_LEVEL` holds a process to an instruction level
//! (see [`Level::detect`]). Answers never depend on the processor, the number of threads or the order of
//! insertion: neighbours are ordered by (distance, id).

mod about;
mod costs;
mod error;
mod faiss;
mod hamming;
mod ids;
mod kernel;
mod neighbours;
mod parallel;
#[cfg(feature = "parquet")]
mod parquet;
mod planes;
mod rows;
mod scan;
mod search;
mod select;
mod texts;
mod weighted;

pub mod file;
pub mod vote;

#[cfg(test)]
mod tests;

pub use error::IndexError;
pub use file::{Added, IndexChange, IndexFileError, IndexLock, IndexWriter};
pub use kernel::Level;
pub use neighbours::Neighbours;
pub use rows::RowSet;
pub use search::{Metric, Queries, Search};
pub use texts::Texts;

use crate::codes::Codes;
use about::About;
use ids::Ids;
use planes::Planes;
use scan::Scan;

/// Widest code that can be indexed.
pub const MAX_BITS: usize = 4096;

/// An exact index over binary codes, each with a distinct id.
///
/// ```
/// use sibp::{codes::Codes, index::{HammingIndex, Search}};
/// let codes = Codes::from_bytes(3, 8, vec![0b0000_1111, 0b0000_1110, 0b1111_0000])?;
/// let index = HammingIndex::from_codes(&codes)?;
/// let query = Codes::from_bytes(1, 8, vec![0b0000_1110])?;
/// let found = index.search(&query, &Search::nearest(2))?;
/// assert_eq!(found.row(0).collect::<Vec<_>>(), [(0.0, 1), (1.0, 0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct HammingIndex {
    planes: Planes,
    ids: Ids,
    about: About,
    /// Counts changes, so that row sets made before a change are detected.
    revision: u64,
}

impl HammingIndex {
    /// An empty index for codes of `n_bits` bits, 1 to [`MAX_BITS`].
    pub fn new(n_bits: usize) -> Result<Self, IndexError> {
        if !(1..=MAX_BITS).contains(&n_bits) {
            return Err(IndexError::Width { n_bits });
        }
        Ok(Self { planes: Planes::new(n_bits), ids: Ids::new(), about: About::default(), revision: 0 })
    }

    /// An index over codes whose ids are their row numbers.
    pub fn from_codes(codes: &Codes) -> Result<Self, IndexError> {
        let mut index = Self::new(codes.n_bits())?;
        index.add(codes, None)?;
        Ok(index)
    }

    /// Adds codes under the given ids, or under the numbers that follow the largest id ever used.
    /// Ids of removed codes may be given again but are never handed out again.
    pub fn add(&mut self, codes: &Codes, ids: Option<&[u64]>) -> Result<(), IndexError> {
        self.add_with_texts(codes, ids, None)
    }

    /// Adds codes with a row of texts for each, of the columns of this index (see [`Self::with_columns`]).
    pub fn add_with_texts(
        &mut self,
        codes: &Codes,
        ids: Option<&[u64]>,
        texts: Option<&Texts>,
    ) -> Result<(), IndexError> {
        self.check_width(codes)?;
        self.about.check(codes.n_objects(), texts)?;
        self.about.check_new_names(texts)?;
        self.ids.append(codes.n_objects(), ids)?;
        self.about.append(texts);
        self.planes.append(codes);
        self.revision += 1;
        Ok(())
    }

    /// Removes the codes with these ids (an id may come twice); when one is unknown, nothing is removed.
    pub fn remove(&mut self, ids: &[u64]) -> Result<(), IndexError> {
        let sorted = sorted(ids);
        let found = self.ids.find(&sorted);
        if let Some(at) = found.iter().position(Option::is_none) {
            return Err(IndexError::UnknownId { id: sorted[at] });
        }
        let mut rows: Vec<usize> = found.into_iter().flatten().collect();
        rows.sort_unstable();
        self.ids.remove_rows(&rows);
        self.about.remove_rows(&rows);
        self.planes.remove_rows(&rows);
        self.revision += 1;
        Ok(())
    }

    /// Appends bits to every stored code, a row of `bits` a code in row order (see [`Self::ids`]).
    /// The bits that were there stay as they are: new planes are added after them. What made the longer codes is not
    /// known then: see [`Self::set_encoder`].
    pub fn extend(&mut self, bits: &Codes) -> Result<(), IndexError> {
        if bits.n_objects() != self.len() {
            return Err(IndexError::ExtendRows { expected: self.len(), found: bits.n_objects() });
        }
        let n_bits = self.n_bits() + bits.n_bits();
        if n_bits > MAX_BITS {
            return Err(IndexError::Width { n_bits });
        }
        if bits.n_bits() > 0 {
            self.planes.extend(bits);
            self.about.encoder = None;
            self.revision += 1;
        }
        Ok(())
    }

    /// Number of stored codes.
    pub fn len(&self) -> usize {
        self.planes.n_rows()
    }

    /// Whether no code is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of bits a code.
    pub fn n_bits(&self) -> usize {
        self.planes.n_bits()
    }

    /// The id of every row, in row order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        (0..self.len()).map(|row| self.ids.get(row))
    }

    /// The rows of these ids, in their order; `None` where an id is not stored.
    pub fn positions(&self, ids: &[u64]) -> Vec<Option<usize>> {
        let wanted = sorted(ids);
        let found = self.ids.find(&wanted);
        ids.iter().map(|id| wanted.binary_search(id).ok().and_then(|at| found[at])).collect()
    }

    /// The id that the next unnamed code gets; `None` if no number is left.
    pub fn next_id(&self) -> Option<u64> {
        self.ids.next()
    }

    /// The id of a row.
    ///
    /// # Panics
    /// When the row is not stored.
    pub fn id_of_row(&self, row: usize) -> u64 {
        assert!(row < self.len(), "row {row} of {} stored codes", self.len());
        self.ids.get(row)
    }

    /// Whether ids are row numbers, as they are unless others were given or codes removed.
    pub fn ids_are_row_numbers(&self) -> bool {
        self.ids.given().is_none_or(|ids| ids.iter().zip(0..).all(|(&id, row)| id == row))
    }

    /// Whether the id is stored.
    pub fn contains(&self, id: u64) -> bool {
        self.ids.find(&[id])[0].is_some()
    }

    /// The stored codes, in row order.
    pub fn codes(&self) -> Codes {
        self.codes_of_rows(0..self.len())
    }

    /// The stored codes of some rows.
    ///
    /// # Panics
    /// When the range ends after the last row.
    pub fn codes_of_rows(&self, rows: std::ops::Range<usize>) -> Codes {
        assert!(rows.end <= self.len(), "rows {rows:?} reach beyond the {} stored codes", self.len());
        let n = rows.len();
        match Codes::from_bytes(n, self.n_bits(), self.planes.codes(rows.start, n)) {
            Ok(codes) => codes,
            Err(error) => unreachable!("stored codes are whole rows with clean ends: {error}"),
        }
    }

    /// The rows that hold these ids, for [`Search::among`]; ids that are not stored are left out.
    pub fn rows(&self, ids: &[u64]) -> RowSet {
        RowSet::new(&self.planes, self.revision, self.ids.find(&sorted(ids)).into_iter().flatten())
    }

    /// Some rows, for [`Search::among`].
    ///
    /// # Panics
    /// When a row is not stored.
    pub fn row_set(&self, rows: impl IntoIterator<Item = usize>) -> RowSet {
        let stored = |row: &usize| assert!(*row < self.len(), "row {row} of {} stored codes", self.len());
        RowSet::new(&self.planes, self.revision, rows.into_iter().inspect(stored))
    }

    /// A scan of all codes on one thread, at the machine's best instruction level.
    pub(crate) fn scan(&self) -> Scan<'_> {
        Scan::new(self)
    }

    fn check_width(&self, codes: &Codes) -> Result<(), IndexError> {
        Self::check_same_width(self.n_bits(), codes)
    }

    fn check_same_width(expected: usize, codes: &Codes) -> Result<(), IndexError> {
        match codes.n_bits() {
            found if found != expected => Err(IndexError::WidthMismatch { expected, found }),
            _ => Ok(()),
        }
    }
}

fn sorted(ids: &[u64]) -> Vec<u64> {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}
