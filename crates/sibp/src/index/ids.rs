//! Stores the id of every row: row numbers, which take no memory, or the ids that the user gave.

use super::error::IndexError;
use crate::backing::Backing;

/// Ids by row. `next` is the id that the next unnamed code gets; it never decreases, so the id of a removed code is
/// not assigned again.
#[derive(Debug)]
pub(crate) struct Ids {
    kind: Kind,
    next: Option<u64>,
    ascending: bool,
}

#[derive(Debug)]
enum Kind {
    /// The id is the row number.
    Rows(usize),
    Given(Backing<u64>),
}

/// The ids after some were added.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Growth {
    /// Whether all ids are row numbers still.
    pub are_rows: bool,
    pub ascending: bool,
    pub next: Option<u64>,
    first: u64,
    n: usize,
}

impl Growth {
    /// The ids of the new rows.
    pub fn ids<'a>(&self, given: Option<&'a [u64]>) -> impl Iterator<Item = u64> + use<'a> {
        let numbers = if given.is_some() { 0 } else { self.n };
        let first = self.first;
        given.unwrap_or_default().iter().copied().chain((0..numbers as u64).map(move |more| first + more))
    }
}

impl Ids {
    pub fn new() -> Self {
        Self { kind: Kind::Rows(0), next: Some(0), ascending: true }
    }

    /// Ids from an index file: row numbers when `given` is `None`.
    pub fn from_parts(n_rows: usize, given: Option<Backing<u64>>, next: Option<u64>, ascending: bool) -> Self {
        let kind = given.map_or(Kind::Rows(n_rows), Kind::Given);
        Self { kind, next, ascending }
    }

    pub fn len(&self) -> usize {
        match &self.kind {
            Kind::Rows(n) => *n,
            Kind::Given(ids) => ids.len(),
        }
    }

    pub fn get(&self, row: usize) -> u64 {
        match &self.kind {
            Kind::Rows(_) => row as u64,
            Kind::Given(ids) => ids[row],
        }
    }

    /// The explicit ids, or `None` when ids are row numbers.
    pub fn given(&self) -> Option<&[u64]> {
        match &self.kind {
            Kind::Rows(_) => None,
            Kind::Given(ids) => Some(ids),
        }
    }

    /// Whether ids rise with the rows, so that a later row never wins a tie.
    pub fn ascending(&self) -> bool {
        self.ascending
    }

    pub fn next(&self) -> Option<u64> {
        self.next
    }

    /// Assigns ids to `n` more rows; changes nothing when it fails.
    pub fn append(&mut self, n: usize, ids: Option<&[u64]>) -> Result<(), IndexError> {
        let growth = self.growth(n, ids)?;
        if n == 0 {
            return Ok(());
        }
        match &mut self.kind {
            Kind::Rows(rows) if growth.are_rows => *rows += n,
            _ => self.make_given().extend(growth.ids(ids)),
        }
        (self.ascending, self.next) = (growth.ascending, growth.next);
        Ok(())
    }

    /// What `n` more rows would make of the ids, or why they cannot be added.
    pub fn growth(&self, n: usize, ids: Option<&[u64]>) -> Result<Growth, IndexError> {
        match ids {
            Some(ids) => self.growth_by_given(n, ids),
            None => self.growth_by_numbers(n),
        }
    }

    fn growth_by_numbers(&self, n: usize) -> Result<Growth, IndexError> {
        let exhausted = || IndexError::IdsExhausted { last: self.next.map_or(u64::MAX, |next| next.saturating_sub(1)) };
        let (first, next) = match (self.next, (n as u64).checked_sub(1)) {
            (next, None) => (next.unwrap_or(u64::MAX), next),
            (Some(first), Some(more)) => (first, first.checked_add(more).ok_or_else(exhausted)?.checked_add(1)),
            (None, Some(_)) => return Err(exhausted()),
        };
        let are_rows = matches!(self.kind, Kind::Rows(rows) if rows as u64 == first || n == 0);
        // Numbered ids are larger than all before them: ascending order is kept.
        Ok(Growth { are_rows, ascending: self.ascending, next, first, n })
    }

