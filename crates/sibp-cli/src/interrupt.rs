//! Handles Ctrl-C: the first ends a run after the current sweeps, a second one ends the process at once, as does the first
//! before anything was drawn.

use crate::{failure, output};
use anyhow::Context;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

static STOP: AtomicBool = AtomicBool::new(false);
static LISTENING: AtomicBool = AtomicBool::new(false);
/// Whether there is something to keep.
static HAS_DRAWS: AtomicBool = AtomicBool::new(true);

/// Exit code of a command that was ended by a signal, by the shells' convention.
const CUT_OFF: i32 = 130;

/// Starts listening while a run is prepared: a signal ends the process at once, until [`has_draws`] is called.
pub fn listen_before_draws() -> anyhow::Result<()> {
    HAS_DRAWS.store(false, Ordering::Relaxed);
    listen().map(drop)
}

/// From now on there is something to keep, so that a signal ends the run in order. Returns only where neither a signal nor
/// the time limit is ending the process.
pub fn has_draws() {
    while HAS_DRAWS.swap(true, Ordering::Relaxed) {
        thread::park();
    }
}

/// Ends the process after this time with an error, unless there is something to keep by then: what goes on before the first
/// draw cannot be stopped in between.
pub fn give_up_after(time: Duration, error: impl FnOnce() -> anyhow::Error + Send + 'static) {
    thread::spawn(move || {
        thread::sleep(time);
        if !HAS_DRAWS.swap(true, Ordering::Relaxed) {
            failure::report(&error());
            std::process::exit(1);
        }
    });
}

/// Starts listening for interrupt and termination signals; returns the flag that they raise.
pub fn listen() -> anyhow::Result<&'static AtomicBool> {
    if LISTENING.swap(true, Ordering::Relaxed) {
        return Ok(&STOP);
    }
    ctrlc::set_handler(|| {
        if !HAS_DRAWS.swap(true, Ordering::Relaxed) {
            output::say("\nstopped before anything was drawn");
            std::process::exit(CUT_OFF);
        }
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(CUT_OFF);
        }
        output::say("\nstopping after this sweep; what was drawn is kept. Press Ctrl-C again to give it up");
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(&STOP)
}
