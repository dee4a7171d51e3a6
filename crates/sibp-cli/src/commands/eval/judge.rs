//! Measures a model on judgements: agreement, calibration, codes and plain distances (`sibp eval MODEL X --triplets FILE`).

use super::Args;
use crate::input::{read_judgements_of, select};
use crate::model::Model;
use crate::output::{self, Table, grouped, percent};
use crate::stream::FileCoder;
use serde_json::{Value, json};
use sibp::data::Table as Objects;
use sibp::judging::{Assessing, Assessment, assess};
use sibp::pipeline::{Asking, Objects as Asked};
use std::io::Write;
use std::path::Path;

/// Asks the judgements of the triplets' file and prints how well the model agrees with them.
pub fn run(args: &Args, model: &Model, inputs: Option<&Path>, triplets: &Path) -> anyhow::Result<()> {
    let mut coder = FileCoder::of_model(model, &args.encode, args.threads)?;
    let (table, training) = match inputs {
        None => model.file.training_objects(),
        Some(path) => {
            let table = tried(args, &mut coder, path)?;
            let training = model.file.training_rows(&table);
            (table, training)
        }
    };
    let judgements = read_judgements_of(triplets, &table)?;
    let objects = Asked { inputs: &table.inputs, known: coder.known(), training: &training };
    let reading = args.encode.reading();
    let asking = Asking { encoder: reading.encoder, seed: reading.seed, threads: args.threads, ..Asking::default() };
    let judges = judgements.judges.as_ref();
    let of = judges.map(|judges| judges.of());
    let found = assess(&model.file, objects, &judgements.triplets, of, &Assessing { reading, asking });
    let found = found.map_err(|error| super::explain(model, error, inputs.unwrap_or(&model.path)))?;
    let names = judges.map_or(&[][..], |judges| judges.names());
    let has_inputs = table.inputs.n_inputs() > 0;
    if args.json { output::print_json(&as_json(&found, names, has_inputs)) } else { print(&found, names, has_inputs) }
}

/// The objects of a file, or those of its test part.
fn tried(args: &Args, coder: &mut FileCoder, path: &Path) -> anyhow::Result<Objects> {
    let table = args.table.read_for(path, &coder.columns())?;
    coder.check_length(Some(table.inputs.n_objects()))?;
    let Some(split) = args.split.read(table.inputs.n_objects())? else { return Ok(table) };
    coder.select(&split.test);
    select(&table, &split.test)
}

fn as_json(found: &Assessment, judges: &[String], has_inputs: bool) -> Value {
    let judge = |of: &sibp::judging::JudgeAgreement| json!({ "judge": judges[of.judge as usize], "judgements": of.n_judgements, "share": of.agreement, "low": of.interval.0, "high": of.interval.1 });
    let plain = |share: f64| has_inputs.then_some(share);
    let bin = |bin: &sibp::eval::ReliabilityBin| json!({ "from": bin.range.0, "to": bin.range.1, "judgements": bin.n, "predicted": bin.predicted, "agreed": bin.found });
    json!({
        "judgements": found.n_judgements,
        "anchors": found.n_anchors,
        "objects": found.n_objects.0,
        "training_objects": found.n_objects.1,
        "agreement": { "share": found.agreement, "low": found.interval.0, "high": found.interval.1 },
        "calibration_error": found.calibration_error,
        "brier_score": found.brier_score,
        "reliability": found.bins.iter().map(bin).collect::<Vec<_>>(),
        "codes": { "bits": found.codes.n_bits, "share": found.codes.agreement, "tied": found.codes.tied },
        "euclidean": plain(found.euclidean),
        "cosine": plain(found.cosine),
        "judges": found.judges.iter().map(judge).collect::<Vec<_>>(),
    })
}

fn print(found: &Assessment, judges: &[String], has_inputs: bool) -> anyhow::Result<()> {
    let mut out = output::stdout();
    let (n_objects, n_training) = found.n_objects;
    writeln!(
        out,
        "{} with {} about {}, {} of which the model was fitted to",
        output::count(found.n_judgements, "judgement"),
        output::count(found.n_anchors, "anchor"),
        output::count(n_objects, "object"),
        grouped(n_training),
    )?;
    let mut table = Table::new(&["<", ">agreement", "<"]);
    let (low, high) = found.interval;
    let interval = format!("95 % interval {} to {}", percent(low), percent(high));
    table.row(["model, over all draws".to_owned(), percent(found.agreement), interval]);
    let codes = format!("{} tied, which count half", percent(found.codes.tied));
    table.row([format!("codes of {} bits", found.codes.n_bits), percent(found.codes.agreement), codes]);
    if has_inputs {
        table.row(["Euclidean distance of inputs".to_owned(), percent(found.euclidean), String::new()]);
        table.row(["cosine of inputs".to_owned(), percent(found.cosine), String::new()]);
    }
    table.write(&mut out)?;
    writeln!(
        out,
        "\ncalibration error {:.3}, Brier score {:.3} (a coin: 0.25)",
        found.calibration_error, found.brier_score
    )?;
    let mut table = Table::new(&["<the model is sure by", ">judgements", ">on average", ">agree"]);
    for bin in &found.bins {
        let range = format!("{:.0} to {:.0} %", 100.0 * bin.range.0, 100.0 * bin.range.1);
        table.row([range, grouped(bin.n), percent(bin.predicted), percent(bin.found)]);
    }
    table.write(&mut out)?;
    if !found.judges.is_empty() {
        writeln!(out)?;
        let mut table = Table::new(&["<judge", ">judgements", ">agreement", "<"]);
        for of in &found.judges {
            let interval = format!("{} to {}", percent(of.interval.0), percent(of.interval.1));
            table.row([judges[of.judge as usize].clone(), grouped(of.n_judgements), percent(of.agreement), interval]);
        }
        table.write(&mut out)?;
    }
    out.flush()?;
    Ok(())
}
