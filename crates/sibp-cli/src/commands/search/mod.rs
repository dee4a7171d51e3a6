//! Finds the nearest codes of queries, exactly (`sibp search`).

mod answers;
mod queries;

use crate::failure::usage;
use crate::input::read_id_file;
use crate::model::{EncodeArgs, Model};
use crate::output;
use crate::stream::{Asked, looks_like_hash};
use answers::{Format, Hit, hits, json_number};
use queries::Question;
use sibp::hash::HashStack;
use sibp::index::{HammingIndex, Metric, RowSet, Search};
use sibp::pipeline::Coder;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  sibp search codes.npy queries.npy -k 10
  sibp search codes.sibx queries.npy --radius 3 --json | head -n 3
  sibp search codes.sibx queries.npy -k 10 --among ids.txt -o ids.npy --distances distances.npy
  sibp search codes.sibx X.npy --model m.sibp -k 10
  sibp search codes.sibx X.npy --model m.sibp --expected -k 10

Neighbours come by distance, equal distances by id. Codes are an index (.sibx, made by
`sibp index build`), or .npy of uint8: packed rows as numpy's packbits makes them, or columns
of 0 and 1. Ids are row numbers unless an index was built with others.

--expected does not cut a query to bits: where the model gives a bit the probability p, a stored
1 costs (1 - p) times the bit's weight and a stored 0 costs p times it.";

/// `sibp search CODES QUERIES -k K`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Codes to search in: an index (.sibx) or .npy
    codes: PathBuf,
    /// Codes to search for, in the same way; with --model, inputs
    queries: PathBuf,
    /// How many neighbours for each query
    #[arg(short, long, default_value_t = 10, value_parser = at_least_one)]
    k: usize,
    /// Find all codes at this distance or nearer, instead of k
    #[arg(long, value_name = "R", value_parser = at_least_zero, conflicts_with = "k")]
    radius: Option<f32>,
    /// Look only at the codes with these ids: .npy of integers, or text with one a line
    #[arg(long, value_name = "FILE")]
    among: Option<PathBuf>,
    /// Count a differing bit by its weight in this model instead of 1
    #[arg(long, value_name = "MODEL")]
    weighted: Option<PathBuf>,
    /// QUERIES are inputs: encode them with this model
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,
    /// Compare the probabilities of a query's bits, by the model's weights (probit models only)
    #[arg(long, requires = "model", conflicts_with_all = ["weighted", "radius"])]
    expected: bool,
    /// How to print
    #[arg(long, value_enum, default_value = "table", conflicts_with_all = ["json", "out"])]
    format: Format,
    /// Print one line of JSON for each query
    #[arg(long, conflicts_with = "out")]
    json: bool,
    /// Write to a file: .csv, .jsonl, or .npy (ids of the neighbours, int64)
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// With -o FILE.npy: write the distances to this .npy
    #[arg(long, value_name = "FILE", requires = "out")]
    distances: Option<PathBuf>,
    /// Threads; 0 takes all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    #[command(flatten)]
    encode: EncodeArgs,
}

/// Parses a number that must not be 0.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("it must be at least 1".into()),
        Ok(n) => Ok(n),
        Err(error) => Err(error.to_string()),
    }
}

fn at_least_zero(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(n) if n >= 0.0 && n.is_finite() => Ok(n),
        Ok(_) => Err("it must be a number of at least 0".into()),
        Err(error) => Err(error.to_string()),
    }
}

/// Searches chunk by chunk and prints as it goes.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let output = Output::of(args)?;
    let (search, queries) = prepare(args)?;
    let mut answers = queries.map(|asked| search.run(&asked?));
    match output {
        Output::Stdout(format) => {
            let mut out = output::stdout();
            answers::print(&mut answers, format, &mut out)?;
            out.flush()?;
            Ok(())
        }
        Output::Text(path, format) => answers::write_file(&mut answers, format, path),
        Output::Npy(path) => {
            let n_columns = search.k.min(search.among.as_ref().map_or(search.index.len(), RowSet::len));
            answers::write_npy(&mut answers, n_columns, path, args.distances.as_deref())
        }
    }
}

