//! Handles Ctrl-C: the first ends a run after the current sweeps, a second one ends the process at once, as does the first
//! before anything was drawn.

use crate::output;
use anyhow::Context;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// From now on there is something to keep, so that a signal ends the run in order.
pub fn has_draws() {
    HAS_DRAWS.store(true, Ordering::Relaxed);
}

/// Starts listening for interrupt and termination signals; returns the flag that they raise.
pub fn listen() -> anyhow::Result<&'static AtomicBool> {
    if LISTENING.swap(true, Ordering::Relaxed) {
        return Ok(&STOP);
    }
    ctrlc::set_handler(|| {
        if !HAS_DRAWS.load(Ordering::Relaxed) {
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
