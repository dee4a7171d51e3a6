//! Changes an index file: adds codes, removes codes, appends bits (`sibp index add|remove|extend`).

use super::{Talk, check_name};
use crate::commands::search::at_least_one;
use crate::failure::usage;
use crate::input::{CodeChunks, IdArgs};
use anyhow::Context;
use sibp::index::HammingIndex;
use std::path::{Path, PathBuf};

const ADD: &str = "\
Example:
  sibp index add codes.sibx more.npy --ids more-ids.txt

Without --ids the new codes get the numbers after the largest id ever used; the id of a removed
code is not handed out again. The index is changed in memory, then written.";

const REMOVE: &str = "\
Example:
  sibp index remove codes.sibx 17 42
  sibp index remove codes.sibx --ids gone.txt

When one id is not in the index, nothing is removed.";

const EXTEND: &str = "\
Example:
  sibp index extend codes.sibx more-bits.npy

Row i of the new bits goes to row i of the index, in the order in which codes were added. Old
bits come first and keep their places: codes of the old width are prefixes of the new ones.";

/// `sibp index add INDEX CODES`
#[derive(Debug, clap::Args)]
#[command(after_help = ADD)]
pub struct AddArgs {
    /// The index
    index: PathBuf,
    /// Codes of the same width: packed rows or columns of 0 and 1
    codes: PathBuf,
    #[command(flatten)]
    ids: IdArgs,
    #[command(flatten)]
    change: Change,
}

/// `sibp index remove INDEX ID...`
#[derive(Debug, clap::Args)]
#[command(after_help = REMOVE)]
pub struct RemoveArgs {
    /// The index
    index: PathBuf,
    /// Ids of codes to remove
    #[arg(value_name = "ID")]
    given: Vec<u64>,
    #[command(flatten)]
    ids: IdArgs,
    #[command(flatten)]
    change: Change,
}

/// `sibp index extend INDEX BITS`
#[derive(Debug, clap::Args)]
#[command(after_help = EXTEND)]
pub struct ExtendArgs {
    /// The index
    index: PathBuf,
    /// New bits, a row a code: packed rows or columns of 0 and 1
    more: PathBuf,
    /// How many new bits, if the last byte is not full [default: all bits of the bytes]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    bits: Option<usize>,
    #[command(flatten)]
    change: Change,
}

/// Where the changed index goes.
#[derive(Debug, clap::Args)]
struct Change {
    /// Write the changed index here (.sibx) instead of in place of the old one
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    talk: Talk,
}

impl Change {
    fn open(&self, index: &Path) -> anyhow::Result<HammingIndex> {
        check_name(self.out.as_deref().unwrap_or(index))?;
        // Saving computes new checksums, so damage must be found before it: otherwise it would look sound afterwards.
        HammingIndex::verify(index)?;
        Ok(HammingIndex::open(index)?)
    }

    fn save(&self, index: &HammingIndex, old: &Path) -> anyhow::Result<()> {
        let path = self.out.as_deref().unwrap_or(old);
        index.save(path)?;
        self.talk.written(path, index.len(), index.n_bits())
    }
}

/// Adds codes.
pub fn add(args: &AddArgs) -> anyhow::Result<()> {
    let mut index = args.change.open(&args.index)?;
    let codes = CodeChunks::open(&args.codes, Some(index.n_bits()))?.whole()?;
    let ids = args.ids.read_distinct()?;
    args.ids.check_count(ids.as_deref(), &args.codes, codes.n_objects())?;
    index.add(&codes, ids.as_deref()).with_context(|| args.index.display().to_string())?;
    args.change.save(&index, &args.index)
}

/// Removes codes.
pub fn remove(args: &RemoveArgs) -> anyhow::Result<()> {
    let mut ids = args.given.clone();
    ids.extend(args.ids.read()?.unwrap_or_default());
    if ids.is_empty() {
        return Err(usage("which codes? give their ids, or --ids FILE"));
    }
    let mut index = args.change.open(&args.index)?;
    index.remove(&ids).with_context(|| args.index.display().to_string())?;
    args.change.save(&index, &args.index)
}

/// Appends bits to every code.
pub fn extend(args: &ExtendArgs) -> anyhow::Result<()> {
    let mut index = args.change.open(&args.index)?;
    let more = CodeChunks::open(&args.more, args.bits)?.whole()?;
    index.extend(&more).with_context(|| args.more.display().to_string())?;
    args.change.save(&index, &args.index)
}
