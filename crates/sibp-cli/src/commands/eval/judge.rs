//! Measures a model on judgements: agreement, calibration, codes and plain distances (`sibp eval MODEL X --triplets FILE`).

use super::Args;
use crate::input::{read_triplets_of, select};
use crate::model::Model;
use crate::output::{self, Table, grouped, percent};
use crate::stream::FileCoder;
use serde_json::{Value, json};
use sibp::judging::{Assessing, Assessment, assess};
use sibp::pipeline::{Asking, Objects};
use std::io::Write;
use std::path::Path;

/// Asks the judgements of the triplets' file and prints how well the model agrees with them.
pub fn run(args: &Args, model: &Model, inputs: &Path, triplets: &Path) -> anyhow::Result<()> {
    let mut table = args.table.read(inputs)?;
    let mut coder = FileCoder::of_model(model, &args.encode, args.threads)?;
    coder.check_inputs(table.inputs.n_inputs(), inputs)?;
    coder.check_length(Some(table.inputs.n_objects()))?;
    if let Some(split) = args.split.read(table.inputs.n_objects())? {
        table = select(&table, &split.test)?;
        coder.select(&split.test);
    }
    let asked = read_triplets_of(triplets, &table)?;
    let training = model.file.training_rows(&table);
    let objects = Objects { inputs: &table.inputs, known: coder.known(), training: &training };
    let reading = args.encode.reading();
    let asking = Asking { encoder: reading.encoder, seed: reading.seed, threads: args.threads, ..Asking::default() };
    let found = assess(&model.file, objects, &asked, None, &Assessing { reading, asking });
    let found = found.map_err(|error| super::explain(model, error, inputs))?;
    if args.json { output::print_json(&as_json(&found)) } else { print(&found) }
}

fn as_json(found: &Assessment) -> Value {
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
        "euclidean": found.euclidean,
        "cosine": found.cosine,
    })
}

fn print(found: &Assessment) -> anyhow::Result<()> {
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
    table.row(["Euclidean distance of inputs".to_owned(), percent(found.euclidean), String::new()]);
    table.row(["cosine of inputs".to_owned(), percent(found.cosine), String::new()]);
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
    out.flush()?;
    Ok(())
}
