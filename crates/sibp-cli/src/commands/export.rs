//! Hands codes to other programs, and encoders to other machines (`sibp export`).

mod encoder;
pub mod postgres;

use crate::choices::EncoderArg;
use crate::commands::search::at_least_one;
use crate::failure::usage;
use crate::input::{looks_like_codes, looks_like_index, read_codes};
use crate::model::CodeArg;
use crate::output;
use crate::writing::{CODES, ForceArgs, Kind, Writing};
use clap::ValueEnum;
use serde_json::json;
use sibp::data::NpyWriter;
use sibp::index::HammingIndex;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  sibp export codes.sibx --to faiss -o codes.faiss       (faiss.read_index_binary)
  sibp export codes.sibx --to npy -o codes.npy --ids ids.npy
  sibp export codes.sibx --to parquet -o codes.parquet
  sibp export codes.sibx --to postgres -o codes.sql      (psql -f codes.sql)
  sibp export m.sibp --to encoder -o m.sibe

Codes are packed bytes everywhere, bit 0 the highest bit of byte 0; bits that fill up the last
byte are 0. faiss gets an IndexBinaryFlat, in an IndexBinaryIDMap unless ids are row numbers.
Parquet gets the columns id (uint64) and code (bytes of fixed length). PostgreSQL (with pgvector)
gets the tables of sibp.postgres (Python) in a schema of their own, --name; text ids and columns too.

An encoder (.sibe) is the part of a model that computes codes: a few kilobytes, and the anchors
where inputs are similarity to anchors. `sibp encode`, `sibp search` and sibp.Encoder (Python) take it; its codes are
those of the model, and can be compared with them.";

/// Rows taken from the index at a time.
const CHUNK: usize = 1 << 16;

/// `sibp export CODES --to FORMAT -o FILE`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// An index (.sibx), or codes (.npy); with --to encoder, a model (.sibp)
    codes: PathBuf,
    /// What to write
    #[arg(long, value_enum)]
    to: Target,
    /// Where to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// With --to npy: write the ids to this .npy (uint64)
    #[arg(long, value_name = "FILE")]
    ids: Option<PathBuf>,
    /// Bits per code, for packed codes in .npy, which do not store it
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    bits: Option<usize>,
    /// With --to postgres: the schema to create
    #[arg(long, value_name = "NAME", default_value = "sibp", hide_default_value = true)]
    name: String,
    /// With --to encoder: how an object gets its bits, as in `sibp encode`
    #[arg(long, value_enum)]
    encoder: Option<EncoderArg>,
    /// With --to encoder: which draws encode, as in `sibp encode`
    #[arg(long, value_enum, default_value = "suited", hide_default_value = true)]
    code: CodeArg,
    /// Print nothing to stderr
    #[arg(short, long)]
    quiet: bool,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    force: ForceArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Target {
    /// A binary index of faiss
    Faiss,
    /// Packed rows for numpy
    Npy,
    /// A table for pandas, Polars, DuckDB, Spark
    Parquet,
    /// SQL for psql: tables for PostgreSQL with pgvector
    Postgres,
    /// The encoder of a model, without its draws and training objects
    Encoder,
}

/// Writes the file; it appears when it is complete.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if args.ids.is_some() && args.to != Target::Npy {
        return Err(usage("--ids goes with --to npy; the other formats hold the ids themselves"));
    }
    if args.name != "sibp" && args.to != Target::Postgres {
        return Err(usage("--name goes with --to postgres"));
    }
    if args.to == Target::Encoder {
        return match args.bits {
            Some(_) => Err(usage("--bits goes with codes in .npy; a model knows its width")),
            None => encoder::run(args),
        };
    }
    if args.encoder.is_some() || args.code != CodeArg::Suited {
        return Err(usage("--encoder and --code go with --to encoder; codes have been made already"));
    }
    if args.bits.is_some() && looks_like_index(&args.codes) {
        return Err(usage("--bits goes with codes in .npy; an index knows its width"));
    }
    let mut writing = Writing::reading([&args.codes], args.force);
    let kind = match args.to {
        Target::Faiss => Kind::Faiss,
        Target::Npy => CODES,
        Target::Encoder => Kind::Encoder,
        Target::Parquet => Kind::Parquet,
        Target::Postgres => Kind::Sql,
    };
    writing.check(&args.out, kind)?;
    writing.check_any(args.ids.as_ref(), Kind::Array("<u8"))?;
    let index = if looks_like_index(&args.codes) {
        // Files for other programs carry no checksum, so damage must be found here.
        HammingIndex::verify(&args.codes)?;
        HammingIndex::open(&args.codes)?
    } else {
        HammingIndex::from_codes(&read_codes(&args.codes, args.bits)?)?
    };
    if index.texts().is_some() && args.to != Target::Postgres && !args.quiet {
        output::warn("texts (ids and columns) are not exported; codes have numbers in the order of the index");
    }
    match args.to {
        Target::Faiss => index.export_faiss(&args.out)?,
        Target::Parquet => index.export_parquet(&args.out)?,
        Target::Npy => write_npy(&index, args)?,
        Target::Postgres => postgres::write(&index, &args.name, &args.out)?,
        Target::Encoder => {}
    }
    let out = args.out.display().to_string();
    if args.json {
        return output::print_json(&json!({ "out": out, "codes": index.len(), "bits": index.n_bits() }));
    }
    if !args.quiet {
        let bits = output::count(index.n_bits(), "bit");
        output::say(format!("{out}: {} of {bits}", output::count(index.len(), "code")));
    }
    Ok(())
}

fn write_npy(index: &HammingIndex, args: &Args) -> anyhow::Result<()> {
    let ids_out = args.ids.as_deref();
    for path in std::iter::once(args.out.as_path()).chain(ids_out) {
        if !looks_like_codes(path) {
            return Err(usage(format!("{}: arrays are written to .npy", path.display())));
        }
    }
    let mut codes = NpyWriter::<u8>::create(&args.out, index.n_bits().div_ceil(8))?;
    for first in (0..index.len()).step_by(CHUNK) {
        codes.write_rows(index.codes_of_rows(first..(first + CHUNK).min(index.len())).bytes())?;
    }
    match ids_out {
        Some(path) => write_ids(index, path)?,
        None if !args.quiet && !index.ids().zip(0..).all(|(id, row)| id == row) => {
            output::warn("the ids are not row numbers, and an array of codes has no place for them: --ids FILE.npy");
        }
        None => {}
    }
    Ok(codes.finish()?)
}

fn write_ids(index: &HammingIndex, path: &Path) -> anyhow::Result<()> {
    let mut writer = NpyWriter::<u64>::create_vector(path)?;
    let mut ids = index.ids();
    for _ in (0..index.len()).step_by(CHUNK) {
        writer.write_rows(&ids.by_ref().take(CHUNK).collect::<Vec<_>>())?;
    }
    Ok(writer.finish()?)
}
