//! Says what a model file holds (`sibp inspect`).

mod encoder;

use crate::describe::{Description, describe, judge_lapses, quantity, rate_error};
use crate::model::{CodeArg, Model};
use crate::output::{self, Table, percent};
use crate::stream::{looks_like_encoder, looks_like_hash};
use serde_json::{Value, json};
use sibp::extend::GrowingCode;
use sibp::hash::{Hash, HashBlock};
use sibp::pipeline::DrawChoice;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  sibp inspect m.sibp
  sibp inspect m.sibp --json
  sibp inspect codes.sibh
  sibp inspect m.sibe

R-hat near 1 means that the chains agree; ESS is the number of independent draws that the sweeps
are worth. Both are computed from the last half of the sweeps.";

/// `sibp inspect MODEL`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// The model (.sibp), encoder (.sibe) or hash (.sibh)
    model: PathBuf,
    /// Which draw of the best chain encodes
    #[arg(long, value_enum, default_value = "suited", hide_default_value = true)]
    code: CodeArg,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints a summary.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if looks_like_hash(&args.model) {
        return hash(args);
    }
    if looks_like_encoder(&args.model) {
        return encoder::run(&args.model, args.json);
    }
    let model = Model::load(&args.model)?;
    let description = describe(&model, args.code);
    if args.json { output::print_json(&to_json(&model, &description, args.code)) } else { print(&model, &description) }
}

/// Prints the blocks of a hash file and its remembered objects.
fn hash(args: &Args) -> anyhow::Result<()> {
    let code = GrowingCode::load(&args.model)?;
    let (n_inputs, n_bits) = (code.stack.n_inputs(), code.stack.n_bits());
    let (remembered, batches) = (code.memory.n_objects(), code.memory.n_batches);
    let blocks = code.stack.blocks().iter();
    let kind = |block: &HashBlock| match block.hash {
        Hash::Linear(_) => "linear",
        Hash::Spectral(_) => "spectral",
    };
    if args.json {
        let block = |b: &HashBlock| {
            json!({ "source": b.source, "kind": kind(b), "bits": b.hash.n_bits(), "weights": b.weights,
                "transform": b.transform.chosen().to_string() })
        };
        return output::print_json(&json!({ "file": args.model.display().to_string(), "inputs": n_inputs,
            "bits": n_bits, "blocks": blocks.map(block).collect::<Vec<_>>(), "remembered": remembered,
            "batches": batches }));
    }
    let mut out = output::stdout();
    writeln!(out, "{}", args.model.display())?;
    let mut table = Table::new(&["<", "<from", "<kind", "<transform"]);
    for block in blocks {
        let steps = block.transform.chosen().to_string();
        let n_bits = output::count(block.hash.n_bits(), "bit");
        table.row([format!("  {n_bits}"), block.source.clone(), kind(block).to_owned(), steps]);
    }
    table.write(&mut out)?;
    writeln!(out, "  {} over {}", output::count(n_bits, "bit"), output::count(n_inputs, "input"))?;
    if batches > 0 {
        let objects = output::count(remembered, "object");
        writeln!(out, "  {objects} remembered, {batches} batches seen")?;
    }
    out.flush()?;
    Ok(())
}

fn print(model: &Model, description: &Description) -> anyhow::Result<()> {
    let mut out = output::stdout();
    writeln!(out, "{}", model.path.display())?;
    let mut facts = Table::new(&["<", "<"]);
    description.facts.iter().for_each(|(name, value)| facts.row([format!("  {name}"), value.clone()]));
    facts.write(&mut out)?;
    writeln!(out)?;
    chain_table(description).write(&mut out)?;
    writeln!(out)?;
    diagnostic_table(description).write(&mut out)?;
    if !description.warnings.is_empty() {
        writeln!(out)?;
    }
    for warning in &description.warnings {
        writeln!(out, "warning: {warning}")?;
    }
    out.flush()?;
    Ok(())
}

fn chain_table(description: &Description) -> Table {
    let mut table =
        Table::new(&[">chain", ">sweeps", ">draws", ">bits", ">triplets", ">log likelihood", ">score", "<"]);
    for (number, chain) in (1..).zip(&description.chains) {
        table.row([
            number.to_string(),
            chain.sweeps.to_string(),
            chain.draws.to_string(),
            chain.bits.to_string(),
            chain.satisfied.map_or("-".into(), percent),
            chain.log_likelihood.map_or("-".into(), |value| format!("{value:.1}")),
            format!("{:.1}", chain.score),
            if chain.encodes { "encodes".into() } else { String::new() },
        ]);
    }
    table
}

fn diagnostic_table(description: &Description) -> Table {
    let mut table = Table::new(&["<quantity", ">mean", ">R-hat", ">ESS"]);
    for d in &description.diagnostics {
        let mean = d.means.iter().sum::<f64>() / d.means.len() as f64;
        table.row([
            quantity(&d.name).to_owned(),
            output::significant(mean),
            d.r_hat.map_or("-".into(), |value| format!("{value:.2}")),
            d.ess.map_or("-".into(), |value| format!("{value:.0}")),
        ]);
    }
    table
}

fn to_json(model: &Model, description: &Description, code: CodeArg) -> Value {
    let info = &model.file.info;
    let choice = model.file.choice(code.into());
    let (draw, chain_ix) = match (choice, &model.file.distilled) {
        (DrawChoice::Distilled, Some(draw)) => (draw, None),
        _ => {
            let (draw, chain_ix) = model.file.posterior().chosen(choice.into());
            (draw, Some(chain_ix))
        }
    };
    let parts = model.file.code_parts(choice).ok();
    let chain = |c: &crate::describe::ChainFacts| {
        json!({ "sweeps": c.sweeps, "draws": c.draws, "bits": c.bits, "satisfied": c.satisfied,
            "log_likelihood": c.log_likelihood, "score": c.score, "encodes": c.encodes })
    };
    let diagnostic = |d: &sibp::trace::diagnostics::Diagnostic| json!({ "name": d.name, "means": d.means, "r_hat": d.r_hat, "ess": d.ess });
    json!({
        "file": model.path.display().to_string(),
        "finished": model.file.finished(),
        "model": info.model,
        "settings": info.settings,
        "transform": info.transform,
        "objects": info.n_objects,
        "inputs": info.n_inputs(),
        "input_names": info.input_names,
        "classes": info.labels.as_ref().map(|labels| labels.names()),
        "has_ids": info.ids.is_some(),
        "triplets": info.triplets,
        "continues": info.continues,
        "held_out": info.calibration,
        "code": { "bits": parts.map(|parts| parts.total()), "given_bits": parts.map(|parts| parts.given),
            "unsupervised_bits": parts.map(|parts| parts.unsupervised), "learned_bits": parts.map(|parts| parts.learned), "chain": chain_ix, "sweep": draw.sweep, "choice": match code {
            CodeArg::Suited if chain_ix.is_some() => "map",
            CodeArg::Suited | CodeArg::Distil => "distil",
            CodeArg::Map => "map",
            CodeArg::Last => "last",
            CodeArg::Concatenate => "concatenate",
        } },
        "chains": description.chains.iter().map(chain).collect::<Vec<_>>(),
        "judges": judge_lapses(&model.file).iter().map(|(name, rate)| json!({ "judge": name, "lapse": rate })).collect::<Vec<_>>(),
        "rate_error": rate_error(&model.file),
        "diagnostics": description.diagnostics.iter().map(diagnostic).collect::<Vec<_>>(),
        "warnings": description.warnings,
    })
}
