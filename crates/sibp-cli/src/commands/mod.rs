//! Holds the subcommands, one a file.

pub mod ask;
pub mod completions;
pub mod demo;
pub mod encode;
pub mod eval;
pub mod explain;
pub mod export;
pub mod extend;
pub mod fit;
pub mod hash;
pub mod index;
pub mod inspect;
pub mod man;
pub mod merge;
pub mod page;
pub mod predict;
pub mod prefer;
pub mod prune;
pub mod report;
pub mod reproduce;
pub mod search;
pub mod triplets;
pub mod verify;

use crate::cli::Command;

/// Runs the chosen subcommand.
pub fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Demo(args) => demo::run(&args),
        Command::Triplets(args) => triplets::run(&args),
        Command::Fit(args) => fit::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Page(args) => page::run(&args),
        Command::Encode(args) => encode::run(&args),
        Command::Hash(args) => hash::run(&args),
        Command::Extend(args) => extend::run(&args),
        Command::Prune(args) => prune::run(&args),
        Command::Index(args) => index::run(&args),
        Command::Search(args) => search::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Prefer(args) => prefer::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Ask(args) => ask::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}
