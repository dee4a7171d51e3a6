//! Makes triplets from labels, or checks a file of triplets (`sibp triplets`).

use crate::failure::usage;
use crate::input::{FromLabelsArgs, triplets_from_labels};
use crate::output;
use anyhow::Context;
use clap::Subcommand;
use serde_json::json;
use sibp::data::{
    AtomicFile, ColumnRef, Ids, Inputs, Labels, NpyWriter, ReadOptions, read_ids, read_labels, read_table,
};
use sibp::triplets::{Triplet, TripletSet, check, read_triplets};
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  sibp triplets from-labels y.npy --scheme paired --per-object 30 --seed 1 -o triplets.csv
  sibp triplets check triplets.csv";

/// `sibp triplets from-labels|check`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make triplets: near objects of the anchor's class, far ones of other classes
    FromLabels(FromLabelsCommand),
    /// Count duplicates, contradictions and objects in no triplet
    Check(CheckCommand),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  sibp triplets from-labels y.npy --scheme paired --seed 1 -o triplets.csv")]
struct FromLabelsCommand {
    /// Labels, one an object: .npy of integers, or text
    labels: PathBuf,
    /// Column of the labels file, if it has several
    #[arg(long, value_name = "COLUMN")]
    label_column: Option<String>,
    /// Inputs, needed for --near nearest and --far impostor
    #[arg(long = "features", value_name = "FILE")]
    inputs: Option<PathBuf>,
    /// Ids to write instead of row numbers: a text file with one a line
    #[arg(long, value_name = "FILE")]
    ids: Option<PathBuf>,
    /// Fixes all random choices
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to write: .csv, .tsv or .npy; stdout (CSV) if not given
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    from_labels: FromLabelsArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  sibp triplets check triplets.csv --objects 1797")]
struct CheckCommand {
    /// Triplets: columns anchor, near, far
    triplets: PathBuf,
    /// How many objects there are; without it, the largest row number + 1
    #[arg(long, value_name = "N", conflicts_with = "ids")]
    objects: Option<usize>,
    /// Ids of the objects, if the triplets name objects by id
    #[arg(long, value_name = "FILE")]
    ids: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the chosen action.
pub fn run(args: &Args) -> anyhow::Result<()> {
    match &args.action {
        Action::FromLabels(command) => from_labels(command),
        Action::Check(command) => check_file(command),
    }
}

fn from_labels(command: &FromLabelsCommand) -> anyhow::Result<()> {
    let label_column = command.label_column.as_deref().map(ColumnRef::from);
    let labels = read_labels(&command.labels, &ReadOptions { label_column, ..ReadOptions::default() })?;
    let ids = command.ids.as_ref().map(|path| read_ids(path, &ReadOptions::default())).transpose()?;
    if let (Some(ids), Some(path)) = (&ids, &command.ids)
        && ids.len() != labels.len()
    {
        anyhow::bail!("{}: {} ids for {} labels", path.display(), ids.len(), labels.len());
    }
    let inputs = inputs_for(command, &labels)?;
    let built = triplets_from_labels(&command.from_labels.options(command.seed), &labels, &inputs)?;
    match &command.out {
        Some(path) => write(path, &built.triplets, ids.as_ref())?,
        None => {
            let mut out = output::stdout();
            write_text(&mut out, &built.triplets, ids.as_ref(), ',')?;
            out.flush()?;
        }
    }
    output::say(format!(
        "{} over {} of {}",
        output::count(built.triplets.len(), "triplet"),
        output::count(labels.len(), "object"),
        if labels.names().len() == 1 { "1 class".into() } else { format!("{} classes", labels.names().len()) }
    ));
    Ok(())
}

/// The inputs, or zeros of the right length where the chosen options never read them.
fn inputs_for(command: &FromLabelsCommand, labels: &Labels) -> anyhow::Result<Inputs> {
    match &command.inputs {
        Some(path) => {
            let inputs = read_table(path, &ReadOptions::default())?.inputs;
            if inputs.n_objects() != labels.len() {
                anyhow::bail!("{}: {} rows for {} labels", path.display(), inputs.n_objects(), labels.len());
            }
            Ok(inputs)
        }
        None if command.from_labels.needs_inputs() => {
            Err(usage("--near nearest and --far impostor measure distances: give --features FILE"))
        }
        None => Ok(Inputs::new(labels.len(), 1, vec![0.0; labels.len()])?),
    }
}

fn write(path: &Path, triplets: &[Triplet], ids: Option<&Ids>) -> anyhow::Result<()> {
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

fn write_text(out: &mut impl Write, triplets: &[Triplet], ids: Option<&Ids>, separator: char) -> std::io::Result<()> {
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

fn check_file(command: &CheckCommand) -> anyhow::Result<()> {
    let ids = command.ids.as_ref().map(|path| read_ids(path, &ReadOptions::default())).transpose()?;
    let (triplets, n_objects) = match (&ids, command.objects) {
        (Some(ids), _) => (read_triplets(&command.triplets, ids)?, ids.len()),
        (None, Some(n)) => (read_triplets(&command.triplets, n)?, n),
        (None, None) => {
            let triplets = read_triplets(&command.triplets, u32::MAX as usize / 3)?;
            let n = triplets.iter().map(|t| t.anchor.max(t.near).max(t.far) as usize + 1).max().unwrap_or(0);
            (triplets, n)
        }
    };
    let report = check(&TripletSet::new(n_objects, triplets)?);
    if command.json {
        return output::print_json(&json!(report));
    }
    let mut out = output::stdout();
    writeln!(out, "{report}")?;
    out.flush()?;
    Ok(())
}
