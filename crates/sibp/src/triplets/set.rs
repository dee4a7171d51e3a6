//! Stores a checked list of triplets and, for every object, the triplets it takes part in.

use super::Judges;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use thiserror::Error;

/// A judgement: `anchor` is more like `near` than like `far`; the numbers are rows of the inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Triplet {
    /// The object that is asked about.
    pub anchor: u32,
    /// The object that the anchor is more like.
    pub near: u32,
    /// The object that the anchor is less like.
    pub far: u32,
}

/// Why a triplet cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TripletError {
    /// A number is not a row of the inputs.
    #[error("triplet {triplet_ix}: {role} is object {object}, but there are only {n_objects} objects (0 to {})", n_objects.saturating_sub(1))]
    UnknownObject {
        /// Position of the triplet in the list.
        triplet_ix: usize,
        /// Which of the three.
        role: &'static str,
        /// The number found.
        object: u64,
        /// Number of objects there are.
        n_objects: usize,
    },
    /// Two of the three objects are the same.
    #[error("triplet {triplet_ix}: ({anchor}, {near}, {far}) names an object twice; the three must differ")]
    RepeatedObject {
        /// Position of the triplet in the list.
        triplet_ix: usize,
        /// Its anchor.
        anchor: u32,
        /// Its near object.
        near: u32,
        /// Its far object.
        far: u32,
    },
    /// More than `u32::MAX` triplets or objects.
    #[error("{count} {what} are too many; the limit is {}", u32::MAX)]
    TooMany {
        /// `"triplets"` or `"objects"`.
        what: &'static str,
        /// How many were given.
        count: usize,
    },
}

/// The role of an object in a triplet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The object asked about.
    Anchor,
    /// The object that the anchor is more like.
    Near,
    /// The object that the anchor is less like.
    Far,
}

/// An appearance of an object as near or far, with the other two members of the triplet.
///
/// `others` are (anchor, far) for a near object, (anchor, near) for a far one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoleEntry {
    /// Position of the triplet in the set.
    pub triplet_ix: u32,
    /// The other two members.
    pub others: [u32; 2],
}

/// Triplets over `n_objects` objects, sorted by anchor, and for every object the triplets in which it is near or far.
///
/// A triplet takes 36 bytes: itself, and an entry each for its near and its far object.
#[derive(Debug, Clone)]
pub struct TripletSet {
    triplets: Vec<Triplet>,
    n_objects: usize,
    /// Start of each anchor's triplets.
    anchor_starts: Vec<u32>,
    entries: Vec<RoleEntry>,
    /// Start of each object's entries as near, and as far.
    entry_starts: Vec<u32>,
    /// The judge of each triplet; empty where judges are not known.
    judges: Vec<u32>,
    n_judges: usize,
}

impl TripletSet {
    /// Checks every triplet and builds the role lists. Duplicates are allowed: they count twice.
    pub fn new(n_objects: usize, triplets: Vec<Triplet>) -> Result<Self, TripletError> {
        if n_objects > (u32::MAX / 3) as usize {
            return Err(TripletError::TooMany { what: "objects", count: n_objects });
        }
        if triplets.len() > (u32::MAX / 3) as usize {
            return Err(TripletError::TooMany { what: "triplets", count: triplets.len() });
        }
        for (triplet_ix, t) in triplets.iter().enumerate() {
            check(triplet_ix, t, n_objects)?;
        }
        Ok(Self::sorted(n_objects, triplets))
    }

    /// An empty set, for models without preferences.
    pub fn empty(n_objects: usize) -> Self {
        Self::sorted(n_objects, Vec::new())
    }

    /// A set with the same questions and other answers, for simulation.
    pub(crate) fn with_answers(&self, triplets: Vec<Triplet>) -> Self {
        Self { judges: self.judges.clone(), n_judges: self.n_judges, ..Self::sorted(self.n_objects, triplets) }
    }

    /// The same triplets with the judge of each, in the order in which they were given to [`Self::new`].
    ///
    /// # Panics
    /// When there is not one judge for each of the triplets given.
    pub fn judged(mut self, given: &[Triplet], judges: &Judges) -> Self {
        assert_eq!((given.len(), judges.of().len()), (self.len(), self.len()), "a judge for each triplet");
        // The triplets were sorted in this way, and equal ones kept their order.
        let mut order: Vec<usize> = (0..given.len()).collect();
        order.sort_by_key(|&at| given[at].anchor);
        self.judges = order.iter().map(|&at| judges.of()[at]).collect();
        self.n_judges = judges.len();
        self
    }

    /// The judge of each triplet; empty where judges are not known.
    pub fn judges(&self) -> &[u32] {
        &self.judges
    }

    /// Number of judges.
    pub fn n_judges(&self) -> usize {
        self.n_judges
    }

    fn sorted(n_objects: usize, mut triplets: Vec<Triplet>) -> Self {
        triplets.sort_by_key(|t| t.anchor);
        let mut anchor_starts = vec![0u32; n_objects + 1];
        triplets.iter().for_each(|t| anchor_starts[t.anchor as usize + 1] += 1);
        add_up(&mut anchor_starts);
        let (entries, entry_starts) = role_entries(n_objects, &triplets);
        Self { triplets, n_objects, anchor_starts, entries, entry_starts, judges: Vec::new(), n_judges: 0 }
    }

    /// Number of triplets.
    pub fn len(&self) -> usize {
        self.triplets.len()
    }

    /// Whether there is no triplet.
    pub fn is_empty(&self) -> bool {
        self.triplets.is_empty()
    }

