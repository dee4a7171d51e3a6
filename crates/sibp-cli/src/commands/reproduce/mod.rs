//! Runs an experiment of the paper and writes its figure or table (`sibp reproduce`).

mod fig2;
mod fig3;
mod kept;
mod learn;
mod results;
mod tables;

use crate::output;
use anyhow::Context;
use std::path::{Path, PathBuf};
use tables::{Table, TableArgs};

const EXAMPLE: &str = "\
Example:
  sibp reproduce fig2 --out figures
  sibp reproduce table1 --out tables --dataset digits
  sibp reproduce table1 --out tables --data AwA

Numbers go to stdout and, with a picture as SVG and PNG, into the folder. The same seed gives
the same numbers on any number of threads.";

const TABLES: &str = "\
Example:
  sibp reproduce table1 --out tables --dataset digits
  sibp reproduce table1 --out tables --data AwA

The folder of --data is that of the data set (https://cvml.ista.ac.at/AwA/: classes.txt,
predicates.txt, predicate-matrix-binary.txt, and Features/cq-hist with a text file an image in a
folder a class), of which splits are drawn as in the paper: 60 images a class, half to learn from.
Or it holds features.npy (a row an image), labels.npy (class ids, 1 for the first line of
classes.txt), the three files above and split files (columns repeat, role, row). Every method on every repeat is kept in a file of its own under
DIR/results as soon as it is done: after Ctrl-C or a crash the same command goes on from there, and
tables in the same folder share what they have in common.";

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
    /// k-NN accuracy of all methods, with tests of the paper's orderings (Table 1)
    #[command(after_help = TABLES)]
    Table1(TableArgs),
    /// Linear SVM against 30-NN of Super Probit codes (Table 2)
    #[command(after_help = TABLES)]
    Table2(TableArgs),
    /// Last draw against the average over draws, Super Probit IBP (Table 3)
    #[command(after_help = TABLES)]
    Table3(TableArgs),
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
    match &args.which {
        Which::Fig2(args) => make(&args.out).and_then(|()| fig2::run(args)),
        Which::Fig3(args) => make(&args.out).and_then(|()| fig3::run(args)),
        Which::Table1(args) => tables::run(Table::One, args),
        Which::Table2(args) => tables::run(Table::Two, args),
        Which::Table3(args) => tables::run(Table::Three, args),
    }
}

/// A folder that cannot be made is found out before the work.
fn make(folder: &Path) -> anyhow::Result<()> {
    let folder = folder.join("results");
    std::fs::create_dir_all(&folder).with_context(|| format!("{}: cannot make the folder", folder.display()))
}
