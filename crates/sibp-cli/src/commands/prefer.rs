//! Gives the probability that an object is more like a second than like a third, Eq. 18 (`sibp prefer`).

use crate::input::{TableArgs, read_judgements_of};
use crate::model::{EncodeArgs, Model};
use crate::output::{self, Table};
use crate::stream::FileCoder;
use serde_json::json;
use sibp::data::Ids;
use sibp::pipeline::{Asking, Objects};
use sibp::triplets::Triplet;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  sibp prefer m.sibp X.npy --triplets questions.csv
  sibp prefer m.sibp X.csv --id-column name --triplets questions.csv --json | head -n 3

Each line asks: is anchor more like near than like far? The answer is averaged over the kept
draws of all chains and, for objects that the model was not fitted to, over their bits; then it
is recalibrated by what the fit found on triplets that it held out. Objects of the fit are
recognised by their ids or inputs, and have the bits that were learned for them.";

/// `sibp prefer MODEL INPUTS --triplets FILE`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// The model
    model: PathBuf,
    /// Inputs of the objects that the triplets name; without them, the triplets are about the training objects
    inputs: Option<PathBuf>,
    /// The questions: columns anchor, near, far (rows of the inputs, or ids)
    #[arg(long, value_name = "FILE")]
    triplets: PathBuf,
    /// Print one line of JSON for each triplet
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV
    #[arg(long)]
    csv: bool,
    /// Print the probabilities of the likelihood (Eq. 18) without recalibration: with a pseudo-weight, they are much
    /// closer to one half than the share of triplets that turn out true
    #[arg(long)]
    raw: bool,
    /// Number of threads; 0 uses all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    encode: EncodeArgs,
}

/// Averages over all kept draws and prints a line a triplet.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let model = Model::load(&args.model)?;
    if !model.has_triplets() {
        anyhow::bail!(
            "{}: the model was fitted without triplets, so it knows no preferences; fit one with --labels or --triplets",
            model.path.display()
        );
    }
    let source = args.inputs.as_ref().unwrap_or(&args.model);
    let coder = FileCoder::of_model(&model, &args.encode, args.threads)?;
    let (table, training) = match &args.inputs {
        None => model.file.training_objects(),
        Some(path) => {
            let table = args.table.read_for(path, &coder.columns())?;
            coder.check_length(Some(table.inputs.n_objects()))?;
            let training = model.file.training_rows(&table);
            (table, training)
        }
    };
    let triplets = read_judgements_of(&args.triplets, &table)?.triplets;
    let objects = Objects { inputs: &table.inputs, known: coder.known(), training: &training };
    let reading = args.encode.reading();
    let asking = Asking {
        encoder: reading.encoder,
        calibrated: !args.raw,
        seed: reading.seed,
        threads: args.threads,
        ..Asking::default()
    };
    let found = model.file.preferences(objects, &triplets, &asking).map_err(|error| model.explain(error, source))?;
    if found.standard_error > 0.0 {
        eprintln!("codes of unseen objects were drawn: the largest standard error is {:.4}", found.standard_error);
    }
    print(args, table.ids.as_ref(), &triplets, &found.probabilities)
}

fn print(args: &Args, ids: Option<&Ids>, triplets: &[Triplet], probabilities: &[f64]) -> anyhow::Result<()> {
    let name = |row: u32| ids.map_or_else(|| row.to_string(), |ids| ids.texts()[row as usize].clone());
    let mut out = output::stdout();
    if !args.json && !args.csv {
        let mut table = Table::new(&[">anchor", ">near", ">far", ">probability"]);
        for (t, p) in triplets.iter().zip(probabilities) {
            table.row([name(t.anchor), name(t.near), name(t.far), format!("{p:.4}")]);
        }
        table.write(&mut out)?;
        out.flush()?;
        return Ok(());
    }
    if args.csv {
        writeln!(out, "anchor,near,far,probability")?;
    }
    for (t, p) in triplets.iter().zip(probabilities) {
        if args.csv {
            let cells = [t.anchor, t.near, t.far].map(|row| output::csv_cell(&name(row), ','));
            writeln!(out, "{},{p}", cells.join(","))?;
        } else {
            let line = match ids {
                None => json!({ "anchor": t.anchor, "near": t.near, "far": t.far, "probability": p }),
                Some(_) => {
                    json!({ "anchor": name(t.anchor), "near": name(t.near), "far": name(t.far), "probability": p })
                }
            };
            writeln!(out, "{line}")?;
        }
    }
    out.flush()?;
    Ok(())
}
