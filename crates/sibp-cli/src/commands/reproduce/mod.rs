//! Runs an experiment of the paper and writes its figure and numbers (`sibp reproduce`).

mod fig2;
mod fig3;
mod learn;
mod results;

use crate::output;
use anyhow::Context;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  sibp reproduce fig2 --out figures
  sibp reproduce fig3 --out figures --seed 3

Numbers go to stdout and, with the figure as SVG and PNG, into the folder. The same seed gives
the same numbers on any number of threads.";

/// `sibp reproduce NAME --out DIR`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    #[command(subcommand)]
    which: Which,
}

#[derive(Debug, clap::Subcommand)]
enum Which {
    /// Codes of 150 points of 10 categories under five models (Figure 2)
    #[command(after_help = "Example:\n  sibp reproduce fig2 --out figures")]
    Fig2(FigureArgs),
    /// Five given bits and what both supervised models add to them (Figure 3)
    #[command(after_help = "Example:\n  sibp reproduce fig3 --out figures")]
    Fig3(FigureArgs),
}

/// What all figures of synthetic data take.
#[derive(Debug, clap::Args)]
pub struct FigureArgs {
    /// Folder to write into; made if it is not there
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Source of the points and of all chains
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Sweeps of every chain
    #[arg(long, default_value_t = 1000)]
    pub sweeps: u64,
    /// Chains of every model; the best one is shown
    #[arg(long, default_value_t = 2)]
    pub chains: usize,
    /// Near and far objects of every anchor (the paper's L); all pairs of them are triplets
    #[arg(long, default_value_t = 15)]
    pub per_object: usize,
    /// Threads; 0 takes all cores
    #[arg(long, default_value_t = 0)]
    pub threads: usize,
    /// Say nothing on stderr but warnings and errors
    #[arg(short, long)]
    pub quiet: bool,
}

impl FigureArgs {
    fn say(&self, text: impl std::fmt::Display) {
        if !self.quiet {
            output::say(text);
        }
    }
}

/// Runs the chosen experiment.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let (Which::Fig2(figure) | Which::Fig3(figure)) = &args.which;
    // A folder that cannot be made is found out now, not after the work.
    let folder = &figure.out;
    std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot make the folder", folder.display()))?;
    match &args.which {
        Which::Fig2(args) => fig2::run(args),
        Which::Fig3(args) => fig3::run(args),
    }
}
