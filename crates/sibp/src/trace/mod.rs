//! Records the draws of the chains, full draws at intervals and a few numbers every sweep, and reads them.

mod chain_record;
pub mod diagnostics;
mod draw;
mod plan;
pub mod posterior;
mod record;

pub use chain_record::{ChainRecord, RecordError, Trace};
pub use draw::{
    Draw, REFIT_COEFFICIENTS, REFIT_ERROR, REFIT_GRADIENTS, REFIT_PENALTY, REFIT_STICKS, RestoreError, SCORE, Tensor,
};
pub use plan::KeepPlan;
pub use record::Record;
