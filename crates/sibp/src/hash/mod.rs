//! Gives objects bits from their inputs by classic hashes, and stacks them: blocks of bits that never change once they
//! are added.

mod attributes;
mod error;
mod growing;
mod hcsdh;
mod itq;
mod lbfgs;
mod linear;
mod logistic;
mod lsh;
mod memory;
mod principal;
mod ridge;
mod scaling;
mod sdh;
mod spectral;
mod stack;

pub use attributes::{AttributeFit, fit_attributes};
pub use error::LearnError;
pub(crate) use error::{one_each, positive, same_width};
pub use growing::GrowingCode;
pub use hcsdh::{HcSdhSettings, fit_hcsdh, hadamard_codes};
pub use itq::{ItqSettings, fit_itq};
pub use linear::LinearHash;
pub use logistic::LogisticSettings;
pub(crate) use logistic::fit_problems;
pub use lsh::fit_lsh;
pub use memory::{Lessons, Memory, MemoryError, Remembered};
pub(crate) use scaling::Scaling;
pub use sdh::{SdhSettings, fit_sdh};
pub use spectral::{Mode, SpectralHash};
pub use stack::{Hash, HashBlock, HashStack, StackError};
