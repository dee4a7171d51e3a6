//! Writes triplets and judgements to files.

use crate::failure::usage;
use crate::output;
use crate::writing::{Kind, TRIPLETS};
use anyhow::Context;
use sibp::data::{AtomicFile, Ids, NpyWriter};
use sibp::triplets::{Judgements, Triplet};
use std::io::Write;
use std::path::Path;

/// What triplets are written as; the ending of the name decides.
pub fn kind_of(path: Option<&Path>) -> Kind {
    let is_array = path.and_then(Path::extension).is_some_and(|ending| ending.eq_ignore_ascii_case("npy"));
    if is_array { Kind::Array("<i8") } else { TRIPLETS }
}

/// Writes triplets to a file; the ending of its name decides how.
pub fn write(path: &Path, triplets: &[Triplet], ids: Option<&Ids>) -> anyhow::Result<()> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match (extension.as_str(), ids) {
        ("npy", None) => {
            let mut writer = NpyWriter::create(path, 3)?;
            let values: Vec<i64> = triplets.iter().flat_map(|t| [t.anchor, t.near, t.far].map(i64::from)).collect();
            writer.write_rows(&values)?;
            writer.finish()?;
            Ok(())
        }
        ("npy", Some(_)) => Err(usage("a .npy file holds row numbers; write ids to .csv or .tsv")),
        ("csv" | "tsv", _) => {
            let separator = if extension == "tsv" { '\t' } else { ',' };
            let refused = || format!("{}: cannot write", path.display());
            let mut file = AtomicFile::create(path).with_context(refused)?;
            write_text(&mut file, triplets, ids, separator)?;
            file.commit().with_context(refused)
        }
        _ => Err(usage(format!("{}: triplets are written to .csv, .tsv or .npy", path.display()))),
    }
}

/// Writes triplets as text with a header.
pub fn write_text(
    out: &mut impl Write,
    triplets: &[Triplet],
    ids: Option<&Ids>,
    separator: char,
) -> std::io::Result<()> {
    let name = |row: u32| match ids {
        Some(ids) => output::csv_cell(&ids.texts()[row as usize], separator),
        None => row.to_string(),
    };
    writeln!(out, "anchor{separator}near{separator}far")?;
    for t in triplets {
        writeln!(out, "{}{separator}{}{separator}{}", name(t.anchor), name(t.near), name(t.far))?;
    }
    Ok(())
}

/// Writes judgements as text with a header: with a column of judges where they are known, and one of answers where
/// there are ties.
pub fn write_judgements(
    out: &mut impl Write,
    judgements: &Judgements,
    ids: &Ids,
    separator: char,
) -> std::io::Result<()> {
    let cell = |text: &str| output::csv_cell(text, separator);
    let (has_judges, has_ties) = (judgements.judges.is_some(), !judgements.tied.is_empty());
    let mut header = vec!["anchor", "near", "far"];
    header.extend(has_judges.then_some("judge"));
    header.extend(has_ties.then_some("answer"));
    let join = |cells: &[String]| cells.join(&separator.to_string());
    writeln!(out, "{}", header.join(&separator.to_string()))?;
    let mut tied = judgements.tied.chunks_exact(2).peekable();
    let mut position = 0;
    while let Some(t) = judgements.triplets.get(position) {
        let is_tie = tied.next_if(|pair| pair[0] as usize == position).is_some();
        let mut cells = [t.anchor, t.near, t.far].map(|row| cell(&ids.texts()[row as usize])).to_vec();
        cells.extend(judgements.judge(position).map(cell));
        cells.extend(has_ties.then(|| if is_tie { "tie" } else { "near" }.to_owned()));
        writeln!(out, "{}", join(&cells))?;
        // Both halves of a tie are one row.
        position += if is_tie { 2 } else { 1 };
    }
    Ok(())
}
