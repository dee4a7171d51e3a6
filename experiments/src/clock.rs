//! Tells the time a thread has worked, which other programs on the machine disturb less than the wall clock.

use std::sync::LazyLock;
use std::time::Instant;

/// Seconds this thread has spent on a processor; where the system does not tell, seconds of the wall clock.
pub fn seconds_worked() -> f64 {
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds: Option<f64> = text.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(|| BEGAN.elapsed().as_secs_f64(), |n| n / 1e9)
}
