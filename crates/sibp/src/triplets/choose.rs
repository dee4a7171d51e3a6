//! Chooses objects of the same class or of other classes, at random or by distance.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::data::{Inputs, Labels};
use crate::numerics::simd::squared_distance;

/// Objects sorted by class, so that a class is a range and the other classes are the rest.
pub(super) struct Chooser<'a> {
    inputs: &'a Inputs,
    class_of: &'a [u32],
    sorted: Vec<u32>,
    /// Start of each class in `sorted`, and the end of the last.
    starts: Vec<usize>,
    /// Position of each object in `sorted`.
    position: Vec<u32>,
}

impl<'a> Chooser<'a> {
    pub fn new(labels: &'a Labels, inputs: &'a Inputs) -> Self {
        let class_of = labels.class_of();
        let mut sorted: Vec<u32> = (0u32..).take(class_of.len()).collect();
        sorted.sort_by_key(|&object| class_of[object as usize]);
        let mut starts = vec![0; labels.names().len() + 1];
        class_of.iter().for_each(|&class| starts[class as usize + 1] += 1);
        for class in 1..starts.len() {
            starts[class] += starts[class - 1];
        }
        let mut position = vec![0; class_of.len()];
        (0u32..).zip(&sorted).for_each(|(at, &object)| position[object as usize] = at);
        Self { inputs, class_of, sorted, starts, position }
    }

    fn range(&self, object: usize) -> (usize, usize) {
        let class = self.class_of[object] as usize;
        (self.starts[class], self.starts[class + 1])
    }

    /// Number of other objects of the same class, and of objects of other classes.
    pub fn counts(&self, object: usize) -> (usize, usize) {
        let (start, end) = self.range(object);
        (end - start - 1, self.sorted.len() - (end - start))
    }

    pub fn random_same(&self, object: usize, most: usize, rng: &mut ChaCha8Rng) -> Vec<u32> {
        let ((start, _), own) = (self.range(object), self.position[object] as usize);
        let pick = |i: usize| self.sorted[start + i + usize::from(start + i >= own)];
        distinct(self.counts(object).0, most, rng).into_iter().map(pick).collect()
    }

    pub fn random_other(&self, object: usize, most: usize, rng: &mut ChaCha8Rng) -> Vec<u32> {
        let (start, end) = self.range(object);
        let pick = |i: usize| self.sorted[if i < start { i } else { i + end - start }];
        distinct(self.counts(object).1, most, rng).into_iter().map(pick).collect()
    }

    pub fn nearest_same(&self, object: usize, most: usize) -> Vec<u32> {
        let (start, end) = self.range(object);
        let others = self.sorted[start..end].iter().filter(|&&o| o as usize != object);
        self.nearest(object, others, most)
    }

    pub fn nearest_other(&self, object: usize, most: usize) -> Vec<u32> {
        let (start, end) = self.range(object);
        self.nearest(object, self.sorted[..start].iter().chain(&self.sorted[end..]), most)
    }

    /// The nearest of the candidates, nearest first, ties by row.
    fn nearest<'b>(&self, object: usize, candidates: impl Iterator<Item = &'b u32>, most: usize) -> Vec<u32> {
        let from = self.inputs.row(object);
        let mut found: Vec<(f64, u32)> =
            candidates.map(|&o| (squared_distance(&from, &self.inputs.row(o as usize)), o)).collect();
        let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if most < found.len() {
            found.select_nth_unstable_by(most, order);
            found.truncate(most);
        }
        found.sort_unstable_by(order);
        found.into_iter().map(|(_, o)| o).collect()
    }
}

/// `most` different numbers below `n` in random order; all of them where there are no more.
fn distinct(n: usize, most: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    if most < n / 4 {
        // Few of many: draw until new. At least three in four draws are.
        let mut chosen: Vec<usize> = Vec::with_capacity(most);
        let mut seen = std::collections::BTreeSet::new();
        while chosen.len() < most {
            let number = below(n, rng);
            if seen.insert(number) {
                chosen.push(number);
            }
        }
        return chosen;
    }
    let mut numbers: Vec<usize> = (0..n).collect();
    let most = most.min(n);
    for at in 0..most {
        numbers.swap(at, at + below(n - at, rng));
    }
    numbers.truncate(most);
    numbers
}

/// Puts a list into random order.
pub(super) fn shuffle<T>(list: &mut [T], rng: &mut ChaCha8Rng) {
    for at in (1..list.len()).rev() {
        list.swap(at, below(at + 1, rng));
    }
}

/// A uniform number below `n`, the same on machines of any word size.
fn below(n: usize, rng: &mut ChaCha8Rng) -> usize {
    rng.random_range(0..n as u64) as usize
}
