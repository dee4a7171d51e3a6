//! Runs the tables of the paper: methods times splits, with every result stored, so that an interrupted run continues.

mod animals;
mod attributes;
mod claims;
mod data;
mod entries;
mod jobs;
mod layout;
mod lines;
mod original;
mod paper;
mod picture;
mod protocol;
mod results;
mod stored;
mod table1;
mod table2;
mod table3;
mod train;

use crate::Talk;
use crate::csv_file::{self, to_csv};
use crate::kept::save;
use anyhow::Context;
use data::TableData;
use entries::{Entry, Options, System};
use jobs::Work;
use lines::About;
use results::Results;
use sibp::method::GivenKind;
use std::path::{Path, PathBuf};

pub use entries::parse_given;

/// The numbers of neighbours that the paper shows.
pub const NEIGHBOURS: [usize; 4] = [1, 3, 15, 30];

/// Data that this crate brings along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shipped {
    /// Handwritten digits, without attributes: rows that need them are left out.
    Digits,
}

/// Settings that all tables share.
#[derive(Clone)]
pub struct TableArgs<'a> {
    /// Folder to write into; made if it is not there. Results are stored in it, and a rerun continues from them.
    pub out: PathBuf,
    /// Animals with Attributes: the folders of the data set, or one with features.npy, labels.npy, classes.txt,
    /// predicates.txt, predicate-matrix-binary.txt and the split files.
    pub data: Option<PathBuf>,
    /// Folder of Features to take from the data set's own folders; the paper's (cq-hist) where none is named.
    pub input: Option<String>,
    /// Shipped data instead of a folder.
    pub dataset: Option<Shipped>,
    /// Split files, a part of the table each; with the data set's own folders, splits that are drawn from the seed: split5
    /// is five repeats of five classes, split5x20 is 20 repeats of five classes at random.
    pub splits: Vec<String>,
    /// Parts of the table, by the given bits that stand before the learned ones; empty for all.
    pub given: Vec<GivenKind>,
    /// Source of triplets and chains; the seed of a repeat is this plus the repeat's number.
    pub seed: u64,
    /// Sweeps of every chain.
    pub sweeps: u64,
    /// Chains of the Super Probit IBP; the other models have one.
    pub chains: usize,
    /// Near and far objects of every anchor (the paper's L).
    pub per_object: usize,
    /// Threads, a fit each; 0 takes all cores.
    pub threads: usize,
    /// Receives progress reports.
    pub talk: &'a dyn Talk,
}

impl TableArgs<'_> {
    fn say(&self, text: impl std::fmt::Display) {
        self.talk.say(&text.to_string());
    }
}

/// A table of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// k-NN accuracy of all methods.
    One,
    /// Super Probit against linear SVM.
    Two,
    /// Last draw against averages.
    Three,
}

impl Table {
    /// Name of its files.
    fn name(self) -> &'static str {
        match self {
            Self::One => "table1",
            Self::Two => "table2",
            Self::Three => "table3",
        }
    }

    fn systems(self) -> &'static [System] {
        match self {
            Self::One => &table1::SYSTEMS,
            Self::Two => &table2::SYSTEMS,
            Self::Three => &table3::SYSTEMS,
        }
    }

    fn entries(self, options: &Options) -> Vec<Entry> {
        let given = |&system: &System| options.given.iter().map(move |&given| Entry { system, given });
        self.systems().iter().flat_map(given).filter(|entry| entry.system.takes(entry.given)).collect()
    }
}

/// Trains what is not yet trained, writes the numbers as CSV into the folder, lays the table out from them, and returns
/// it as Markdown.
pub fn run(table: Table, args: &TableArgs<'_>) -> anyhow::Result<String> {
    let data = TableData::load(args)?;
    let options = Options::new(args, &data)?;
    options.check()?;
    let entries = table.entries(&options);
    let outcomes = Work { args, data: &data, options: &options }.run(&entries)?;
    let about = About::new(args, &data, &options, outcomes.len());
    let name = table.name();
    let file = |end: &str| args.out.join(format!("{name}{end}"));
    save(&file(".csv"), to_csv(&lines::lines(&data, &options, outcomes))?.as_bytes())?;
    save(&file("-about.csv"), to_csv(&[about])?.as_bytes())?;
    let markdown = render(table, &args.out)?;
    args.say(format!("written: {name}.md, {name}.csv, {name}-about.csv, {name}.svg in {}", args.out.display()));
    Ok(markdown)
}

/// Lays a table out again from its CSV files in the folder, without training anything, and returns it as Markdown.
pub fn render(table: Table, folder: &Path) -> anyhow::Result<String> {
    let file = |end: &str| folder.join(format!("{}{end}", table.name()));
    let about = csv_file::read::<About>(&file("-about.csv"))?.remove(0);
    let results =
        Results::new(about, &csv_file::read(&file(".csv"))?).with_context(|| file(".csv").display().to_string())?;
    let page = match table {
        Table::One => table1::page(&results)?,
        Table::Two => table2::page(&results)?,
        Table::Three => table3::page(&results)?,
    };
    page.write(folder, &results)
}
