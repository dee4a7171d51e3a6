//! Measures how well models learned from human judgements agree with other judgements, beside embeddings by cblearn.
//!
//! `make bench-judgements JUDGEMENTS=DIR` runs all four steps: splits, cblearn's embeddings of them (reference.py), our
//! fits to the same splits, and the table of both. `unseen` holds objects out instead of judgements.

mod join;
mod ours;
mod same;
mod split;
mod unseen;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Agreement with human judgements: of the same objects beside cblearn, and of objects that were held out.
#[derive(Parser)]
struct Options {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand)]
enum Step {
    /// Writes training and test judgements of every split as train-SIZE-SPLIT.npy and test-SPLIT.npy.
    Split(split::Options),
    /// Fits to the training judgements of every split, asks the test judgements, and writes ours.csv.
    Same(same::Options),
    /// Holds objects out in turn and asks the judgements among them.
    Unseen(unseen::Options),
    /// Joins ours.csv and reference.csv into one table and a plot.
    Join(join::Options),
}

fn main() -> Result<()> {
    match Options::parse().step {
        Step::Split(options) => split::run(&options),
        Step::Same(options) => same::run(&options),
        Step::Unseen(options) => unseen::run(&options),
        Step::Join(options) => join::run(&options),
    }
}
