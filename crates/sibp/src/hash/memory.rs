//! Keeps a bounded reservoir sample of the objects seen so far, so that new bits are also judged by old objects.
//!
//! Every object (with labels) or triplet gets a random key once and for all, and the smallest keys stay: a reservoir
//! sample that is uniform within each class, where classes share the room evenly, or over all triplets, however the
//! batches came.

use crate::data::{DataError, Inputs, Labels};
use crate::rng::{Purpose, Streams};
use crate::triplets::{Teacher, Triplet, renumbered};
use rand::RngExt;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Why objects cannot be added to the reservoir.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MemoryError {
    /// The reservoir holds labels and the batch triplets, or the reverse.
    #[error("earlier batches were taught by {before}, this one by {now}; teach all by the same, or forget the earlier")]
    OtherTeacher {
        /// What the reservoir holds.
        before: &'static str,
        /// What the batch brings.
        now: &'static str,
    },
    /// Inputs of another width.
    #[error(transparent)]
    Data(#[from] DataError),
}

/// Labels or triplets of the remembered objects.
#[derive(Debug, Clone, PartialEq)]
pub enum Lessons {
    /// A class and a key for each object.
    Labels {
        /// The classes.
        labels: Labels,
        /// The keys.
        keys: Vec<u64>,
    },
    /// Triplets, with a key for each.
    Triplets {
        /// The triplets.
        triplets: Vec<Triplet>,
        /// The keys.
        keys: Vec<u64>,
    },
}

/// Remembered objects with their labels or triplets.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// Inputs as they were read.
    pub inputs: Inputs,
    /// Labels or triplets.
    pub lessons: Lessons,
}

impl Remembered {
    /// The labels or triplets as a teacher; triplets are made from labels by the options of `like`.
    pub fn teacher(&self, like: Teacher<'_>) -> Teacher<'_> {
        match (&self.lessons, like) {
            (Lessons::Labels { labels, .. }, Teacher::Labels(_, options)) => Teacher::Labels(labels, options),
            (Lessons::Labels { labels, .. }, Teacher::Triplets(_)) => Teacher::Labels(labels, Default::default()),
            (Lessons::Triplets { triplets, .. }, _) => Teacher::Triplets(triplets),
        }
    }
}

/// A bounded reservoir sample of the objects seen so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memory {
    /// Batches seen.
    pub n_batches: u64,
    /// The sample; `None` if nothing was seen or nothing may be kept.
    pub sample: Option<Remembered>,
}

impl Memory {
    /// Number of objects remembered.
    pub fn n_objects(&self) -> usize {
        self.sample.as_ref().map_or(0, |sample| sample.inputs.n_objects())
    }

    /// The remembered objects followed by those of a batch.
    pub(crate) fn joined(&self, inputs: &Inputs, teacher: Teacher<'_>, seed: u64) -> Result<Remembered, MemoryError> {
        let mut rng = Streams::new(seed, 0).rng(Purpose::Memory, 0, self.n_batches);
        let n_new = match teacher {
            Teacher::Labels(..) => inputs.n_objects(),
            Teacher::Triplets(triplets) => triplets.len(),
        };
        let keys: Vec<u64> = (0..n_new).map(|_| rng.random()).collect();
        let new = match teacher {
            Teacher::Labels(labels, _) => Lessons::Labels { labels: labels.clone(), keys },
            Teacher::Triplets(triplets) => Lessons::Triplets { triplets: triplets.to_vec(), keys },
        };
        let Some(old) = &self.sample else { return Ok(Remembered { inputs: inputs.clone(), lessons: new }) };
        let values = [old.inputs.values(), inputs.values()].concat();
        let n_old = old.inputs.n_objects();
        let both = Inputs::new(n_old + inputs.n_objects(), inputs.n_inputs(), values)?;
        Ok(Remembered { inputs: both, lessons: append(&old.lessons, new, n_old as u32)? })
    }

