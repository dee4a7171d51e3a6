//! Lays out Table 1: k-NN accuracy of all methods, other encoders beside, and tests of the paper's orderings.

use super::claims::{self, Tally};
use super::entries::{
    AVERAGE, CHAINS, CHAINS_ENCODED, Entry, GAUSSIAN, Kind, LAST, LAST_ENCODED, LINKS, Options, reading,
};
use super::layout::{Line, Page, knn_table};
use super::paper;
use super::picture::{self, Group};
use super::results::{Results, Row};
use std::fmt::Write as _;

/// All methods.
pub const ENTRIES: [Entry; 10] = [
    Entry::SuperProbit,
    Entry::SuperProbitGiven,
    Entry::SuperGaussian,
    Entry::SuperGaussianGiven,
    Entry::Ibp,
    Entry::InputDdIbp,
    Entry::OutputDdIbp,
    Entry::Hash,
    Entry::Reference,
    Entry::TransformedReference,
];

/// The row of the Gaussian models in the main table.
const RIDGE: &str = GAUSSIAN[0].0;
/// Places of 15 and 30 among the numbers of neighbours.
const MANY: [usize; 2] = [2, 3];

/// Finds the rows of one kind of code on one split file.
struct Finder<'a> {
    results: &'a Results,
    splits_ix: usize,
    kind: Kind,
}

impl<'a> Finder<'a> {
    fn latent(&self, entry: Entry, name: &str) -> Option<&'a Row> {
        self.results.row(self.splits_ix, self.fitted(entry), &reading(name, self.kind))
    }

    fn plain(&self, entry: Entry) -> Option<&'a Row> {
        self.results.row(self.splits_ix, entry, entry.name())
    }

    /// The supervised models are fitted anew beside given bits.
    fn fitted(&self, entry: Entry) -> Entry {
        match (entry, self.kind) {
            (Entry::SuperGaussian, Kind::Extended) => Entry::SuperGaussianGiven,
            (Entry::SuperProbit, Kind::Extended) => Entry::SuperProbitGiven,
            _ => entry,
        }
    }

    fn line(&self, words: &str, entry: Entry, row: Option<&'a Row>) -> Option<Line<'a>> {
        let paper = paper::accuracy(self.results.n_classes[self.splits_ix], entry);
        let name = if words.is_empty() { entry.name().to_owned() } else { format!("{}, {words}", entry.name()) };
        row.map(|row| Line { name, row, paper })
    }

    fn main_lines(&self) -> Vec<Line<'a>> {
        let latent = |entry, name| self.line(name, entry, self.latent(entry, name));
        let hash = if self.kind == Kind::Extended { self.plain(Entry::Hash) } else { None };
        let lines = [
            self.line("", Entry::Hash, hash),
            latent(Entry::Ibp, RIDGE),
            latent(Entry::InputDdIbp, RIDGE),
            latent(Entry::OutputDdIbp, RIDGE),
            latent(Entry::SuperGaussian, RIDGE),
            latent(Entry::SuperProbit, LAST),
            latent(Entry::SuperProbit, CHAINS),
            self.line("raw inputs", Entry::Reference, self.plain(Entry::Reference)),
        ];
        lines.into_iter().flatten().collect()
    }

    fn other_lines(&self) -> Vec<Line<'a>> {
        let mut lines = Vec::new();
        for entry in [Entry::Ibp, Entry::InputDdIbp, Entry::OutputDdIbp, Entry::SuperGaussian] {
            let names = GAUSSIAN[1..].iter().map(|(name, _)| *name).chain([LINKS]);
            lines.extend(names.filter_map(|name| self.line(name, entry, self.latent(entry, name))));
        }
        let probit = [LAST_ENCODED, CHAINS_ENCODED, AVERAGE];
        let probit = probit.map(|name| self.line(name, Entry::SuperProbit, self.latent(Entry::SuperProbit, name)));
        lines.extend(probit.into_iter().flatten());
        lines.extend(self.line("", Entry::TransformedReference, self.plain(Entry::TransformedReference)));
        lines.into_iter().map(|line| Line { paper: None, ..line }).collect()
    }
}

/// Tables, orderings and picture.
pub fn page(results: &Results, options: &Options) -> anyhow::Result<Page> {
    let mut body = String::new();
    let mut panels = Vec::new();
    for &kind in options.kinds() {
        let words = match kind {
            Kind::Extended => "Given and learned bits, [h z]",
            Kind::Alone => "Learned bits alone, z",
        };
        let _ = writeln!(body, "## {words}\n");
        for (splits_ix, title) in results.titles.iter().enumerate() {
            let lines = Finder { results, splits_ix, kind }.main_lines();
            body.push_str(&knn_table(title, &lines, true)?);
            let panel = |line: &Line<'_>| Group::of(&line.name, line.row, line.paper);
            panels.push((format!("{title}, {}", kind.symbol()), lines.iter().map(panel).collect()));
        }
        body.push_str(&orderings(results, kind)?);
    }
    body.push_str("## Other encoders and readings\n\n");
    for &kind in options.kinds() {
        for (splits_ix, title) in results.titles.iter().enumerate() {
            let lines = Finder { results, splits_ix, kind }.other_lines();
            body.push_str(&knn_table(&format!("{title}, {}", kind.symbol()), &lines, false)?);
        }
    }
    body.push_str(
        "In the main tables the best of a column and all that are not significantly worse are **bold** (one-sided paired \
         t-test, 95 %). Training objects have the bits that were drawn for them; where they are said to be encoded, the bits \
         that their inputs give.\n\n",
    );
    let title = "Table 1: k-NN accuracy of codes";
    Ok(Page { name: "table1", title, body, canvas: picture::draw(&panels) })
}

/// What the paper says is above what, with p-values.
fn orderings(results: &Results, kind: Kind) -> anyhow::Result<String> {
    let titles: String = results.titles.iter().map(|title| format!(" {title} |")).collect();
    let mut text = format!("| above, {} |{titles}\n|---|{}\n", kind.symbol(), "---|".repeat(results.titles.len()));
    let mut tally = Tally::default();
    let supervised = [(Entry::SuperGaussian, RIDGE), (Entry::SuperProbit, LAST), (Entry::SuperProbit, CHAINS)];
    let unsupervised = [Entry::Ibp, Entry::InputDdIbp, Entry::OutputDdIbp].map(|entry| (entry, RIDGE));
    let mut pairs: Vec<_> =
        supervised.iter().flat_map(|&better| unsupervised.map(|worse| (better, worse, MANY.to_vec()))).collect();
    for &better in &supervised[1..] {
        pairs.push((better, supervised[0], vec![0, 1, 2, 3]));
        pairs.push((better, (Entry::Reference, ""), vec![3]));
    }
    for (better, worse, k_ixs) in pairs {
        let mut cells = String::new();
        for splits_ix in 0..results.titles.len() {
            let finder = Finder { results, splits_ix, kind };
            let lower = if worse.1.is_empty() { finder.plain(worse.0) } else { finder.latent(worse.0, worse.1) };
            let cell = match (finder.latent(better.0, better.1), lower) {
                (Some(better), Some(worse)) => claims::cell(better, worse, &k_ixs, &mut tally)?,
                _ => "–".to_owned(),
            };
            let _ = write!(cells, " {cell} |");
        }
        let which = if better.0 == Entry::SuperProbit { format!(", {}", better.1) } else { String::new() };
        let _ = writeln!(text, "| {}{which} above {} |{cells}", better.0.name(), worse.0.name());
    }
    Ok(format!("{text}\n{}\n\n", tally.words()))
}
