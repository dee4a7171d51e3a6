//! Finds the nearest codes of queries, exactly (`sibp search`).

mod answers;
mod queries;

use crate::failure::usage;
use crate::input::{DescribedArgs, Origin, Wanted, read_wanted_ids};
use crate::model::EncodeArgs;
use crate::output;
use crate::stream::coder_of;
use crate::writing::{ForceArgs, Kind, Writing};
use answers::{Answer, Format, json_number};
use queries::{ByIds, Chunk, Chunks, Coding, Question};
use sibp::index::{HammingIndex, Metric, RowSet, Search};
use sibp::pipeline::Coder;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  sibp search codes.sibx X.npy --model m.sibp -k 10
  sibp search codes.sibx --id sku-17 -k 5
  sibp search codes.sibx queries.sibx --radius 3 --json | head -n 3
  sibp search codes.sibx queries.sibx -k 10 --among ids.txt -o ids.npy --distances distances.npy
  sibp search codes.sibx X.npy --model m.sibp --expected -k 10

Neighbours are sorted by distance, equal distances by id (text ids: in the order in which codes
were added). Codes are an index (.sibx, made by `sibp encode` or `sibp index build`), or .npy of uint8:
packed rows as numpy's packbits makes them, or columns of 0 and 1. An index knows what made its
codes, and queries of another model are refused. Ids are row numbers unless an index was built
with others. A code that is named by --id is not its own neighbour.

--expected does not round a query to bits: where the model gives a bit the probability p, a stored
1 costs (1 - p) times the bit's weight and a stored 0 costs p times it.";

/// `sibp search CODES QUERIES -k K`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Codes to search in: an index (.sibx) or .npy
    codes: PathBuf,
    /// Codes to search for, in the same way; with --model, inputs
    #[arg(required_unless_present_any = ["id", "query_ids"], conflicts_with_all = ["id", "query_ids"])]
    queries: Option<PathBuf>,
    /// Search for what is near the stored code with this id; may be repeated
    #[arg(long, value_name = "ID")]
    id: Vec<String>,
    /// Search for what is near the stored codes with these ids: .npy of integers, or text with one per line
    #[arg(long, value_name = "FILE")]
    query_ids: Option<PathBuf>,
    /// With --id or --query-ids: a code may be its own neighbour
    #[arg(long)]
    with_self: bool,
    /// Number of neighbours for each query
    #[arg(short, long, default_value_t = 10, value_parser = at_least_one)]
    k: usize,
    /// Find all codes at this distance or nearer, instead of k
    #[arg(long, value_name = "R", value_parser = at_least_zero, conflicts_with = "k")]
    radius: Option<f32>,
    /// Search only the codes with these ids: .npy of integers, or text with one per line
    #[arg(long, value_name = "FILE")]
    among: Option<PathBuf>,
    /// Count a differing bit by its weight in this model instead of 1
    #[arg(long, value_name = "MODEL")]
    weighted: Option<PathBuf>,
    /// QUERIES are inputs: encode them with this model
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,
    /// Compare the probabilities of a query's bits, by the model's weights (probit models only)
    #[arg(long, requires = "model", conflicts_with = "weighted")]
    expected: bool,
    /// Also compare codes of other models, and codes that do not record what made them
    #[arg(long)]
    any_encoder: bool,
    /// With --model: ids of the queries, one per row: text with one per line, or .npy of whole numbers
    #[arg(long, value_name = "FILE", requires = "model")]
    ids: Option<PathBuf>,
    /// With --model: column of the inputs (or of --ids FILE) that holds ids
    #[arg(long, value_name = "COLUMN", requires = "model")]
    id_column: Option<String>,
    /// With --model: column of the inputs that holds labels and is not an input
    #[arg(long, value_name = "COLUMN", requires = "model")]
    label_column: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "table", conflicts_with_all = ["json", "out"])]
    format: Format,
    /// Print one line of JSON for each query
    #[arg(long, conflicts_with = "out")]
    json: bool,
    /// Write to a file: .csv, .jsonl, or .npy (ids of the neighbours, int64; uint64 where one is too large)
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// With -o FILE.npy: write the distances to this .npy
    #[arg(long, value_name = "FILE", requires = "out")]
    distances: Option<PathBuf>,
    /// Number of threads; 0 uses all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    #[command(flatten)]
    encode: EncodeArgs,
    #[command(flatten)]
    force: ForceArgs,
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
    check_outputs(args, &output)?;
    let (search, queries) = prepare(args)?;
    let columns = answers::columns(&search.index);
    let mut answers = queries.map(|chunk| search.run(&chunk?));
    match output {
        Output::Stdout(format) => {
            let mut out = output::stdout();
            answers::print(&mut answers, columns, format, &mut out)?;
            out.flush()?;
            Ok(())
        }
        Output::Text(path, format) => answers::write_file(&mut answers, columns, format, path),
        Output::Npy(path) => {
            if search.index.is_named() {
                return Err(usage("ids of these codes are texts, which .npy does not hold: write to .csv or .jsonl"));
            }
            let n_others = search.index.len() - usize::from(search.leaves_self_out && !search.index.is_empty());
            let n_columns = search.k.min(search.among.as_ref().map_or(n_others, RowSet::len));
            let largest = search.index.ids().max().unwrap_or(0);
            answers::write_npy(&mut answers, n_columns, largest, path, args.distances.as_deref())
        }
    }
}

