//! Decides whether a run has time for a further sweep, and leaves time to prepare what was drawn for encoding.

use super::RunControl;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long the steps of a run take.
#[derive(Debug)]
pub(super) struct Pace {
    /// Time that is left for what follows the last sweep.
    reserve: Duration,
    /// The longest sweep of any chain, in nanoseconds.
    longest: AtomicU64,
}

impl Pace {
    /// The pace of a run whose set-up took this long. Refitting works on the same tables as set-up and is taken to need as
    /// long, but not more than half of what is left.
    pub fn new(set_up: Duration, control: &RunControl<'_>) -> Self {
        let left = control.time_left().unwrap_or_default();
        Self { reserve: set_up.min(left / 2), longest: AtomicU64::new(0) }
    }

    /// Notes how long a sweep took.
    pub fn note(&self, sweep: Duration) {
        let nanoseconds = u64::try_from(sweep.as_nanos()).unwrap_or(u64::MAX);
        self.longest.fetch_max(nanoseconds, Ordering::Relaxed);
    }

    /// Whether a sweep as long as the longest so far would end too late. Once that is so, it stays so.
    pub fn is_over(&self, control: &RunControl<'_>) -> bool {
        let longest = Duration::from_nanos(self.longest.load(Ordering::Relaxed));
        control.time_left().is_some_and(|left| left.is_zero() || left < self.reserve.saturating_add(longest))
    }
}
