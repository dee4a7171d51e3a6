//! Colours the triplet graph: splits objects into sets without a common triplet, whose bits can be drawn in parallel.

use super::TripletSet;

/// No colour holds more than one in this many objects: bits that only objects of one colour own are not updated with
/// it.
const LARGEST_SHARE: usize = 4;

impl TripletSet {
    /// Sets of objects no two of which are in the same triplet, each list ascending; by first fit, so a function of
    /// the triplets alone.
    pub fn independent_sets(&self) -> Vec<Vec<u32>> {
        let most = self.n_objects().div_ceil(LARGEST_SHARE);
        let mut set_of = vec![u32::MAX; self.n_objects()];
        let mut sets: Vec<Vec<u32>> = Vec::new();
        // For each colour, the last object that could not take it, plus one.
        let mut taken: Vec<usize> = Vec::new();
        // Colours before this one are full.
        let mut first_open = 0;
        for object_ix in 0..self.n_objects() {
            let mut mark = |other: u32| {
                if let Some(stamp) = taken.get_mut(set_of[other as usize] as usize) {
                    *stamp = object_ix + 1;
                }
            };
            for t in &self.triplets()[self.anchored(object_ix)] {
                mark(t.near);
                mark(t.far);
            }
            self.others(object_ix).iter().flat_map(|entry| entry.others).for_each(mark);
            while first_open < sets.len() && sets[first_open].len() >= most {
                first_open += 1;
            }
            let fits = |&set: &usize| taken[set] != object_ix + 1 && sets[set].len() < most;
            let set = (first_open..sets.len()).find(fits).unwrap_or(sets.len());
            if set == sets.len() {
                sets.push(Vec::new());
                taken.push(0);
            }
            sets[set].push(object_ix as u32);
            set_of[object_ix] = set as u32;
        }
        sets
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
            let sets = set.independent_sets();
            let mut set_of = vec![usize::MAX; n_objects];
            for (set, members) in sets.iter().enumerate() {
                assert!(!members.is_empty() && members.len() <= n_objects / 4 && members.is_sorted());
                members.iter().for_each(|&member| set_of[member as usize] = set);
            }
            assert_eq!(sets.iter().map(Vec::len).sum::<usize>(), n_objects);
            assert!(!set_of.contains(&usize::MAX));
            for t in set.triplets() {
                let [a, b, c] = [t.anchor, t.near, t.far].map(|object| set_of[object as usize]);
                assert!(a != b && b != c && a != c, "{t:?}");
            }
        }
    }
}
