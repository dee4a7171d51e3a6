//! Provides the classifiers that learned codes are compared with, one a file.

mod dual_descent;
mod kernel_svm;
mod knn;
mod linear_classifier;
mod logistic;
mod logistic_penalty;
mod svm;

use crate::data::Inputs;
use crate::hash::LearnError;

pub use kernel_svm::KernelSvm;
pub use knn::{EuclideanKnn, KnnClassifier};
pub use linear_classifier::{LinearClassifier, Scheme};
pub use logistic::fit_logistic;
pub use logistic_penalty::fit_logistic_cross_validated;
pub use svm::{SvmFit, SvmSettings, fit_svm};

/// Predicts a class for each row of inputs.
pub trait Classifier {
    /// One class for each row; the rows must have as many inputs as those it was fitted on.
    fn predict(&self, inputs: &Inputs) -> Result<Vec<u32>, LearnError>;
}
