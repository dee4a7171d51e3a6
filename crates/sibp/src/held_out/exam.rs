//! Scores codes on held-out objects: one score an object.

use crate::codes::Codes;
use crate::triplets::Triplet;
use std::collections::BTreeMap;

/// How many of the nearest objects of either kind make triplets with a held-out object.
const NEAREST: usize = 10;

/// Triplets about held-out objects.
///
/// The score of an object is the share of its triplets that weighted Hamming distances agree with; ties count half.
#[derive(Debug, Clone)]
pub struct Exam {
    questions: Questions,
}

#[derive(Debug, Clone)]
enum Questions {
    /// Each anchor with its i-th nearest object of the same class and its i-th nearest of another class, for every
    /// other class, under the codes that are scored. Random triplets would hardly tell good codes apart, and it is the
    /// nearest objects that a search returns.
    Nearest { anchors: Vec<usize>, others: Vec<usize>, class_of: Vec<u32> },
    /// Triplets, by anchor.
    Triplets(Vec<Vec<Triplet>>),
}

impl Exam {
    /// Scores each of `anchors` against its nearest objects among the `others`, itself excepted; `class_of` covers all
    /// objects.
    pub fn of_labels(anchors: Vec<usize>, others: Vec<usize>, class_of: &[u32]) -> Self {
        Self { questions: Questions::Nearest { anchors, others, class_of: class_of.to_vec() } }
    }

    /// Uses these triplets.
    pub fn of_triplets(triplets: impl IntoIterator<Item = Triplet>) -> Self {
        let mut by_anchor: BTreeMap<u32, Vec<Triplet>> = BTreeMap::new();
        for triplet in triplets {
            by_anchor.entry(triplet.anchor).or_default().push(triplet);
        }
        Self { questions: Questions::Triplets(by_anchor.into_values().collect()) }
    }

    /// The exam in two halves, each with its share of every class, or of the anchors of triplets.
    pub fn halves(&self) -> [Self; 2] {
        [0, 1].map(|half| {
            let questions = match &self.questions {
                Questions::Nearest { anchors, others, class_of } => {
                    let mut by_class = anchors.clone();
                    by_class.sort_by_key(|&anchor| class_of[anchor]);
                    let anchors = by_class.into_iter().skip(half).step_by(2).collect();
                    Questions::Nearest { anchors, others: others.clone(), class_of: class_of.clone() }
                }
                Questions::Triplets(lists) => {
                    Questions::Triplets(lists.iter().skip(half).step_by(2).cloned().collect())
                }
            };
            Self { questions }
        })
    }

    /// Whether there are no triplets.
    pub fn is_empty(&self) -> bool {
        match &self.questions {
            Questions::Nearest { anchors, others, .. } => anchors.is_empty() || others.is_empty(),
            Questions::Triplets(lists) => lists.is_empty(),
        }
    }

    /// Score of every anchor that has triplets, always in the same order; `weights` has one for each bit.
    ///
    /// # Panics
    /// When an object has no code.
    pub fn scores(&self, codes: &Codes, weights: &[f64]) -> Vec<f64> {
        let tables = Tables::new(weights);
        let distance = |a: usize, b: usize| tables.distance(codes.row(a), codes.row(b));
        match &self.questions {
            Questions::Triplets(lists) => {
                let answer = |t: &Triplet| {
                    let anchor = t.anchor as usize;
                    answer(distance(anchor, t.near as usize), distance(anchor, t.far as usize))
                };
                lists.iter().map(|list| list.iter().map(answer).sum::<f64>() / list.len() as f64).collect()
            }
            Questions::Nearest { anchors, others, class_of } => {
                let n_classes = class_of.iter().max().map_or(0, |&last| last as usize + 1);
                let mut nearest = vec![Vec::new(); n_classes];
                let mut scores = Vec::with_capacity(anchors.len());
                for &anchor in anchors {
                    nearest.iter_mut().for_each(Vec::clear);
                    for &object in others.iter().filter(|&&object| object != anchor) {
                        insert(&mut nearest[class_of[object] as usize], distance(anchor, object));
                    }
                    scores.extend(score(&nearest, class_of[anchor] as usize));
                }
                scores
            }
        }
    }
}

fn answer(near: f64, far: f64) -> f64 {
    if near < far {
        1.0
    } else if near == far {
        0.5
    } else {
        0.0
    }
}

