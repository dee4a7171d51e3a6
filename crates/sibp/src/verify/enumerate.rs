//! Enumerates all bit matrices of a few objects, and compares a chain's visits with the exact posterior.

use super::{BatchMeans, Row, Verdict};
use crate::bits::BitMatrix;
use std::collections::BTreeMap;

/// A bit matrix up to the order of its columns: the columns as numbers, ascending.
pub type StateKey = Vec<u8>;

/// The exact posterior over unordered bit matrices, up to a largest number of bits.
#[derive(Debug, Clone)]
pub struct ExactPosterior {
    n_objects: usize,
    /// Most probable first.
    states: Vec<(StateKey, f64)>,
}

impl ExactPosterior {
    /// Enumerates all matrices with at most `max_bits` columns. `log_density` is that of an unordered set of columns;
    /// it counts equal columns as distinct, so each equivalence class is divided by the factorials of its
    /// multiplicities.
    pub fn enumerate(n_objects: usize, max_bits: usize, log_density: impl Fn(&BitMatrix) -> f64) -> Self {
        Self::of_classes(n_objects, max_bits, |key| log_density(&matrix_of(key, n_objects)) - log_multiplicities(key))
    }

    /// Enumerates all equivalence classes of matrices with at most `max_bits` columns, given by the log probability of
    /// a class up to a constant.
    pub fn of_classes(n_objects: usize, max_bits: usize, log_probability: impl Fn(&[u8]) -> f64) -> Self {
        let n_columns = (1u8 << n_objects) - 1;
        let mut keys = Vec::new();
        extend(&mut Vec::new(), 1, n_columns, max_bits, &mut keys);
        let logs: Vec<f64> = keys.iter().map(|key| log_probability(key)).collect();
        let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = logs.iter().map(|log| (log - best).exp()).sum();
        let mut states: Vec<(StateKey, f64)> =
            keys.into_iter().zip(&logs).map(|(key, log)| (key, (log - best).exp() / total)).collect();
        states.sort_by(|a, b| b.1.total_cmp(&a.1));
        Self { n_objects, states }
    }

    /// Calls `job` for every equivalence class of matrices (up to column order) with at most `max_bits` columns, with
    /// the logarithm of the product of the factorials of its multiplicities.
    pub fn for_each_class(n_objects: usize, max_bits: usize, mut job: impl FnMut(&BitMatrix, f64)) {
        let mut keys = Vec::new();
        extend(&mut Vec::new(), 1, (1u8 << n_objects) - 1, max_bits, &mut keys);
        for key in &keys {
            job(&matrix_of(key, n_objects), log_multiplicities(key));
        }
    }

    /// States and probabilities, most probable first.
    pub fn states(&self) -> &[(StateKey, f64)] {
        &self.states
    }

    /// Starts counting visits to all states; the `n_scored` most probable ones are scored.
    pub fn visits(&self, n_scored: usize, batch_length: u64) -> Visits {
        let summaries = Summaries::of(self.n_objects);
        Visits {
            places: self.states.iter().enumerate().map(|(at, (key, _))| (key.clone(), at)).collect(),
            n_scored,
            expected_summaries: self.expected_summaries(&summaries),
            // The last entry counts all states with more bits than were enumerated.
            counts: BatchMeans::new(self.states.len() + 1, batch_length),
            summary_means: BatchMeans::new(summaries.len(), batch_length),
            states: self.states.clone(),
            summaries,
        }
    }

    fn expected_summaries(&self, summaries: &Summaries) -> Vec<f64> {
        let mut expected = vec![0.0; summaries.len()];
        for (key, p) in &self.states {
            for (sum, value) in expected.iter_mut().zip(summaries.values(key)) {
                *sum += p * value;
            }
        }
        expected
    }
}

/// The number of bits, its square, and for each pair of objects how many bits they share.
#[derive(Debug, Clone)]
struct Summaries {
    pairs: Vec<u8>,
}

impl Summaries {
    fn of(n_objects: usize) -> Self {
        let pairs = (0..n_objects).flat_map(|i| (0..i).map(move |j| 1u8 << i | 1 << j)).collect();
        Self { pairs }
    }

    fn len(&self) -> usize {
        2 + self.pairs.len()
    }

    fn values(&self, key: &[u8]) -> Vec<f64> {
        let k = key.len() as f64;
        let shared = |pair: &u8| key.iter().filter(|&&column| column & pair == *pair).count() as f64;
        [k, k * k].into_iter().chain(self.pairs.iter().map(shared)).collect()
    }
}

/// The visits of a chain, to be compared with the exact posterior.
#[derive(Debug, Clone)]
pub struct Visits {
    places: BTreeMap<StateKey, usize>,
    states: Vec<(StateKey, f64)>,
    n_scored: usize,
    counts: BatchMeans,
    summaries: Summaries,
    expected_summaries: Vec<f64>,
    summary_means: BatchMeans,
}

