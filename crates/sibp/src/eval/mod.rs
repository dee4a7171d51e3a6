//! Measures codes and predictions, one measure a file.
//!
//! Retrieval measures take plain ranked lists: for each query the retrieved objects as `(distance, class)`, nearest
//! first. The distance may be `u32` (Hamming) or `f64`; which index made the list does not matter.

mod average_precision;
mod classification;
mod effective_bits;
mod error;
mod knn;
mod nearest_kept;
mod precision;
mod reliability;
mod student_t;
mod summary;
mod t_test;
mod triplet_agreement;

pub use average_precision::{average_precision, mean_average_precision};
pub use classification::{ConfusionMatrix, accuracy};
pub use effective_bits::effective_bits;
pub use error::EvalError;
pub use knn::{Vote, knn_accuracy, knn_predict, knn_tally, knn_votes, vote};
pub use nearest_kept::{Placed, nearest_kept};
pub use precision::precision_at;
pub use reliability::{ReliabilityBin, brier_score, calibration_error, probability_agreement, reliability_bins};
pub use student_t::{regularized_beta, student_t_cdf};
pub use summary::{Summary, mean};
pub use t_test::{LEVEL, PairedTest, bold, bold_corrected, corrected_t_test, paired_t_test};
pub use triplet_agreement::{Agreement, euclidean_agreement, hamming_agreement, weighted_hamming_agreement};