    /// Replaces the sample by at most `capacity` of these objects.
    pub(crate) fn remember(&mut self, seen: &Remembered, capacity: usize) {
        self.n_batches += 1;
        let kept = match &seen.lessons {
            Lessons::Labels { labels, keys } => fair_share(labels.class_of(), keys, capacity),
            Lessons::Triplets { triplets, keys } => members(triplets, keys, capacity),
        };
        self.sample = (!kept.is_empty()).then(|| {
            let lessons = match &seen.lessons {
                Lessons::Labels { labels, keys } => Lessons::Labels {
                    labels: by_name(&[labels.select(&kept)]),
                    keys: kept.iter().map(|&object| keys[object]).collect(),
                },
                Lessons::Triplets { triplets, keys } => {
                    let inside: BTreeSet<usize> = kept.iter().copied().collect();
                    let stays = |t: &Triplet| [t.anchor, t.near, t.far].iter().all(|&o| inside.contains(&(o as usize)));
                    let keys = triplets.iter().zip(keys).filter(|(t, _)| stays(t)).map(|(_, &key)| key).collect();
                    Lessons::Triplets { triplets: renumbered(triplets, &kept), keys }
                }
            };
            Remembered { inputs: seen.inputs.select(&kept), lessons }
        });
    }
}

fn append(old: &Lessons, new: Lessons, n_old: u32) -> Result<Lessons, MemoryError> {
    match (old, new) {
        (Lessons::Labels { labels, keys }, Lessons::Labels { labels: more, keys: more_keys }) => {
            Ok(Lessons::Labels { labels: by_name(&[labels.clone(), more]), keys: [&keys[..], &more_keys].concat() })
        }
        (Lessons::Triplets { triplets, keys }, Lessons::Triplets { triplets: more, keys: more_keys }) => {
            let moved = |t: Triplet| Triplet { anchor: t.anchor + n_old, near: t.near + n_old, far: t.far + n_old };
            let triplets = triplets.iter().copied().chain(more.into_iter().map(moved)).collect();
            Ok(Lessons::Triplets { triplets, keys: [&keys[..], &more_keys].concat() })
        }
        (Lessons::Labels { .. }, Lessons::Triplets { .. }) => {
            Err(MemoryError::OtherTeacher { before: "labels", now: "triplets" })
        }
        (Lessons::Triplets { .. }, Lessons::Labels { .. }) => {
            Err(MemoryError::OtherTeacher { before: "triplets", now: "labels" })
        }
    }
}

/// Joins label lists, with classes identified by name.
fn by_name(parts: &[Labels]) -> Labels {
    let name = |labels: &Labels, class: u32| labels.names()[class as usize].clone();
    let texts: Vec<String> = parts.iter().flat_map(|l| l.class_of().iter().map(|&class| name(l, class))).collect();
    Labels::from_text(&texts)
}

/// The objects with the smallest keys of every class: equally many of each class, small classes whole.
fn fair_share(class_of: &[u32], keys: &[u64], capacity: usize) -> Vec<usize> {
    let mut classes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    class_of.iter().enumerate().for_each(|(object, &class)| classes.entry(class).or_default().push(object));
    let mut lists: Vec<Vec<usize>> = classes.into_values().collect();
    lists.sort_by_key(Vec::len);
    let (n_lists, mut left) = (lists.len(), capacity);
    let mut kept = Vec::new();
    for (at, mut list) in lists.into_iter().enumerate() {
        let share = (left / (n_lists - at)).min(list.len());
        list.sort_by_key(|&object| keys[object]);
        kept.extend_from_slice(&list[..share]);
        left -= share;
    }
    kept.sort_unstable();
    kept
}

