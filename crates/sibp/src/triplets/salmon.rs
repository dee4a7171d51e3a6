//! Reads the responses of Salmon (stsievert/salmon), a server that asks people for triplets.

use std::path::Path;

use super::Judgements;
use super::columns::{bad, column};
use super::judgements::{Collector, Said};
use super::numbering::Numbering;
use super::read::{push, triplet};
use crate::data::{DataError, Ids, Place, Records};

/// Endings of the columns that name objects, the plainest names first; without an ending they are numbers.
const ENDINGS: [&str; 4] = ["_filename", "_object", "_html", ""];
/// The judge of answers that name nobody, where others do.
const UNNAMED: &str = "unnamed";

/// Where a response stands in a row.
struct Columns {
    head: usize,
    winner: usize,
    loser: Loser,
    puid: Option<usize>,
}

/// The object that was not chosen. Files of early versions only say which two were shown.
enum Loser {
    Named(usize),
    Shown(usize, usize),
}

/// Whether the first line of a text file names the columns of Salmon's responses.
pub fn is_salmon(path: &Path) -> Result<bool, DataError> {
    let header = || {
        let mut records = Records::open(path, None)?;
        if records.advance()? { records.names() } else { Err(DataError::NoRows) }
    };
    let header = header().map_err(|error| error.in_file(path))?;
    Ok(Columns::find(&header, true).is_ok())
}

/// Reads the file that Salmon's page `/responses` gives: the head is the anchor, the winner near, the loser far, the
/// participant (`puid`) the judge.
///
/// Objects are named by what the participants saw: a file's name, a text; or by their numbers in Salmon's list of
/// targets, where the file has nothing else or `numbers` asks for them. They are numbered in the order in which they
/// first appear.
pub fn read_salmon(path: &Path, numbers: bool) -> Result<(Judgements, Ids), DataError> {
    let mut names = Numbering::default();
    let judgements = read(path, numbers, &mut names).map_err(|error| error.in_file(path))?;
    Ok((judgements, Ids::new(names.into_texts())?))
}

fn read(path: &Path, numbers: bool, names: &mut Numbering) -> Result<Judgements, DataError> {
    let mut records = Records::open(path, None)?;
    if !records.advance()? {
        return Err(DataError::NoRows);
    }
    let (width, columns) = (records.width(), Columns::find(&records.names()?, numbers)?);
    let (mut rows, mut anybody) = (Collector::default(), false);
    while records.advance()? {
        let row = rows.n_rows();
        let place = || Place::line(records.line(), row);
        if records.width() != width {
            return Err(DataError::Ragged { place: place(), found: records.width(), expected: width });
        }
        let [head, winner, loser] = columns.objects(&records, row)?;
        let cells = [(head, columns.head), (winner, columns.winner), (loser, columns.loser.column())];
        let asked = triplet(names, cells, place)?;
        push(&mut rows, asked, Said::Near, place)?;
        let judge = columns.puid.map_or(Ok(""), |puid| records.cell(puid, row, Some("puid")))?;
        anybody |= !judge.is_empty();
        let named = if judge.is_empty() { UNNAMED } else { judge };
        rows.judged_by(named).map_err(|needed| bad(&records, row, (columns.puid.unwrap_or(0), "puid"), needed))?;
    }
    Ok(rows.finish(anybody))
}

impl Columns {
    /// The plainest names of objects that stand for all three, or their numbers.
    fn find(header: &[String], numbers: bool) -> Result<Self, DataError> {
        for ending in ENDINGS.into_iter().filter(|ending| !numbers || ending.is_empty()) {
            let at = |name: &str| column(header, &format!("{name}{ending}"));
            let loser = match (at("loser")?, at("left")?, at("right")?) {
                (Some(loser), _, _) => Some(Loser::Named(loser)),
                (None, Some(left), Some(right)) => Some(Loser::Shown(left, right)),
                _ => None,
            };
            if let (Some(head), Some(winner), Some(loser)) = (at("head")?, at("winner")?, loser) {
                return Ok(Self { head, winner, loser, puid: column(header, "puid")? });
            }
        }
        let asked = "head, winner and loser, as Salmon's responses have them".into();
        Err(DataError::NoColumn { asked, known: header.join(", ") })
    }

    /// Head, winner and loser.
    fn objects<'r>(&self, records: &'r Records, row: usize) -> Result<[&'r str; 3], DataError> {
        let cell = |column: usize| records.cell(column, row, None).map(plain_name);
        let (head, winner) = (cell(self.head)?, cell(self.winner)?);
        let loser = match self.loser {
            Loser::Named(loser) => cell(loser)?,
            Loser::Shown(left, right) => match (cell(left)?, cell(right)?) {
                (left, right) if left == winner => right,
                (left, right) if right == winner => left,
                _ => return Err(bad(records, row, (self.winner, "winner"), "what stands in left or right")),
            },
        };
        Ok([head, winner, loser])
    }
}

impl Loser {
    fn column(&self) -> usize {
        match *self {
            Self::Named(column) | Self::Shown(column, _) => column,
        }
    }
}

/// The file that a picture or a film shows, or the text as it is.
fn plain_name(html: &str) -> &str {
    if !html.starts_with('<') {
        return html;
    }
    let source = html.split_once("src=").and_then(|(_, rest)| {
        let quote = rest.chars().next().filter(|&c| c == '"' || c == '\'')?;
        rest[1..].split_once(quote).map(|(source, _)| source)
    });
    let source = source.unwrap_or(html);
    source.strip_prefix("/static/targets/").unwrap_or(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_go_by_their_files() {
        assert_eq!(plain_name("<img src='/static/targets/a b.png' width=3 />"), "a b.png");
        assert_eq!(plain_name("<video controls src=\"/x/y.mp4\"></video>"), "/x/y.mp4");
        assert_eq!(plain_name("<b>cat</b>"), "<b>cat</b>");
        assert_eq!(plain_name("cat"), "cat");
    }
}
