//! Shares what the studies need.
pub mod npy;
