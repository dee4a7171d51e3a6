//! Shares what the studies need: data sets with their splits, fits of one chain, and printed tables.

pub mod plot;
pub mod table;

use anyhow::Context;
use sibp::codes::Codes;
use sibp::data::{Features, Labels, ReadOptions, Split, read_labels, read_splits, read_table};
use sibp::index::{HammingIndex, Neighbours};
use sibp::model::{Model, Observations};
use sibp::parallel::{map, n_threads};
use sibp::rng::{Purpose, Streams};
use sibp::trace::Draw;
use sibp::transform::{InputTransform, Transform};
use sibp::triplets::{FromLabels, TripletSet};
use std::path::Path;

/// The numbers of neighbours that all tables show.
pub const NEIGHBOURS: [usize; 4] = [1, 3, 15, MOST_NEIGHBOURS];
const MOST_NEIGHBOURS: usize = 30;

/// A labelled data set.
pub struct DataSet {
    /// All rows.
    pub features: Features,
    /// Their classes.
    pub labels: Labels,
}

impl DataSet {
    /// Reads `features.npy` and `labels.npy` of a folder.
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        let options = ReadOptions::default();
        let features = read_table(&folder.join("features.npy"), &options)?.features;
        let labels = read_labels(&folder.join("labels.npy"), &options)?;
        Ok(Self { features, labels })
    }

    /// Reads a split file of the same folder.
    pub fn splits(&self, folder: &Path, name: &str) -> anyhow::Result<Vec<Split>> {
        read_splits(&folder.join(name), self.features.n_objects()).with_context(|| name.to_owned())
    }
}

impl DataSet {
    /// A split without transform and triplets.
    pub fn raw(&self, split: &Split) -> Repeat {
        let train = Observations::new(self.features.select(&split.train), TripletSet::empty(split.train.len()));
        Repeat {
            train,
            train_labels: self.labels.select(&split.train),
            test: self.features.select(&split.test),
            test_labels: self.labels.select(&split.test),
        }
    }
}

/// One repeat: training and test halves, transformed by a transform fitted on the training half.
pub struct Repeat {
    /// Training features and triplets.
    pub train: Observations,
    /// Training classes.
    pub train_labels: Labels,
    /// Test features.
    pub test: Features,
    /// Test classes.
    pub test_labels: Labels,
}

impl Repeat {
    /// Cuts a split out of a data set; without `triplets` the training half has none.
    pub fn new(
        data: &DataSet,
        split: &Split,
        transform: &InputTransform,
        triplets: Option<&FromLabels>,
    ) -> anyhow::Result<Self> {
        let (fitted, features) = Transform::fit_apply(transform, &data.features.select(&split.train))?;
        let test = fitted.apply(&data.features.select(&split.test))?;
        let train_labels = data.labels.select(&split.train);
        let triplets = match triplets {
            Some(options) => TripletSet::new(features.n_objects(), options.build(&train_labels, &features)?.triplets)?,
            None => TripletSet::empty(features.n_objects()),
        };
        let test_labels = data.labels.select(&split.test);
        Ok(Self { train: Observations::new(features, triplets), train_labels, test, test_labels })
    }

    /// k-NN accuracy in percent of test codes against training codes, for each of [`NEIGHBOURS`].
    pub fn accuracy(&self, train: &Codes, test: &Codes) -> anyhow::Result<Vec<f64>> {
        self.accuracy_of(&HammingIndex::from_codes(train)?.search(test, MOST_NEIGHBOURS, 1)?)
    }

    /// The same by weighted Hamming distance.
    pub fn weighted_accuracy(&self, train: &Codes, test: &Codes, weights: &[f64]) -> anyhow::Result<Vec<f64>> {
        let weights: Vec<f32> = weights.iter().map(|&w| w as f32).collect();
        self.accuracy_of(&HammingIndex::from_codes(train)?.search_weighted(test, &weights, MOST_NEIGHBOURS, 1)?)
    }

    /// The same by expected distance: queries are bit probabilities, row by row, which are not cut to bits.
    pub fn expected_accuracy(&self, train: &Codes, probabilities: &[f32]) -> anyhow::Result<Vec<f64>> {
        let index = HammingIndex::from_codes(train)?;
        let weights = vec![1.0; train.n_bits()];
        self.accuracy_of(&index.scan().nearest_expected(probabilities, &weights, MOST_NEIGHBOURS)?)
    }

    fn accuracy_of<D: Copy + Into<f64>>(&self, neighbours: &Neighbours<D>) -> anyhow::Result<Vec<f64>> {
        let ranked = |query: usize| {
            let class = |id: u64| self.train_labels.class_of()[id as usize];
            neighbours.row(query).map(|(distance, id)| (distance, class(id))).collect::<Vec<_>>()
        };
        let ranked: Vec<_> = (0..neighbours.n_queries()).map(ranked).collect();
        let shares = sibp::eval::knn_accuracy(&ranked, self.test_labels.class_of(), &NEIGHBOURS)?;
        Ok(shares.into_iter().map(|share| 100.0 * share).collect())
    }
}

/// Share of held-out codes whose nearest training code is of their class; of equally near classes the share that is right.
pub fn nearest_accuracy(train: &Codes, train_class: &[u32], test: &Codes, test_class: &[u32]) -> anyhow::Result<f64> {
    anyhow::ensure!(train.n_bits() == test.n_bits(), "codes of different lengths");
    if train.n_bits() == 0 {
        // Without bits all are equally near.
        return Ok(1.0 / train_class.iter().collect::<std::collections::BTreeSet<_>>().len() as f64);
    }
    let right = |(row, class): (usize, &u32)| {
        let distances: Vec<u32> = (0..train.n_objects()).map(|other| train.distance(other, test.row(row))).collect();
        let nearest = distances.iter().min().copied().unwrap_or(0);
        let ties: Vec<u32> =
            distances.iter().zip(train_class).filter(|(d, _)| **d == nearest).map(|(_, class)| *class).collect();
        ties.iter().filter(|tied| *tied == class).count() as f64 / ties.len() as f64
    };
    Ok(test_class.iter().enumerate().map(right).sum::<f64>() / test_class.len() as f64)
}

/// Runs one chain from the model's start.
pub fn run_chain<M: Model>(model: &M, data: &Observations, seed: u64, sweeps: u64) -> (M::State, M::Scratch) {
    let streams = Streams::new(seed, 0);
    let mut scratch = model.prepare(data, Threads::ONE);
    let mut state = model.start(data, &scratch, &mut streams.rng(Purpose::Start, 0, 0));
    for sweep in 0..sweeps {
        model.sweep(data, &mut state, &mut scratch, &streams, sweep);
    }
    (state, scratch)
}

/// Runs several chains on all cores; the result does not depend on how many there are.
pub fn run_chains<M: Model>(
    model: &M,
    data: &Observations,
    seed: u64,
    chains: usize,
    sweeps: u64,
) -> Vec<(M::State, M::Scratch)> {
    map(n_threads(0), chains, |chain| run_chain(model, data, 1000 * seed + chain as u64, sweeps))
}

/// The last draws of several chains; see [`run_chains`].
pub fn last_draws<M: Model>(model: &M, data: &Observations, seed: u64, chains: usize, sweeps: u64) -> Vec<Draw> {
    let finished = run_chains(model, data, seed, chains, sweeps);
    finished.iter().map(|(state, scratch)| model.to_draw(data, state, scratch, sweeps)).collect()
}

/// Seconds that this thread has computed, which a busy machine lengthens less than seconds by the clock.
pub fn computing_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}
