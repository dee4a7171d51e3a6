//! Shares what the studies need: data sets with their splits, times of sweeps, and printed tables.

pub mod plot;
pub mod table;
pub mod timing;

use anyhow::Context;
use sibp::codes::Codes;
use sibp::data::{Inputs, Labels, ReadOptions, Split, Table, read_labels, read_splits, read_table};
use sibp::index::{HammingIndex, Metric, Queries, Search};
use sibp::pipeline::Fit;
use sibp::triplets::FromLabels;
use std::path::Path;

/// The numbers of neighbours that all tables show.
pub const NEIGHBOURS: [usize; 4] = [1, 3, 15, MOST_NEIGHBOURS];
const MOST_NEIGHBOURS: usize = 30;

/// A labelled data set.
pub struct DataSet {
    /// All rows.
    pub inputs: Inputs,
    /// Their classes.
    pub labels: Labels,
}

impl DataSet {
    /// Reads `features.npy` and `labels.npy` of a folder.
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        let options = ReadOptions::default();
        let inputs = read_table(&folder.join("features.npy"), &options)?.inputs;
        let labels = read_labels(&folder.join("labels.npy"), &options)?;
        Ok(Self { inputs, labels })
    }

    /// Reads a split file of the same folder.
    pub fn splits(&self, folder: &Path, name: &str) -> anyhow::Result<Vec<Split>> {
        read_splits(&folder.join(name), self.inputs.n_objects()).with_context(|| name.to_owned())
    }

    /// Cuts these rows out, one half to learn from and one to be asked about.
    pub fn halves(&self, train: &[usize], test: &[usize]) -> Repeat {
        Repeat {
            train: self.inputs.select(train),
            train_labels: self.labels.select(train),
            test: self.inputs.select(test),
            test_labels: self.labels.select(test),
        }
    }
}

/// One repeat: inputs and classes of both halves, as they were read.
pub struct Repeat {
    /// Training inputs.
    pub train: Inputs,
    /// Training classes.
    pub train_labels: Labels,
    /// Test inputs.
    pub test: Inputs,
    /// Test classes.
    pub test_labels: Labels,
}

impl Repeat {
    /// A fit of the default model to the training half, taught by its classes, without calibrated probabilities.
    pub fn fit(&self, triplets: FromLabels) -> Fit {
        Fit::new(Table { labels: Some(self.train_labels.clone()), ..self.train.clone().into() }, triplets)
            .calibrates(false)
    }

    /// k-NN accuracy in percent of the test half, as codes or bit probabilities, against training codes, for each of
    /// [`NEIGHBOURS`].
    pub fn accuracy<'q>(
        &self,
        train: &Codes,
        test: impl Into<Queries<'q>>,
        metric: Metric<'_>,
    ) -> anyhow::Result<Vec<f64>> {
        let search = Search::nearest(MOST_NEIGHBOURS).with_ties().metric(metric);
        let neighbours = HammingIndex::from_codes(train)?.search(test, &search)?;
        let class = |id: u64| self.train_labels.class_of()[id as usize];
        let ranked = |query: usize| neighbours.row(query).map(|(distance, id)| (distance, class(id))).collect();
        let ranked: Vec<Vec<(f32, u32)>> = (0..neighbours.n_queries()).map(ranked).collect();
        let shares = sibp::eval::knn_accuracy(&ranked, self.test_labels.class_of(), &NEIGHBOURS)?;
        Ok(shares.into_iter().map(|share| 100.0 * share).collect())
    }
}

/// Weights as a search takes them.
pub fn as_floats(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&value| value as f32).collect()
}
