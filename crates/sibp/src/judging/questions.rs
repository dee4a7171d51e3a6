//! Groups judgements by the question that they answer, so that one question is never both learned from and asked.

use crate::triplets::Triplet;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// The judgements' positions by question, in random order. Both answers to a question, and repeats, stay together.
pub(super) fn shuffled(triplets: &[Triplet], rng: &mut ChaCha8Rng) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<(u32, u32, u32), Vec<usize>> = BTreeMap::new();
    for (at, t) in triplets.iter().enumerate() {
        groups.entry((t.anchor, t.near.min(t.far), t.near.max(t.far))).or_default().push(at);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.shuffle(rng);
    groups
}

/// The judgements at these positions, in the order in which they came.
pub(super) fn at(triplets: &[Triplet], groups: &[Vec<usize>]) -> Vec<Triplet> {
    let mut positions: Vec<usize> = groups.concat();
    positions.sort_unstable();
    positions.into_iter().map(|at| triplets[at]).collect()
}