fn check_outputs(args: &Args, output: &Output<'_>) -> anyhow::Result<()> {
    let named = [&args.queries, &args.query_ids, &args.ids, &args.among, &args.weighted, &args.model];
    let read = [&args.codes].into_iter().chain(named.into_iter().flatten()).chain(&args.encode.given_bits);
    let mut writing = Writing::reading(read, args.force);
    match output {
        Output::Stdout(_) => Ok(()),
        Output::Text(path, Format::Json) => writing.check(path, Kind::Json),
        Output::Text(path, _) => writing.check(path, Kind::Table(&["query", "rank", "id", "distance"])),
        Output::Npy(path) => {
            writing.check(path, Kind::Array("<i8"))?;
            writing.check_any(args.distances.as_ref(), Kind::Array("<f8"))
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
    leaves_self_out: bool,
}

/// How differing bits are weighted.
enum Weighing {
    Alike,
    Weighted(Vec<f32>),
    Expected(Vec<f32>),
}

impl Searcher {
    fn run(&self, chunk: &Chunk) -> anyhow::Result<Vec<Answer>> {
        // Whoever is left out of its own neighbours takes one place at most.
        let k = self.k.saturating_add(usize::from(chunk.own.is_some()));
        let search = self.radius.map_or(Search::nearest(k), Search::within);
        let metric = match &self.weighing {
            Weighing::Alike => Metric::Hamming,
            Weighing::Weighted(weights) => Metric::Weighted(weights),
            Weighing::Expected(weights) => Metric::Expected(weights),
        };
        let search = search.metric(metric).threads(self.threads).among(self.among.as_ref());
        let found = self.index.search(chunk.asked.queries(), &search)?;
        let number = |distance: f32| match metric {
            Metric::Hamming => (distance as u32).into(),
            _ => json_number(distance),
        };
        let most = if self.radius.is_some() { usize::MAX } else { self.k };
        let row = |query: usize| {
            let own = chunk.own.as_ref().map(|own| own[query]);
            let others = found.row(query).filter(|&(_, id)| Some(id) != own).take(most);
            others.map(|(distance, id)| (number(distance), id)).collect()
        };
        let rows = answers::described(&self.index, (0..found.n_queries()).map(row).collect());
        let id = |query: usize| chunk.ids.as_ref().map(|ids| ids[query].clone());
        Ok(rows.into_iter().enumerate().map(|(query, hits)| Answer { id: id(query), hits }).collect())
    }
}

/// Opens everything that the arguments name and checks that it belongs together.
fn prepare(args: &Args) -> anyhow::Result<(Searcher, Chunks)> {
    let weights = args.weighted.as_ref().map(|path| coder_of(path, &args.encode)).transpose()?;
    let n_bits = weights.as_ref().map(Coder::n_bits);
    let question = Question { codes: &args.codes, threads: args.threads, any_encoder: args.any_encoder };
    let described = DescribedArgs { ids: args.ids.clone(), id_column: args.id_column.clone(), keep: Vec::new() };
    let (index, expected, queries) = match (&args.model, &args.queries) {
        (Some(model), Some(queries)) => {
            let (encode, label_column) = (&args.encode, args.label_column.as_deref());
            let coding = Coding { model, encode, expected: args.expected, described: &described, label_column };
            question.inputs(queries, &coding)?
        }
        (Some(_), None) => return Err(usage("--model goes with QUERIES, which are inputs")),
        (None, Some(queries)) => {
            let (index, queries) = question.codes(queries, n_bits)?;
            (index, None, queries)
        }
        (None, None) => {
            let by = ByIds { given: &args.id, file: args.query_ids.as_deref(), with_self: args.with_self };
            let (index, queries) = question.by_ids(&by, n_bits)?;
            (index, None, queries)
        }
    };
    if let (Some(path), Some(coder)) = (&args.weighted, &weights) {
        queries::check_width(path, coder.n_bits(), &args.codes, index.n_bits())?;
        question.check(&index, Origin { path, encoder: Some(coder.fingerprint()) })?;
    }
    let among = args.among.as_ref().map(|path| rows_among(&index, path)).transpose()?;
    let weighing = match (expected, weights) {
        (Some(weights), _) => Weighing::Expected(weights),
        (None, Some(coder)) => Weighing::Weighted(coder.weights().iter().map(|&w| w as f32).collect()),
        (None, None) => Weighing::Alike,
    };
    let leaves_self_out = args.queries.is_none() && !args.with_self;
    let (radius, k, threads) = (args.radius, args.k, args.threads);
    Ok((Searcher { index, among, weighing, radius, k, threads, leaves_self_out }, queries))
}

fn rows_among(index: &HammingIndex, path: &Path) -> anyhow::Result<RowSet> {
    let (rows, n_ids) = match read_wanted_ids(path, index.is_named())? {
        Wanted::Numbers(ids) if index.is_named() => among_texts(index, ids.iter().map(u64::to_string).collect()),
        Wanted::Texts(ids) => among_texts(index, ids),
        Wanted::Numbers(mut ids) => {
            ids.sort_unstable();
            ids.dedup();
            (index.rows(&ids), ids.len())
        }
    };
    let unknown = n_ids - rows.len();
    if unknown > 0 {
        let ids = output::count(n_ids, "id");
        output::warn(format!("{}: {} of {ids} are not among the codes", path.display(), output::grouped(unknown)));
    }
    Ok(rows)
}

fn among_texts(index: &HammingIndex, mut ids: Vec<String>) -> (RowSet, usize) {
    ids.sort_unstable();
    ids.dedup();
    (index.named_rows(&ids), ids.len())
}
