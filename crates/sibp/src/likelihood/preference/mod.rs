//! Scores triplets by codes: Eq. (1)-(2) of the paper with a lapse rate and a pseudo-weight, or by a logistic link.
//!
//! A bit matters to a triplet only where near and far differ; it then adds its weight to A if the anchor sides
//! with near, else to B. The probability of the triplet is `(1-lapse) q + lapse/2`, where q is
//! `(A + pseudo/2) / (A + B + pseudo)`, and 1/2 where nothing separates near from far, or
//! `1 / (1 + exp(-slope (A - B)))`. The former with `pseudo = 0` and `lapse -> 0` is Eq. (2).

mod apply;
mod column;
mod expected;
mod flips;
mod gain;
mod products;
mod role;
mod row;
mod scoring;
mod sides;
mod sums;
mod terms;
mod weight;

pub use column::ColumnTrial;
pub use expected::Chances;
pub use flips::GROUP;
pub use row::{RowTrial, RowVisit};
pub use scoring::{Form, Scoring};
pub use sides::Sides;
pub use sums::{PreferenceSums, SumCells};
pub use weight::WeightTrial;

/// Weights are multiples of this grid, so that sums of them are exact and "A + B = 0" is a safe test.
pub const WEIGHT_GRID: f64 = 1.0 / (1u64 << 30) as f64;

/// The nearest weight on the grid, at least one grid unit.
pub fn on_grid(weight: f64) -> f64 {
    ((weight / WEIGHT_GRID).round() * WEIGHT_GRID).max(WEIGHT_GRID)
}

/// The contribution of one bit to (A, B) of a triplet, in units of its weight.
pub fn contribution(anchor: bool, near: bool, far: bool) -> (f64, f64) {
    match (near != far, anchor == near) {
        (false, _) => (0.0, 0.0),
        (true, true) => (1.0, 0.0),
        (true, false) => (0.0, 1.0),
    }
}
