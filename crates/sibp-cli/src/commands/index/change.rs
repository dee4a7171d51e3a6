//! Changes an index file: adds codes, removes codes, appends bits (`sibp index add|remove|extend`).

use super::{MadeBy, Talk, check_name};
use crate::commands::search::at_least_one;
use crate::failure::usage;
use crate::input::{
    CodeChunks, CodeSource, Described, DescribedArgs, Origin, Wanted, check_encoders, looks_like_index, read_wanted_ids,
};
use crate::output;
use crate::writing::{ForceArgs, Kind, Writing, is_same};
use anyhow::{Context, bail};
use serde_json::json;
use sibp::codes::Codes;
use sibp::data::ReadOptions;
use sibp::index::{Added, IndexChange, IndexFileError, Texts};
use std::path::{Path, PathBuf};

const ADD: &str = "\
Example:
  sibp index add codes.sibx more.sibx
  sibp index add codes.sibx more.npy --ids more-ids.txt

Without ids the new codes get the numbers after the largest id ever used; the id of a removed
code is not handed out again; --json prints the ids. A second `add` waits for the first. The new
file is written beside the old one as a stream, so indexes may be larger than memory.";

const REMOVE: &str = "\
Example:
  sibp index remove codes.sibx 17 42
  sibp index remove codes.sibx --ids gone.txt

When one id is not in the index, nothing is removed.";

const EXTEND: &str = "\
Example:
  sibp index extend codes.sibx more-bits.npy

Row i of the new bits goes to row i of the index, in the order in which codes were added. Old
bits come first and keep their places: codes of the old width are prefixes of the new ones. What
makes codes of the new width is then unknown, unless --model is given.";

/// `sibp index add INDEX CODES`
#[derive(Debug, clap::Args)]
#[command(after_help = ADD)]
pub struct AddArgs {
    /// The index
    index: PathBuf,
    /// Codes of the same width: another index, packed rows, or columns of 0 and 1
    codes: PathBuf,
    /// Accept codes that were made by another model, or that do not record what made them
    #[arg(long)]
    any_encoder: bool,
    #[command(flatten)]
    change: Change,
    #[command(flatten)]
    described: DescribedArgs,
}

/// `sibp index remove INDEX ID...`
#[derive(Debug, clap::Args)]
#[command(after_help = REMOVE)]
pub struct RemoveArgs {
    /// The index
    index: PathBuf,
    /// Ids of codes to remove
    #[arg(value_name = "ID")]
    given: Vec<String>,
    /// Ids of codes to remove, one per row: .npy, or text with one per line (.txt, .csv, .tsv)
    #[arg(long, value_name = "FILE")]
    ids: Option<PathBuf>,
    #[command(flatten)]
    change: Change,
}

/// `sibp index extend INDEX BITS`
#[derive(Debug, clap::Args)]
#[command(after_help = EXTEND)]
pub struct ExtendArgs {
    /// The index
    index: PathBuf,
    /// New bits, one row per code: packed rows or columns of 0 and 1
    more: PathBuf,
    /// Number of new bits; packed rows do not store it
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    bits: Option<usize>,
    #[command(flatten)]
    made_by: MadeBy,
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
    #[command(flatten)]
    force: ForceArgs,
}

impl Change {
    /// Begins to change the index, which may be written over; other files that are read may not.
    fn begin<'a>(&self, index: &Path, read: impl IntoIterator<Item = &'a PathBuf>) -> anyhow::Result<IndexChange> {
        let out = self.path(index);
        check_name(out)?;
        if !is_same(out, index) {
            Writing::reading(read, self.force).check(out, Kind::Index)?;
        }
        let mut waiting = || {
            if !self.talk.quiet {
                output::say(format!("{}: another process changes it; waiting", index.display()));
            }
        };
        Ok(IndexChange::begin(index, self.out.as_deref(), &mut waiting)?)
    }

    fn path<'a>(&'a self, old: &'a Path) -> &'a Path {
        self.out.as_deref().unwrap_or(old)
    }

    fn written(&self, done: &Added, old: &Path) -> anyhow::Result<()> {
        self.talk.written(self.path(old), done.n_codes, done.n_bits)
    }
}

