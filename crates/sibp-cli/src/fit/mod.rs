//! Turns the options of `sibp fit` into a model and runs it with progress on the terminal.

pub mod given;
pub mod interrupt;
pub mod parse;
pub mod problem;
pub mod progress;
pub mod run;
pub mod schedule;
mod tune;
