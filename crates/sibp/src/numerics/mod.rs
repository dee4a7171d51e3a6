//! Gathers algorithms that know no model.

pub mod cholesky;
pub mod simd;
pub mod slice;
