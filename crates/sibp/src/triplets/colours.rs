//! Colours the triplet graph: splits objects into sets without a common triplet, whose bits can be drawn in parallel.

use super::TripletSet;

/// No colour holds more than one in this many objects: bits that only objects of one colour own are not updated with
/// it.
const LARGEST_SHARE: usize = 4;

impl TripletSet {
    /// Classes of objects no two of which are in the same triplet, each list ascending; by first fit, so a function of
    /// the triplets alone.
    pub fn independent_sets(&self) -> Vec<Vec<u32>> {
        let most = self.n_objects().div_ceil(LARGEST_SHARE);
        let mut class_of = vec![u32::MAX; self.n_objects()];
        let mut classes: Vec<Vec<u32>> = Vec::new();
        // For each colour, the last object that could not take it, plus one.
        let mut taken: Vec<usize> = Vec::new();
        // Colours before this one are full.
        let mut first_open = 0;
        for object_ix in 0..self.n_objects() {
            let mut mark = |other: u32| {
                if let Some(stamp) = taken.get_mut(class_of[other as usize] as usize) {
                    *stamp = object_ix + 1;
                }
            };
            for t in &self.triplets()[self.anchored(object_ix)] {
                mark(t.near);
                mark(t.far);
            }
            self.others(object_ix).iter().flat_map(|entry| entry.others).for_each(mark);
            while first_open < classes.len() && classes[first_open].len() >= most {
                first_open += 1;
            }
            let fits = |&class: &usize| taken[class] != object_ix + 1 && classes[class].len() < most;
            let class = (first_open..classes.len()).find(fits).unwrap_or(classes.len());
            if class == classes.len() {
                classes.push(Vec::new());
                taken.push(0);
            }
            classes[class].push(object_ix as u32);
            class_of[object_ix] = class as u32;
        }
        classes
    }
}

#[cfg(test)]
mod tests {
    use crate::triplets::{Triplet, TripletSet};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn no_triplet_has_two_members_in_a_class() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for n_triplets in [0, 10, 300, 5_000] {
            let n_objects = 200;
            let mut draw = || rng.random_range(0..n_objects as u32);
            let triplets = (0..n_triplets).map(|_| Triplet { anchor: draw(), near: draw(), far: draw() });
            let distinct = |t: &Triplet| t.anchor != t.near && t.near != t.far && t.anchor != t.far;
            let set = TripletSet::new(n_objects, triplets.filter(distinct).collect()).unwrap();
            let classes = set.independent_sets();
            let mut class_of = vec![usize::MAX; n_objects];
            for (class, members) in classes.iter().enumerate() {
                assert!(!members.is_empty() && members.len() <= n_objects / 4 && members.is_sorted());
                members.iter().for_each(|&member| class_of[member as usize] = class);
            }
            assert_eq!(classes.iter().map(Vec::len).sum::<usize>(), n_objects);
            assert!(!class_of.contains(&usize::MAX));
            for t in set.triplets() {
                let [a, b, c] = [t.anchor, t.near, t.far].map(|object| class_of[object as usize]);
                assert!(a != b && b != c && a != c, "{t:?}");
            }
        }
    }
}
