//! Turns the options of `sibp fit` into a model and runs it under the user's eyes.

pub mod given;
pub mod problem;
pub mod run;
pub mod schedule;
mod tune;
