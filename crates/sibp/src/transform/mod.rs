//! Transforms inputs before a model sees them: named steps, fitted to training inputs.

mod anchors;
mod fitted;
mod fitted_step;
mod fourier;
mod gram;
mod moments;
mod packed;
mod principal;
mod step;
mod typical_distance;

pub use anchors::AnchorMap;
pub use fitted::Transform;
pub use fitted_step::FittedStep;
pub use fourier::FourierMap;
pub(crate) use gram::gram;
pub(crate) use moments::column_moments;
pub use principal::PrincipalAxes;
pub use step::{InputTransform, Similarity, Step};
