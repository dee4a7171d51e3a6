//! Reproduces the figures of synthetic data: codes of several models, as pictures and as numbers.

mod fig2;
mod fig3;
mod learn;
mod page;
mod results;

use crate::Talk;
use anyhow::Context;
use std::path::{Path, PathBuf};

pub use page::render;

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

impl Figure {
    /// Name of its files.
    fn name(self) -> &'static str {
        match self {
            Self::Two => "fig2",
            Self::Three => "fig3",
        }
    }
}

/// Fits what is not yet fitted, writes numbers and picture into the folder, lays the numbers out from their CSV file, and
/// returns them as Markdown.
pub fn run(figure: Figure, args: &FigureArgs<'_>) -> anyhow::Result<String> {
    make(&args.out)?;
    match figure {
        Figure::Two => fig2::run(args)?,
        Figure::Three => fig3::run(args)?,
    }
    let markdown = page::render(figure, &args.out)?;
    let files = ["md", "csv"].map(|end| format!("{}.{end}", figure.name())).join(", ");
    args.say(format!(
        "written: {files}, {0}-about.csv, {0}-codes.csv, {0}.svg in {1}",
        figure.name(),
        args.out.display()
    ));
    Ok(markdown)
}

/// Makes the output folder, so that a failure is reported before the work.
fn make(folder: &Path) -> anyhow::Result<()> {
    let folder = folder.join("results");
    std::fs::create_dir_all(&folder).with_context(|| format!("{}: cannot make the folder", folder.display()))
}
