//! Reads triplets from files, by id or by row number.

use std::path::Path;

use super::Triplet;
use crate::data::{DataError, Format, Ids, Place, Records, format_of, read_integers, shape_text, shown};

const ROLES: [&str; 3] = ["anchor", "near", "far"];

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

impl ObjectNames<'_> {
    fn find(self, text: &str) -> Result<u32, &'static str> {
        let row = match self {
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

    /// Builds a triplet from three cells.
    fn triplet(self, cells: [(&str, usize); 3], place: impl Fn() -> Place) -> Result<Triplet, DataError> {
        let mut rows = [0u32; 3];
        for (row, ((text, column), role)) in rows.iter_mut().zip(cells.iter().zip(ROLES)) {
            *row = self.find(text).map_err(|needed| DataError::BadValue {
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
}

/// Reads `.npy` integers of shape (n, 3), or `.csv`/`.tsv` text with three columns, in the order anchor, near, far.
///
/// A text file may have a header that names `anchor`, `near` and `far`; then they may stand in any order and beside
/// other columns. With ids, every value (also a number) is an id.
pub fn read_triplets<'a>(path: &Path, names: impl Into<ObjectNames<'a>>) -> Result<Vec<Triplet>, DataError> {
    let names = names.into();
    let triplets = match format_of(path, ".npy, .csv, .tsv") {
        Ok(Format::Npy) => from_npy(path, names),
        Ok(Format::Text) => from_text(path, names),
        Ok(Format::Parquet) => {
            Err(DataError::UnknownFormat { extension: "parquet".into(), readable: ".npy, .csv, .tsv" })
        }
        Err(error) => Err(error),
    };
    triplets.map_err(|error| error.in_file(path))
}

fn from_npy(path: &Path, names: ObjectNames<'_>) -> Result<Vec<Triplet>, DataError> {
    let integers = read_integers(path, |shape| match shape {
        [_, 3] => Ok(()),
        _ => Err(DataError::WrongShape {
            found: shape_text(shape),
            needed: "three columns are needed: anchor, near, far",
        }),
    })?;
    let triplet = |(row, cells): (usize, &[i64])| {
        let texts = [cells[0], cells[1], cells[2]].map(|n| n.to_string());
        names.triplet([(&texts[0], 0), (&texts[1], 1), (&texts[2], 2)], || Place::row(row))
    };
    integers.chunks_exact(3).enumerate().map(triplet).collect()
}

fn from_text(path: &Path, names: ObjectNames<'_>) -> Result<Vec<Triplet>, DataError> {
    let mut records = Records::open(path, None)?;
    if !records.advance()? {
        return Err(DataError::NoRows);
    }
    let (width, first) = (records.width(), records.names()?);
    let position = |role: &str| first.iter().position(|name| name.eq_ignore_ascii_case(role));
    let (columns, mut waiting) = match (position("anchor"), position("near"), position("far")) {
        (Some(anchor), Some(near), Some(far)) => ([anchor, near, far], records.advance()?),
        _ if width == 3 => ([0, 1, 2], true),
        _ => {
            return Err(DataError::WrongShape {
                found: format!("(n, {width})"),
                needed: "three columns are needed, or a header that names anchor, near and far",
            });
        }
    };
    let mut triplets = Vec::new();
    while waiting {
        let row = triplets.len();
        let place = || Place::line(records.line(), row);
        if records.width() != width {
            return Err(DataError::Ragged { place: place(), found: records.width(), expected: width });
        }
        let cell = |role: usize| records.cell(columns[role], row, Some(ROLES[role]));
        let cells = [(cell(0)?, columns[0]), (cell(1)?, columns[1]), (cell(2)?, columns[2])];
        triplets.push(names.triplet(cells, place)?);
        waiting = records.advance()?;
    }
    Ok(triplets)
}
