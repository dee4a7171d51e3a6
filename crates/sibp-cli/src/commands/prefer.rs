//! Gives the probability that an object is more like a second than like a third, Eq. 18 (`sibp prefer`).

use crate::commands::encode::encode_parallel;
use crate::input::{TableArgs, read_triplets_of};
use crate::model::{EncodeArgs, Model, with_given};
use crate::output::{self, Table};
use serde_json::json;
use sibp::codes::Codes;
use sibp::data::{Features, Ids};
use sibp::encode::preference_probability;
use sibp::likelihood::preference::Scoring;
use sibp::model::PreferencePrior;
use sibp::trace::Draw;
use sibp::triplets::Triplet;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  sibp prefer m.sibp X.npy --triplets questions.csv
  sibp prefer m.sibp X.csv --id-column name --triplets questions.csv --json | head -n 3

Each line asks: is anchor more like near than like far? The answer is averaged over the kept
draws of all chains.";

/// `sibp prefer MODEL FEATURES --triplets FILE`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// The model
    model: PathBuf,
    /// Features of the objects that the triplets name
    features: PathBuf,
    /// The questions: columns anchor, near, far (rows of the features, or ids)
    #[arg(long, value_name = "FILE")]
    triplets: PathBuf,
    /// Print one line of JSON for each triplet
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV
    #[arg(long)]
    csv: bool,
    /// Threads; 0 takes all cores
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
    let preference = model.preference().filter(|_| model.has_triplets());
    let Some(preference) = preference else {
        anyhow::bail!(
            "{}: the model was fitted without triplets, so it knows no preferences; fit one with --labels or --triplets",
            model.path.display()
        );
    };
    let table = args.table.read(&args.features)?;
    let triplets = read_triplets_of(&args.triplets, &table)?;
    let features = model.transform(&table.features, &args.features)?;
    let given = model.given_bits(&args.encode, Some(features.n_objects()))?;
    let (rows, asked) = mentioned(&triplets);
    let given = given.map(|given| given.select(&rows));
    let probabilities = average((&model, preference), (&features.select(&rows), given), &asked, args)?;
    print(args, table.ids.as_ref(), &triplets, &probabilities)
}

/// Only the objects that a triplet names, and the triplets over them.
fn mentioned(triplets: &[Triplet]) -> (Vec<usize>, Vec<Triplet>) {
    let mut rows: Vec<u32> = triplets.iter().flat_map(|t| [t.anchor, t.near, t.far]).collect();
    rows.sort_unstable();
    rows.dedup();
    let place = |row: u32| rows.partition_point(|&r| r < row) as u32;
    let asked = triplets.iter().map(|t| Triplet { anchor: place(t.anchor), near: place(t.near), far: place(t.far) });
    let asked = asked.collect();
    (rows.iter().map(|&row| row as usize).collect(), asked)
}

/// Posterior means, summed draw by draw in a fixed order.
fn average(
    (model, preference): (&Model, &PreferencePrior),
    (features, given): (&Features, Option<Codes>),
    triplets: &[Triplet],
    args: &Args,
) -> anyhow::Result<Vec<f64>> {
    let draws: Vec<&Draw> = model.file.chains.iter().flat_map(|chain| chain.all_draws()).collect();
    let mut sums = vec![0.0; triplets.len()];
    for draw in &draws {
        let scoring = Scoring::new(draw.positive("lapse")?, preference.pseudo_weight);
        let encoder = with_given(given.clone(), model.encoder(draw, &args.encode)?);
        let weights: Vec<f64> = model.given_weights(&[draw])?.iter().chain(&draw.weights).copied().collect();
        let codes = encode_parallel(encoder.as_ref(), features, 0, args.threads);
        for (sum, &triplet) in sums.iter_mut().zip(triplets) {
            *sum += preference_probability(&codes, &weights, triplet, &scoring);
        }
    }
    Ok(sums.into_iter().map(|sum| sum / draws.len() as f64).collect())
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
