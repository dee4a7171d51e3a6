//! Keeps what chains drew: full draws now and then, a few numbers every sweep.

mod chain_record;
mod draw;
mod plan;

pub use chain_record::{ChainRecord, RecordError, Trace};
pub use draw::{Draw, RestoreError, Tensor};
pub use plan::KeepPlan;
