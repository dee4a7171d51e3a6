//! Stores a checked list of triplets and, for every object, where it takes part.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// `anchor` is more like `near` than like `far`; the numbers are rows of the features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Triplet {
    /// The object that is asked about.
    pub anchor: u32,
    /// The one it is more like.
    pub near: u32,
    /// The one it is less like.
    pub far: u32,
}

/// A triplet that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TripletError {
    /// A number is not a row of the features.
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

/// The part an object plays in a triplet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The object asked about.
    Anchor,
    /// The similar one.
    Near,
    /// The dissimilar one.
    Far,
}

/// One appearance of an object, with the other two members of the triplet.
///
/// `others` are (near, far) for an anchor, (anchor, far) for a near object, (anchor, near) for a far one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoleEntry {
    /// Position of the triplet in the set.
    pub triplet_ix: u32,
    /// The other two members.
    pub others: [u32; 2],
}

/// Triplets over `n_objects` objects with role lists, object by object, anchors first, then near, then far.
#[derive(Debug, Clone)]
pub struct TripletSet {
    triplets: Vec<Triplet>,
    n_objects: usize,
    entries: Vec<RoleEntry>,
    /// `starts[3 * object + role]` is where that object's entries in that role begin.
    starts: Vec<u32>,
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
        let (entries, starts) = role_lists(n_objects, &triplets);
        Ok(Self { triplets, n_objects, entries, starts })
    }

    /// No triplets at all, for models without preferences.
    pub fn empty(n_objects: usize) -> Self {
        Self { triplets: Vec::new(), n_objects, entries: Vec::new(), starts: vec![0; 3 * n_objects + 1] }
    }

    /// The same questions with other answers, for simulation.
    pub(crate) fn with_answers(&self, triplets: Vec<Triplet>) -> Self {
        let (entries, starts) = role_lists(self.n_objects, &triplets);
        Self { triplets, n_objects: self.n_objects, entries, starts }
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

    /// The triplets in their given order.
    pub fn triplets(&self) -> &[Triplet] {
        &self.triplets
    }

    /// Where `object_ix` appears in `role`.
    pub fn entries(&self, object_ix: usize, role: Role) -> &[RoleEntry] {
        let at = 3 * object_ix + role as usize;
        &self.entries[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// For every object: itself and the near objects of the triplets it anchors, ascending.
    pub fn neighbourhoods(&self) -> Vec<Vec<u32>> {
        let of = |object_ix: usize| {
            let near = self.entries(object_ix, Role::Anchor).iter().map(|entry| entry.others[0]);
            let mut members: Vec<u32> = near.chain([object_ix as u32]).collect();
            members.sort_unstable();
            members.dedup();
            members
        };
        (0..self.n_objects).map(of).collect()
    }

    /// All appearances of `object_ix`: anchor entries, then near, then far.
    pub fn all_entries(&self, object_ix: usize) -> &[RoleEntry] {
        &self.entries[self.starts[3 * object_ix] as usize..self.starts[3 * object_ix + 3] as usize]
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

/// A counting sort of all appearances by (object, role).
fn role_lists(n_objects: usize, triplets: &[Triplet]) -> (Vec<RoleEntry>, Vec<u32>) {
    let slot = |object: u32, role: Role| 3 * object as usize + role as usize;
    let appearances = |t: &Triplet| {
        [
            (slot(t.anchor, Role::Anchor), [t.near, t.far]),
            (slot(t.near, Role::Near), [t.anchor, t.far]),
            (slot(t.far, Role::Far), [t.anchor, t.near]),
        ]
    };
    let mut starts = vec![0u32; 3 * n_objects + 1];
    for t in triplets {
        for (at, _) in appearances(t) {
            starts[at + 1] += 1;
        }
    }
    for at in 0..3 * n_objects {
        starts[at + 1] += starts[at];
    }
    let mut next = starts.clone();
    let mut entries = vec![RoleEntry { triplet_ix: 0, others: [0, 0] }; 3 * triplets.len()];
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
        assert_eq!(set.entries(1, Role::Near).len(), 2);
        assert_eq!(set.entries(0, Role::Far), &[RoleEntry { triplet_ix: 1, others: [2, 1] }]);
        assert_eq!(set.entries(2, Role::Anchor), &[RoleEntry { triplet_ix: 1, others: [1, 0] }]);
        assert_eq!((0..3).map(|o| set.all_entries(o).len()).sum::<usize>(), 6);
    }

    #[test]
    fn bad_triplets_are_named() {
        let unknown = TripletSet::new(2, vec![Triplet { anchor: 0, near: 1, far: 2 }]).unwrap_err();
        assert!(unknown.to_string().contains("far is object 2"));
        let repeated = TripletSet::new(2, vec![Triplet { anchor: 0, near: 0, far: 1 }]).unwrap_err();
        assert!(matches!(repeated, TripletError::RepeatedObject { near: 0, .. }));
    }
}