/// Keeps the smallest distances in ascending order.
fn insert(nearest: &mut Vec<f64>, distance: f64) {
    if nearest.len() == NEAREST {
        if nearest[NEAREST - 1] <= distance {
            return;
        }
        nearest.pop();
    }
    let at = nearest.partition_point(|&other| other <= distance);
    nearest.insert(at, distance);
}

/// The mean score of the own class against each other one, rank by rank; `None` without an object of each.
fn score(nearest: &[Vec<f64>], own: usize) -> Option<f64> {
    let (mut sum, mut n) = (0.0, 0);
    for (_, list) in nearest.iter().enumerate().filter(|(class, _)| *class != own) {
        let pairs = nearest[own].iter().zip(list);
        n += pairs.len();
        sum += pairs.map(|(&near, &far)| answer(near, far)).sum::<f64>();
    }
    (n > 0).then(|| sum / n as f64)
}

/// Weighted distances a byte at a time: for every byte the sum of the weights of its ones.
struct Tables(Vec<[f64; 256]>);

impl Tables {
    fn new(weights: &[f64]) -> Self {
        let table = |weights: &[f64]| {
            let mut sums = [0.0; 256];
            for (byte, sum) in sums.iter_mut().enumerate() {
                let is_one = |place: &usize| byte >> (7 - place) & 1 == 1;
                *sum = (0..weights.len()).filter(is_one).map(|place| weights[place]).sum();
            }
            sums
        };
        Self(weights.chunks(8).map(table).collect())
    }

    fn distance(&self, a: &[u8], b: &[u8]) -> f64 {
        self.0.iter().zip(a.iter().zip(b)).map(|(table, (a, b))| table[usize::from(a ^ b)]).sum()
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
        assert_eq!(exam.scores(&codes(), &[1.0, 1.0]), [0.5, 0.5]);
        assert_eq!(exam.scores(&codes(), &[1.0, 0.0]), [1.0, 1.0]);
        assert_eq!(exam.scores(&codes(), &[0.5, 2.0]), [0.0, 0.0]);
    }

    #[test]
    fn classes_count_alike_however_large_they_are() {
        // Near at 2; another class with three objects at 3, a third with one at 1.
        let rows = [0b0000_0000, 0b1100_0000, 0b1110_0000, 0b1101_0000, 0b1011_0000, 0b1000_0000];
        let codes = Codes::from_bytes(6, 4, rows.to_vec()).unwrap();
        let exam = Exam::of_labels(vec![0], (0..6).collect(), &[0, 0, 1, 1, 1, 2]);
        assert_eq!(exam.scores(&codes, &[1.0; 4]), [0.5]);
    }

    #[test]
    fn an_object_without_a_fellow_has_no_score() {
        let exam = Exam::of_labels(vec![0, 3], vec![1], &[0, 0, 1, 1]);
        assert!(!exam.is_empty() && exam.scores(&codes(), &[1.0, 1.0]).is_empty());
        assert!(Exam::of_labels(vec![0], vec![], &[0]).is_empty());
    }

    #[test]
    fn halves_share_classes_and_anchors() {
        let exam = Exam::of_labels(vec![0, 1, 2, 3], vec![0, 1, 2, 3], &[0, 1, 0, 1]);
        for half in exam.halves() {
            let Questions::Nearest { anchors, others, class_of } = half.questions else { panic!("labels") };
            assert_eq!((anchors.len(), others.len()), (2, 4));
            assert_ne!(class_of[anchors[0]], class_of[anchors[1]]);
        }
        let triplets = (0..5).map(|anchor| Triplet { anchor, near: 5, far: 6 });
        let codes = Codes::zeros(7, 1);
        let counts = Exam::of_triplets(triplets).halves().map(|half| half.scores(&codes, &[1.0]).len());
        assert_eq!(counts, [3, 2]);
    }

    #[test]
    fn triplets_are_averaged_by_anchor() {
        let triplet = |anchor, near, far| Triplet { anchor, near, far };
        let exam = Exam::of_triplets([triplet(3, 2, 0), triplet(0, 1, 3), triplet(0, 1, 2), triplet(0, 2, 3)]);
        // Anchor 0: 1 < 2 right, 1 = 1 half, 1 < 2 right. Anchor 3: 1 < 2 right.
        assert_eq!(exam.scores(&codes(), &[1.0, 1.0]), [2.5 / 3.0, 1.0]);
        assert!(Exam::of_triplets([]).is_empty());
    }
}
