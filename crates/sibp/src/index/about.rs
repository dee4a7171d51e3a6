//! Keeps what an index knows about its codes beside their bits: what made them, and a row of texts for each.

use super::error::IndexError;
use super::texts::{SeenNames, Texts};
use super::{HammingIndex, RowSet};
use crate::fingerprint::Fingerprint;

/// What is known beside codes and numbers.
#[derive(Debug, Default)]
pub(super) struct About {
    pub encoder: Option<Fingerprint>,
    pub texts: Option<Texts>,
    /// Whether the first column of texts is the id that users know.
    pub named: bool,
}

impl About {
    /// Names of the columns.
    pub fn columns(&self) -> &[String] {
        self.texts.as_ref().map_or(&[], Texts::columns)
    }

    /// Refuses texts of other columns, or of another number of rows.
    pub fn check(&self, n_codes: usize, texts: Option<&Texts>) -> Result<(), IndexError> {
        let found = texts.map_or(&[][..], Texts::columns);
        if found != self.columns() {
            return Err(IndexError::Columns { expected: self.columns().to_vec(), found: found.to_vec() });
        }
        let n_texts = texts.map_or(n_codes, Texts::len);
        if n_texts != n_codes { Err(IndexError::TextCount { n_codes, n_texts }) } else { Ok(()) }
    }

    /// Refuses ids that come twice or are stored already.
    pub fn check_new_names(&self, texts: Option<&Texts>) -> Result<(), IndexError> {
        let (true, Some(stored), Some(texts)) = (self.named, &self.texts, texts) else { return Ok(()) };
        let mut seen = SeenNames::default();
        let names: Vec<&str> = (0..texts.len()).map(|row| texts.cell(row, 0)).collect();
        if let Some(row) = names.iter().position(|name| !seen.insert(name)) {
            return Err(duplicate(names[row], row));
        }
        match stored.find(&names).iter().position(Option::is_some) {
            Some(row) => Err(duplicate(names[row], row)),
            None => Ok(()),
        }
    }

    /// Adds rows that were checked.
    pub fn append(&mut self, texts: Option<&Texts>) {
        if let (Some(stored), Some(texts)) = (&mut self.texts, texts) {
            stored.append(texts);
        }
    }

    /// Drops the given rows (sorted, distinct).
    pub fn remove_rows(&mut self, rows: &[usize]) {
        if let Some(texts) = &mut self.texts {
            texts.remove_rows(rows);
        }
    }
}

pub(super) fn duplicate(name: &str, row: usize) -> IndexError {
    IndexError::DuplicateName { id: name.to_owned(), row }
}

impl HammingIndex {
    /// Gives an empty index columns of texts; where `named`, the first column holds the ids that users know, which
    /// must be distinct.
    ///
    /// # Panics
    /// When codes are stored already, or an index without columns is to be named.
    pub fn with_columns(mut self, columns: Vec<String>, named: bool) -> Self {
        assert!(self.is_empty(), "columns are given before codes");
        assert!(!named || !columns.is_empty(), "ids need a column");
        self.about.texts = (!columns.is_empty()).then(|| Texts::new(columns));
        self.about.named = named;
        self
    }

    /// What made the codes, if it is known.
    pub fn encoder(&self) -> Option<Fingerprint> {
        self.about.encoder
    }

    /// States what made the codes.
    pub fn set_encoder(&mut self, encoder: Option<Fingerprint>) {
        self.about.encoder = encoder;
    }

    /// Refuses codes of another encoder, where both are known.
    pub fn check_encoder(&self, encoder: Option<Fingerprint>) -> Result<(), IndexError> {
        match (self.about.encoder, encoder) {
            (Some(expected), Some(found)) if expected != found => Err(IndexError::Encoder { expected, found }),
            _ => Ok(()),
        }
    }

    /// The texts beside the codes, a row a code.
    pub fn texts(&self) -> Option<&Texts> {
        self.about.texts.as_ref()
    }

    /// Whether ids are texts: the first column.
    pub fn is_named(&self) -> bool {
        self.about.named
    }

    /// The rows of these text ids, in their order; `None` where an id is not stored, or ids are numbers.
    pub fn named_positions<S: AsRef<str>>(&self, names: &[S]) -> Vec<Option<usize>> {
        match &self.about.texts {
            Some(texts) if self.about.named => texts.find(names),
            _ => vec![None; names.len()],
        }
    }

    /// The rows that hold these text ids, for [`super::Search::among`]; ids that are not stored are left out.
    pub fn named_rows<S: AsRef<str>>(&self, names: &[S]) -> RowSet {
        self.row_set(self.named_positions(names).into_iter().flatten())
    }
}
