//! Runs the `sibp` command: learns short binary codes from triplets, encodes, searches, measures.

mod choices;
mod cli;
mod commands;
mod demo;
mod describe;
mod failure;
mod file_kind;
mod fit;
mod input;
mod interrupt;
mod measure;
mod model;
mod output;
mod parse;
mod progress;
mod report;
mod stream;
mod write_codes;
mod writing;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    match commands::run(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}
