//! Lists the subcommands and what `sibp --help` says.

use crate::commands;
use clap::{Parser, Subcommand};

const ABOUT: &str = "Tell sibp which things are alike; it learns short binary codes, decides how many bits they need, \
                     and searches them.";

const AFTER: &str = "\
Example:
  sibp demo
  sibp fit X.npy --labels y.npy --seed 1 -o m.sibp
  sibp encode m.sibp X.npy -o codes.sibx
  sibp search codes.sibx --id 17 -k 10

Results go to stdout, messages to stderr; --json makes results machine-readable.
Exit codes: 0 success, 1 an error in the data or the run, 2 wrong options.
Inputs are .npy, .csv, .tsv or .parquet; rows count from 0.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "sibp", version, about = ABOUT, after_help = AFTER, propagate_version = false)]
#[command(subcommand_required = true, arg_required_else_help = true, max_term_width = 110)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// One variant a subcommand, one file each.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Learn codes for handwritten digits, compare and search them, write report.html; needs no files
    Demo(commands::demo::Args),
    /// Make triplets from labels or from answers to `sibp page`, check files of judgements, convert files of other
    /// tools
    Triplets(commands::triplets::Args),
    /// Learn codes from inputs and labels or triplets
    Fit(Box<commands::fit::Args>),
    /// Describe a model file
    Inspect(commands::inspect::Args),
    /// Merge chains that were run separately (`fit --chain K/N`) into one model
    Merge(commands::merge::Args),
    /// Write a report on a model as a single HTML file
    Report(commands::report::Args),
    /// Serve a page on this machine: look at codes, search them, ask people questions
    Page(Box<commands::page::Args>),
    /// Compute the codes of objects, seen or unseen
    Encode(commands::encode::Args),
    /// Fit classic hashes (attributes, spectral, itq, lsh, sdh, hcsdh), or encode with one
    Hash(commands::hash::Args),
    /// Extend codes with the bits that new objects need; old bits do not change
    Extend(commands::extend::Args),
    /// Show what each bit does, and drop those that are not needed
    Prune(commands::prune::Args),
    /// Build, change or describe an index file: codes that are searched in place
    Index(commands::index::Args),
    /// Find the codes nearest to queries, exactly
    Search(commands::search::Args),
    /// Write codes for faiss, numpy, PostgreSQL or Parquet readers, or the encoder of a model
    Export(commands::export::Args),
    /// Predict labels by a vote of the nearest codes
    Predict(commands::predict::Args),
    /// Give the probability that an object is more like a second than like a third
    Prefer(commands::prefer::Args),
    /// Explain why two objects are near or far: bits that agree and differ, and what drives them
    Explain(commands::explain::Args),
    /// Choose the questions whose answers would be most informative
    Ask(commands::ask::Args),
    /// Measure codes: k-NN accuracy, precision, mean average precision, triplet agreement
    Eval(commands::eval::Args),
    /// Run an experiment from the paper and write its figure and numbers
    Reproduce(commands::reproduce::Args),
    /// Check the samplers with exact and statistical tests
    Verify(commands::verify::Args),
    /// Print a completion script for a shell
    Completions(commands::completions::Args),
    /// Print the manual page
    Man(commands::man::Args),
}
