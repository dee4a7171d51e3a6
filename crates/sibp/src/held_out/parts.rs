//! Splits objects into held-out parts, with triplets about each part.

use super::Exam;
use crate::triplets::{Teacher, Triplet};
use rand::Rng;
use rand::seq::SliceRandom;

/// A held-out set of objects, and the triplets about it.
#[derive(Debug, Clone)]
pub struct HeldOut {
    /// The objects held out, ascending.
    pub held: Vec<usize>,
    /// All others, ascending.
    pub kept: Vec<usize>,
    /// Triplets about held-out objects: with labels those of each with its nearest, else the teacher's.
    pub exam: Exam,
}

impl HeldOut {
    /// Splits the objects into parts, class by class so that every part has some of each, and holds each part out
    /// once. Parts without any triplet are left out.
    pub fn parts<R: Rng>(teacher: Teacher<'_>, n_objects: usize, n_parts: usize, rng: &mut R) -> Vec<Self> {
        let mut objects: Vec<usize> = (0..n_objects).collect();
        objects.shuffle(rng);
        if let Teacher::Labels(labels, _) = teacher {
            objects.sort_by_key(|&object| labels.class_of()[object]);
        }
        let part = |part: usize| {
            let mut is_held = vec![false; n_objects];
            objects.iter().skip(part).step_by(n_parts).for_each(|&object| is_held[object] = true);
            Self::new(teacher, &is_held)
        };
        (0..n_parts).map(part).filter(|part| !part.exam.is_empty()).collect()
    }

    /// Holds these objects out.
    pub fn new(teacher: Teacher<'_>, is_held: &[bool]) -> Self {
        let (held, kept): (Vec<usize>, Vec<usize>) = (0..is_held.len()).partition(|&object| is_held[object]);
        let exam = match teacher {
            Teacher::Labels(labels, _) => Exam::of_labels(held.clone(), kept.clone(), labels.class_of()),
            Teacher::Triplets(triplets) => {
                let about = |t: &&Triplet| [t.anchor, t.near, t.far].iter().any(|&object| is_held[object as usize]);
                Exam::of_triplets(triplets.iter().filter(about).copied())
            }
        };
        Self { held, kept, exam }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Labels;
    use crate::triplets::FromLabels;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn every_object_is_held_out_once_and_every_part_has_all_classes() {
        let labels = Labels::from_text(&["a", "b"].repeat(10));
        let teacher = Teacher::Labels(&labels, FromLabels::default());
        let parts = HeldOut::parts(teacher, 20, 5, &mut ChaCha8Rng::seed_from_u64(1));
        let mut held: Vec<usize> = parts.iter().flat_map(|part| part.held.clone()).collect();
        held.sort_unstable();
        assert_eq!(held, (0..20).collect::<Vec<_>>());
        for part in &parts {
            assert_eq!((part.held.len(), part.kept.len()), (4, 16));
            assert_eq!(part.held.iter().filter(|&&object| object % 2 == 0).count(), 2);
        }
    }

    #[test]
    fn triplets_are_asked_where_a_member_is_held_out() {
        let triplets = [Triplet { anchor: 0, near: 1, far: 2 }];
        let parts = HeldOut::parts(Teacher::Triplets(&triplets), 20, 20, &mut ChaCha8Rng::seed_from_u64(1));
        let mut held: Vec<usize> = parts.iter().flat_map(|part| part.held.clone()).collect();
        held.sort_unstable();
        assert_eq!(held, [0, 1, 2]);
    }
}