enum Output<'a> {
    Stdout(Format),
    Text(&'a Path, Format),
    Npy(&'a Path),
}

impl<'a> Output<'a> {
    fn of(args: &'a Args) -> anyhow::Result<Self> {
        let Some(path) = &args.out else {
            return Ok(Self::Stdout(if args.json { Format::Json } else { args.format }));
        };
        match path.extension().unwrap_or_default().to_string_lossy().to_lowercase().as_str() {
            "npy" if args.radius.is_some() => {
                Err(usage("with --radius rows differ in length: write to .csv or .jsonl, or ask for -k"))
            }
            "npy" => Ok(Self::Npy(path)),
            _ if args.distances.is_some() => Err(usage("--distances goes with -o FILE.npy; text files hold distances")),
            "csv" => Ok(Self::Text(path, Format::Csv)),
            "jsonl" | "json" => Ok(Self::Text(path, Format::Json)),
            _ => Err(usage(format!("{}: neighbours are written to .csv, .jsonl or .npy", path.display()))),
        }
    }
}

/// The index that is searched, and the options of the search.
struct Searcher {
    index: HammingIndex,
    among: Option<RowSet>,
    weighing: Weighing,
    radius: Option<f32>,
    k: usize,
    threads: usize,
}

/// How differing bits are weighted.
enum Weighing {
    Alike,
    Weighted(Vec<f32>),
    Expected(Vec<f32>),
}

impl Searcher {
    fn run(&self, asked: &Asked) -> anyhow::Result<Vec<Vec<Hit>>> {
        let search = self.radius.map_or(Search::nearest(self.k), Search::within);
        let metric = match &self.weighing {
            Weighing::Alike => Metric::Hamming,
            Weighing::Weighted(weights) => Metric::Weighted(weights),
            Weighing::Expected(weights) => Metric::Expected(weights),
        };
        let search = search.metric(metric).threads(self.threads).among(self.among.as_ref());
        let found = self.index.search(asked.queries(), &search)?;
        Ok(match metric {
            Metric::Hamming => hits(&found, |distance| (distance as u32).into()),
            _ => hits(&found, json_number),
        })
    }
}

/// Opens everything that the arguments name and checks that it belongs together.
fn prepare(args: &Args) -> anyhow::Result<(Searcher, impl Iterator<Item = anyhow::Result<Asked>>)> {
    let weights = args.weighted.as_ref().map(|path| bit_weights(path, &args.encode)).transpose()?;
    let question = Question { codes: &args.codes, queries: &args.queries, threads: args.threads };
    let (index, expected, queries) = match &args.model {
        Some(path) => question.inputs(path, &args.encode, args.expected)?,
        None => {
            let (index, queries) = question.codes(weights.as_ref().map(Vec::len))?;
            (index, None, queries)
        }
    };
    if let (Some(path), Some(weights)) = (&args.weighted, &weights) {
        queries::check_width(path, weights.len(), &args.codes, index.n_bits())?;
    }
    let among = args.among.as_ref().map(|path| rows_among(&index, path)).transpose()?;
    let weighing = match (expected, weights) {
        (Some(weights), _) => Weighing::Expected(weights),
        (None, Some(weights)) => Weighing::Weighted(weights),
        (None, None) => Weighing::Alike,
    };
    Ok((Searcher { index, among, weighing, radius: args.radius, k: args.k, threads: args.threads }, queries))
}

/// The weights of the bits of a model or a hash.
fn bit_weights(path: &Path, encode: &EncodeArgs) -> anyhow::Result<Vec<f32>> {
    let coder: Coder = match looks_like_hash(path) {
        true => HashStack::load(path)?.into(),
        false => Model::load(path)?.coder(encode)?,
    };
    Ok(coder.weights().iter().map(|&w| w as f32).collect())
}

fn rows_among(index: &HammingIndex, path: &Path) -> anyhow::Result<RowSet> {
    let mut ids = read_id_file(path)?;
    ids.sort_unstable();
    ids.dedup();
    let rows = index.rows(&ids);
    let unknown = ids.len() - rows.len();
    if unknown > 0 {
        let ids = output::count(ids.len(), "id");
        output::warn(format!("{}: {} of {ids} are not among the codes", path.display(), output::grouped(unknown)));
    }
    Ok(rows)
}