    fn growth_by_given(&self, n: usize, ids: &[u64]) -> Result<Growth, IndexError> {
        if ids.len() != n {
            return Err(IndexError::IdCount { n_codes: n, n_ids: ids.len() });
        }
        self.check_distinct(ids)?;
        let rises = ids.windows(2).all(|pair| pair[0] < pair[1]);
        let last = self.len().checked_sub(1).map(|row| self.get(row));
        let follows = ids.first().is_none_or(|&first| last.is_none_or(|last| last < first));
        let continues = ids.iter().zip(self.len() as u64..).all(|(&id, row)| id == row);
        let next = match ids.iter().max() {
            Some(largest) => self.next.and_then(|next| Some(next.max(largest.checked_add(1)?))),
            None => self.next,
        };
        Ok(Growth {
            are_rows: continues && self.given().is_none(),
            ascending: self.ascending && rises && follows,
            next,
            first: 0,
            n,
        })
    }

    fn check_distinct(&self, ids: &[u64]) -> Result<(), IndexError> {
        let mut sorted: Vec<(u64, usize)> = ids.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(IndexError::DuplicateId { id: pair[1].0, row: pair[1].1 });
        }
        let stored = self.find(&sorted.iter().map(|&(id, _)| id).collect::<Vec<_>>());
        match stored.iter().zip(&sorted).find(|(row, _)| row.is_some()) {
            Some((_, &(id, row))) => Err(IndexError::DuplicateId { id, row }),
            None => Ok(()),
        }
    }

    /// Rows of the given ids, which must be sorted; `None` where an id is not stored.
    pub fn find(&self, sorted: &[u64]) -> Vec<Option<usize>> {
        match &self.kind {
            Kind::Rows(n) => sorted.iter().map(|&id| usize::try_from(id).ok().filter(|row| row < n)).collect(),
            Kind::Given(ids) if self.ascending => sorted.iter().map(|id| ids.binary_search(id).ok()).collect(),
            Kind::Given(ids) => {
                let mut rows = vec![None; sorted.len()];
                for (row, id) in ids.iter().enumerate() {
                    if let Ok(at) = sorted.binary_search(id) {
                        rows[at] = Some(row);
                    }
                }
                rows
            }
        }
    }

    /// An id that is stored twice, or out of order although ids are said to be ascending; used to check files.
    pub fn fault(&self) -> Option<u64> {
        let ids = self.given()?;
        let rises = |ids: &[u64]| ids.windows(2).find(|pair| pair[0] >= pair[1]).map(|pair| pair[1]);
        if self.ascending {
            return rises(ids);
        }
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        rises(&sorted)
    }

    /// Drops the given rows (sorted, distinct) and closes the gaps.
    pub fn remove_rows(&mut self, rows: &[usize]) {
        if rows.is_empty() {
            return;
        }
        let mut drop = rows.iter().peekable();
        let mut row = 0;
        self.make_given().retain(|_| {
            let goes = drop.next_if(|&&r| r == row).is_some();
            row += 1;
            !goes
        });
        // The remaining ids may have become ascending; a sorted test is cheap beside the removal and makes searches
        // faster.
        self.ascending = self.given().is_none_or(|ids| ids.windows(2).all(|pair| pair[0] < pair[1]));
    }

    fn make_given(&mut self) -> &mut Vec<u64> {
        if let Kind::Rows(n) = self.kind {
            self.kind = Kind::Given(Backing::Owned((0..n as u64).collect()));
        }
        match &mut self.kind {
            Kind::Given(ids) => ids.make_owned(),
            Kind::Rows(_) => unreachable!("row numbers were spelled out above"),
        }
    }
}
