//! Prints a completion script for a shell (`sibp completions`).

use crate::cli::Cli;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;

const EXAMPLE: &str = "\
Example:
  sibp completions bash > ~/.local/share/bash-completion/completions/sibp";

/// `sibp completions SHELL`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// The shell
    shell: Shell,
}

/// Prints the script to stdout.
pub fn run(args: &Args) -> anyhow::Result<()> {
    // Into a buffer first: the generator panics when its writer fails, and a closed pipe is not an error.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "sibp", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(())
}
