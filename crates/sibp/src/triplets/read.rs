//! Reads triplets and judgements from files, by id or by row number.

use std::path::Path;

use super::columns::{Columns, ROLES, bad};
use super::judgements::{Collector, MOST_VOTES, Said};
use super::numbering::Numbering;
use super::{Judgements, Triplet};
use crate::data::{DataError, Format, Ids, Place, Records, format_of, read_integers, shape_text, shown};

/// How a triplet file names its objects.
#[derive(Debug, Clone, Copy)]
pub enum ObjectNames<'a> {
    /// By their ids.
    Ids(&'a Ids),
    /// By row number, below this number of objects.
    Rows(usize),
}

impl<'a> From<&'a Ids> for ObjectNames<'a> {
    fn from(ids: &'a Ids) -> Self {
        Self::Ids(ids)
    }
}

impl From<usize> for ObjectNames<'_> {
    fn from(n_objects: usize) -> Self {
        Self::Rows(n_objects)
    }
}

/// Gives the objects of a file their numbers.
pub(super) trait Naming {
    /// Whether any text is an id, so that a header of other names would be taken for objects.
    const TAKES_ALL: bool = false;

    /// The number of an object; `Err` says what the text is not.
    fn find(&mut self, text: &str) -> Result<u32, &'static str>;
}

impl Naming for ObjectNames<'_> {
    fn find(&mut self, text: &str) -> Result<u32, &'static str> {
        let row = match *self {
            Self::Ids(ids) => ids.row(text).ok_or("the id of any object")?,
            Self::Rows(n_objects) => match text.parse::<i128>() {
                Ok(row) if row < 0 => return Err("a row number: it is negative, rows count from 0"),
                Ok(row) if row >= n_objects as i128 => return Err("a row of the inputs: there are fewer objects"),
                Ok(row) => row as usize,
                Err(_) => {
                    return Err("a row number; give ids to use ids, and a header must name anchor, near and far");
                }
            },
        };
        u32::try_from(row).map_err(|_| "below 2^32")
    }
}

impl Naming for Numbering {
    const TAKES_ALL: bool = true;

    fn find(&mut self, text: &str) -> Result<u32, &'static str> {
        if text.is_empty() { Err("an id: it is empty") } else { self.number(text) }
    }
}

/// Builds a triplet from three cells, each with its column.
pub(super) fn triplet(
    names: &mut impl Naming,
    cells: [(&str, usize); 3],
    place: impl Fn() -> Place,
) -> Result<Triplet, DataError> {
    let mut rows = [0u32; 3];
    for (row, ((text, column), role)) in rows.iter_mut().zip(cells.iter().zip(ROLES)) {
        *row = names.find(text).map_err(|needed| DataError::BadValue {
            place: place().column(*column, Some(role)),
            value: shown(text),
            needed,
        })?;
    }
    let [anchor, near, far] = rows;
    if anchor == near || anchor == far || near == far {
        let [anchor, near, far] = cells.map(|(text, _)| shown(text));
        return Err(DataError::RepeatedObject { place: place(), triplet: format!("({anchor}, {near}, {far})") });
    }
    Ok(Triplet { anchor, near, far })
}

/// Reads `.npy` integers of shape (n, 3), or `.csv`/`.tsv` text with three columns, in the order anchor, near, far.
///
/// A text file may have a header that names `anchor`, `near` and `far`, in any case; then they may stand in any order
/// and beside other columns, of which some have a meaning:
///
/// | column | says |
/// |---|---|
/// | `judge` | who answered: any text |
/// | `answer` | `near`, `far` (the two change places), `tie` or `cannot say` (one answer each way) |
/// | `votes_near`, `votes_far` | how many answered so; at most 1,000,000 votes a file |
///
/// With ids, every value (also a number) is an id.
pub fn read_judgements<'a>(path: &Path, names: impl Into<ObjectNames<'a>>) -> Result<Judgements, DataError> {
    read(path, &mut names.into()).map_err(|error| error.in_file(path))
}

/// Reads judgements about objects that are known from this file alone: their ids, numbered in the order in which they
/// first appear (row by row, there anchor, near, far).
///
/// The first line of a file is refused where it may be a header of other names: where it names three objects of which
/// no later line says anything.
pub fn collect_judgements(path: &Path) -> Result<(Judgements, Ids), DataError> {
    let mut names = Numbering::default();
    let judgements = read(path, &mut names).map_err(|error| error.in_file(path))?;
    Ok((judgements, Ids::new(names.into_texts())?))
}

