//! Measures how well codes retrieve objects of the query's class, beside supervised and other hashes.
//!
//! `make bench-retrieval` gets MNIST and runs all three: retrieval among all digits, among classes that were never
//! taught, and what codes keep of the nearness within a class.

mod digits;
mod encoding;
mod idx;
mod mnist;
mod open;
mod ours;
mod ranking;
mod references;
mod search_set;
mod spread;
mod table;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Retrieval by codes that were learned from labels.
#[derive(Parser)]
struct Options {
    #[command(subcommand)]
    study: Study,
}

#[derive(Subcommand)]
enum Study {
    /// Retrieves handwritten digits among all training images of MNIST.
    Mnist(mnist::Options),
    /// Learns from the digits 0 to 4, and retrieves these and those that were never taught.
    Open(open::Options),
    /// Measures on small data how codes spread within a class.
    Spread(spread::Options),
}

fn main() -> Result<()> {
    match Options::parse().study {
        Study::Mnist(options) => mnist::run(&options),
        Study::Open(options) => open::run(&options),
        Study::Spread(options) => spread::run(&options),
    }
}
