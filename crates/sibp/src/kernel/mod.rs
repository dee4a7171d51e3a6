//! Implements the transition kernels, one a file; each leaves the posterior invariant.

pub mod gaussian_columns;
pub mod gaussian_rows;
pub mod hyper;
pub mod lapse;
mod link_forest;
pub mod linked_columns;
pub mod links;
pub mod probit_births;
pub mod probit_columns;
pub mod probit_hyper;
pub mod probit_proposals;
pub mod probit_rows;
pub mod probit_slice;
pub mod proposals;
pub mod slope;
pub mod weights;
