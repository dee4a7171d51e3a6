//! Merges chains that were run apart into one model (`sibp merge`).

use crate::failure::usage;
use crate::fit::run::summarise_merged;
use crate::input::{SplitArgs, select};
use crate::model::Model;
use crate::writing::{ForceArgs, Kind, Writing};
use anyhow::{anyhow, bail};
use sibp::data::{ColumnRef, Filling, Inputs, Missing, ReadOptions, read_noted};
use sibp::format::{Fitted, ModelInfo};
use sibp::pipeline::{MergeError, NamedPart};
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  sibp merge part*.sibp -o m.sibp
  sibp merge part*.sibp --inputs X.npy -o m.sibp     (where one code stands for all chains)

The parts are the chains of one fit, each run by `sibp fit ... --chain K/N -o partK.sibp` with the
same data, options and build, on any machines; the model has the same bytes as one run of all chains.
What is made of all chains together is made here: --inputs names the inputs of the fit if one
code is to stand for all chains (--distil, the default with --triplets; --max-bits).";

/// `sibp merge PARTS -o MODEL`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// The parts (.sibp), in any order
    #[arg(required = true, value_name = "PARTS")]
    parts: Vec<PathBuf>,
    /// Where to write the model
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// The inputs that the parts were fitted to, if one code is to stand for all chains
    #[arg(long, value_name = "FILE")]
    inputs: Option<PathBuf>,
    /// Column of the inputs that holds ids and is not an input
    #[arg(long, value_name = "COLUMN", requires = "inputs")]
    id_column: Option<String>,
    /// Column of the inputs that holds labels and is not an input
    #[arg(long, value_name = "COLUMN", requires = "inputs")]
    label_column: Option<String>,
    /// Columns of the inputs that were ignored
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', requires = "inputs")]
    ignore: Vec<String>,
    #[command(flatten)]
    split: SplitArgs,
    /// Number of threads; 0 uses all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Print only warnings and errors to stderr
    #[arg(short, long)]
    quiet: bool,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    force: ForceArgs,
}

/// Reads the parts, checks that they belong together, and writes the model.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let read = args.parts.iter().chain(&args.inputs).chain(&args.split.split);
    Writing::reading(read, args.force).check(&args.out, Kind::Model)?;
    let part = |path: &PathBuf| {
        let model = Model::load(path)?.file;
        Ok(NamedPart { name: path.display().to_string(), model })
    };
    let parts = args.parts.iter().map(part).collect::<anyhow::Result<Vec<_>>>()?;
    let inputs = match (&args.inputs, parts.first()) {
        (Some(path), Some(part)) => Some(read_inputs(args, path, &part.model.info)?),
        _ => None,
    };
    let model = Fitted::merged(parts, inputs.as_ref(), args.threads).map_err(|error| explain(error, args))?;
    model.save(&args.out)?;
    summarise_merged(&model, &args.out, args.quiet, args.json)
}

/// The inputs as the parts saw them: by the names of their columns, with their rule for missing values.
fn read_inputs(args: &Args, path: &Path, info: &ModelInfo) -> anyhow::Result<Inputs> {
    let column = |name: &Option<String>| name.as_deref().map(ColumnRef::from);
    let filling = info.transform.filling();
    let options = ReadOptions {
        id_column: column(&args.id_column),
        label_column: column(&args.label_column),
        ignore: args.ignore.iter().map(|name| ColumnRef::from(name.as_str())).collect(),
        input_names: info.input_names.clone(),
        missing: match filling {
            // Rows that are left out are so below, when all have been counted.
            Some(Filling::Drop) => Missing::Mean,
            filling => filling.map(Filling::missing).unwrap_or_default(),
        },
        ..ReadOptions::default()
    };
    let (table, notes) = read_noted(path, &options)?;
    let split = args.split.read(table.inputs.n_objects())?;
    let drops = matches!(filling, Some(Filling::Drop)) && !notes.gaps.is_empty();
    if split.is_none() && !drops {
        return Ok(table.inputs);
    }
    let rows = split.map_or_else(|| (0..table.inputs.n_objects()).collect(), |split| split.train);
    let is_left = |row: &usize| !drops || notes.gaps.rows().binary_search(row).is_err();
    let rows: Vec<usize> = rows.into_iter().filter(is_left).collect();
    if rows.is_empty() {
        bail!("{}: every row lacks a value, and none is left", path.display());
    }
    Ok(select(&table, &rows)?.inputs)
}

/// Rewords an error by the names of options and files.
fn explain(error: MergeError, args: &Args) -> anyhow::Error {
    match (error, &args.inputs) {
        (error @ MergeError::NeedsInputs { .. }, _) => usage(format!("{error}: name their file with --inputs")),
        (MergeError::OtherInputs, Some(path)) => anyhow!(
            "{}: these are not the inputs that the parts were fitted to; give the same file, with the same --split",
            path.display()
        ),
        (MergeError::Data(error), Some(path)) => error.in_file(path).into(),
        (MergeError::Missing { chains, of }, _) => {
            let first = chains.first().copied().unwrap_or(1);
            anyhow!(
                "{}: run `sibp fit` with --chain {first}/{of}, or name its part",
                MergeError::Missing { chains, of }
            )
        }
        (error, _) => error.into(),
    }
}
