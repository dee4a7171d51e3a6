//! Builds, changes and describes index files (`sibp index`).

mod build;
mod change;
mod info;

use crate::failure::usage;
use crate::input::looks_like_index;
use crate::model::{CodeArg, EncodeArgs};
use crate::output;
use crate::stream::coder_of;
use clap::Subcommand;
use serde_json::json;
use sibp::fingerprint::Fingerprint;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  sibp index build bits.npy -o codes.sibx
  sibp search codes.sibx queries.npy -k 10
  sibp index add codes.sibx more.sibx
  sibp index remove codes.sibx 17 42
  sibp index extend codes.sibx more-bits.npy
  sibp index info codes.sibx --verify

An index file is searched without being read first, at any size. Changes write a new file and
put it in place of the old one when it is complete: after an interruption, one of the two is there.
Two changes at the same time lose nothing: the second waits for the first.";

/// `sibp index build|add|remove|extend|info`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make an index file from codes
    Build(build::Args),
    /// Add codes
    Add(change::AddArgs),
    /// Remove codes by their ids
    Remove(change::RemoveArgs),
    /// Append bits to all codes; the existing bits do not change
    Extend(change::ExtendArgs),
    /// Describe an index file
    Info(info::Args),
}

/// Runs the chosen action.
pub fn run(args: &Args) -> anyhow::Result<()> {
    match &args.action {
        Action::Build(args) => build::run(args),
        Action::Add(args) => change::add(args),
        Action::Remove(args) => change::remove(args),
        Action::Extend(args) => change::extend(args),
        Action::Info(args) => info::run(args),
    }
}

/// How much is said about what was written.
#[derive(Debug, Clone, Copy, clap::Args)]
struct Talk {
    /// Print nothing to stderr
    #[arg(short, long)]
    quiet: bool,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
}

impl Talk {
    fn written(self, path: &Path, n_codes: usize, n_bits: usize) -> anyhow::Result<()> {
        let path = path.display();
        if self.json {
            return output::print_json(&json!({ "out": path.to_string(), "codes": n_codes, "bits": n_bits }));
        }
        if !self.quiet {
            output::say(format!("{path}: {} of {}", output::count(n_codes, "code"), output::count(n_bits, "bit")));
        }
        Ok(())
    }
}

/// The model that makes codes of this kind.
#[derive(Debug, clap::Args)]
struct MadeBy {
    /// The model (.sibp), encoder (.sibe) or hash (.sibh) that made the codes, which the index then records
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,
    /// Which of the model's draws made them
    #[arg(long, value_enum, default_value = "suited", hide_default_value = true, requires = "model")]
    code: CodeArg,
}

impl MadeBy {
    /// The width of its codes and its fingerprint.
    fn load(&self) -> anyhow::Result<Option<(usize, Fingerprint)>> {
        let encode = EncodeArgs { code: self.code, ..EncodeArgs::default() };
        let coder = self.model.as_ref().map(|path| coder_of(path, &encode)).transpose()?;
        Ok(coder.map(|coder| (coder.n_bits(), coder.fingerprint())))
    }
}

/// Other commands tell an index by its name, so it must have one of that kind.
fn check_name(path: &Path) -> anyhow::Result<()> {
    if looks_like_index(path) { Ok(()) } else { Err(usage(format!("{}: indexes end in .sibx", path.display()))) }
}
