//! Prints neighbours, or writes them to text and array files.

use crate::output::csv_cell;
use anyhow::{Context, bail};
use clap::ValueEnum;
use serde_json::{Map, Value, json};
use sibp::data::{AtomicFile, NpyElement, NpyWriter};
use sibp::index::HammingIndex;
use std::io::Write;
use std::path::Path;

/// How neighbours are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A line for each query; where codes have columns, a line for each neighbour
    Table,
    /// query,rank,id,distance and the columns
    Csv,
    /// A line of JSON for each query
    Json,
}

/// A neighbour with a distance that prints as a whole number where it is one.
#[derive(Debug)]
pub struct Hit {
    number: u64,
    /// The id that users know, where it is a text.
    name: Option<String>,
    distance: serde_json::Number,
    /// Texts of the columns.
    cells: Vec<String>,
}

impl Hit {
    fn id(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.number.to_string())
    }
}

/// One query and its neighbours.
#[derive(Debug)]
pub struct Answer {
    /// The id of the query, where it has one.
    pub id: Option<String>,
    /// Its neighbours, nearest first.
    pub hits: Vec<Hit>,
}

/// The neighbours of some queries, a chunk at a time.
type Answers<'a> = dyn Iterator<Item = anyhow::Result<Vec<Answer>>> + 'a;

/// A weighted distance, which is finite, as JSON.
pub fn json_number(distance: f32) -> serde_json::Number {
    serde_json::Number::from_f64(f64::from(distance)).unwrap_or_else(|| 0.into())
}

/// Names of the columns that come with results.
pub fn columns(index: &HammingIndex) -> &[String] {
    index.texts().map_or(&[], |texts| &texts.columns()[usize::from(index.is_named())..])
}

/// Adds names and columns to neighbours, row by row.
pub fn described(index: &HammingIndex, rows: Vec<Vec<(serde_json::Number, u64)>>) -> Vec<Vec<Hit>> {
    let Some(texts) = index.texts() else {
        let hit = |(distance, number)| Hit { number, name: None, distance, cells: Vec::new() };
        return rows.into_iter().map(|row| row.into_iter().map(hit).collect()).collect();
    };
    let numbers: Vec<u64> = rows.iter().flatten().map(|&(_, number)| number).collect();
    let mut positions = index.positions(&numbers).into_iter();
    let mut hit = |(distance, number)| {
        let mut cells: Vec<String> =
            positions.next().flatten().map_or(Vec::new(), |row| texts.row(row).map(str::to_owned).collect());
        let name = (index.is_named() && !cells.is_empty()).then(|| cells.remove(0));
        Hit { number, name, distance, cells }
    };
    rows.into_iter().map(|row| row.into_iter().map(&mut hit).collect()).collect()
}

/// Prints all answers; `columns` are those of the codes.
pub fn print(answers: &mut Answers, columns: &[String], format: Format, out: &mut impl Write) -> anyhow::Result<()> {
    match format {
        Format::Table if columns.is_empty() => writeln!(out, "query  neighbours as id:distance, nearest first")?,
        Format::Table => writeln!(out, "query  rank  id  distance  {}", columns.join("  "))?,
        Format::Csv => {
            let names = ["query", "rank", "id", "distance"].into_iter().chain(columns.iter().map(String::as_str));
            writeln!(out, "{}", joined(names))?;
        }
        Format::Json => {}
    }
    let mut query = 0;
    for chunk in answers {
        for answer in chunk? {
            print_one(query, &answer, columns, format, out)?;
            query += 1;
        }
    }
    Ok(())
}

