//! Lists the objects whose label the vote of their neighbours does not find, by their ids.

use super::Trial;
use crate::output::csv_cell;
use anyhow::Context;
use sibp::data::AtomicFile;
use sibp::index::{HammingIndex, Metric};
use std::io::{self, Write};
use std::path::Path;

/// Neighbours that vote, as for `sibp predict`.
const VOTERS: usize = 15;

/// Columns of the list.
pub const COLUMNS: [&str; 3] = ["object", "label", "predicted"];

/// Writes the list, and returns how many objects it has.
pub fn write(trial: &Trial, path: &Path, threads: usize) -> anyhow::Result<usize> {
    let index = HammingIndex::from_codes(&trial.database)?;
    let class_of_id = |id: u64| trial.database_classes.get(id as usize).copied();
    let ks = [VOTERS.min(trial.database.n_objects())];
    let voted = match &trial.expected {
        Some((asked, weights)) => {
            index.classify(asked.queries(), Metric::Expected(weights), threads, class_of_id, &ks)?
        }
        None => index.classify(&trial.queries, Metric::Hamming, threads, class_of_id, &ks)?,
    };
    let winners = voted.into_iter().next().unwrap_or_default();
    let wrong: Vec<(usize, u32)> = (0..)
        .zip(&winners)
        .filter(|(row, vote)| trial.classes[*row] != vote.class)
        .map(|(row, vote)| (row, vote.class))
        .collect();
    let refused = || format!("{}: cannot write", path.display());
    let mut file = AtomicFile::create(path).with_context(refused)?;
    list(trial, &wrong, &mut file).with_context(refused)?;
    file.commit().with_context(refused)?;
    Ok(wrong.len())
}

fn list(trial: &Trial, wrong: &[(usize, u32)], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", COLUMNS.join(","))?;
    for &(row, predicted) in wrong {
        let object = trial.ids.as_ref().map_or_else(|| row.to_string(), |ids| ids[row].clone());
        let [label, predicted] = [trial.classes[row], predicted].map(|class| &trial.names[class as usize]);
        writeln!(out, "{},{},{}", csv_cell(&object, ','), csv_cell(label, ','), csv_cell(predicted, ','))?;
    }
    Ok(())
}
