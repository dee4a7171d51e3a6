//! Measures the time that work has taken, by the system's clock or by one that a test sets.

use std::fmt;
use std::time::{Duration, Instant};

/// The time since work began.
#[derive(Clone, Copy)]
pub enum Clock<'a> {
    /// By the system's clock, since this instant.
    Since(Instant),
    /// By whatever this tells.
    Told(&'a (dyn Fn() -> Duration + Sync)),
}

impl Clock<'_> {
    /// A clock that begins now.
    pub fn start() -> Self {
        Self::Since(Instant::now())
    }

    /// The time since work began.
    pub fn elapsed(&self) -> Duration {
        match self {
            Self::Since(began) => began.elapsed(),
            Self::Told(elapsed) => elapsed(),
        }
    }
}

impl fmt::Debug for Clock<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({:?})", self.elapsed())
    }
}
