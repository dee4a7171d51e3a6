//! Says what each bit does, and drops those that are not needed (`sibp prune`).

use crate::failure::usage;
use crate::input::{Columns, FromLabelsArgs, TableArgs, read_judgements_of};
use crate::model::{CodeArg, Model};
use crate::output::{self, Table, count, percent};
use crate::stream::looks_like_hash;
use crate::writing::{ForceArgs, Kind, Writing};
use rand::seq::SliceRandom;
use serde_json::json;
use sibp::codes::Codes;
use sibp::data::Table as Objects;
use sibp::eval::mean;
use sibp::extend::{BitUse, GrowingCode, bit_uses, needed_bits};
use sibp::hash::HashStack;
use sibp::held_out::Exam;
use sibp::pipeline::DrawChoice;
use sibp::rng::{Purpose, Streams};
use sibp::triplets::Triplet;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  sibp prune codes.sibh X.npy --labels y.npy
  sibp prune m.sibp X.npy --labels y.npy -o short.sibh

Give objects that the bits were not learned from. A bit is dropped when agreement with triplets
about these objects is at least as high without it; the least useful bits are tried first.
\"explains\" counts triplets that fail without the bit, \"spoils\" those that fail because of it.";

/// Largest number of query objects, and of objects they are compared with: bounds the running time.
const MOST_ASKED: usize = 500;
const MOST_COMPARED: usize = 2000;

/// `sibp prune CODES INPUTS [--labels FILE | --triplets FILE] [-o SHORTER]`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// A model (.sibp) or hash (.sibh)
    codes: PathBuf,
    /// Inputs of the objects to judge the bits by
    inputs: PathBuf,
    /// Where to write the shorter codes (.sibh); without it, bits are only described
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Triplets about the objects: columns anchor, near, far (rows of the inputs, or ids)
    #[arg(long, value_name = "FILE")]
    triplets: Option<PathBuf>,
    /// Which draws of a model are its bits
    #[arg(long, value_enum, default_value = "suited", hide_default_value = true)]
    code: CodeArg,
    /// Fixes the random choices: triplets from labels, objects asked about
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    from_labels: FromLabelsArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print nothing to stderr
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    force: ForceArgs,
}

/// The use of every bit, and which bits are needed.
struct Verdict {
    uses: Vec<BitUse>,
    needed: Vec<bool>,
    n_triplets: usize,
    before: f64,
    after: f64,
}

/// Judges every bit, prints, saves.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(out) = args.out.as_ref().filter(|out| !looks_like_hash(out)) {
        return Err(usage(format!("{}: pruned codes are written to .sibh", out.display())));
    }
    let files = [&args.codes, &args.inputs].into_iter().chain(args.table.files()).chain(&args.triplets);
    Writing::reading(files, args.force).check_any(args.out.as_ref(), Kind::Hash)?;
    if args.triplets.is_none() && !args.table.has_labels() {
        return Err(usage("bits are judged by triplets: give --labels, --label-column or --triplets"));
    }
    let mut code = read(args)?;
    let columns = Columns::new(code.stack.input_names(), code.stack.n_inputs(), &args.codes).quiet(args.quiet);
    let columns = columns.filled_by(code.stack.filling());
    let objects = args.table.read_for(&args.inputs, &columns)?;
    let codes = code.stack.encode(&objects.inputs).map_err(|error| error.in_file(&args.inputs))?;
    let verdict = judge(args, &objects, &codes, &code.stack.weights())?;
    print(args, &code.stack, &codes, &verdict)?;
    let Some(out) = &args.out else { return Ok(()) };
    let n_kept = verdict.needed.iter().filter(|&&needed| needed).count();
    if n_kept == 0 {
        anyhow::bail!("no bit is needed for these objects; {} is not written", out.display());
    }
    code.stack = code.stack.select(&verdict.needed)?;
    code.save(out)?;
    if !args.quiet {
        let change = format!("{} before, {} after", percent(verdict.before), percent(verdict.after));
        output::say(format!("{}: {n_kept} of {} bits; agreement {change}", out.display(), verdict.needed.len()));
    }
    Ok(())
}