/// Deviation of a chain from the exact posterior, in standard errors.
#[derive(Debug, Clone)]
pub struct Deviation {
    /// Root mean square over the tracked states.
    pub rms: f64,
    /// Largest over the tracked states.
    pub max: f64,
    /// Scores of K, K² and each pair's shared bits.
    pub summaries: Vec<f64>,
    /// Total variation over states, numbers of bits, and numbers of bits that a pair shares (the worst pair), each
    /// with the sum of the standard errors of its probabilities.
    pub variation: [(f64, f64); 3],
}

impl Deviation {
    /// Passes if the root mean square is below 1.3, the score of every state below `largest_state`, other scores below
    /// 4, and no total variation needs scores of 4 in every entry.
    pub fn verdict(&self, largest_state: f64) -> Verdict {
        let row = |statistic: &str, value: f64, limit: f64| Row { statistic: statistic.to_owned(), value, limit };
        let largest =
            self.summaries.iter().skip(2).copied().fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
        let variation =
            |of: &str, (value, errors): (f64, f64)| row(&format!("total variation, {of}"), value, 2.0 * errors);
        let [classes, numbers, sharing] = self.variation;
        Verdict::new(vec![
            row("states, root mean square", self.rms, 1.3),
            row("states, largest", self.max, largest_state),
            row("features", self.summaries[0], 4.0),
            row("bits squared", self.summaries[1], 4.0),
            row("pair sharing, largest", largest, 4.0),
            variation("classes", classes),
            variation("features", numbers),
            variation("pair sharing", sharing),
        ])
    }
}

impl Visits {
    /// Counts one visit.
    pub fn add(&mut self, bits: &BitMatrix) {
        let key = key_of(bits);
        self.counts.add_indicator(Some(self.places.get(&key).copied().unwrap_or(self.states.len())));
        self.summary_means.add(&self.summaries.values(&key));
    }

    /// Compares with the exact posterior.
    pub fn deviation(&self) -> Deviation {
        let z = |means: &BatchMeans, which: usize, expected: f64| {
            let (mean, error) = means.estimate(which);
            (mean - expected) / error.max(1e-12)
        };
        let scored = self.states.iter().take(self.n_scored).enumerate();
        let scores: Vec<f64> = scored.map(|(at, (_, p))| z(&self.counts, at, *p)).collect();
        let summaries = self.expected_summaries.iter().enumerate().map(|(at, &e)| z(&self.summary_means, at, e));
        Deviation {
            rms: (scores.iter().map(|s| s * s).sum::<f64>() / scores.len() as f64).sqrt(),
            max: scores.iter().fold(0.0, |max, s| s.abs().max(max)),
            summaries: summaries.collect(),
            variation: self.variation(),
        }
    }

    fn variation(&self) -> [(f64, f64); 3] {
        let shared = |pair: u8| move |key: &StateKey| key.iter().filter(|&&column| column & pair == pair).count();
        let farther = |a: (f64, f64), b: (f64, f64)| if b.0 * a.1 > a.0 * b.1 { b } else { a };
        let sharing = self.summaries.pairs.iter().map(|&pair| self.variation_of(shared(pair)));
        let classes: Vec<f64> = self.states.iter().map(|(_, p)| *p).chain([0.0]).collect();
        [
            self.counts.total_variation(&classes),
            self.variation_of(StateKey::len),
            sharing.reduce(farther).unwrap_or_default(),
        ]
    }

    /// Total variation over a function of the state.
    fn variation_of(&self, number: impl Fn(&StateKey) -> usize) -> (f64, f64) {
        let numbers: Vec<usize> = self.states.iter().map(|(key, _)| number(key)).collect();
        let beyond = numbers.iter().max().map_or(0, |most| most + 1);
        let mut expected = vec![0.0; beyond + 1];
        for (number, (_, p)) in numbers.iter().zip(&self.states) {
            expected[*number] += p;
        }
        self.counts.grouped(beyond + 1, |at| numbers.get(at).copied().unwrap_or(beyond)).total_variation(&expected)
    }
}

fn extend(prefix: &mut StateKey, from: u8, to: u8, left: usize, keys: &mut Vec<StateKey>) {
    keys.push(prefix.clone());
    if left == 0 {
        return;
    }
    for column in from..=to {
        prefix.push(column);
        extend(prefix, column, to, left - 1, keys);
        prefix.pop();
    }
}

fn matrix_of(key: &[u8], n_objects: usize) -> BitMatrix {
    let mut bits = BitMatrix::new(n_objects);
    for column in key {
        let owned: Vec<u8> = (0..n_objects).map(|object_ix| column >> object_ix & 1).collect();
        bits.push_column(&owned);
    }
    bits
}

fn key_of(bits: &BitMatrix) -> StateKey {
    let column = |bit_ix: usize| (0..bits.n_objects()).fold(0u8, |sum, o| sum | u8::from(bits.get(o, bit_ix)) << o);
    let mut key: StateKey = (0..bits.n_bits()).map(column).collect();
    key.sort_unstable();
    key
}

fn log_multiplicities(key: &[u8]) -> f64 {
    key.chunk_by(|a, b| a == b).map(|run| (1..=run.len()).map(|n| (n as f64).ln()).sum::<f64>()).sum()
}
