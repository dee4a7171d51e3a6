//! Reproduces the figures of synthetic data: codes of several models, as pictures and as numbers.

mod fig2;
mod fig3;
mod learn;
mod results;

use crate::Talk;
use anyhow::Context;
use std::path::{Path, PathBuf};

/// A figure of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// Codes of 150 points of 10 categories under five models.
    Two,
    /// Five given bits and what both supervised models add to them.
    Three,
}

/// Settings that all figures share.
#[derive(Clone)]
pub struct FigureArgs<'a> {
    /// Folder to write into; made if it is not there.
    pub out: PathBuf,
    /// Source of the points and of all chains.
    pub seed: u64,
    /// Sweeps of every chain.
    pub sweeps: u64,
    /// Chains of every model; the best one is shown.
    pub chains: usize,
    /// Near and far objects of every anchor (the paper's L); all pairs of them are triplets.
    pub per_object: usize,
    /// Threads; 0 takes all cores.
    pub threads: usize,
    /// Receives progress reports.
    pub talk: &'a dyn Talk,
}

impl FigureArgs<'_> {
    fn say(&self, text: impl std::fmt::Display) {
        self.talk.say(&text.to_string());
    }
}

/// Fits what is not yet fitted, writes numbers and picture into the folder, and returns the numbers as Markdown.
pub fn run(figure: Figure, args: &FigureArgs<'_>) -> anyhow::Result<String> {
    make(&args.out)?;
    match figure {
        Figure::Two => fig2::run(args),
        Figure::Three => fig3::run(args),
    }
}

/// Makes the output folder, so that a failure is reported before the work.
fn make(folder: &Path) -> anyhow::Result<()> {
    let folder = folder.join("results");
    std::fs::create_dir_all(&folder).with_context(|| format!("{}: cannot make the folder", folder.display()))
}
