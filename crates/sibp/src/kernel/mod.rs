//! Moves the state: one transition a file, each leaving the posterior invariant.

pub mod gaussian_columns;
pub mod gaussian_rows;
pub mod hyper;
pub mod lapse;
pub mod proposals;
mod schedule;
pub mod weights;

pub use schedule::{Kernel, Schedule, Step};
