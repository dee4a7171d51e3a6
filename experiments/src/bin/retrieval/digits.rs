//! Draws training digits, queries and databases from MNIST.

use crate::idx::{read_classes, read_images};
use crate::search_set::SearchSet;
use anyhow::{Result, ensure};
use rand::seq::SliceRandom;
use sibp::data::{Inputs, Labels};
use sibp::rng::{Purpose, Streams};
use std::path::Path;

/// Test digits that are asked.
const QUERIES: usize = 1000;

/// Training digits that stand for the test digits, where settings are chosen.
const QUERIED: usize = 10_000;

/// Images with their digits.
struct Part {
    images: Inputs,
    digits: Vec<u32>,
}

impl Part {
    fn read(folder: &Path, name: &str) -> Result<Self> {
        let images = read_images(&folder.join(format!("{name}-images-idx3-ubyte")))?;
        let digits = read_classes(&folder.join(format!("{name}-labels-idx1-ubyte")))?;
        ensure!(images.n_objects() == digits.len(), "{} images have {} labels", images.n_objects(), digits.len());
        Ok(Self { images, digits })
    }

    /// The rows of these digits, in the order of `rows`.
    fn of(&self, among: &[u32], rows: impl Iterator<Item = usize>) -> Vec<usize> {
        rows.filter(|&row| among.contains(&self.digits[row])).collect()
    }

    fn part(&self, rows: std::ops::Range<usize>) -> Self {
        let (images, digits) = self.select(&rows.collect::<Vec<_>>());
        Self { images, digits }
    }

    fn select(&self, rows: &[usize]) -> (Inputs, Vec<u32>) {
        (self.images.select(rows), rows.iter().map(|&row| self.digits[row]).collect())
    }
}

/// All of MNIST.
pub struct Mnist {
    train: Part,
    test: Part,
}

impl Mnist {
    /// Reads the four files; `None`, with a word on stdout, where they are not there. For development the last training
    /// digits stand for the test digits.
    pub fn read(folder: &Path, development: bool) -> Result<Option<Self>> {
        if !folder.join("train-images-idx3-ubyte").exists() {
            println!("skipped: no MNIST in {}; experiments/retrieval/mnist.sh gets it", folder.display());
            return Ok(None);
        }
        let train = Part::read(folder, "train")?;
        Ok(Some(match development {
            true => Self {
                train: train.part(0..train.digits.len() - QUERIED),
                test: train.part(train.digits.len() - QUERIED..train.digits.len()),
            },
            false => Self { train, test: Part::read(folder, "t10k")? },
        }))
    }

    /// Images to learn from, `per_class` of each of these digits, or all of a digit that has fewer.
    pub fn training(&self, seed: u64, per_class: usize, among: &[u32]) -> Result<(Inputs, Labels)> {
        let mut rng = Streams::new(seed, 0).rng(Purpose::Split, 0, 0);
        let mut rows = Vec::new();
        // All digits are drawn, so that those of a class do not depend on which other classes are taught.
        for digit in 0..10 {
            let mut of_class = self.train.of(&[digit], 0..self.train.digits.len());
            of_class.shuffle(&mut rng);
            rows.extend(self.train.of(among, of_class.into_iter().take(per_class)));
        }
        rows.sort_unstable();
        let (images, digits) = self.train.select(&rows);
        let texts: Vec<String> = digits.iter().map(u32::to_string).collect();
        Ok((images, Labels::from_text(&texts)))
    }

    /// All training images of these digits as the database, asked by those of the drawn test images.
    pub fn search_set(&self, seed: u64, among: &[u32]) -> SearchSet {
        let mut rows: Vec<usize> = (0..self.test.digits.len()).collect();
        rows.shuffle(&mut Streams::new(seed, 0).rng(Purpose::Split, 1, 0));
        let asked = self.test.of(among, rows.into_iter().take(QUERIES));
        let (queries, query_classes) = self.test.select(&asked);
        let n = self.train.digits.len();
        let (database, classes) = match self.train.of(among, 0..n) {
            // A clone shares the numbers.
            rows if rows.len() == n => (self.train.images.clone(), self.train.digits.clone()),
            rows => self.train.select(&rows),
        };
        SearchSet { database, classes, queries, query_classes }
    }
}
