//! Tests the reproduction from outside: what is written, what is kept, what is refused; one binary, linked once.

// Clippy takes helpers of integration tests for library code.
#![allow(clippy::unwrap_used)]

mod common;
mod figures;
mod original;
mod tables;