/// The objects of the triplets with the smallest keys.
fn members(triplets: &[Triplet], keys: &[u64], capacity: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..triplets.len()).collect();
    order.sort_by_key(|&at| keys[at]);
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    for at in order {
        let t = triplets[at];
        let new: BTreeSet<usize> =
            [t.anchor, t.near, t.far].iter().map(|&o| o as usize).filter(|o| !kept.contains(o)).collect();
        if kept.len() + new.len() <= capacity {
            kept.extend(new);
        }
    }
    kept.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triplets::FromLabels;

    fn inputs(n: usize, first: usize) -> Inputs {
        Inputs::new(n, 1, (first..first + n).map(|v| v as f64).collect()).unwrap()
    }

    fn see(memory: &mut Memory, names: &[&str], first: usize, capacity: usize) {
        let labels = Labels::from_text(names);
        let teacher = Teacher::Labels(&labels, FromLabels::default());
        let seen = memory.joined(&inputs(names.len(), first), teacher, 1).unwrap();
        memory.remember(&seen, capacity);
    }

    fn counts(memory: &Memory) -> Vec<(String, usize)> {
        let Some(Remembered { lessons: Lessons::Labels { labels, .. }, .. }) = &memory.sample else { panic!("labels") };
        let count = |class: u32| labels.class_of().iter().filter(|&&c| c == class).count();
        (0u32..).zip(labels.names()).map(|(class, name)| (name.clone(), count(class))).collect()
    }

    #[test]
    fn classes_share_the_room_whatever_the_order_of_batches() {
        let mut memory = Memory::default();
        see(&mut memory, &["a"; 20], 0, 10);
        assert_eq!(counts(&memory), [("a".to_owned(), 10)]);
        see(&mut memory, &[["b"; 7].as_slice(), &["c"; 2]].concat(), 20, 10);
        let expected = [("a".to_owned(), 4), ("b".to_owned(), 4), ("c".to_owned(), 2)];
        assert_eq!(counts(&memory), expected);
        assert_eq!((memory.n_objects(), memory.n_batches), (10, 2));
    }

    #[test]
    fn the_sample_is_uniform_over_all_batches() {
        let n_seeds = 400;
        let mut from_first = 0;
        for seed in 0..n_seeds {
            let mut memory = Memory::default();
            for batch in 0..4 {
                let labels = Labels::from_text(&["a"; 10]);
                let teacher = Teacher::Labels(&labels, FromLabels::default());
                let seen = memory.joined(&inputs(10, 10 * batch), teacher, seed).unwrap();
                memory.remember(&seen, 8);
            }
            from_first += memory.sample.unwrap().inputs.values().iter().filter(|&&v| v < 10.0).count();
        }
        // 8 of 40 objects, a quarter of them of the first batch: hypergeometric, variance 8/4 * 3/4 * 32/39 a seed.
        let z = (from_first as f64 - 2.0 * n_seeds as f64) / (1.5 * 32.0 / 39.0 * n_seeds as f64).sqrt();
        assert!(z.abs() < 4.0, "{z}");
    }

    #[test]
    fn triplets_stay_with_their_objects() {
        let triplet = |anchor, near, far| Triplet { anchor, near, far };
        let triplets = [triplet(0, 1, 2), triplet(3, 4, 5), triplet(6, 7, 8)];
        let mut memory = Memory::default();
        for batch in 0..2 {
            let seen = memory.joined(&inputs(9, 9 * batch), Teacher::Triplets(&triplets), 3).unwrap();
            memory.remember(&seen, 7);
        }
        let sample = memory.sample.clone().unwrap();
        let Lessons::Triplets { triplets, keys } = &sample.lessons else { panic!("triplets") };
        assert_eq!((sample.inputs.n_objects(), triplets.len(), keys.len()), (6, 2, 2));
        for t in triplets {
            let value = |object: u32| sample.inputs.row(object as usize)[0];
            assert_eq!((value(t.near) - value(t.anchor), value(t.far) - value(t.anchor)), (1.0, 2.0));
        }
        let labels = Labels::from_text(&["a", "b"]);
        let other = memory.joined(&inputs(2, 0), Teacher::Labels(&labels, FromLabels::default()), 3);
        assert!(matches!(other, Err(MemoryError::OtherTeacher { before: "triplets", now: "labels" })));
    }

    #[test]
    fn a_memory_without_room_stays_empty() {
        let mut memory = Memory::default();
        see(&mut memory, &["a", "b"], 0, 0);
        assert_eq!((memory.n_objects(), memory.n_batches, memory.sample), (0, 1, None));
    }
}
