//! Says what an index file holds (`sibp index info`).

use crate::output::{self, Table, grouped};
use anyhow::Context;
use serde_json::json;
use sibp::index::HammingIndex;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  sibp index info codes.sibx --verify

Without --verify only the head of the file is checked, as a search does; with it, every byte.";

/// `sibp index info INDEX`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// The index
    index: PathBuf,
    /// Read the whole file and check every byte
    #[arg(long)]
    verify: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Opens, verifies if asked, prints.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let index = HammingIndex::open(&args.index)?;
    if args.verify {
        HammingIndex::verify(&args.index)?;
    }
    let name = args.index.display().to_string();
    let n_bytes = std::fs::metadata(&args.index).with_context(|| name.clone())?.len();
    let range = index.ids().fold(None, |range: Option<(u64, u64)>, id| {
        Some(range.map_or((id, id), |(least, most)| (least.min(id), most.max(id))))
    });
    let are_rows = index.ids_are_row_numbers();
    let columns = index.texts().map_or(&[][..], |texts| &texts.columns()[usize::from(index.is_named())..]);
    if args.json {
        return output::print_json(&json!({ "file": name, "codes": index.len(), "bits": index.n_bits(),
            "bytes": n_bytes, "encoder": index.encoder().map(|encoder| encoder.hex()), "columns": columns,
            "ids_are_texts": index.is_named(), "ids_are_row_numbers": are_rows && !index.is_named(),
            "smallest_id": range.map(|r| r.0), "largest_id": range.map(|r| r.1), "verified": args.verify }));
    }
    let ids = match range {
        None => "none".into(),
        Some(_) if index.is_named() => "texts".into(),
        Some(_) if are_rows => "row numbers".into(),
        Some((least, most)) => format!("{least} to {most}"),
    };
    let mut table = Table::new(&["<", "<"]);
    table.row(["file".into(), name]);
    table.row(["codes".into(), grouped(index.len())]);
    table.row(["bits".into(), index.n_bits().to_string()]);
    table.row(["bytes".into(), grouped(n_bytes as usize)]);
    table.row(["ids".into(), ids]);
    if let Some(encoder) = index.encoder() {
        table.row(["encoder".into(), encoder.to_string()]);
    }
    if !columns.is_empty() {
        table.row(["columns".into(), columns.join(", ")]);
    }
    if args.verify {
        table.row(["verified".into(), "every byte is as it was written".into()]);
    }
    let mut out = output::stdout();
    table.write(&mut out)?;
    out.flush()?;
    Ok(())
}
