//! Tests the page's server over real sockets: what it answers, and everything that must not get in.

// Clippy takes helpers of integration tests for library code.
#![allow(clippy::unwrap_used)]

mod attacks;
mod browser;
mod journal;
mod learning;
mod views;
