//! Names what codes are taught by: labels, or triplets.

use super::{FromLabels, FromLabelsError, Triplet, TripletError, TripletSet};
use crate::data::{Inputs, Labels};
use thiserror::Error;

/// What codes are taught by.
#[derive(Debug, Clone, Copy)]
pub enum Teacher<'a> {
    /// Labels, and how triplets are made from them.
    Labels(&'a Labels, FromLabels),
    /// Triplets.
    Triplets(&'a [Triplet]),
}

/// A teacher that has nothing to say.
#[derive(Debug, Error)]
pub enum TeacherError {
    /// Labels of which no triplets can be made.
    #[error(transparent)]
    Labels(#[from] FromLabelsError),
    /// Triplets out of range.
    #[error(transparent)]
    Triplets(#[from] TripletError),
}

impl Teacher<'_> {
    /// Triplets among the objects `kept`, numbered by their place there; `inputs` are those of these objects.
    pub fn triplets_among(&self, kept: &[usize], inputs: &Inputs) -> Result<TripletSet, TeacherError> {
        let triplets = match self {
            Self::Labels(labels, options) => options.build(&labels.select(kept), inputs)?.triplets,
            Self::Triplets(triplets) => renumbered(triplets, kept),
        };
        Ok(TripletSet::new(kept.len(), triplets)?)
    }
}

/// The triplets whose objects are all kept, under their new numbers.
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
