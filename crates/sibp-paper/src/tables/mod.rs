//! Runs the tables of the paper: methods times splits, with every result stored, so that an interrupted run continues.

mod animals;
mod attributes;
mod claims;
mod data;
mod entries;
mod jobs;
mod layout;
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
use data::TableData;
use entries::{Entry, Options, System};
use jobs::Work;
use results::Results;
use sibp::method::GivenKind;
use std::path::PathBuf;
use std::time::Instant;

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

/// Trains what is not yet trained, lays the table out in the folder, and returns it as Markdown.
pub fn run(table: Table, args: &TableArgs<'_>) -> anyhow::Result<String> {
    let began = Instant::now();
    let data = TableData::load(args)?;
    let options = Options::new(args, &data)?;
    options.check()?;
    let entries = table.entries(&options);
    let work = Work { args, data: &data, options: &options };
    let outcomes = work.run(&entries)?;
    let results = Results::new(&data, outcomes);
    let page = match table {
        Table::One => table1::page(&results, &options)?,
        Table::Two => table2::page(&results, &options)?,
        Table::Three => table3::page(&results, &options)?,
    };
    page.write(args, &data, &options, &results, began.elapsed().as_secs_f64())
}
