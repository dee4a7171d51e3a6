//! Gathers the lines of a table's CSV file into rows: percent right by number of neighbours and repeat.

use super::entries::{Entry, System, parse_given};
use super::lines::{About, Line};
use crate::misuse::usage;
use anyhow::{Context, bail};
use sibp::method::GivenKind;
use std::collections::BTreeSet;

/// One reading of a method on one split file.
#[derive(Debug, Clone)]
pub struct Row {
    pub entry: Entry,
    pub reading: String,
    pub splits_ix: usize,
    /// Percent correct by number of neighbours, then by repeat; a single list for a classifier.
    pub percent: Vec<Vec<f64>>,
    /// Mean number of bits.
    pub bits: Option<f64>,
    /// Objects to learn from, and to ask about, in a repeat.
    pub sizes: (usize, usize),
}

/// A split file.
#[derive(Debug, Clone, PartialEq)]
pub struct SplitInfo {
    pub name: String,
    /// Number of classes in a repeat.
    pub n_classes: usize,
    pub n_repeats: usize,
    /// Objects to learn from, and to ask about, in a repeat.
    pub sizes: (usize, usize),
}

impl SplitInfo {
    /// The heading of this split, such as "5 categories".
    pub fn title(&self) -> String {
        format!("{} categories", self.n_classes)
    }
}

/// All rows of a table.
pub struct Results {
    pub about: About,
    pub rows: Vec<Row>,
    pub splits: Vec<SplitInfo>,
    /// The parts of the table, by the given bits that stand before the learned ones.
    pub given: Vec<GivenKind>,
    /// Training time of all results together.
    pub training_seconds: f64,
}

impl Results {
    /// Gathers the lines; they must be of one build.
    pub fn new(about: About, lines: &[Line]) -> anyhow::Result<Self> {
        if let Some(line) = lines.iter().find(|line| line.build != about.build) {
            bail!("numbers of build {} among those of build {}", line.build, about.build);
        }
        let mut results =
            Self { about, rows: Vec::new(), splits: Vec::new(), given: Vec::new(), training_seconds: 0.0 };
        let mut fits = BTreeSet::new();
        let same = |a: &Line, b: &Line| {
            (&a.split, &a.system, &a.given, &a.reading) == (&b.split, &b.system, &b.given, &b.reading)
        };
        for of_row in lines.chunk_by(same) {
            results.add_row(of_row)?;
            for line in of_row {
                if fits.insert((&line.split, &line.system, &line.given, line.repeat)) {
                    results.training_seconds += line.seconds;
                }
            }
        }
        let learns = |given: &GivenKind| results.rows.iter().any(|row| row.entry.given == *given);
        let all = [GivenKind::Known, GivenKind::Predicted, GivenKind::None];
        results.given = all.into_iter().filter(learns).collect();
        Ok(results)
    }

    fn add_row(&mut self, lines: &[Line]) -> anyhow::Result<()> {
        let first = &lines[0];
        let system = System::named(&first.system).with_context(|| format!("{:?} is no method", first.system))?;
        let given = parse_given(&first.given).map_err(usage)?;
        let percent: Vec<Vec<f64>> = lines
            .chunk_by(|a, b| a.k == b.k)
            .map(|list| list.iter().map(|line| 100.0 * line.accuracy).collect())
            .collect();
        let bits: Vec<usize> = lines.iter().filter_map(|line| line.bits).collect();
        let mean_bits = (!bits.is_empty()).then(|| bits.iter().sum::<usize>() as f64 / bits.len() as f64);
        let info = SplitInfo {
            name: first.split.clone(),
            n_classes: first.categories,
            n_repeats: percent[0].len(),
            sizes: (first.train, first.test),
        };
        if percent.iter().any(|list| list.len() != info.n_repeats) {
            bail!("{}, {}: not every repeat has all numbers of neighbours", first.split, first.system);
        }
        let sizes = info.sizes;
        let splits_ix = match self.splits.iter().position(|known| known.name == info.name) {
            Some(at) if self.splits[at] == info => at,
            Some(_) => bail!("{}, {}: other repeats or objects than the other rows", first.split, first.system),
            None => {
                self.splits.push(info);
                self.splits.len() - 1
            }
        };
        let (entry, reading) = (Entry { system, given }, first.reading.clone());
        self.rows.push(Row { entry, reading, splits_ix, percent, bits: mean_bits, sizes });
        Ok(())
    }

    /// The headings of the split files.
    pub fn titles(&self) -> Vec<String> {
        self.splits.iter().map(SplitInfo::title).collect()
    }

    /// The number of classes, where the paper may report it.
    pub fn paper_classes(&self, splits_ix: usize) -> Option<usize> {
        (!self.about.attributes.is_empty()).then_some(self.splits[splits_ix].n_classes)
    }

    /// A row; `None` where the data do not allow it.
    pub fn row(&self, splits_ix: usize, entry: Entry, reading: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.splits_ix == splits_ix && row.entry == entry && row.reading == reading)
    }
}
