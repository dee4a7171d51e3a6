//! Holds every search equal to a naive loop, and every file to its layout.

mod change;
mod edges;
mod file;
mod naive;
mod requests;
mod search;
mod vote;
mod weighted;
