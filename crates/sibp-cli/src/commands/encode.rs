//! Gives codes to objects, seen or unseen, a chunk of rows at a time (`sibp encode`).

use crate::failure::usage;
use crate::model::{EncodeArgs, Model};
use crate::output;
use crate::stream::FileCoder;
use clap::ValueEnum;
use serde_json::json;
use sibp::codes::Codes;
use sibp::data::{ColumnRef, NpyWriter, ReadOptions, RowChunks};
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  sibp encode m.sibp X.npy -o codes.npy
  sibp encode m.sibp X.npy --format bits -o bits.npy
  sibp encode m.sibp --training -o database.npy

Packed rows are those of numpy's packbits: bit 0 is the highest bit of byte 0. Files of any
length are read and written in chunks.";

/// Rows read, encoded and written at once.
const CHUNK: usize = 4096;

/// `sibp encode MODEL INPUTS -o CODES`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// The model (.sibp) or hash (.sibh)
    model: PathBuf,
    /// Inputs of the objects, with the columns it was fitted to
    #[arg(required_unless_present = "training")]
    inputs: Option<PathBuf>,
    /// Write the codes of the objects that the model was fitted to, as --training-codes says; needs no inputs
    #[arg(long, conflicts_with = "inputs")]
    training: bool,
    /// Where to write the codes (.npy)
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Packed bytes, or one column of 0 and 1 for each bit
    #[arg(long, value_enum, default_value = "packed")]
    format: Format,
    /// Column of the inputs file that holds ids and is no input
    #[arg(long, value_name = "COLUMN")]
    id_column: Option<String>,
    /// Column of the inputs file that holds labels and is no input
    #[arg(long, value_name = "COLUMN")]
    label_column: Option<String>,
    /// Threads; 0 takes all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Say nothing on stderr
    #[arg(short, long)]
    quiet: bool,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    encode: EncodeArgs,
}

/// How codes are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// ceil(bits / 8) bytes a row
    Packed,
    /// bits bytes a row, each 0 or 1
    Bits,
}

/// Encodes chunk by chunk; the output appears when it is complete.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let Some(inputs) = &args.inputs else { return write_training(args) };
    let encoder = FileCoder::open(&args.model, &args.encode, args.threads)?;
    let column = |name: &Option<String>| name.as_deref().map(ColumnRef::from);
    let options = ReadOptions {
        id_column: column(&args.id_column),
        label_column: column(&args.label_column),
        ..ReadOptions::default()
    };
    let n_rows = write_codes(&encoder, inputs, &options, &args.out, args.format)?;
    say(args, n_rows, encoder.coder.n_bits())
}

/// Encodes a file of inputs chunk by chunk, and says how many rows it has.
pub fn write_codes(
    coder: &FileCoder,
    inputs: &Path,
    options: &ReadOptions,
    out: &Path,
    format: Format,
) -> anyhow::Result<usize> {
    let chunks = RowChunks::open(inputs, options, CHUNK)?;
    coder.check_inputs(chunks.n_inputs(), inputs)?;
    coder.check_length(chunks.n_objects())?;
    let mut writer = CodeWriter::create(out, format, coder.coder.n_bits())?;
    for chunk in chunks {
        writer.write(&coder.encode(&chunk?, writer.n_rows, inputs)?)?;
    }
    coder.check_length(Some(writer.n_rows))?;
    writer.finish(inputs)
}

fn write_training(args: &Args) -> anyhow::Result<()> {
    let coder = Model::load(&args.model)?.coder(&args.encode)?;
    let codes = coder.database();
    let mut writer = CodeWriter::create(&args.out, args.format, codes.n_bits())?;
    writer.write(codes)?;
    say(args, writer.finish(&args.model)?, codes.n_bits())
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

/// Writes codes in chunks; the file appears when it is complete.
struct CodeWriter {
    file: NpyWriter<u8>,
    format: Format,
    n_rows: usize,
}

impl CodeWriter {
    /// Begins a file of codes of `n_bits` bits.
    fn create(path: &Path, format: Format, n_bits: usize) -> anyhow::Result<Self> {
        if !crate::input::looks_like_codes(path) {
            return Err(usage(format!("{}: codes are written to .npy", path.display())));
        }
        let n_columns = match format {
            Format::Packed => n_bits.div_ceil(8),
            Format::Bits => n_bits,
        };
        Ok(Self { file: NpyWriter::create(path, n_columns)?, format, n_rows: 0 })
    }

    /// Appends rows.
    fn write(&mut self, codes: &Codes) -> anyhow::Result<()> {
        match self.format {
            Format::Packed => self.file.write_rows(codes.bytes())?,
            Format::Bits => self.file.write_rows(&unpacked(codes))?,
        }
        self.n_rows += codes.n_objects();
        Ok(())
    }

    /// Puts the file in its place and says how many rows it has; `source` without rows gives none.
    fn finish(self, source: &Path) -> anyhow::Result<usize> {
        if self.n_rows == 0 {
            anyhow::bail!("{}: there are no rows", source.display());
        }
        self.file.finish()?;
        Ok(self.n_rows)
    }
}

fn unpacked(codes: &Codes) -> Vec<u8> {
    let rows = 0..codes.n_objects();
    rows.flat_map(|row| (0..codes.n_bits()).map(move |bit| u8::from(codes.get(row, bit)))).collect()
}
