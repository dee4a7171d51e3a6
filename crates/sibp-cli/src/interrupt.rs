//! Handles Ctrl-C: the first ends a run after the current sweeps, a second one ends the process at once.

use crate::output;
use anyhow::Context;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);
static LISTENING: AtomicBool = AtomicBool::new(false);

/// Exit code of a command that was ended by a signal, by the shells' convention.
const CUT_OFF: i32 = 130;

/// Starts listening for interrupt and termination signals; returns the flag that they raise.
pub fn listen() -> anyhow::Result<&'static AtomicBool> {
    if LISTENING.swap(true, Ordering::Relaxed) {
        return Ok(&STOP);
    }
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(CUT_OFF);
        }
        output::say("\nstopping after this sweep; what was drawn is kept. Press Ctrl-C again to give it up");
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(&STOP)
}
