//! Makes triplets from labels (`sibp triplets from-labels`).

use super::write::{kind_of, write, write_text};
use crate::failure::usage;
use crate::input::{FromLabelsArgs, triplets_from_labels};
use crate::output;
use crate::writing::{ForceArgs, Writing};
use sibp::data::{ColumnRef, Inputs, Labels, ReadOptions, read_ids, read_labels, read_table};
use std::io::Write;
use std::path::PathBuf;

/// `sibp triplets from-labels LABELS -o FILE`
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  sibp triplets from-labels y.npy --scheme paired --seed 1 -o triplets.csv")]
pub struct Command {
    /// Labels, one per object: .npy of integers, or text
    labels: PathBuf,
    /// Column of the labels file, if it has several
    #[arg(long, value_name = "COLUMN")]
    label_column: Option<String>,
    /// Inputs, needed for --near nearest and --far impostor
    #[arg(long = "features", value_name = "FILE")]
    inputs: Option<PathBuf>,
    /// Ids to write instead of row numbers: a text file with one per line
    #[arg(long, value_name = "FILE")]
    ids: Option<PathBuf>,
    /// Column of the ids file, if it has several
    #[arg(long, value_name = "COLUMN", requires = "ids")]
    id_column: Option<String>,
    /// Fixes all random choices
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to write: .csv, .tsv or .npy; stdout (CSV) if not given
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    from_labels: FromLabelsArgs,
    #[command(flatten)]
    force: ForceArgs,
}

/// Makes and writes them.
pub fn run(command: &Command) -> anyhow::Result<()> {
    let read = [&command.labels].into_iter().chain(&command.inputs).chain(&command.ids);
    Writing::reading(read, command.force).check_any(command.out.as_ref(), kind_of(command.out.as_deref()))?;
    let label_column = command.label_column.as_deref().map(ColumnRef::from);
    let labels = read_labels(&command.labels, &ReadOptions { label_column, ..ReadOptions::default() })?;
    let id_column = command.id_column.as_deref().map(ColumnRef::from);
    let of_ids = ReadOptions { id_column, ..ReadOptions::default() };
    let ids = command.ids.as_ref().map(|path| read_ids(path, &of_ids)).transpose()?;
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
fn inputs_for(command: &Command, labels: &Labels) -> anyhow::Result<Inputs> {
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