/// Adds codes.
pub fn add(args: &AddArgs) -> anyhow::Result<()> {
    let change = args.change.begin(&args.index, [&args.codes].into_iter().chain(&args.described.ids))?;
    let index = change.index();
    let options = args.described.options();
    let mut source = CodeSource::open(&args.codes, Some(index.n_bits()), &options)?;
    let (stored, new) = (index.encoder(), source.encoder());
    let (of_index, of_codes) =
        (Origin { path: &args.index, encoder: stored }, Origin { path: &args.codes, encoder: new });
    check_encoders(of_index, of_codes, args.any_encoder)?;
    let mut described = described(args, &source, &options)?;
    let is_named = index.is_named();
    if is_named != described.named {
        bail!("{}: {}", args.index.display(), if is_named { NAMED } else { NUMBERED });
    }
    let numbers = described.numbers.clone();
    let (mut n_new, mut names) = (0, Vec::new());
    let mut next = || -> anyhow::Result<Option<(Codes, Option<Texts>)>> {
        let Some(batch) = source.next().transpose()? else {
            described.check_count(&args.codes, n_new, "code")?;
            return Ok(None);
        };
        n_new += batch.codes.n_objects();
        let texts = match batch.texts {
            Some(texts) => Some(texts),
            None => described.take(batch.codes.n_objects(), &batch.chunk)?,
        };
        if described.is_short() {
            // The rest is only counted, for the message.
            n_new += source.try_fold(0, |n, batch| batch.map(|batch| n + batch.codes.n_objects()))?;
            described.check_count(&args.codes, n_new, "code")?;
        }
        let of = texts.iter().filter(|_| is_named);
        names.extend(of.flat_map(|texts| (0..texts.len()).map(|row| texts.cell(row, 0).to_owned())));
        Ok(Some((batch.codes, texts)))
    };
    let batches = std::iter::from_fn(|| next().map_err(Failed::Reading).transpose());
    let done = match change.add(batches, numbers.as_deref()) {
        Ok(done) => done,
        Err(Failed::Reading(error)) => return Err(error),
        Err(Failed::Writing(error)) => return Err(error).with_context(|| args.index.display().to_string()),
    };
    if args.change.talk.json {
        let ids = match (numbers, done.first_id) {
            _ if is_named => json!(names),
            (Some(numbers), _) => json!(numbers),
            (None, first) => json!((0..n_new as u64).map(|at| first.unwrap_or(0) + at).collect::<Vec<_>>()),
        };
        let out = args.change.path(&args.index).display().to_string();
        return output::print_json(&json!({ "out": out, "codes": done.n_codes, "bits": done.n_bits, "ids": ids }));
    }
    args.change.written(&done, &args.index)
}

const NAMED: &str = "its ids are texts: give those of the new codes with --ids or --id-column";
const NUMBERED: &str = "its ids are numbers, but those of the new codes are texts";

/// The ids and texts of the new codes: those of an index come with its codes.
fn described(args: &AddArgs, source: &CodeSource, options: &ReadOptions) -> anyhow::Result<Described> {
    let Some(index) = source.index() else { return args.described.open(&args.codes, options) };
    if args.described.ids.is_some() || args.described.id_column.is_some() || !args.described.keep.is_empty() {
        return Err(usage(format!("{} brings its own ids and columns", args.codes.display())));
    }
    let numbers = (!index.ids_are_row_numbers() && !index.is_named()).then(|| index.ids().collect());
    Ok(Described::brought(numbers, index.is_named()))
}

/// Why codes were not added.
enum Failed {
    Reading(anyhow::Error),
    Writing(IndexFileError),
}

impl From<IndexFileError> for Failed {
    fn from(error: IndexFileError) -> Self {
        Self::Writing(error)
    }
}

/// Removes codes.
pub fn remove(args: &RemoveArgs) -> anyhow::Result<()> {
    if args.given.is_empty() && args.ids.is_none() {
        return Err(usage("which codes? give their ids, or --ids FILE"));
    }
    let change = args.change.begin(&args.index, &args.ids)?;
    let named = change.index().is_named();
    let wanted = args.ids.as_ref().map(|path| read_wanted_ids(path, named)).transpose()?;
    let done = match (named, wanted) {
        (true, Some(Wanted::Numbers(ids))) => change.remove_named(&joined(&args.given, ids.iter().map(u64::to_string))),
        (true, Some(Wanted::Texts(ids))) => change.remove_named(&joined(&args.given, ids)),
        (true, None) => change.remove_named(&args.given),
        (false, wanted) => {
            let mut ids = numbers(&args.given)?;
            if let Some(Wanted::Numbers(more)) = wanted {
                ids.extend(more);
            }
            change.remove(&ids)
        }
    };
    args.change.written(&done.with_context(|| args.index.display().to_string())?, &args.index)
}

fn joined(given: &[String], more: impl IntoIterator<Item = String>) -> Vec<String> {
    given.iter().cloned().chain(more).collect()
}

/// Ids that must be numbers.
pub fn numbers(texts: &[String]) -> anyhow::Result<Vec<u64>> {
    let number = |text: &String| text.parse::<u64>().map_err(|_| usage(format!("'{text}' is no id: ids are numbers")));
    texts.iter().map(number).collect()
}

/// Appends bits to every code.
pub fn extend(args: &ExtendArgs) -> anyhow::Result<()> {
    let made_by = args.made_by.load()?;
    let change = args.change.begin(&args.index, [&args.more].into_iter().chain(&args.made_by.model))?;
    if looks_like_index(&args.more) {
        return Err(usage(format!("{}: new bits are packed rows or columns of 0 and 1", args.more.display())));
    }
    let more = CodeChunks::open(&args.more, args.bits, &ReadOptions::default())?;
    let (n_more, n_bits) = (more.n_bits(), change.index().n_bits() + more.n_bits());
    if let Some((width, _)) = made_by.filter(|&(width, _)| width != n_bits) {
        bail!("{} would have codes of {n_bits} bits, but the model makes codes of {width}", args.index.display());
    }
    let was_known = change.index().encoder().is_some();
    let batches = more.map(|codes: anyhow::Result<Codes>| codes.map_err(Failed::Reading));
    let done = match change.extend(n_more, batches, made_by.map(|(_, encoder)| encoder)) {
        Ok(done) => done,
        Err(Failed::Reading(error)) => return Err(error),
        Err(Failed::Writing(error)) => return Err(error).with_context(|| args.more.display().to_string()),
    };
    if was_known && made_by.is_none() && !args.change.talk.quiet {
        output::warn("the index does not know any more what makes its codes; --model says it");
    }
    args.change.written(&done, &args.index)
}
