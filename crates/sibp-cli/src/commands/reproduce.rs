//! Runs an experiment of the paper and writes its figure or table (`sibp reproduce`).

use crate::failure::usage;
use crate::interrupt;
use crate::output;
use crate::progress::{Bars, steps};
use sibp::method::GivenKind;
use sibp::run::Progress;
use sibp_paper::figures::{self, Figure, FigureArgs};
use sibp_paper::tables::{self, Shipped, Table, TableArgs, parse_given};
use sibp_paper::{Misuse, Talk};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

const EXAMPLE: &str = "\
Example:
  sibp reproduce fig2 --out figures
  sibp reproduce table1 --out tables --dataset digits
  sibp reproduce table1 --out tables --data AwA

Numbers go to stdout and, as CSV and with a picture as SVG, into the folder; the page is laid
out from the CSV files alone, and --render does that again. The same seed gives the same numbers
on any number of threads. Results kept from another build of sibp are made again.";

const TABLES: &str = "\
Example:
  sibp reproduce table1 --out tables --dataset digits
  sibp reproduce table1 --out tables --data AwA

The folder of --data is that of the data set (https://cvml.ista.ac.at/AwA/: classes.txt,
predicates.txt, predicate-matrix-binary.txt, and Inputs/cq-hist with one text file per image in one
folder per class); splits are drawn from it as in the paper: 60 images per class, half to learn from.
Or it holds features.npy (one row per image), labels.npy (class ids, 1 for the first line of
classes.txt), the three files above and split files (columns repeat, role, row). Every method on
every repeat is kept in a file of its own under DIR/results as soon as it is done: after Ctrl-C or a
crash the same command continues from there, and tables in the same folder share what they have in
common.";

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
    Fig2(FigureOptions),
    /// Five given bits and what both supervised models add to them (Figure 3)
    #[command(after_help = "Example:\n  sibp reproduce fig3 --out figures")]
    Fig3(FigureOptions),
    /// k-NN accuracy of all methods, with tests of the paper's orderings (Table 1)
    #[command(after_help = TABLES)]
    Table1(TableOptions),
    /// Linear SVM against 30-NN of Super Probit codes (Table 2)
    #[command(after_help = TABLES)]
    Table2(TableOptions),
    /// Last draw against the average over draws, Super Probit IBP (Table 3)
    #[command(after_help = TABLES)]
    Table3(TableOptions),
}

/// What all figures of synthetic data take.
#[derive(Debug, clap::Args)]
struct FigureOptions {
    /// Folder to write into; made if it is not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Source of the points and of all chains
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Sweeps of every chain
    #[arg(long, default_value_t = 1000)]
    sweeps: u64,
    /// Chains of every model; the best one is shown
    #[arg(long, default_value_t = 2)]
    chains: usize,
    /// Near and far objects of every anchor (the paper's L); all pairs of them are triplets
    #[arg(long, default_value_t = 15)]
    per_object: usize,
    /// Number of threads; 0 uses all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Lay the page out again from DIR/NAME.csv and DIR/NAME-about.csv; nothing is computed
    #[arg(long)]
    render: bool,
    /// Print only warnings and errors to stderr
    #[arg(short, long)]
    quiet: bool,
}

/// Data that the command brings along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Dataset {
    /// Handwritten digits, without attributes: rows that need them are left out
    Digits,
}

