//! Reads the triplet arrays of cblearn: (anchor, near, far), or queries with responses.

use std::path::Path;

use super::Judgements;
use super::columns::{ROLES, bad};
use super::judgements::{Collector, Said};
use super::numbering::Numbering;
use super::read::{integer_triples, push, triplet};
use crate::data::{
    DataError, Format, Ids, Place, Records, format_of, holds_booleans, read_integers, shape_text, shown,
};

const READABLE: &str = ".npy, .csv, .tsv";

/// A query, and where it stands.
struct Query {
    objects: [i64; 3],
    place: Place,
    /// The response beside it, in a column of its own.
    said: Option<Said>,
}

/// Reads cblearn's triplets: an array of shape (n, 3).
///
/// Without responses its rows are (anchor, near, far), as cblearn's `list-order`. With `responses`, an array of n
/// numbers or booleans, it holds queries (anchor, one, other): a response of `True` or 1 says that the one is nearer,
/// `False` or -1 the other, 0 neither; 3 counts as three responses (`list-boolean`, `list-count`). A text file may have
/// the responses in a fourth column named `response`. Objects are named by their numbers, in the order in which they
/// first appear.
pub fn read_cblearn(path: &Path, responses: Option<&Path>) -> Result<(Judgements, Ids), DataError> {
    let mut queries = read_queries(path).map_err(|error| error.in_file(path))?;
    if let Some(file) = responses {
        if queries.iter().any(|query| query.said.is_some()) {
            let second = format!("of {}", file.display());
            return Err(DataError::ColumnClash { first: "3 (response)".into(), second }.in_file(path));
        }
        let said = read_responses(file).map_err(|error| error.in_file(file))?;
        DataError::lengths(("queries", queries.len()), ("responses", said.len()))?;
        queries.iter_mut().zip(said).for_each(|(query, said)| query.said = Some(said));
    }
    let mut names = Numbering::default();
    let mut rows = Collector::default();
    for query in &queries {
        let texts = query.objects.map(|number| number.to_string());
        let place = || query.place.clone();
        triplet(&mut names, [(&texts[0], 0), (&texts[1], 1), (&texts[2], 2)], place)
            .and_then(|asked| push(&mut rows, asked, query.said.unwrap_or(Said::Near), place))
            .map_err(|error| error.in_file(path))?;
    }
    Ok((rows.finish(false), Ids::new(names.into_texts())?))
}

fn read_queries(path: &Path) -> Result<Vec<Query>, DataError> {
    match format_of(path, READABLE)? {
        Format::Npy => {
            let numbers = integer_triples(path)?;
            numbers.chunks_exact(3).enumerate().map(|(row, n)| query([n[0], n[1], n[2]], Place::row(row))).collect()
        }
        Format::Text => queries_of_text(path),
        Format::Parquet => Err(DataError::UnknownFormat { extension: "parquet".into(), readable: READABLE }),
    }
}

fn query(objects: [i64; 3], place: Place) -> Result<Query, DataError> {
    if let Some(column) = objects.iter().position(|&number| number < 0) {
        let (value, needed) = (objects[column].to_string(), "the number of an object: it is negative");
        return Err(DataError::BadValue { place: place.column(column, Some(ROLES[column])), value, needed });
    }
    Ok(Query { objects, place, said: None })
}

fn queries_of_text(path: &Path) -> Result<Vec<Query>, DataError> {
    let mut records = Records::open(path, None)?;
    if !records.advance()? {
        return Err(DataError::NoRows);
    }
    let (width, first) = (records.width(), records.names()?);
    let has_header = first.iter().all(|cell| cell.parse::<f64>().is_err());
    let has_responses = width == 4 && first[3].eq_ignore_ascii_case("response");
    if width != 3 && !has_responses {
        let found = format!("(n, {width})");
        let needed = "three columns are needed, or a fourth that a header names response (four others are quadruplets)";
        return Err(DataError::WrongShape { found, needed });
    }
    let mut waiting = !has_header || records.advance()?;
    let mut queries = Vec::new();
    while waiting {
        let row = queries.len();
        if records.width() != width {
            let place = Place::line(records.line(), row);
            return Err(DataError::Ragged { place, found: records.width(), expected: width });
        }
        queries.push(query_of_row(&records, row, has_responses)?);
        waiting = records.advance()?;
    }
    Ok(queries)
}

fn query_of_row(records: &Records, row: usize, has_response: bool) -> Result<Query, DataError> {
    let place = Place::line(records.line(), row);
    let mut objects = [0; 3];
    for (column, object) in objects.iter_mut().enumerate() {
        let number = whole(records.cell(column, row, None)?);
        *object = number.ok_or_else(|| bad(records, row, (column, ROLES[column]), "the number of an object"))?;
    }
    let mut asked = query(objects, place)?;
    if has_response {
        let said = response(records.cell(3, row, None)?);
        asked.said = Some(said.ok_or_else(|| bad(records, row, (3, "response"), RESPONSE))?);
    }
    Ok(asked)
}

/// A whole number, also as numpy's `savetxt` writes it (`3.000000000000000000e+00`).
fn whole(text: &str) -> Option<i64> {
    let whole = |number: f64| (number.fract() == 0.0 && number.abs() < 1e15).then_some(number as i64);
    text.parse().ok().or_else(|| text.parse().ok().and_then(whole))
}

const RESPONSE: &str = "a response: True, False, or a number (1 for the first, -1 for the second, 0 for neither)";

fn response(text: &str) -> Option<Said> {
    match text {
        _ if text.eq_ignore_ascii_case("true") => Some(Said::Near),
        _ if text.eq_ignore_ascii_case("false") => Some(Said::Far),
        _ => whole(text).map(counted),
    }
}

/// A count: as many responses for the first object, or if it is negative for the second.
fn counted(count: i64) -> Said {
    let n = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    match count {
        0 => Said::Tie,
        1 => Said::Near,
        -1 => Said::Far,
        2.. => Said::Votes { near: n, far: 0 },
        _ => Said::Votes { near: 0, far: n },
    }
}

fn read_responses(path: &Path) -> Result<Vec<Said>, DataError> {
    match format_of(path, READABLE)? {
        Format::Npy => {
            let numbers = read_integers(path, |shape| match shape {
                [_] | [_, 1] => Ok(()),
                _ => Err(DataError::WrongShape {
                    found: shape_text(shape),
                    needed: "one response is needed for each query",
                }),
            })?;
            let is_boolean = holds_booleans(path)?;
            let said = |number: i64| if is_boolean { counted(2 * number - 1) } else { counted(number) };
            Ok(numbers.into_iter().map(said).collect())
        }
        Format::Text => responses_of_text(path),
        Format::Parquet => Err(DataError::UnknownFormat { extension: "parquet".into(), readable: READABLE }),
    }
}

/// One response a line; the first line may be a header.
fn responses_of_text(path: &Path) -> Result<Vec<Said>, DataError> {
    let mut records = Records::open(path, None)?;
    let (mut said, mut is_first) = (Vec::new(), true);
    while records.advance()? {
        if let Some(line) = records.blank_line() {
            return Err(DataError::BlankLine { line });
        }
        let row = said.len();
        let place = || Place::line(records.line(), row);
        if records.width() != 1 {
            return Err(DataError::Ragged { place: place(), found: records.width(), expected: 1 });
        }
        let text = records.cell(0, row, None)?;
        match response(text) {
            Some(answer) => said.push(answer),
            None if is_first => {}
            None => return Err(DataError::BadValue { place: place(), value: shown(text), needed: RESPONSE }),
        }
        is_first = false;
    }
    Ok(said)
}
