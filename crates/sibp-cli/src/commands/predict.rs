//! Predicts labels by the vote of the nearest codes (`sibp predict`).

use crate::commands::search::at_least_one;
use crate::failure::usage;
use crate::input::{Reading, TableArgs, holds_codes, looks_like_index, read_two};
use crate::model::{EncodeArgs, Model};
use crate::output::{self, Table, csv_cell};
use crate::stream::{Asked, FileCoder};
use crate::writing::{ForceArgs, Kind, Writing};
use anyhow::{Context, bail};
use serde_json::json;
use sibp::codes::Codes;
use sibp::data::{AtomicFile, Labels, ReadOptions, read_ids, read_labels};
use sibp::eval::Vote;
use sibp::index::{HammingIndex, Metric};
use std::io::Write;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  sibp predict m.sibp X.npy -k 15                            (a model fitted with labels)
  sibp predict m.sibp X.npy --code concatenate --expected    (all chains, bits not rounded)
  sibp predict m.sibp things.csv --id-column sku --label-column kind
  sibp predict codes.sibx queries.sibx --labels y.npy -k 15  (y.npy: labels of codes.sibx)

The k nearest codes vote; if several are at the k-th distance, all of them share the remaining
places. Most votes win; then the smaller sum of distances; then the label that comes first.";

/// `sibp predict MODEL INPUTS` or `sibp predict CODES QUERIES --labels FILE`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// A model fitted with labels, or codes to search in (.sibx or .npy)
    source: PathBuf,
    /// Inputs of the objects to label, or their codes
    queries: PathBuf,
    /// Number of neighbours that vote
    #[arg(short, long, default_value_t = 15, value_parser = at_least_one)]
    k: usize,
    /// Labels of the codes that are searched; a model has its own
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Ids of the objects, one per row, which are printed: a text file with one per line, or .npy of integers
    #[arg(long, value_name = "FILE", conflicts_with = "id_column")]
    ids: Option<PathBuf>,
    /// Column of the inputs file that holds ids, which are printed
    #[arg(long, value_name = "COLUMN")]
    id_column: Option<String>,
    /// Column of the inputs file that holds labels: it is not an input, and is printed beside the prediction. With an
    /// index: the column that holds its labels
    #[arg(long, value_name = "COLUMN")]
    label_column: Option<String>,
    /// Also compare codes of other models, and codes that do not record what made them
    #[arg(long)]
    any_encoder: bool,
    /// Print one line of JSON for each object
    #[arg(long, conflicts_with = "out")]
    json: bool,
    /// Write to a .csv with columns object, label, votes, and truth where labels are known
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Compare the probabilities of an object's bits instead of the bits, by the model's weights (probit models only)
    #[arg(long)]
    expected: bool,
    /// Number of threads; 0 uses all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    #[command(flatten)]
    encode: EncodeArgs,
    #[command(flatten)]
    force: ForceArgs,
}

/// The codes that vote, the queries, and how they are compared.
struct Election {
    database: Codes,
    labels: Labels,
    asked: Asked,
    /// Weight of each bit, where probabilities of bits are compared.
    weights: Option<Vec<f32>>,
    ids: Option<Vec<String>>,
    /// Labels of the queries, where they are known.
    truth: Option<Vec<String>>,
}

/// Searches, votes, prints.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if args.out.as_ref().is_some_and(|path| path.extension().is_none_or(|e| e != "csv")) {
        return Err(usage("-o: predictions are written to .csv"));
    }
    let read = [&args.source, &args.queries].into_iter().chain(&args.labels).chain(&args.ids);
    let results = Kind::Table(&["object", "label", "votes"]);
    Writing::reading(read.chain(&args.encode.given_bits), args.force).check_any(args.out.as_ref(), results)?;
    let election = if holds_codes(&args.source) { from_codes(args)? } else { from_model(args)? };
    let index = HammingIndex::from_codes(&election.database)?;
    let metric = election.weights.as_ref().map_or(Metric::Hamming, |weights| Metric::Expected(weights));
    let class_of_id = |id: u64| election.labels.class_of().get(id as usize).copied();
    let winners = index.classify(election.asked.queries(), metric, args.threads, class_of_id, &[args.k])?.pop();
    print(args, &election, &winners.unwrap_or_default())
}

fn from_codes(args: &Args) -> anyhow::Result<Election> {
    if args.expected {
        return Err(usage("--expected goes with a model, which knows the probabilities of bits; codes hold bits only"));
    }
    let [database, queries] = [&args.source, &args.queries]
        .map(|path| if looks_like_index(path) { HammingIndex::open(path).map(Some) } else { Ok(None) });
    let (database, queries) = (database?, queries?);
    let labels = match (&args.labels, &args.label_column) {
        (Some(path), _) => read_labels(path, &ReadOptions::default())?,
        (None, Some(column)) => Labels::from_text(&cells(database.as_ref(), column).with_context(|| {
            format!("{} has no column {column:?} of texts; name a column that was kept", args.source.display())
        })?),
        (None, None) => {
            let source = args.source.display();
            return Err(usage(format!("{source} holds codes only: give their labels with --labels or --label-column")));
        }
    };
    let reading = Reading { n_bits: None, any_width: true, any_encoder: args.any_encoder };
    let pair = read_two(&args.source, &args.queries, reading)?;
    if labels.len() != pair.database.n_objects() {
        let labels_of = args.labels.as_ref().unwrap_or(&args.source);
        bail!(
            "{} has {} labels but {} has {} codes; they must describe the same objects",
            labels_of.display(),
            labels.len(),
            args.source.display(),
            pair.database.n_objects()
        );
    }
    let truth = args.label_column.as_ref().and_then(|column| cells(queries.as_ref(), column));
    let ids = ids_of(args, queries.as_ref(), pair.queries.n_objects())?;
    Ok(Election { database: pair.database, labels, asked: Asked::Codes(pair.queries), weights: None, ids, truth })
}

