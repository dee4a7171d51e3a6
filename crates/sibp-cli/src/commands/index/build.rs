//! Makes an index file of codes, a chunk at a time (`sibp index build`).

use super::{MadeBy, Talk, check_name};
use crate::commands::search::at_least_one;
use crate::failure::usage;
use crate::input::{CodeSource, DescribedArgs, looks_like_index};
use crate::writing::{ForceArgs, Kind, Writing};
use sibp::index::IndexWriter;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  sibp index build bits.npy -o codes.sibx
  sibp index build codes.npy --ids ids.txt --bits 30 -o codes.sibx
  sibp index build codes.npy --model m.sibp -o codes.sibx
  sibp index build bits.csv --id-column sku --keep title,price -o codes.sibx

`sibp encode m.sibp X.npy -o codes.sibx` makes an index directly, and records its width and its
model. Other codes are columns of 0 and 1, or packed rows, as `sibp encode` and numpy's packbits
make them; packed rows do not store how many bits they have, so --bits or --model must. Ids are
texts or whole numbers; they are row numbers if not given. Any number of codes is read and
written in chunks.";

/// `sibp index build CODES -o INDEX`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Codes: .npy, .csv, .tsv or .parquet
    codes: PathBuf,
    /// Bits per code; packed codes do not store it
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    bits: Option<usize>,
    #[command(flatten)]
    made_by: MadeBy,
    /// Where to write the index (.sibx)
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    talk: Talk,
    #[command(flatten)]
    described: DescribedArgs,
    #[command(flatten)]
    force: ForceArgs,
}

/// Builds; the file appears when it is complete.
pub fn run(args: &Args) -> anyhow::Result<()> {
    check_name(&args.out)?;
    let read = [&args.codes].into_iter().chain(&args.described.ids).chain(&args.made_by.model);
    Writing::reading(read, args.force).check(&args.out, Kind::Index)?;
    if looks_like_index(&args.codes) {
        return Err(usage(format!(
            "{} is an index already; add it to another with `sibp index add`",
            args.codes.display()
        )));
    }
    let made_by = args.made_by.load()?;
    let bits = made_by.map(|(n_bits, _)| n_bits).or(args.bits);
    if let (Some(n_bits), Some(given)) = (made_by.map(|(n_bits, _)| n_bits), args.bits.filter(|&n| Some(n) != bits)) {
        return Err(usage(format!("--bits {given}: codes of the model have {n_bits}")));
    }
    let options = args.described.options();
    let mut source = CodeSource::open(&args.codes, bits, &options)?;
    let n_bits = source.n_bits();
    let mut described = args.described.open(&args.codes, &options)?;
    let writer = match &described.numbers {
        Some(ids) => IndexWriter::create_with_ids(&args.out, n_bits, ids)?,
        None => IndexWriter::create(&args.out, n_bits)?,
    };
    let mut writer =
        writer.encoder(made_by.map(|(_, encoder)| encoder)).columns(described.columns.clone(), described.named)?;
    let mut n_rows = 0;
    while let Some(batch) = source.next() {
        let batch = batch?;
        n_rows += batch.codes.n_objects();
        let texts = described.take(batch.codes.n_objects(), &batch.chunk)?;
        if described.is_short() {
            // The rest is only counted, for the message.
            n_rows += source.try_fold(0, |n, batch| batch.map(|batch| n + batch.codes.n_objects()))?;
            break;
        }
        writer.append_with_texts(&batch.codes, None, texts.as_ref())?;
    }
    described.check_count(&args.codes, n_rows, "code")?;
    writer.finish()?;
    args.talk.written(&args.out, n_rows, n_bits)
}
