//! Learns short binary codes from triplets: the Supervised Indian Buffet Process.
//!
//! The modules stand in the order in which data flows through them.

pub mod bits;
pub mod codes;
pub mod data;
pub mod triplets;

pub mod kernel;
pub mod likelihood;
pub mod model;
pub mod numerics;
pub mod prior;
pub mod rng;
pub mod trace;

pub mod chain;
pub mod run;

pub mod format;

pub mod diagnostics;
pub mod posterior;

pub mod describe;
pub mod encode;
pub mod hash;
pub mod pipeline;
pub mod words;

pub mod index;

pub mod baseline;

pub mod eval;
pub mod method;
pub mod tune;

pub mod extend;

pub mod verify;

mod backing;
mod fault;
pub mod parallel;