/// The texts of a column of an index.
fn cells(index: Option<&HammingIndex>, column: &str) -> Option<Vec<String>> {
    let texts = index?.texts()?;
    let at = texts.columns().iter().position(|name| name == column)?;
    Some((0..texts.len()).map(|row| texts.cell(row, at).to_owned()).collect())
}

/// Ids of queries that are codes: those of a file, or those of an index.
fn ids_of(args: &Args, index: Option<&HammingIndex>, n_queries: usize) -> anyhow::Result<Option<Vec<String>>> {
    if let Some(path) = &args.ids {
        let ids = read_ids(path, &ReadOptions::default())?;
        if ids.len() != n_queries {
            let (path, queries) = (path.display(), args.queries.display());
            bail!("{path} has {} ids but {queries} has {n_queries} codes; give one id a code", ids.len());
        }
        return Ok(Some(ids.texts().to_vec()));
    }
    let named = index.filter(|index| index.is_named()).and_then(HammingIndex::texts);
    let named = named.map(|texts| (0..texts.len()).map(|row| texts.cell(row, 0).to_owned()).collect());
    let numbered = index.filter(|index| !index.ids_are_row_numbers());
    Ok(named.or_else(|| numbered.map(|index| index.ids().map(|id| id.to_string()).collect())))
}

fn from_model(args: &Args) -> anyhow::Result<Election> {
    if args.labels.is_some() {
        return Err(usage("--labels goes with codes; a model brings the labels it was fitted with"));
    }
    let model = Model::load(&args.source)?;
    let Some(labels) = model.file.info.labels.clone() else {
        bail!(
            "{}: the model was fitted without labels; encode the training objects and give their labels: \
             sibp predict codes.sibx queries.sibx --labels y.npy",
            model.path.display()
        );
    };
    let table = TableArgs {
        ids: args.ids.clone(),
        id_column: args.id_column.clone(),
        label_column: args.label_column.clone(),
        ..TableArgs::default()
    };
    let table = table.read_for(&args.queries, &model.columns())?;
    let coder = FileCoder::of_model(&model, &args.encode, args.threads)?;
    coder.check_length(Some(table.inputs.n_objects()))?;
    let asked = match args.expected {
        true => coder.expect(&table.inputs, 0, &args.queries)?,
        false => Asked::Codes(coder.encode(&table.inputs, 0, &args.queries)?),
    };
    let weights = args.expected.then(|| coder.weights());
    let ids = table.ids.map(|ids| ids.texts().to_vec());
    let truth = table.labels.map(|labels| texts_of(&labels));
    Ok(Election { database: coder.coder.database().clone(), labels, asked, weights, ids, truth })
}

/// The label of every object.
fn texts_of(labels: &Labels) -> Vec<String> {
    labels.class_of().iter().map(|&class| labels.names()[class as usize].clone()).collect()
}

fn print(args: &Args, election: &Election, winners: &[Vote]) -> anyhow::Result<()> {
    let object = |row: usize| election.ids.as_ref().map_or_else(|| row.to_string(), |ids| ids[row].clone());
    let label = |row: usize| election.labels.names()[winners[row].class as usize].as_str();
    let voters = args.k.min(election.database.n_objects());
    if let Some(path) = &args.out {
        let refused = || format!("{}: cannot write", path.display());
        let mut file = AtomicFile::create(path).with_context(refused)?;
        let more = if election.truth.is_some() { ",truth" } else { "" };
        writeln!(file, "object,label,votes{more}").with_context(refused)?;
        for (row, Vote { votes, .. }) in winners.iter().enumerate() {
            let cells = [csv_cell(&object(row), ','), csv_cell(label(row), ',')];
            let truth =
                election.truth.as_ref().map_or(String::new(), |truth| format!(",{}", csv_cell(&truth[row], ',')));
            writeln!(file, "{},{}{truth}", cells.join(","), short(*votes)).with_context(refused)?;
        }
        return file.commit().with_context(refused);
    }
    let mut out = output::stdout();
    if args.json {
        for (row, Vote { votes, .. }) in winners.iter().enumerate() {
            let mut line = json!({ "object": row, "id": election.ids.as_ref().map(|_| object(row)), "label": label(row),
                "votes": votes, "voters": voters });
            if let Some(truth) = &election.truth {
                line["truth"] = json!(truth[row]);
            }
            writeln!(out, "{line}")?;
        }
    } else {
        let columns = [">object", "<label", ">votes", "<truth"];
        let n_columns = 3 + usize::from(election.truth.is_some());
        let mut table = Table::new(&columns[..n_columns]);
        for (row, Vote { votes, .. }) in winners.iter().enumerate() {
            let cells = [object(row), label(row).to_owned(), format!("{} of {voters}", short(*votes))];
            table.row(cells.into_iter().chain(election.truth.as_ref().map(|truth| truth[row].clone())));
        }
        table.write(&mut out)?;
    }
    out.flush()?;
    Ok(())
}

/// Votes, with two decimals where they are shared.
fn short(votes: f64) -> String {
    if votes.fract() == 0.0 { format!("{votes}") } else { format!("{votes:.2}") }
}
