//! Gathers results into rows: percent right by number of neighbours and repeat.

use super::data::TableData;
use super::entries::{Entry, Options};
use super::jobs::Outcome;
use crate::words::csv_cell;

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
    /// Number of bits in every repeat.
    pub bits_of: Vec<Option<usize>>,
}

/// All rows of a table.
pub struct Results {
    pub rows: Vec<Row>,
    /// Heading of each split file, such as "5 categories".
    pub titles: Vec<String>,
    pub n_classes: Vec<usize>,
    /// Whether the paper reports results on these data.
    in_paper: bool,
    pub n_repeats: Vec<usize>,
    pub split_names: Vec<String>,
    /// Training time of all results together.
    pub training_seconds: f64,
    /// Number of results, and how many of them this run made.
    pub n_results: usize,
    pub n_fresh: usize,
}

impl Results {
    pub fn new(data: &TableData, mut outcomes: Vec<Outcome>) -> Self {
        outcomes.sort_by_key(|one| (one.splits_ix, one.entry, one.repeat));
        let mut rows: Vec<Row> = Vec::new();
        for one in &outcomes {
            for reading in &one.stored.readings {
                let same = |row: &&mut Row| {
                    row.entry == one.entry && row.splits_ix == one.splits_ix && row.reading == reading.name
                };
                let percent = reading.accuracy.iter().map(|share| 100.0 * share);
                match rows.iter_mut().find(same) {
                    Some(row) => {
                        row.percent.iter_mut().zip(percent).for_each(|(list, value)| list.push(value));
                        row.bits_of.push(reading.bits);
                    }
                    None => rows.push(Row {
                        entry: one.entry,
                        reading: reading.name.clone(),
                        splits_ix: one.splits_ix,
                        percent: percent.map(|value| vec![value]).collect(),
                        bits: None,
                        bits_of: vec![reading.bits],
                    }),
                }
            }
        }
        for row in &mut rows {
            let bits: Vec<usize> = row.bits_of.iter().flatten().copied().collect();
            row.bits = (!bits.is_empty()).then(|| bits.iter().sum::<usize>() as f64 / bits.len() as f64);
        }
        Self {
            rows,
            titles: data.splits.iter().map(|splits| splits.title()).collect(),
            n_classes: data.splits.iter().map(|splits| splits.n_classes).collect(),
            in_paper: data.attributes.is_some(),
            n_repeats: data.splits.iter().map(|splits| splits.repeats.len()).collect(),
            split_names: data.splits.iter().map(|splits| splits.name.clone()).collect(),
            training_seconds: outcomes.iter().map(|one| one.stored.seconds).sum(),
            n_results: outcomes.len(),
            n_fresh: outcomes.iter().filter(|one| one.fresh).count(),
        }
    }

    /// The number of classes, where the paper may report it.
    pub fn paper_classes(&self, splits_ix: usize) -> Option<usize> {
        self.in_paper.then_some(self.n_classes[splits_ix])
    }

    /// A row; `None` where the data do not allow it.
    pub fn row(&self, splits_ix: usize, entry: Entry, reading: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.splits_ix == splits_ix && row.entry == entry && row.reading == reading)
    }

    /// Writes a line for each method, reading, repeat and number of neighbours.
    pub fn csv(&self, options: &Options) -> String {
        let mut text = "split,categories,method,reading,bits,repeat,seed,neighbours,accuracy\n".to_owned();
        for row in &self.rows {
            for (k_ix, list) in row.percent.iter().enumerate() {
                for (repeat, value) in list.iter().enumerate() {
                    let neighbours = match row.percent.len() {
                        1 => String::new(),
                        _ => super::NEIGHBOURS[k_ix].to_string(),
                    };
                    let cells = [
                        self.split_names[row.splits_ix].clone(),
                        self.n_classes[row.splits_ix].to_string(),
                        row.entry.file_name().to_owned(),
                        csv_cell(&row.reading, ','),
                        row.bits_of[repeat].map_or(String::new(), |bits| bits.to_string()),
                        repeat.to_string(),
                        options.seed_of(repeat).to_string(),
                        neighbours,
                        format!("{value:.4}"),
                    ];
                    text.push_str(&cells.join(","));
                    text.push('\n');
                }
            }
        }
        text
    }
}