fn read(args: &Args) -> anyhow::Result<GrowingCode> {
    if looks_like_hash(&args.codes) {
        return Ok(GrowingCode::load(&args.codes)?);
    }
    let model = Model::load(&args.codes)?;
    let stack = model.file.to_stack(&args.codes.display().to_string(), DrawChoice::from(args.code));
    Ok(GrowingCode::new(stack.map_err(|error| anyhow::anyhow!("{}: {error}", args.codes.display()))?))
}

fn judge(args: &Args, objects: &Objects, codes: &Codes, weights: &[f64]) -> anyhow::Result<Verdict> {
    let (triplets, exam): (Vec<Triplet>, Exam) = match (&args.triplets, &objects.labels) {
        (Some(path), _) => {
            let triplets = read_judgements_of(path, objects)?.triplets;
            (triplets.clone(), Exam::of_triplets(triplets))
        }
        (None, Some(labels)) => {
            let options = args.from_labels.options(args.seed);
            let mut order: Vec<usize> = (0..objects.inputs.n_objects()).collect();
            order.shuffle(&mut Streams::new(args.seed, 0).rng(Purpose::Split, 2, 0));
            let first = |n: usize| order.iter().copied().take(n).collect::<Vec<_>>();
            let exam = Exam::of_labels(first(MOST_ASKED), first(MOST_COMPARED), labels.class_of());
            (options.build(labels, &objects.inputs)?.triplets, exam)
        }
        (None, None) => return Err(usage("give --labels, --label-column or --triplets")),
    };
    if triplets.is_empty() || exam.is_empty() {
        anyhow::bail!("{}: there is no triplet to judge by", args.inputs.display());
    }
    let needed = needed_bits(&exam, codes, weights, 0);
    let left: Vec<f64> = weights.iter().zip(&needed).map(|(w, &needed)| if needed { *w } else { 0.0 }).collect();
    Ok(Verdict {
        uses: bit_uses(codes, weights, &triplets),
        n_triplets: triplets.len(),
        before: mean(&exam.scores(codes, weights)),
        after: mean(&exam.scores(codes, &left)),
        needed,
    })
}

fn print(args: &Args, stack: &HashStack, codes: &Codes, verdict: &Verdict) -> anyhow::Result<()> {
    let sources = stack.blocks().iter().flat_map(|block| std::iter::repeat_n(&block.source, block.hash.n_bits()));
    let rows = sources.zip(stack.weights()).zip(&verdict.uses).zip(&verdict.needed).enumerate();
    let share = |n: usize| n as f64 / codes.n_objects() as f64;
    if args.json {
        let bits: Vec<_> = rows
            .map(|(bit, (((source, weight), bit_use), needed))| {
                json!({ "bit": bit, "source": source, "weight": weight, "ones": share(bit_use.n_owners),
                    "explains": bit_use.n_explained, "spoils": bit_use.n_spoiled, "needed": needed })
            })
            .collect();
        return output::print_json(&json!({ "triplets": verdict.n_triplets, "agreement_before": verdict.before,
            "agreement_after": verdict.after, "bits": bits }));
    }
    let mut out = output::stdout();
    let mut table = Table::new(&[">bit", "<from", ">weight", ">ones", ">explains", ">spoils", "<"]);
    for (bit, (((source, weight), bit_use), needed)) in rows {
        table.row([
            bit.to_string(),
            source.clone(),
            output::significant(weight),
            percent(share(bit_use.n_owners)),
            output::grouped(bit_use.n_explained),
            output::grouped(bit_use.n_spoiled),
            if *needed { String::new() } else { "not needed".to_owned() },
        ]);
    }
    table.write(&mut out)?;
    writeln!(out, "explains and spoils: of {}", count(verdict.n_triplets, "triplet"))?;
    out.flush()?;
    Ok(())
}
