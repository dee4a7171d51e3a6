//! Learns short binary codes from triplets: the Supervised Indian Buffet Process.
//!
//! The modules stand in the order in which data flows through them.

pub mod codes;
pub mod data;
pub mod triplets;

mod numerics;

pub mod baseline;
pub mod eval;
