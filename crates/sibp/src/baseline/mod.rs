//! Offers the classic codes and classifiers that learned codes are compared with, one a file.

mod attributes;
mod dual_descent;
mod error;
mod itq;
mod kernel_svm;
mod knn;
mod lbfgs;
mod linear_classifier;
mod linear_hash;
mod logistic;
mod logistic_penalty;
mod lsh;
mod principal;
mod scaling;
mod spectral;
mod svm;

use crate::data::Features;

pub use attributes::{AttributeFit, fit_attributes};
pub use error::BaselineError;
pub use itq::{ItqSettings, fit_itq};
pub use kernel_svm::KernelSvm;
pub use knn::{EuclideanKnn, KnnClassifier};
pub use linear_classifier::{LinearClassifier, Scheme};
pub use linear_hash::LinearHash;
pub use logistic::{LogisticSettings, fit_logistic};
pub use logistic_penalty::fit_logistic_cross_validated;
pub use lsh::fit_lsh;
pub use spectral::{Mode, SpectralHash};
pub use svm::{SvmFit, SvmSettings, fit_svm};

/// Something that names a class for inputs.
pub trait Classifier {
    /// One class for each row; the rows must have as many inputs as those it was fitted on.
    fn predict(&self, features: &Features) -> Result<Vec<u32>, BaselineError>;
}
