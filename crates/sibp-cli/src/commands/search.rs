//! Finds the nearest codes of queries, exactly (`sibp search`).

use crate::failure::usage;
use crate::input::{CodePair, read_pair};
use crate::model::{EncodeArgs, Model};
use crate::output;
use anyhow::Context;
use clap::ValueEnum;
use serde::Serialize;
use sibp::codes::Codes;
use sibp::data::{AtomicFile, NpyWriter};
use sibp::index::{HammingIndex, Neighbours};
use std::io::Write;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  sibp search codes.npy queries.npy -k 10
  sibp search codes.npy queries.npy -k 10 --json | head -n 3
  sibp search codes.npy queries.npy -k 10 -o ids.npy --distances distances.npy

Neighbours come by distance, equal distances by row number. Codes are .npy of uint8: packed
rows as numpy's packbits makes them, or columns of 0 and 1.";

/// Queries answered at once.
const CHUNK: usize = 1024;

/// `sibp search CODES QUERIES -k K`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Codes to search in
    codes: PathBuf,
    /// Codes to search for
    queries: PathBuf,
    /// How many neighbours for each query
    #[arg(short, long, default_value_t = 10, value_parser = at_least_one)]
    k: usize,
    /// Count a differing bit by its weight in this model instead of 1
    #[arg(long, value_name = "MODEL")]
    weighted: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value = "table", conflicts_with_all = ["json", "out"])]
    format: Format,
    /// Print one line of JSON for each query
    #[arg(long, conflicts_with = "out")]
    json: bool,
    /// Write to a file: .csv, .jsonl, or .npy (row numbers of the neighbours, int64)
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// With -o FILE.npy: write the distances to this .npy
    #[arg(long, value_name = "FILE", requires = "out")]
    distances: Option<PathBuf>,
    /// Threads; 0 takes all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line for each query
    Table,
    /// query,rank,id,distance
    Csv,
    /// A line of JSON for each query
    Json,
}

/// Parses a number that must not be 0.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("it must be at least 1".into()),
        Ok(n) => Ok(n),
        Err(error) => Err(error.to_string()),
    }
}

/// Searches chunk by chunk and prints as it goes.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let weights = args.weighted.as_ref().map(|path| bit_weights(path)).transpose()?;
    let pair = read_pair(&args.codes, &args.queries, weights.as_ref().map(Vec::len))?;
    let index = HammingIndex::from_codes(&pair.database)?;
    let search = Search { index, weights, k: args.k, threads: args.threads };
    match &args.out {
        None => {
            let format = if args.json { Format::Json } else { args.format };
            let mut out = output::stdout();
            print(&search, &pair, format, &mut out)?;
            out.flush()?;
            Ok(())
        }
        Some(path) => match path.extension().unwrap_or_default().to_string_lossy().to_lowercase().as_str() {
            "npy" => write_npy(&search, &pair, args),
            _ if args.distances.is_some() => Err(usage("--distances goes with -o FILE.npy; text files hold distances")),
            "csv" => write_file(&search, &pair, Format::Csv, path),
            "jsonl" | "json" => write_file(&search, &pair, Format::Json, path),
            _ => Err(usage(format!("{}: neighbours are written to .csv, .jsonl or .npy", path.display()))),
        },
    }
}

/// The weights of the draw that encodes.
fn bit_weights(path: &std::path::Path) -> anyhow::Result<Vec<f32>> {
    let model = Model::load(path)?;
    Ok(model.coding(&EncodeArgs::default())?.weights.iter().map(|&w| w as f32).collect())
}

struct Search {
    index: HammingIndex,
    weights: Option<Vec<f32>>,
    k: usize,
    threads: usize,
}

/// A neighbour with a distance that prints as a whole number where it is one.
#[derive(Debug, Serialize)]
struct Hit {
    id: u64,
    distance: serde_json::Number,
}

impl Search {
    fn run(&self, queries: &Codes) -> anyhow::Result<Vec<Vec<Hit>>> {
        let scan = self.index.scan().threads(self.threads);
        Ok(match &self.weights {
            None => hits(&scan.nearest(queries, self.k)?, serde_json::Number::from),
            Some(weights) => hits(&scan.nearest_weighted(queries, weights, self.k)?, |d: f32| {
                serde_json::Number::from_f64(f64::from(d)).unwrap_or_else(|| 0.into())
            }),
        })
    }
}

fn hits<D: Copy>(found: &Neighbours<D>, number: impl Fn(D) -> serde_json::Number) -> Vec<Vec<Hit>> {
    let row = |q| found.row(q).map(|(distance, id)| Hit { id, distance: number(distance) }).collect();
    (0..found.n_queries()).map(row).collect()
}

/// Calls `visit(first query, answers)` for each chunk of queries.
fn for_each_chunk(
    search: &Search,
    pair: &CodePair,
    mut visit: impl FnMut(usize, Vec<Vec<Hit>>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let n = pair.queries.n_objects();
    for first in (0..n).step_by(CHUNK) {
        let rows: Vec<usize> = (first..(first + CHUNK).min(n)).collect();
        visit(first, search.run(&pair.queries.select(&rows))?)?;
    }
    Ok(())
}

fn print(search: &Search, pair: &CodePair, format: Format, out: &mut impl Write) -> anyhow::Result<()> {
    match format {
        Format::Table => writeln!(out, "query  neighbours as id:distance, nearest first")?,
        Format::Csv => writeln!(out, "query,rank,id,distance")?,
        Format::Json => {}
    }
    for_each_chunk(search, pair, |first, answers| {
        for (query, hits) in (first..).zip(&answers) {
            print_one(query, hits, format, out)?;
        }
        Ok(())
    })
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

fn write_file(search: &Search, pair: &CodePair, format: Format, path: &std::path::Path) -> anyhow::Result<()> {
    let refused = || format!("{}: cannot write", path.display());
    let mut file = AtomicFile::create(path).with_context(refused)?;
    print(search, pair, format, &mut file).with_context(refused)?;
    file.commit().with_context(refused)
}

/// Writes row numbers, and distances if asked, as matrices of min(k, codes) columns.
fn write_npy(search: &Search, pair: &CodePair, args: &Args) -> anyhow::Result<()> {
    let (Some(ids_path), k) = (&args.out, search.k.min(search.index.len())) else { return Ok(()) };
    let mut ids = NpyWriter::<i64>::create(ids_path, k)?;
    let mut distances = args.distances.as_ref().map(|path| NpyWriter::<f64>::create(path, k)).transpose()?;
    for_each_chunk(search, pair, |_, answers| {
        let hits = || answers.iter().flatten();
        ids.write_rows(&hits().map(|hit| hit.id as i64).collect::<Vec<_>>())?;
        if let Some(writer) = &mut distances {
            writer.write_rows(&hits().map(|hit| hit.distance.as_f64().unwrap_or(f64::NAN)).collect::<Vec<_>>())?;
        }
        Ok(())
    })?;
    ids.finish()?;
    distances.map(NpyWriter::finish).transpose()?;
    Ok(())
}
