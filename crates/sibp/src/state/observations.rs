//! Holds the data that a model is fitted to.

use crate::bits::BitMatrix;
use crate::data::Inputs;
use crate::triplets::TripletSet;
use thiserror::Error;

/// The data that a model is fitted to. Without preferences the triplets are empty.
#[derive(Debug, Clone)]
pub struct Observations {
    /// Transformed inputs.
    pub inputs: Inputs,
    /// Triplets over the rows of `inputs`.
    pub triplets: TripletSet,
    /// Given bits of the objects (H). They help to explain triplets and are never changed.
    pub given: BitMatrix,
    /// The positions from which distances between objects are computed, for the model that uses them.
    pub positions: Positions,
    /// Objects whose inputs know them as no other object's do: see [`crate::transform::Transform::anchors`].
    pub anchors: Vec<usize>,
}

/// The positions from which distances between objects are computed.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Positions {
    /// The current inputs.
    #[default]
    Own,
    /// These fixed inputs: simulations replace the inputs, but not the positions.
    Inputs(Inputs),
    /// Classes of the objects.
    Classes(Vec<u32>),
}

impl Observations {
    /// Observations of inputs and triplets, without given bits.
    pub fn new(inputs: Inputs, triplets: TripletSet) -> Self {
        let given = BitMatrix::new(inputs.n_objects());
        Self { inputs, triplets, given, positions: Positions::default(), anchors: Vec::new() }
    }
}

/// Why a model cannot be fitted to these observations.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ObservationsError {
    /// Distances between classes need classes.
    #[error("output distances are taken between classes: give labels, or choose input distances")]
    NoClasses,
    /// The number of classes or positions differs from that of objects.
    #[error("there are {n_objects} objects, but {found} places to take their distances from")]
    Places {
        /// Rows of the inputs.
        n_objects: usize,
        /// Classes or positions given.
        found: usize,
    },
    /// The table of all pairs would be too large.
    #[error("the model 'ddibp' keeps the proximity of all pairs and takes at most {limit} objects, not {n_objects}")]
    TooManyObjects {
        /// Rows of the inputs.
        n_objects: usize,
        /// The largest number.
        limit: usize,
    },
    /// The model does not use triplets, but there are some.
    #[error("the model '{model}' cannot use {n_triplets} triplets; leave them out or choose one that learns from them")]
    UnusedTriplets {
        /// The model.
        model: &'static str,
        /// How many were given.
        n_triplets: usize,
    },
}
