//! Keeps what chains drew: full draws now and then, a few numbers every sweep.

mod draw;

pub use draw::{Draw, RestoreError, Tensor};