/// What all tables take.
#[derive(Debug, clap::Args)]
struct TableOptions {
    /// Folder to write into; made if it is not there. Results so far are kept in it, and a rerun goes on from them
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Animals with Attributes: the folders of the data set, or one with features.npy, labels.npy, classes.txt,
    /// predicates.txt, predicate-matrix-binary.txt and the split files
    #[arg(long, value_name = "DIR", conflicts_with = "dataset")]
    data: Option<PathBuf>,
    /// Folder of Features to take from the data set's own folders [default: cq-hist, the paper's]
    #[arg(long = "feature", value_name = "NAME")]
    input: Option<String>,
    /// Shipped data instead of --data
    #[arg(long, value_enum)]
    dataset: Option<Dataset>,
    /// Split files, a part of the table each; with the data set's own folders, splits that are drawn from the seed: split5 is
    /// five repeats of five classes, split5x20 is 20 repeats of five classes at random
    #[arg(long, value_delimiter = ',', value_name = "FILES", default_value = "split5.csv,split10.csv")]
    splits: Vec<String>,
    /// Parts of the table, by what stands before learned bits: known (the paper's way), predicted, none [default: all]
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = parse_given)]
    given: Vec<GivenKind>,
    /// Source of triplets and chains; the seed of a repeat is this plus the repeat's number
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Sweeps of every chain
    #[arg(long, default_value_t = 200)]
    sweeps: u64,
    /// Chains of the Super Probit IBP; the other models have one
    #[arg(long, default_value_t = 4)]
    chains: usize,
    /// Near and far objects of every anchor (the paper's L)
    #[arg(long, default_value_t = 30)]
    per_object: usize,
    /// Threads, a fit each; 0 takes all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Lay the page out again from DIR/NAME.csv and DIR/NAME-about.csv; nothing is computed, and no data are needed
    #[arg(long)]
    render: bool,
    /// Print only warnings and errors to stderr
    #[arg(short, long)]
    quiet: bool,
}

/// Runs the chosen experiment and prints its numbers.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let made = match &args.which {
        Which::Fig2(options) => figure(Figure::Two, options),
        Which::Fig3(options) => figure(Figure::Three, options),
        Which::Table1(options) => table(Table::One, options),
        Which::Table2(options) => table(Table::Two, options),
        Which::Table3(options) => table(Table::Three, options),
    };
    let markdown = made.map_err(|error| match error.downcast::<Misuse>() {
        Ok(misuse) => usage(misuse.0),
        Err(error) => error,
    })?;
    let mut out = output::stdout();
    out.write_all(markdown.as_bytes())?;
    out.flush()?;
    Ok(())
}

fn figure(which: Figure, options: &FigureOptions) -> anyhow::Result<String> {
    if options.render {
        return figures::render(which, &options.out);
    }
    let args = FigureArgs {
        out: options.out.clone(),
        seed: options.seed,
        sweeps: options.sweeps,
        chains: options.chains,
        per_object: options.per_object,
        threads: options.threads,
        talk: &Terminal { quiet: options.quiet },
    };
    figures::run(which, &args)
}

fn table(which: Table, options: &TableOptions) -> anyhow::Result<String> {
    if options.render {
        return tables::render(which, &options.out);
    }
    let args = TableArgs {
        out: options.out.clone(),
        data: options.data.clone(),
        input: options.input.clone(),
        dataset: options.dataset.map(|Dataset::Digits| Shipped::Digits),
        splits: options.splits.clone(),
        given: options.given.clone(),
        seed: options.seed,
        sweeps: options.sweeps,
        chains: options.chains,
        per_object: options.per_object,
        threads: options.threads,
        talk: &Terminal { quiet: options.quiet },
    };
    tables::run(which, &args)
}

/// Reports progress on stderr and listens for Ctrl-C. Progress lines are cleared when it is dropped.
struct Terminal {
    quiet: bool,
}

impl Talk for Terminal {
    fn say(&self, text: &str) {
        if !self.quiet {
            output::say(text);
        }
    }

    fn stop(&self) -> anyhow::Result<&AtomicBool> {
        interrupt::listen()
    }

    fn chains(&self, n_chains: usize, sweeps: u64, has_triplets: bool) -> Box<dyn Fn(&Progress) + Sync + '_> {
        let bars = Bars::new(n_chains, sweeps, has_triplets, self.quiet);
        Box::new(move |progress| bars.show(progress))
    }

    fn results(&self, n: usize) -> Option<Box<dyn Fn(usize) + Sync + '_>> {
        let bar = steps("results", n, self.quiet);
        if bar.is_hidden() {
            return None;
        }
        Some(Box::new(move |more| bar.inc(more as u64)))
    }
}