fn print_one(
    query: usize,
    answer: &Answer,
    columns: &[String],
    format: Format,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let name = answer.id.clone().unwrap_or_else(|| query.to_string());
    match format {
        Format::Table if columns.is_empty() => {
            write!(out, "{name:>5}")?;
            for hit in &answer.hits {
                write!(out, "  {}:{}", hit.id(), hit.distance)?;
            }
            writeln!(out)?;
        }
        Format::Table => {
            for (rank, hit) in (1..).zip(&answer.hits) {
                let cells = hit.cells.join("  ");
                writeln!(out, "{name:>5}  {rank:>4}  {}  {}  {cells}", hit.id(), hit.distance)?;
            }
        }
        Format::Csv => {
            for (rank, hit) in (1..).zip(&answer.hits) {
                let cells = [name.clone(), rank.to_string(), hit.id(), hit.distance.to_string()];
                writeln!(out, "{}", joined(cells.iter().chain(&hit.cells).map(String::as_str)))?;
            }
        }
        Format::Json => writeln!(out, "{}", json_line(query, answer, columns))?,
    }
    Ok(())
}

fn json_line(query: usize, answer: &Answer, columns: &[String]) -> Value {
    let hit = |hit: &Hit| {
        let mut fields = Map::new();
        fields.insert("id".into(), hit.name.as_ref().map_or(json!(hit.number), |name| json!(name)));
        fields.insert("distance".into(), Value::Number(hit.distance.clone()));
        if !columns.is_empty() {
            fields.insert("about".into(), columns.iter().cloned().zip(hit.cells.iter().map(|c| json!(c))).collect());
        }
        Value::Object(fields)
    };
    let mut line = Map::new();
    if let Some(id) = &answer.id {
        line.insert("id".into(), json!(id));
    }
    line.insert("query".into(), json!(query));
    line.insert("neighbours".into(), answer.hits.iter().map(hit).collect());
    Value::Object(line)
}

fn joined<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    cells.map(|cell| csv_cell(cell, ',').to_string()).collect::<Vec<_>>().join(",")
}

/// Writes all answers to a text file.
pub fn write_file(answers: &mut Answers, columns: &[String], format: Format, path: &Path) -> anyhow::Result<()> {
    let refused = || format!("{}: cannot write", path.display());
    let mut file = AtomicFile::create(path).with_context(refused)?;
    print(answers, columns, format, &mut file).with_context(refused)?;
    file.commit().with_context(refused)
}

/// Writes ids, and distances if asked, as matrices of `n_columns` columns. Ids are int64, which most programs expect, unless
/// `largest` of them does not fit: then all are uint64.
pub fn write_npy(
    answers: &mut Answers,
    n_columns: usize,
    largest: u64,
    ids_path: &Path,
    distances_path: Option<&Path>,
) -> anyhow::Result<()> {
    match i64::try_from(largest) {
        Ok(_) => write_ids(answers, n_columns, |id| id as i64, ids_path, distances_path),
        Err(_) => write_ids(answers, n_columns, |id| id, ids_path, distances_path),
    }
}

fn write_ids<T: NpyElement>(
    answers: &mut Answers,
    n_columns: usize,
    number: impl Fn(u64) -> T,
    ids_path: &Path,
    distances_path: Option<&Path>,
) -> anyhow::Result<()> {
    if n_columns == 0 {
        bail!("{}: there are no codes to find, so there is nothing to write", ids_path.display());
    }
    let mut ids = NpyWriter::<T>::create(ids_path, n_columns)?;
    let mut distances = distances_path.map(|path| NpyWriter::<f64>::create(path, n_columns)).transpose()?;
    for chunk in answers {
        let chunk = chunk?;
        if chunk.iter().any(|answer| answer.hits.len() != n_columns) {
            bail!("{}: queries have different numbers of neighbours; write to .csv or .jsonl", ids_path.display());
        }
        let hits = || chunk.iter().flat_map(|answer| &answer.hits);
        ids.write_rows(&hits().map(|hit| number(hit.number)).collect::<Vec<_>>())?;
        if let Some(writer) = &mut distances {
            writer.write_rows(&hits().map(|hit| hit.distance.as_f64().unwrap_or(f64::NAN)).collect::<Vec<_>>())?;
        }
    }
    ids.finish()?;
    distances.map(NpyWriter::finish).transpose()?;
    Ok(())
}
