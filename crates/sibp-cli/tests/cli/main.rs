//! Tests the command from outside, one file a subcommand; one binary, so that they are linked once.

// Clippy takes helpers of integration tests for library code.
#![allow(clippy::unwrap_used)]

mod ask;
mod columns;
mod common;
mod ddibp;
mod demo;
mod encode;
mod encoder_file;
mod encoders;
mod eval;
mod explain;
mod export;
mod extend;
mod fit;
mod fit_inputs;
mod full_disk;
mod given_bits;
mod hash;
mod help;
mod ids;
mod index;
mod index_together;
mod inspect;
#[cfg(unix)]
mod interrupt;
mod judgements;
mod memory;
mod merge;
mod messages;
mod missing;
mod outputs;
mod page;
mod pipeline;
mod predict;
mod prefer;
mod report;
mod reproduce;
mod search;
mod search_index;
mod triplets;
mod verify;
mod wide;