/// The triplets of [`read_judgements`] alone: an answer each.
pub fn read_triplets<'a>(path: &Path, names: impl Into<ObjectNames<'a>>) -> Result<Vec<Triplet>, DataError> {
    read_judgements(path, names).map(|judgements| judgements.triplets)
}

fn read(path: &Path, names: &mut impl Naming) -> Result<Judgements, DataError> {
    match format_of(path, ".npy, .csv, .tsv")? {
        Format::Npy => from_npy(path, names),
        Format::Text => from_text(path, names),
        Format::Parquet => Err(DataError::UnknownFormat { extension: "parquet".into(), readable: ".npy, .csv, .tsv" }),
    }
}

/// Integers of shape (n, 3), row by row.
pub(super) fn integer_triples(path: &Path) -> Result<Vec<i64>, DataError> {
    read_integers(path, |shape| match shape {
        [_, 3] => Ok(()),
        _ => Err(DataError::WrongShape {
            found: shape_text(shape),
            needed: "three columns are needed: anchor, near, far",
        }),
    })
}

fn from_npy(path: &Path, names: &mut impl Naming) -> Result<Judgements, DataError> {
    let integers = integer_triples(path)?;
    let triplet = |(row, cells): (usize, &[i64])| {
        let texts = [cells[0], cells[1], cells[2]].map(|n| n.to_string());
        triplet(names, [(&texts[0], 0), (&texts[1], 1), (&texts[2], 2)], || Place::row(row))
    };
    let triplets: Result<Vec<Triplet>, DataError> = integers.chunks_exact(3).enumerate().map(triplet).collect();
    triplets.map(Judgements::from)
}

fn from_text<N: Naming>(path: &Path, names: &mut N) -> Result<Judgements, DataError> {
    let mut records = Records::open(path, None)?;
    if !records.advance()? {
        return Err(DataError::NoRows);
    }
    let (width, first) = (records.width(), records.names()?);
    let (columns, has_header, mut waiting) = match Columns::named(&first)? {
        Some(columns) => (columns, true, records.advance()?),
        None if width == 3 => (Columns::unnamed(), false, true),
        None => {
            return Err(DataError::WrongShape {
                found: format!("(n, {width})"),
                needed: "three columns are needed, or a header that names anchor, near and far",
            });
        }
    };
    let mut rows = Collector::default();
    while waiting {
        let row = rows.n_rows();
        if records.width() != width {
            let place = Place::line(records.line(), row);
            return Err(DataError::Ragged { place, found: records.width(), expected: width });
        }
        take_row(&records, &columns, names, &mut rows)?;
        waiting = records.advance()?;
    }
    let judgements = rows.finish(columns.judge.is_some());
    if N::TAKES_ALL && !has_header && is_apart(&judgements.triplets) {
        let needed = "about an object of any later line; if it is a header, it must name anchor, near and far";
        return Err(DataError::BadValue { place: Place::line(1, 0), value: shown(&first.join(",")), needed });
    }
    Ok(judgements)
}

/// Whether nothing is said again about the objects of the first triplet, which are the first three of all.
fn is_apart(triplets: &[Triplet]) -> bool {
    triplets.len() > 1 && triplets[1..].iter().all(|t| t.anchor.min(t.near).min(t.far) > 2)
}

fn take_row(
    records: &Records,
    columns: &Columns,
    names: &mut impl Naming,
    rows: &mut Collector,
) -> Result<(), DataError> {
    let row = rows.n_rows();
    let place = || Place::line(records.line(), row);
    let cell =
        |role: usize| records.cell(columns.roles[role], row, Some(ROLES[role])).map(|text| (text, columns.roles[role]));
    let triplet = triplet(names, [cell(0)?, cell(1)?, cell(2)?], place)?;
    let (said, judge) = (columns.said(records, row)?, columns.judge(records, row)?);
    push(rows, triplet, said, place)?;
    if let (Some(name), Some(column)) = (judge, columns.judge) {
        rows.judged_by(name).map_err(|needed| bad(records, row, (column, "judge"), needed))?;
    }
    Ok(())
}

/// Adds what a row says, or names the row with which there are too many votes.
pub(super) fn push(
    rows: &mut Collector,
    triplet: Triplet,
    said: Said,
    place: impl Fn() -> Place,
) -> Result<(), DataError> {
    rows.push(triplet, said).map_err(|n_votes| DataError::TooManyVotes { place: place(), n_votes, most: MOST_VOTES })
}
