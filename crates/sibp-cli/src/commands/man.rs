//! Prints the manual page (`sibp man`), or writes one page a subcommand into a folder.

use crate::cli::Cli;
use anyhow::Context;
use clap::CommandFactory;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  sibp man | man -l -
  sibp man -o ~/.local/share/man/man1";

/// `sibp man [-o FOLDER]`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Write sibp.1 and a page for each subcommand into this folder
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// Prints the page, or writes all pages.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page)?;
        std::io::stdout().write_all(&page)?;
        return Ok(());
    };
    std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot make the folder", folder.display()))?;
    clap_mangen::generate_to(Cli::command(), folder)
        .with_context(|| format!("{}: cannot write the pages", folder.display()))
}
