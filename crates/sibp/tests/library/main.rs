//! Tests the library from outside, one file a subject; one binary, so that they are linked once.

// Clippy takes helpers of integration tests for library code.
#![allow(clippy::unwrap_used)]

mod baselines;
mod coding;
mod common;
mod continuing;
mod csv_files;
mod damaged_files;
mod ddibp;
mod effort;
mod encoder_file;
mod errors;
mod extend;
mod fit_refusals;
mod fits;
mod fuzz;
mod given_bits;
mod hash_file;
mod hostile_files;
mod index_faiss;
mod judgements;
mod methods;
mod model_file;
mod npy_files;
mod other_files;
#[cfg(feature = "parquet")]
mod parquet_files;
#[cfg(feature = "parquet")]
mod parquet_maker;
mod pipeline;
mod refusals;
mod resume;
mod schedules;
mod shared_data;
mod storage;
#[cfg(feature = "test-model")]
mod test_model;
mod time_limits;
mod unsupervised_bits;
