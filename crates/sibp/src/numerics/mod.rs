//! Holds algorithms that know no model.

pub mod linalg;
