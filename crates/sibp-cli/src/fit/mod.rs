//! Turns the options of `sibp fit` into a model and runs it under the user's eyes.

pub mod interrupt;
pub mod parse;
pub mod progress;
pub mod schedule;
