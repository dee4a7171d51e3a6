//! Reads files of judgements about the objects of a table.

use crate::output::say;
use sibp::data::{DataError, Table};
use sibp::triplets::{Judgements, ReadingReport, read_judgements};
use std::path::Path;

/// Judgements about the objects of a table: by their ids where they have some, else by their rows.
pub fn read_judgements_of(path: &Path, table: &Table) -> Result<Judgements, DataError> {
    match &table.ids {
        Some(ids) => read_judgements(path, ids),
        None => read_judgements(path, table.inputs.n_objects()),
    }
}

/// Notes on stderr what a file held beside plain answers: ties and votes.
pub fn note_of_answers(path: &Path, report: &ReadingReport) {
    if !report.is_plain() {
        say(format!("note: {}: {report}", path.display()));
    }
}
