//! Splits the handwritten digits into those to learn from and those to try on.

use rand::seq::SliceRandom;
use sibp::data::{Inputs, Labels};
use sibp::rng::{Purpose, Streams};
use sibp_paper::digits::all;

pub use sibp_paper::digits::SIDE;

/// Largest value of a pixel.
pub const BRIGHTEST: f64 = 16.0;

/// Digits to learn from and digits to try on, disjoint.
#[derive(Debug)]
pub struct Digits {
    /// Inputs of the digits to learn from.
    pub train: Inputs,
    /// Classes of the digits to learn from.
    pub train_labels: Labels,
    /// Inputs of the digits to try on.
    pub test: Inputs,
    /// Classes of the digits to try on.
    pub test_labels: Labels,
}

/// Shuffles all digits by the seed and takes the first `n_train` to learn from, the rest to try on.
pub fn split(n_train: usize, seed: u64) -> anyhow::Result<Digits> {
    let (inputs, labels) = all()?;
    let n = inputs.n_objects();
    let mut rows: Vec<usize> = (0..n).collect();
    rows.shuffle(&mut Streams::new(seed, 0).rng(Purpose::Split, 1, 0));
    let (train, test) = rows.split_at(n_train);
    Ok(Digits {
        train: inputs.select(train),
        train_labels: labels.select(train),
        test: inputs.select(test),
        test_labels: labels.select(test),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_all_digits_once() {
        let digits = split(600, 1).unwrap();
        assert_eq!((digits.train.n_objects(), digits.test.n_objects()), (600, 1197));
        assert_eq!(digits.train_labels.names().len(), 10);
        let mut rows: Vec<Vec<u64>> =
            digits.train.rows().chain(digits.test.rows()).map(|r| r.iter().map(|v| v.to_bits()).collect()).collect();
        let total: f64 = rows.iter().flatten().map(|&b| f64::from_bits(b)).sum();
        assert_eq!(total, all().unwrap().0.values().iter().sum::<f64>());
        rows.sort();
        rows.dedup();
        assert_eq!(rows.len(), 1797);
    }
}
