//! Tests every search against a naive loop, and every file against its layout.

mod about;
mod change;
mod edges;
mod file;
mod naive;
mod requests;
mod search;
mod vote;
mod weighted;
