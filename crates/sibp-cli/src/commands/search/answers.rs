//! Prints neighbours, or writes them to text and array files.

use anyhow::{Context, bail};
use clap::ValueEnum;
use serde::Serialize;
use sibp::data::{AtomicFile, NpyWriter};
use sibp::index::Neighbours;
use std::io::Write;
use std::path::Path;

/// How neighbours are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A line for each query
    Table,
    /// query,rank,id,distance
    Csv,
    /// A line of JSON for each query
    Json,
}

/// A neighbour with a distance that prints as a whole number where it is one.
#[derive(Debug, Serialize)]
pub struct Hit {
    id: u64,
    distance: serde_json::Number,
}

/// The neighbours of some queries, a chunk at a time.
type Answers<'a> = dyn Iterator<Item = anyhow::Result<Vec<Vec<Hit>>>> + 'a;

/// Neighbours with their distances as JSON numbers.
pub fn hits<D: Copy>(found: &Neighbours<D>, number: impl Fn(D) -> serde_json::Number) -> Vec<Vec<Hit>> {
    let row = |q| found.row(q).map(|(distance, id)| Hit { id, distance: number(distance) }).collect();
    (0..found.n_queries()).map(row).collect()
}

/// A weighted distance, which is finite, as JSON.
pub fn json_number(distance: f32) -> serde_json::Number {
    serde_json::Number::from_f64(f64::from(distance)).unwrap_or_else(|| 0.into())
}

/// Prints all answers.
pub fn print(answers: &mut Answers, format: Format, out: &mut impl Write) -> anyhow::Result<()> {
    match format {
        Format::Table => writeln!(out, "query  neighbours as id:distance, nearest first")?,
        Format::Csv => writeln!(out, "query,rank,id,distance")?,
        Format::Json => {}
    }
    let mut query = 0;
    for chunk in answers {
        for hits in chunk? {
            print_one(query, &hits, format, out)?;
            query += 1;
        }
    }
    Ok(())
}

fn print_one(query: usize, hits: &[Hit], format: Format, out: &mut impl Write) -> anyhow::Result<()> {
    match format {
        Format::Table => {
            write!(out, "{query:>5}")?;
            for hit in hits {
                write!(out, "  {}:{}", hit.id, hit.distance)?;
            }
            writeln!(out)?;
        }
        Format::Csv => {
            for (rank, hit) in (1..).zip(hits) {
                writeln!(out, "{query},{rank},{},{}", hit.id, hit.distance)?;
            }
        }
        Format::Json => {
            let line = serde_json::json!({ "query": query, "neighbours": hits });
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

/// Writes all answers to a text file.
pub fn write_file(answers: &mut Answers, format: Format, path: &Path) -> anyhow::Result<()> {
    let refused = || format!("{}: cannot write", path.display());
    let mut file = AtomicFile::create(path).with_context(refused)?;
    print(answers, format, &mut file).with_context(refused)?;
    file.commit().with_context(refused)
}

/// Writes ids, and distances if asked, as matrices of `n_columns` columns.
pub fn write_npy(
    answers: &mut Answers,
    n_columns: usize,
    ids_path: &Path,
    distances_path: Option<&Path>,
) -> anyhow::Result<()> {
    if n_columns == 0 {
        bail!("{}: there are no codes to find, so there is nothing to write", ids_path.display());
    }
    let mut ids = NpyWriter::<i64>::create(ids_path, n_columns)?;
    let mut distances = distances_path.map(|path| NpyWriter::<f64>::create(path, n_columns)).transpose()?;
    for chunk in answers {
        let chunk = chunk?;
        let hits = || chunk.iter().flatten();
        ids.write_rows(&hits().map(signed_id).collect::<anyhow::Result<Vec<_>>>()?)?;
        if let Some(writer) = &mut distances {
            writer.write_rows(&hits().map(|hit| hit.distance.as_f64().unwrap_or(f64::NAN)).collect::<Vec<_>>())?;
        }
    }
    ids.finish()?;
    distances.map(NpyWriter::finish).transpose()?;
    Ok(())
}

fn signed_id(hit: &Hit) -> anyhow::Result<i64> {
    i64::try_from(hit.id).with_context(|| format!("id {} does not fit into int64; write to .csv or .jsonl", hit.id))
}
