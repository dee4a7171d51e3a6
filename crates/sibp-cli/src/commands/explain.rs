//! Says why two objects are near or far: the bits that agree and differ, and what drives each (`sibp explain`).

mod plot;

use crate::input::TableArgs;
use crate::model::{EncodeArgs, Model};
use crate::output::{self, Table, count, percent};
use crate::stream::FileCoder;
use crate::writing::{ForceArgs, Kind, Writing};
use anyhow::{Context, bail};
use serde_json::json;
use sibp::data::{AtomicFile, Table as Objects};
use sibp::pipeline::{BitOfTwo, Explanation};
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  sibp explain m.sibp animals.csv --id-column name --label-column class otter beaver
  sibp explain m.sibp X.npy 17 4 --all
  sibp explain m.sibp X.npy 17 4 --plot why.svg

Each bit is shown with what drives it: the inputs that it correlates with most over all objects in
the file, and the objects that are most certain to have it. Bits that differ come first.";

/// Agreeing bits that are shown unless all are asked for.
const AGREEING: usize = 5;

/// `sibp explain MODEL INPUTS A B`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// The model
    model: PathBuf,
    /// Inputs of objects, including the two
    inputs: PathBuf,
    /// One object: its id, or its row from 0 if there are no ids
    a: String,
    /// The other object
    b: String,
    /// Show all bits, not only those that differ and a few others
    #[arg(long)]
    all: bool,
    /// Also draw the explanation (.svg)
    #[arg(long, value_name = "FILE", value_parser = super::eval::svg_path)]
    plot: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Number of threads; 0 uses all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    encode: EncodeArgs,
    #[command(flatten)]
    force: ForceArgs,
}

impl Args {
    /// How many of the bits are shown: those that differ, and a few others unless all are asked for.
    fn n_shown(&self, found: &Explanation) -> usize {
        let n_bits = found.bits.len();
        if self.all { n_bits } else { (found.distance + AGREEING).min(n_bits) }
    }
}

/// Explains the distance of two objects.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let read = [&args.model, &args.inputs].into_iter().chain(args.table.files()).chain(&args.encode.given_bits);
    Writing::reading(read, args.force).check_any(args.plot.as_ref(), Kind::Picture)?;
    let model = Model::load(&args.model)?;
    let coder = FileCoder::of_model(&model, &args.encode, args.threads)?;
    let objects = args.table.read_for(&args.inputs, &coder.columns())?;
    coder.check_length(Some(objects.inputs.n_objects()))?;
    let pair = [row_of(args, &objects, &args.a)?, row_of(args, &objects, &args.b)?];
    let found = coder
        .coder
        .explain(&objects.inputs, coder.known(), pair)
        .map_err(|error| model.explain(error, &args.inputs))?;
    let words = Words { names: model.file.info.input_names.as_deref(), objects: &objects };
    if let Some(path) = &args.plot {
        let svg = plot::svg(&words, [&args.a, &args.b], &found, args.n_shown(&found));
        write_text(path, &svg).with_context(|| format!("{}: cannot write", path.display()))?;
    }
    match args.json {
        true => output::print_json(&words.json(&found)),
        false => words.print(args, &found),
    }
}

fn write_text(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes())?;
    file.commit()
}

/// The row of an object by its id, or by its number where there are no ids.
fn row_of(args: &Args, objects: &Objects, text: &str) -> anyhow::Result<usize> {
    let path = args.inputs.display();
    let Some(ids) = &objects.ids else {
        let n = objects.inputs.n_objects();
        return match text.parse::<usize>() {
            Ok(row) if row < n => Ok(row),
            Ok(row) => bail!("{path}: there is no row {row}; rows are 0 to {}", n.saturating_sub(1)),
            Err(_) => {
                bail!("{path}: {text:?} is no row number, and there are no ids; name them by --ids or --id-column")
            }
        };
    };
    let Some(row) = ids.row(text) else { bail!("{path}: there is no object with the id {text:?}") };
    Ok(row)
}

/// What is needed to name inputs and objects.
struct Words<'a> {
    names: Option<&'a [String]>,
    objects: &'a Objects,
}

impl Words<'_> {
    fn object(&self, row: usize) -> String {
        self.objects.ids.as_ref().map_or_else(|| row.to_string(), |ids| ids.texts()[row].clone())
    }

    fn input(&self, input: usize) -> String {
        self.names.map_or_else(|| format!("column {input}"), |names| names[input].clone())
    }

    fn drivers(&self, bit: &BitOfTwo) -> String {
        let sign = |correlation: f64| if correlation > 0.0 { '+' } else { '-' };
        let words = bit.drivers.iter().take(3).map(|d| format!("{}{}", sign(d.correlation), self.input(d.input)));
        words.collect::<Vec<_>>().join(" ")
    }

    fn owners(&self, bit: &BitOfTwo) -> String {
        bit.owners.iter().take(3).map(|&owner| self.object(owner)).collect::<Vec<_>>().join(", ")
    }

    fn print(&self, args: &Args, found: &Explanation) -> anyhow::Result<()> {
        let mut out = output::stdout();
        writeln!(
            out,
            "{} and {}: {} of {} differ, weights {:.2} of {:.2}",
            args.a,
            args.b,
            found.distance,
            count(found.bits.len(), "bit"),
            found.weighted,
            found.bits.iter().map(|bit| bit.weight).sum::<f64>(),
        )?;
        let n_shown = args.n_shown(found);
        let mut table = Table::new(&[
            ">bit",
            "",
            args.a.as_str(),
            args.b.as_str(),
            ">weight",
            ">share",
            "driven by",
            "surest owners",
        ]);
        for bit in &found.bits[..n_shown] {
            let cell = |at: usize| match bit.probabilities {
                Some(probabilities) => format!("{} ({:.2})", u8::from(bit.has[at]), probabilities[at]),
                None => u8::from(bit.has[at]).to_string(),
            };
            table.row([
                bit.bit.to_string(),
                if bit.agrees() { "same" } else { "differs" }.to_owned(),
                cell(0),
                cell(1),
                format!("{:.2}", bit.weight),
                percent(bit.share),
                self.drivers(bit),
                self.owners(bit),
            ]);
        }
        table.write(&mut out)?;
        if n_shown < found.bits.len() {
            writeln!(out, "{} more agree; --all shows them", count(found.bits.len() - n_shown, "bit"))?;
        }
        out.flush()?;
        Ok(())
    }

    fn json(&self, found: &Explanation) -> serde_json::Value {
        let bit = |bit: &BitOfTwo| {
            let drivers: Vec<_> = bit
                .drivers
                .iter()
                .map(|d| json!({ "input": self.input(d.input), "correlation": d.correlation }))
                .collect();
            let owners: Vec<_> = bit.owners.iter().map(|&owner| self.object(owner)).collect();
            json!({ "bit": bit.bit, "agrees": bit.agrees(), "a": bit.has[0], "b": bit.has[1],
                "probabilities": bit.probabilities, "weight": bit.weight, "share": bit.share, "drivers": drivers,
                "owners": owners })
        };
        let bits: Vec<_> = found.bits.iter().map(bit).collect();
        json!({ "distance": found.distance, "weighted": found.weighted, "bits": bits })
    }
}
