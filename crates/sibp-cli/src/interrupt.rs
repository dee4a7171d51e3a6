//! Lets Ctrl-C end a run in good order, and a second one end it at once.

use crate::output;
use anyhow::Context;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);
static LISTENING: AtomicBool = AtomicBool::new(false);

/// Exit code of a command that was cut off by a signal, as shells give it.
const CUT_OFF: i32 = 130;

/// Starts to listen for Ctrl-C and the system's wish to end us; returns the flag that tells.
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