    /// Number of objects the triplets are about.
    pub fn n_objects(&self) -> usize {
        self.n_objects
    }

    /// The triplets by anchor; those of one anchor in their given order.
    pub fn triplets(&self) -> &[Triplet] {
        &self.triplets
    }

    /// Positions of the triplets that `object_ix` anchors.
    pub fn anchored(&self, object_ix: usize) -> Range<usize> {
        self.anchor_starts[object_ix] as usize..self.anchor_starts[object_ix + 1] as usize
    }

    /// Entries of the triplets in which `object_ix` is near, then of those in which it is far.
    pub fn others(&self, object_ix: usize) -> &[RoleEntry] {
        &self.entries[self.entry_starts[2 * object_ix] as usize..self.entry_starts[2 * object_ix + 2] as usize]
    }

    /// How often `object_ix` appears in `role`.
    pub fn n_entries(&self, object_ix: usize, role: Role) -> usize {
        let between = |starts: &[u32], at: usize| (starts[at + 1] - starts[at]) as usize;
        match role {
            Role::Anchor => between(&self.anchor_starts, object_ix),
            Role::Near => between(&self.entry_starts, 2 * object_ix),
            Role::Far => between(&self.entry_starts, 2 * object_ix + 1),
        }
    }

    /// Whether any triplet is about `object_ix`.
    pub fn mentions(&self, object_ix: usize) -> bool {
        !self.anchored(object_ix).is_empty() || !self.others(object_ix).is_empty()
    }

    /// For every object: itself and the near objects of the triplets it anchors, ascending.
    pub fn neighbourhoods(&self) -> Vec<Vec<u32>> {
        let of = |object_ix: usize| {
            let near = self.triplets[self.anchored(object_ix)].iter().map(|t| t.near);
            let mut members: Vec<u32> = near.chain([object_ix as u32]).collect();
            members.sort_unstable();
            members.dedup();
            members
        };
        (0..self.n_objects).map(of).collect()
    }
}

fn check(triplet_ix: usize, t: &Triplet, n_objects: usize) -> Result<(), TripletError> {
    for (role, object) in [("anchor", t.anchor), ("near", t.near), ("far", t.far)] {
        if object as usize >= n_objects {
            return Err(TripletError::UnknownObject { triplet_ix, role, object: object.into(), n_objects });
        }
    }
    let Triplet { anchor, near, far } = *t;
    if anchor == near || anchor == far || near == far {
        return Err(TripletError::RepeatedObject { triplet_ix, anchor, near, far });
    }
    Ok(())
}

/// Turns counts into start positions, by a running sum.
fn add_up(counts: &mut [u32]) {
    for at in 1..counts.len() {
        counts[at] += counts[at - 1];
    }
}

/// Sorts all appearances as near or far by (object, role), by a counting sort.
fn role_entries(n_objects: usize, triplets: &[Triplet]) -> (Vec<RoleEntry>, Vec<u32>) {
    let appearances =
        |t: &Triplet| [(2 * t.near as usize, [t.anchor, t.far]), (2 * t.far as usize + 1, [t.anchor, t.near])];
    let mut starts = vec![0u32; 2 * n_objects + 1];
    for t in triplets {
        for (at, _) in appearances(t) {
            starts[at + 1] += 1;
        }
    }
    add_up(&mut starts);
    let mut next = starts.clone();
    let mut entries = vec![RoleEntry { triplet_ix: 0, others: [0, 0] }; 2 * triplets.len()];
    for (triplet_ix, t) in (0u32..).zip(triplets) {
        for (at, others) in appearances(t) {
            entries[next[at] as usize] = RoleEntry { triplet_ix, others };
            next[at] += 1;
        }
    }
    (entries, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn role_lists_name_every_appearance_once() {
        let triplets = vec![Triplet { anchor: 0, near: 1, far: 2 }, Triplet { anchor: 2, near: 1, far: 0 }];
        let set = TripletSet::new(3, triplets).unwrap();
        assert_eq!(set.n_entries(1, Role::Near), 2);
        assert_eq!(set.n_entries(0, Role::Far), 1);
        assert_eq!(set.others(0), &[RoleEntry { triplet_ix: 1, others: [2, 1] }]);
        assert_eq!(set.anchored(2), 1..2);
        let appearances = |o: usize| set.anchored(o).len() + set.others(o).len();
        assert_eq!((0..3).map(appearances).sum::<usize>(), 6);
    }

    #[test]
    fn triplets_of_an_anchor_stand_together_in_their_given_order() {
        let triplet = |anchor, near, far| Triplet { anchor, near, far };
        let given = vec![triplet(2, 0, 1), triplet(0, 2, 1), triplet(2, 1, 0), triplet(0, 1, 2)];
        let set = TripletSet::new(3, given.clone()).unwrap();
        assert_eq!(set.triplets(), &[given[1], given[3], given[0], given[2]]);
        assert_eq!((set.anchored(0), set.anchored(1), set.anchored(2)), (0..2, 2..2, 2..4));
    }

    #[test]
    fn bad_triplets_are_named() {
        let unknown = TripletSet::new(2, vec![Triplet { anchor: 0, near: 1, far: 2 }]).unwrap_err();
        assert!(unknown.to_string().contains("far is object 2"));
        let repeated = TripletSet::new(2, vec![Triplet { anchor: 0, near: 0, far: 1 }]).unwrap_err();
        assert!(matches!(repeated, TripletError::RepeatedObject { near: 0, .. }));
    }
}
