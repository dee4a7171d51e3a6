//! Works on a thread of its own while the caller's thread listens for Ctrl-C.

use crate::error::panicked;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Time between two looks at signals and progress.
pub const LOOK: Duration = Duration::from_millis(50);

/// Works until the end; Ctrl-C raises the flag that `work` is given, waits for it to end, and becomes the exception.
pub fn interruptible<T: Send>(py: Python<'_>, work: impl FnOnce(&AtomicBool) -> T + Send) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    let mut interrupted = None;
    let done = thread::scope(|scope| {
        let (caller, stop) = (thread::current(), &stop);
        let worker = scope.spawn(move || {
            // Also after a panic, so that the waiting thread wakes up.
            let _wake = WakeOnDrop(caller);
            work(stop)
        });
        while !worker.is_finished() {
            py.detach(|| thread::park_timeout(LOOK));
            if interrupted.is_none()
                && let Err(error) = py.check_signals()
            {
                stop.store(true, Ordering::Relaxed);
                interrupted = Some(error);
            }
        }
        worker.join()
    });
    match interrupted {
        Some(error) => Err(error),
        None => done.map_err(|panic| panicked(panic.as_ref())),
    }
}

/// Wakes a thread when it is dropped.
pub struct WakeOnDrop(pub thread::Thread);

impl Drop for WakeOnDrop {
    fn drop(&mut self) {
        self.0.unpark();
    }
}
