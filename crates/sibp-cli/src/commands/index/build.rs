//! Makes an index file of codes, a chunk at a time (`sibp index build`).

use super::{Talk, check_name};
use crate::commands::search::at_least_one;
use crate::input::{CodeChunks, IdArgs};
use sibp::index::IndexWriter;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  sibp index build codes.npy -o codes.sibx
  sibp index build codes.npy --ids ids.txt --bits 30 -o codes.sibx

Codes are packed rows, as `sibp encode` and numpy's packbits make them, or columns of 0 and 1;
values that are all 0 or 1 are taken for columns unless --bits says otherwise. Ids are row
numbers if not given. Codes of any number are read and written in chunks.";

/// `sibp index build CODES -o INDEX`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Codes: .npy, .csv, .tsv or .parquet
    codes: PathBuf,
    #[command(flatten)]
    ids: IdArgs,
    /// Bits a code, if the last byte is not full [default: all bits of the bytes]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    bits: Option<usize>,
    /// Where to write the index (.sibx)
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    talk: Talk,
}

/// Builds; the file appears when it is complete.
pub fn run(args: &Args) -> anyhow::Result<()> {
    check_name(&args.out)?;
    let mut chunks = CodeChunks::open(&args.codes, args.bits)?;
    let n_bits = chunks.n_bits();
    let ids = args.ids.read_distinct()?;
    let mut writer = match &ids {
        Some(ids) => IndexWriter::create_with_ids(&args.out, n_bits, ids)?,
        None => IndexWriter::create(&args.out, n_bits)?,
    };
    let mut n_rows = 0;
    while let Some(chunk) = chunks.next() {
        let chunk = chunk?;
        n_rows += chunk.n_objects();
        if ids.as_ref().is_some_and(|ids| ids.len() < n_rows) {
            // The rest is only counted, for the message.
            n_rows += chunks.try_fold(0, |n, chunk| chunk.map(|chunk| n + chunk.n_objects()))?;
            break;
        }
        writer.append(&chunk, None)?;
    }
    args.ids.check_count(ids.as_deref(), &args.codes, n_rows)?;
    writer.finish()?;
    args.talk.written(&args.out, n_rows, n_bits)
}
