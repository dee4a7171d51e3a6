//! Asks codes about objects that their bits were not learned from: one score an object.

use crate::codes::Codes;
use crate::triplets::Triplet;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// How many of the nearest objects of either kind make triplets with a held-out object.
const NEAREST: usize = 10;

/// Triplets about held-out objects.
///
/// The score of an object is the share of its triplets that Hamming distances agree with; ties count half.
#[derive(Debug, Clone)]
pub struct Exam {
    questions: Questions,
}

#[derive(Debug, Clone)]
enum Questions {
    /// Each anchor with its i-th nearest object of the same class and its i-th nearest of another, under the codes that
    /// are asked. Random triplets would hardly tell good codes apart, and it is the nearest objects that a search
    /// returns.
    Nearest { anchors: Vec<usize>, others: Vec<usize>, class_of: Vec<u32> },
    /// Triplets, by anchor.
    Triplets(Vec<Vec<Triplet>>),
}

impl Exam {
    /// Asks about the objects nearest to each of `anchors` among the `others`, itself excepted; `class_of` covers all
    /// objects.
    pub fn of_labels(anchors: Vec<usize>, others: Vec<usize>, class_of: &[u32]) -> Self {
        Self { questions: Questions::Nearest { anchors, others, class_of: class_of.to_vec() } }
    }

    /// Asks these triplets.
    pub fn of_triplets(triplets: impl IntoIterator<Item = Triplet>) -> Self {
        let mut by_anchor: BTreeMap<u32, Vec<Triplet>> = BTreeMap::new();
        for triplet in triplets {
            by_anchor.entry(triplet.anchor).or_default().push(triplet);
        }
        Self { questions: Questions::Triplets(by_anchor.into_values().collect()) }
    }

    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        match &self.questions {
            Questions::Nearest { anchors, others, .. } => anchors.is_empty() || others.is_empty(),
            Questions::Triplets(lists) => lists.is_empty(),
        }
    }

    /// Score of every anchor that there is a question about, always in the same order.
    pub fn scores(&self, codes: &Codes) -> Vec<f64> {
        self.scores_of_some(codes, &vec![u8::MAX; codes.n_bytes()])
    }

    /// The same under the bits that are 1 in `mask`, a packed row.
    pub fn scores_of_some(&self, codes: &Codes, mask: &[u8]) -> Vec<f64> {
        let distance = |a: usize, b: usize| masked_distance(codes.row(a), codes.row(b), mask);
        match &self.questions {
            Questions::Triplets(lists) => {
                let answer = |t: &Triplet| {
                    let anchor = t.anchor as usize;
                    answer(distance(anchor, t.near as usize), distance(anchor, t.far as usize))
                };
                lists.iter().map(|list| list.iter().map(answer).sum::<f64>() / list.len() as f64).collect()
            }
            Questions::Nearest { anchors, others, class_of } => {
                let mut counts = Counts::new(codes.n_bits());
                let mut scores = Vec::with_capacity(anchors.len());
                for &anchor in anchors {
                    counts.clear();
                    for &object in others.iter().filter(|&&object| object != anchor) {
                        counts.add(class_of[object] == class_of[anchor], distance(anchor, object));
                    }
                    scores.extend(counts.score());
                }
                scores
            }
        }
    }
}

fn answer(near: u32, far: u32) -> f64 {
    match near.cmp(&far) {
        Ordering::Less => 1.0,
        Ordering::Equal => 0.5,
        Ordering::Greater => 0.0,
    }
}

fn masked_distance(a: &[u8], b: &[u8], mask: &[u8]) -> u32 {
    a.iter().zip(b).zip(mask).map(|((a, b), mask)| ((a ^ b) & mask).count_ones()).sum()
}

/// How many objects of the anchor's class, and of others, are at each distance: sorts without comparing.
struct Counts {
    same: Vec<usize>,
    other: Vec<usize>,
}

impl Counts {
    fn new(n_bits: usize) -> Self {
        Self { same: vec![0; n_bits + 1], other: vec![0; n_bits + 1] }
    }

    fn clear(&mut self) {
        self.same.fill(0);
        self.other.fill(0);
    }

    fn add(&mut self, is_same: bool, distance: u32) {
        let counts = if is_same { &mut self.same } else { &mut self.other };
        counts[distance as usize] += 1;
    }

    /// The mean answer over the i-th nearest of either kind; none without an object of each.
    fn score(&self) -> Option<f64> {
        let ranked = |counts: &[usize]| -> Vec<u32> {
            let repeated =
                (0u32..).zip(counts).flat_map(|(distance, &n)| std::iter::repeat_n(distance, n.min(NEAREST)));
            repeated.take(NEAREST).collect()
        };
        let (same, other) = (ranked(&self.same), ranked(&self.other));
        let n = same.len().min(other.len());
        (n > 0).then(|| same.iter().zip(&other).map(|(&near, &far)| answer(near, far)).sum::<f64>() / n as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Objects 0, 1 of one class, 2, 3 of another; the first bit tells the classes apart, the second does not.
    fn codes() -> Codes {
        Codes::from_bytes(4, 2, vec![0b0000_0000, 0b0100_0000, 0b1000_0000, 0b1100_0000]).unwrap()
    }

    #[test]
    fn nearest_objects_are_compared_rank_by_rank() {
        let exam = Exam::of_labels(vec![0, 3], vec![1, 2], &[0, 0, 1, 1]);
        // 0: near 1 at distance 1, far 2 at distance 1. 3: near 2 at distance 1, far 1 at distance 1.
        assert_eq!(exam.scores(&codes()), [0.5, 0.5]);
        assert_eq!(exam.scores_of_some(&codes(), &[0b1000_0000]), [1.0, 1.0]);
        assert_eq!(exam.scores_of_some(&codes(), &[0b0100_0000]), [0.0, 0.0]);
    }

    #[test]
    fn an_object_without_a_fellow_has_no_score() {
        let exam = Exam::of_labels(vec![0, 3], vec![1], &[0, 0, 1, 1]);
        assert!(!exam.is_empty() && exam.scores(&codes()).is_empty());
        assert!(Exam::of_labels(vec![0], vec![], &[0]).is_empty());
    }

    #[test]
    fn triplets_are_averaged_by_anchor() {
        let triplet = |anchor, near, far| Triplet { anchor, near, far };
        let exam = Exam::of_triplets([triplet(3, 2, 0), triplet(0, 1, 3), triplet(0, 1, 2), triplet(0, 2, 3)]);
        // Anchor 0: 1 < 2 right, 1 = 1 half, 1 < 2 right. Anchor 3: 1 < 2 right.
        assert_eq!(exam.scores(&codes()), [2.5 / 3.0, 1.0]);
        assert!(Exam::of_triplets([]).is_empty());
    }
}
