//! Collects numerical algorithms that do not depend on any model.

pub mod adaptive_rejection;
pub mod cholesky;
pub mod coins;
pub mod dots;
pub mod exponential;
pub mod level;
pub mod linalg;
pub mod normal;
pub mod normal_table;
pub mod simd;
pub mod slice;
pub mod vector;
