//! Defines a common interface of methods: each is trained on objects with labels, then encodes or classifies others,
//! so that a table is a list of methods times a list of splits.

mod classify;
mod error;
mod hashes;
mod latent;
mod measure;
mod search;

pub use classify::{Classification, LinearSvm, LogisticRegression, RawNeighbours, RbfSvm};
pub use error::MethodError;
pub use hashes::{Attributes, Itq, Lsh, Spectral, attribute_predictor};
pub use latent::{LatentMethod, LatentRow};
pub use measure::{Measured, measure};
pub use search::CodeSearch;

use crate::codes::Codes;
use crate::data::{Inputs, Labels};
use crate::eval::{EvalError, accuracy, knn_accuracy};
use crate::hash::HashStack;
use crate::run::RunControl;

/// Training objects.
#[derive(Debug, Clone, Copy)]
pub struct Examples<'a> {
    /// Inputs, before any transform.
    pub inputs: &'a Inputs,
    /// Classes.
    pub labels: &'a Labels,
    /// Bits that are known of every training object, for methods that predict or extend them.
    pub attributes: Option<&'a Codes>,
    /// The predictor of these bits for other objects, if it was learned elsewhere; otherwise it is learned from the
    /// examples.
    pub predictor: Option<&'a HashStack>,
}

impl<'a> Examples<'a> {
    /// Training objects without known bits.
    pub fn new(inputs: &'a Inputs, labels: &'a Labels) -> Self {
        Self { inputs, labels, attributes: None, predictor: None }
    }
}

/// Which given bits a method uses, or puts before the learned ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GivenKind {
    /// Known bits of training objects, predicted ones of others.
    Known,
    /// Predicted bits of all objects.
    Predicted,
    /// No given bits.
    None,
}

/// A competitor in a table, which is trained on objects with labels.
pub trait Method: Sync {
    /// Name in tables.
    fn name(&self) -> &str;

    /// Learns from the examples alone. A method may give several readings of one training, each a row of a table.
    fn train(&self, examples: &Examples<'_>, seed: u64, control: &RunControl<'_>) -> Result<Vec<Row>, MethodError>;
}

/// A named reading of a trained method.
pub struct Row {
    /// Name in tables.
    pub name: String,
    /// The trained method.
    pub trained: Box<dyn Trained>,
}

impl Row {
    /// Names a trained method.
    pub fn new(name: impl Into<String>, trained: impl Trained + 'static) -> Self {
        Self { name: name.into(), trained: Box::new(trained) }
    }
}

/// A trained method, which answers for unseen objects.
pub trait Trained {
    /// Classes, or the `most` nearest training objects with all at the distance of the last; inputs are as they were before any transform.
    fn answer(&self, inputs: &Inputs, most: usize) -> Result<Answer, MethodError>;

    /// Bits of a code; `None` where there are no codes.
    fn n_bits(&self) -> Option<usize> {
        None
    }
}

/// The answers for all objects.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A class for each object.
    Classes(Vec<u32>),
    /// Distances and classes of the nearest training objects, nearest first.
    Neighbours(Vec<Vec<(f64, u32)>>),
}

impl Answer {
    /// Share of correct classes for each number of neighbours; a single share for a classifier.
    pub fn accuracy(&self, truth: &[u32], neighbours: &[usize]) -> Result<Vec<f64>, EvalError> {
        match self {
            Self::Classes(classes) => accuracy(classes, truth).map(|share| vec![share]),
            Self::Neighbours(lists) => knn_accuracy(lists, truth, neighbours),
        }
    }
}
