//! Gives codes to objects, seen or unseen, a chunk of rows at a time (`sibp encode`).

use crate::failure::usage;
use crate::input::{ChunkTexts, Described, DescribedArgs};
use crate::model::{EncodeArgs, Model};
use crate::output;
use crate::stream::FileCoder;
pub use crate::write_codes::Format;
use crate::write_codes::{CodeWriter, kind_of};
use crate::writing::{ForceArgs, Writing};
use serde_json::json;
use sibp::data::{ColumnRef, ReadOptions};
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  sibp encode m.sibp X.npy -o codes.sibx
  sibp encode m.sibp things.csv --id-column sku --keep title,price -o things.sibx
  sibp encode m.sibp X.npy --ids ids.txt -o codes.csv
  sibp encode m.sibp X.npy --format bits -o bits.npy
  sibp encode m.sibp --training -o database.sibx
  sibp encode m.sibe X.npy -o codes.npy

An index (.sibx) can be searched immediately; it stores the width of its codes, the model that
made them, ids and kept columns. Arrays (.npy) hold only codes; tables (.csv) have ids, kept
columns and a column of 0 and 1 for each bit. Packed rows are those of numpy's packbits: bit 0 is
the highest bit of byte 0. Files of any length are read and written in chunks.";

/// Rows read, encoded and written at once.
const CHUNK: usize = 4096;

/// `sibp encode MODEL INPUTS -o CODES`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// The model (.sibp), encoder (.sibe) or hash (.sibh)
    model: PathBuf,
    /// Inputs of the objects, with the columns it was fitted to
    #[arg(required_unless_present = "training")]
    inputs: Option<PathBuf>,
    /// Write the codes of the objects that the model was fitted to, as --training-codes says; needs no inputs
    #[arg(long, conflicts_with = "inputs")]
    training: bool,
    /// Where to write the codes: an index (.sibx), an array (.npy) or a table (.csv)
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// In arrays: packed bytes, or one column of 0 and 1 for each bit
    #[arg(long, value_enum, default_value = "packed")]
    format: Format,
    /// Column of the inputs file that holds labels and is not an input
    #[arg(long, value_name = "COLUMN")]
    label_column: Option<String>,
    /// Number of threads; 0 uses all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Print nothing to stderr
    #[arg(short, long)]
    quiet: bool,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    described: DescribedArgs,
    #[command(flatten)]
    encode: EncodeArgs,
    #[command(flatten)]
    force: ForceArgs,
}

/// Where codes go.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The file.
    pub out: &'a Path,
    /// How an array holds them.
    pub format: Format,
    /// Whether nothing is said about the inputs.
    pub quiet: bool,
}

/// Encodes chunk by chunk; the output appears when it is complete.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let read = [&args.model].into_iter().chain(&args.inputs).chain(&args.described.ids).chain(&args.encode.given_bits);
    Writing::reading(read, args.force).check(&args.out, kind_of(&args.out)?)?;
    let Some(inputs) = &args.inputs else { return write_training(args) };
    let encoder = FileCoder::open(&args.model, &args.encode, args.threads)?;
    let label_column = args.label_column.as_deref().map(ColumnRef::from);
    let options = ReadOptions { label_column, ..args.described.options() };
    let to = Target { out: &args.out, format: args.format, quiet: args.quiet };
    let n_rows = write_codes(&encoder, inputs, &options, &args.described, to)?;
    say(args, n_rows, encoder.coder.n_bits())
}

/// Encodes a file of inputs chunk by chunk, and says how many rows it has.
pub fn write_codes(
    coder: &FileCoder,
    inputs: &Path,
    options: &ReadOptions,
    described: &DescribedArgs,
    to: Target<'_>,
) -> anyhow::Result<usize> {
    let mut chunks = coder.open_rows(inputs, options, CHUNK, to.quiet)?;
    let mut described = coder.describe(inputs, options, described)?;
    let mut writer = CodeWriter::create(to.out, to.format, &coder.coder, &described)?;
    while let Some(chunk) = chunks.next().transpose().map_err(|error| coder.unread(error))? {
        let codes = coder.encode(&chunk, writer.n_rows(), inputs)?;
        writer.write(&codes, &ChunkTexts::of(&chunks, options.keep.len()), &mut described)?;
        if described.is_short() {
            // The rest is only counted, for the message.
            let n_left = chunks.try_fold(0, |n, chunk| chunk.map(|chunk| n + chunk.n_objects()))?;
            described.check_count(inputs, writer.n_rows() + n_left, "row")?;
        }
    }
    coder.check_length(Some(writer.n_rows()))?;
    writer.finish(inputs, &mut described)
}

fn write_training(args: &Args) -> anyhow::Result<()> {
    let model = Model::load(&args.model)?;
    let coder = model.coder(&args.encode)?;
    let none = ReadOptions::default();
    if args.described.id_column.is_some() && args.described.ids.is_none() || args.label_column.is_some() {
        return Err(usage("--training reads no inputs; give ids with --ids FILE"));
    }
    let mut described = match (&args.described.ids, &model.file.info.ids) {
        (None, Some(ids)) => Described::of_ids(ids),
        _ => args.described.open(&args.model, &none)?,
    };
    let mut writer = CodeWriter::create(&args.out, args.format, &coder, &described)?;
    writer.write(coder.database(), &ChunkTexts::default(), &mut described)?;
    say(args, writer.finish(&args.model, &mut described)?, coder.n_bits())
}

fn say(args: &Args, n_rows: usize, n_bits: usize) -> anyhow::Result<()> {
    if args.json {
        let out = args.out.display().to_string();
        return output::print_json(&json!({ "out": out, "objects": n_rows, "bits": n_bits }));
    }
    if !args.quiet {
        let bits = output::count(n_bits, "bit");
        output::say(format!("{}: {} of {bits}", args.out.display(), output::count(n_rows, "code")));
    }
    Ok(())
}
