//! Predicts labels by the vote of the nearest codes (`sibp predict`).

use crate::commands::search::at_least_one;
use crate::failure::usage;
use crate::input::{TableArgs, looks_like_codes, read_pair};
use crate::model::{EncodeArgs, Model};
use crate::output::{self, Table};
use crate::stream::{Asked, FileCoder};
use anyhow::{Context, bail};
use serde_json::json;
use sibp::codes::Codes;
use sibp::data::{AtomicFile, Ids, Labels, ReadOptions, read_labels};
use sibp::eval::Vote;
use sibp::index::{HammingIndex, Metric};
use std::io::Write;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  sibp predict m.sibp X.npy -k 15                            (a model fitted with labels)
  sibp predict m.sibp X.npy --code concatenate --expected    (all chains, bits not cut)
  sibp predict codes.npy queries.npy --labels y.npy -k 15    (y.npy: labels of codes.npy)

The k nearest codes vote; where several are at the k-th distance, all of them share the places
that are left. Most votes win; then the smaller sum of distances; then the label that comes first.";

/// `sibp predict MODEL INPUTS` or `sibp predict CODES QUERIES --labels FILE`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// A model fitted with labels, or codes to search in (.npy)
    source: PathBuf,
    /// Inputs of the objects to label, or their codes
    queries: PathBuf,
    /// How many neighbours vote
    #[arg(short, long, default_value_t = 15, value_parser = at_least_one)]
    k: usize,
    /// Labels of the codes that are searched; a model brings its own
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Column of the inputs file that holds ids, which are printed
    #[arg(long, value_name = "COLUMN")]
    id_column: Option<String>,
    /// Print one line of JSON for each object
    #[arg(long, conflicts_with = "out")]
    json: bool,
    /// Write to a .csv with columns object, label, votes
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Compare the probabilities of an object's bits instead of the bits, by the model's weights (probit models only)
    #[arg(long)]
    expected: bool,
    /// Threads; 0 takes all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    #[command(flatten)]
    encode: EncodeArgs,
}

/// The codes that vote, the queries, and how they are compared.
struct Election {
    database: Codes,
    labels: Labels,
    asked: Asked,
    /// Weight of each bit, where probabilities of bits are compared.
    weights: Option<Vec<f32>>,
    ids: Option<Ids>,
}

/// Searches, votes, prints.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if args.out.as_ref().is_some_and(|path| path.extension().is_none_or(|e| e != "csv")) {
        return Err(usage("-o: predictions are written to .csv"));
    }
    let election = if looks_like_codes(&args.source) { from_codes(args)? } else { from_model(args)? };
    let index = HammingIndex::from_codes(&election.database)?;
    let metric = election.weights.as_ref().map_or(Metric::Hamming, |weights| Metric::Expected(weights));
    let class_of_id = |id: u64| election.labels.class_of().get(id as usize).copied();
    let winners = index.classify(election.asked.queries(), metric, args.threads, class_of_id, &[args.k])?.pop();
    print(args, &election, &winners.unwrap_or_default())
}

fn from_codes(args: &Args) -> anyhow::Result<Election> {
    let Some(path) = &args.labels else {
        return Err(usage(format!("{} holds codes only: give their labels with --labels", args.source.display())));
    };
    if args.expected {
        return Err(usage("--expected goes with a model, which knows the probabilities of bits; codes hold bits only"));
    }
    let pair = read_pair(&args.source, &args.queries, None)?;
    let labels = read_labels(path, &ReadOptions::default())?;
    if labels.len() != pair.database.n_objects() {
        bail!(
            "{} has {} labels but {} has {} codes; they must describe the same objects",
            path.display(),
            labels.len(),
            args.source.display(),
            pair.database.n_objects()
        );
    }
    Ok(Election { database: pair.database, labels, asked: Asked::Codes(pair.queries), weights: None, ids: None })
}

fn from_model(args: &Args) -> anyhow::Result<Election> {
    if args.labels.is_some() {
        return Err(usage("--labels goes with codes; a model brings the labels it was fitted with"));
    }
    let model = Model::load(&args.source)?;
    let Some(labels) = model.file.info.labels.clone() else {
        bail!(
            "{}: the model was fitted without labels; encode the training objects and give their labels: \
             sibp predict codes.npy queries.npy --labels y.npy",
            model.path.display()
        );
    };
    let table = TableArgs { id_column: args.id_column.clone(), ..TableArgs::default() }.read(&args.queries)?;
    let coder = FileCoder::of_model(&model, &args.encode, args.threads)?;
    coder.check_length(Some(table.inputs.n_objects()))?;
    let asked = match args.expected {
        true => coder.expect(&table.inputs, 0, &args.queries)?,
        false => Asked::Codes(coder.encode(&table.inputs, 0, &args.queries)?),
    };
    let weights = args.expected.then(|| coder.weights());
    Ok(Election { database: coder.coder.database().clone(), labels, asked, weights, ids: table.ids })
}

fn print(args: &Args, election: &Election, winners: &[Vote]) -> anyhow::Result<()> {
    let object = |row: usize| election.ids.as_ref().map_or_else(|| row.to_string(), |ids| ids.texts()[row].clone());
    let label = |row: usize| election.labels.names()[winners[row].class as usize].as_str();
    let voters = args.k.min(election.database.n_objects());
    if let Some(path) = &args.out {
        let refused = || format!("{}: cannot write", path.display());
        let mut file = AtomicFile::create(path).with_context(refused)?;
        writeln!(file, "object,label,votes").with_context(refused)?;
        for (row, Vote { votes, .. }) in winners.iter().enumerate() {
            let cells = [output::csv_cell(&object(row), ','), output::csv_cell(label(row), ',')];
            writeln!(file, "{},{}", cells.join(","), short(*votes)).with_context(refused)?;
        }
        return file.commit().with_context(refused);
    }
    let mut out = output::stdout();
    if args.json {
        for (row, Vote { votes, .. }) in winners.iter().enumerate() {
            let line = json!({ "object": row, "id": election.ids.as_ref().map(|_| object(row)), "label": label(row),
                "votes": votes, "voters": voters });
            writeln!(out, "{line}")?;
        }
    } else {
        let mut table = Table::new(&[">object", "<label", ">votes"]);
        for (row, Vote { votes, .. }) in winners.iter().enumerate() {
            table.row([object(row), label(row).to_owned(), format!("{} of {voters}", short(*votes))]);
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
