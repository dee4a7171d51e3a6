//! Turns the options of `sibp fit` into a model and runs it with progress on the terminal.

pub mod given;
pub mod problem;
pub mod run;
pub mod schedule;
mod tune;
