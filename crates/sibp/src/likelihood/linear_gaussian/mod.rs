//! Scores data given codes: the linear Gaussian model, Eq. (3), with the bits' images V (the input vector that each
//! bit adds) integrated out.

mod bounds;
mod moments;
mod posterior;
mod row;
mod simulate;

pub use moments::{Moments, Work};
pub use posterior::{ImagePosterior, draw_images};
pub use row::{FlipTerms, GaussianRow};
pub use simulate::simulate_inputs;

/// The two variances of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variances {
    /// Variance of the noise on every input (σx²).
    pub noise: f64,
    /// Prior variance of every entry of V (σv²).
    pub image: f64,
}

impl Variances {
    /// σx²/σv², the ridge parameter of all normal equations.
    pub fn ridge(&self) -> f64 {
        self.noise / self.image
    }
}
