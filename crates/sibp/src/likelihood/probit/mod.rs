//! Scores codes given data: the linear probit model, Eq. (9)-(12), in the variable t = Φ⁻¹(b).
//!
//! A bit is an atom (t, g, w) of a Poisson process; in t the intensity of the sticks is α h(t) dt with h = φ/Φ.

mod basis;
mod class_loss;
mod code_order;
mod column;
mod curves;
mod determinant;
mod head_tail;
mod heights;
mod limits;
mod modes;
mod rate;
mod ridge;
mod whitened;

pub use basis::Basis;
pub use class_loss::{ClassLoss, class_loss};
pub use column::{ColumnFit, ColumnPosterior, log_likelihood, log_likelihood_slope};
pub use heights::{Heights, Odds};
pub use limits::Limits;
pub use modes::{Columns, Mode};
pub use rate::ActiveRate;
pub use ridge::Ridge;

use crate::numerics::{normal, normal_table};

/// ln h(t), the log intensity of a stick (for α = 1).
pub fn log_intensity(stick: f64) -> f64 {
    normal::log_density(stick) - normal_table::log_cdf(stick)
}
