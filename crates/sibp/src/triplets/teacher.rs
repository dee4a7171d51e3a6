//! Defines the supervision of codes: labels, or triplets.

use super::{FromLabels, FromLabelsError, Triplet, TripletError, TripletSet};
use crate::data::{Inputs, Labels};
use thiserror::Error;

/// The supervision that codes are learned from.
#[derive(Debug, Clone, Copy)]
pub enum Teacher<'a> {
    /// Labels, with options for making triplets from them.
    Labels(&'a Labels, FromLabels),
    /// Triplets.
    Triplets(&'a [Triplet]),
}

/// Why the supervision gives no usable triplets.
#[derive(Debug, Error)]
pub enum TeacherError {
    /// Labels that no triplets can be made from.
    #[error(transparent)]
    Labels(#[from] FromLabelsError),
    /// Triplets about objects that do not exist.
    #[error(transparent)]
    Triplets(#[from] TripletError),
}

impl Teacher<'_> {
    /// Triplets among the objects `kept`, renumbered by their position there; `inputs` are those of these objects.
    pub fn triplets_among(&self, kept: &[usize], inputs: &Inputs) -> Result<TripletSet, TeacherError> {
        let triplets = match self {
            Self::Labels(labels, options) => options.build(&labels.select(kept), inputs)?.triplets,
            Self::Triplets(triplets) => renumbered(triplets, kept),
        };
        Ok(TripletSet::new(kept.len(), triplets)?)
    }
}

/// The triplets whose objects are all kept, renumbered.
pub(crate) fn renumbered(triplets: &[Triplet], kept: &[usize]) -> Vec<Triplet> {
    let place: std::collections::BTreeMap<usize, u32> = kept.iter().copied().zip(0u32..).collect();
    let of = |object: u32| place.get(&(object as usize)).copied();
    let moved = |t: &Triplet| Some(Triplet { anchor: of(t.anchor)?, near: of(t.near)?, far: of(t.far)? });
    triplets.iter().filter_map(moved).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triplets_keep_their_objects_under_new_numbers() {
        let triplet = |anchor, near, far| Triplet { anchor, near, far };
        let moved = renumbered(&[triplet(0, 1, 2), triplet(5, 2, 3)], &[5, 3, 2]);
        assert_eq!(moved, [triplet(0, 2, 1)]);
    }
}
