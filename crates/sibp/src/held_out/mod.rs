//! Holds objects out, and asks codes about them: what tuning, extension and pruning decide by.

mod exam;
mod parts;

pub use exam::Exam;
pub use parts::HeldOut;
