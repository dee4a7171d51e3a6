//! Holds objects out and scores codes on them: the basis of tuning, extension and pruning.

mod exam;
mod parts;

pub use exam::Exam;
pub use parts::HeldOut;
