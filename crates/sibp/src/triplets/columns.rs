//! Finds the columns of a text file of judgements, and reads what a row answers.

use super::judgements::Said;
use crate::data::{DataError, Place, Records, shown};

pub(super) const ROLES: [&str; 3] = ["anchor", "near", "far"];

/// Where the parts of a judgement stand in a row.
#[derive(Debug)]
pub(super) struct Columns {
    /// Anchor, near and far.
    pub roles: [usize; 3],
    /// The judge's name.
    pub judge: Option<usize>,
    answer: AnswerColumns,
}

#[derive(Debug)]
enum AnswerColumns {
    /// None: near is nearer.
    Near,
    /// One of the words near, far, tie.
    Word(usize),
    /// The numbers of answers for near and for far.
    Votes(usize, usize),
}

impl Columns {
    /// Three columns without names.
    pub fn unnamed() -> Self {
        Self { roles: [0, 1, 2], judge: None, answer: AnswerColumns::Near }
    }

    /// The columns that a header names, in any order and case; `None` if it does not name anchor, near and far.
    pub fn named(header: &[String]) -> Result<Option<Self>, DataError> {
        let (Some(anchor), Some(near), Some(far)) =
            (column(header, "anchor")?, column(header, "near")?, column(header, "far")?)
        else {
            return Ok(None);
        };
        let votes = (column(header, "votes_near")?, column(header, "votes_far")?);
        let missing = |asked: &str| DataError::NoColumn { asked: asked.into(), known: header.join(", ") };
        let answer = match (column(header, "answer")?, votes) {
            (Some(answer), (Some(votes), _) | (_, Some(votes))) => return Err(clash(header, answer, votes)),
            (Some(answer), (None, None)) => AnswerColumns::Word(answer),
            (None, (Some(near), Some(far))) => AnswerColumns::Votes(near, far),
            (None, (Some(_), None)) => return Err(missing("votes_far")),
            (None, (None, Some(_))) => return Err(missing("votes_near")),
            (None, (None, None)) => AnswerColumns::Near,
        };
        Ok(Some(Self { roles: [anchor, near, far], judge: column(header, "judge")?, answer }))
    }

    /// What the row answers.
    pub fn said(&self, records: &Records, row: usize) -> Result<Said, DataError> {
        match self.answer {
            AnswerColumns::Near => Ok(Said::Near),
            AnswerColumns::Word(column) => {
                let text = records.cell(column, row, Some("answer"))?;
                word(text).ok_or_else(|| bad(records, row, (column, "answer"), "near, far, tie or cannot say"))
            }
            AnswerColumns::Votes(near, far) => {
                let votes = |column: usize, name: &'static str| {
                    let text = records.cell(column, row, Some(name))?;
                    text.parse::<usize>().map_err(|_| bad(records, row, (column, name), "a whole number of votes"))
                };
                Ok(Said::Votes { near: votes(near, "votes_near")?, far: votes(far, "votes_far")? })
            }
        }
    }

    /// The judge's name, if there is a column of names.
    pub fn judge<'r>(&self, records: &'r Records, row: usize) -> Result<Option<&'r str>, DataError> {
        let Some(column) = self.judge else { return Ok(None) };
        match records.cell(column, row, Some("judge"))? {
            "" => Err(bad(records, row, (column, "judge"), "a judge: name one in each row, or leave the column out")),
            name => Ok(Some(name)),
        }
    }
}

/// The column of a name, in any case, which must stand only once.
pub(super) fn column(header: &[String], name: &str) -> Result<Option<usize>, DataError> {
    let mut found = (0..header.len()).filter(|&column| header[column].eq_ignore_ascii_case(name));
    match (found.next(), found.next()) {
        (Some(first), Some(second)) => Err(clash(header, first, second)),
        (first, _) => Ok(first),
    }
}

fn clash(header: &[String], first: usize, second: usize) -> DataError {
    let named = |column: usize| format!("{column} ({})", header[column]);
    DataError::ColumnClash { first: named(first), second: named(second) }
}

fn word(text: &str) -> Option<Said> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    match () {
        () if is("near") => Some(Said::Near),
        () if is("far") => Some(Said::Far),
        () if is("tie") || is("cannot say") => Some(Said::Tie),
        () => None,
    }
}

/// A cell that cannot be used.
pub(super) fn bad(records: &Records, row: usize, at: (usize, &str), needed: &'static str) -> DataError {
    let value = records.cell(at.0, row, None).map(shown).unwrap_or_default();
    DataError::BadValue { place: Place::line(records.line(), row).column(at.0, Some(at.1)), value, needed }
}
