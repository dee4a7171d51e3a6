//! Advances all chains on threads until they finish, are stopped, or are due for a checkpoint.

use super::chain::Chain;
use super::pace::Pace;
use super::{Progress, RunControl, RunSettings};
use crate::model::Model;
use crate::parallel::each;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A chain yields to a waiting one after this time, so that all advance together.
const TURN: Duration = Duration::from_millis(100);

/// The work between two checkpoints.
pub(super) struct Round<'a> {
    settings: &'a RunSettings,
    control: &'a RunControl<'a>,
    began: Duration,
    pace: &'a Pace,
    pause_at: Option<Instant>,
    /// Raised when a chain panics, to stop the others.
    abort: AtomicBool,
}

type Queue<'q, 'a, M> = Mutex<VecDeque<(usize, &'q mut Chain<'a, M>)>>;

impl<'a> Round<'a> {
    pub fn new(
        settings: &'a RunSettings,
        control: &'a RunControl<'a>,
        began: Duration,
        pace: &'a Pace,
        pause_at: Option<Instant>,
    ) -> Self {
        Self { settings, control, began, pace, pause_at, abort: AtomicBool::new(false) }
    }

    /// Advances the chains. A panic in one of them is passed on with its message.
    pub fn advance<M: Model>(&self, chains: &mut [Chain<M>]) {
        let waiting: VecDeque<_> = chains.iter_mut().enumerate().filter(|(_, chain)| !chain.is_done()).collect();
        let n_threads = self.control.n_threads().min(waiting.len());
        let queue: Queue<M> = Mutex::new(waiting);
        each(0..n_threads, |_| self.work(&queue));
    }

    /// Advances waiting chains in turns. When none waits, every unfinished chain is being advanced by another worker.
    fn work<M: Model>(&self, queue: &Queue<M>) {
        let _raise = RaiseOnPanic(&self.abort);
        while !self.stopping() {
            let Some((chain_ix, chain)) = lock(queue).pop_front() else { return };
            self.turn(chain_ix, chain);
            if !chain.is_done() {
                lock(queue).push_back((chain_ix, chain));
            }
            if self.pausing() {
                return;
            }
        }
    }

    fn turn<M: Model>(&self, chain_ix: usize, chain: &mut Chain<M>) {
        let began = Instant::now();
        let clock = &self.control.clock;
        while !chain.is_done() && !self.stopping() {
            let started = clock.elapsed();
            let numbers = chain.advance();
            (self.control.on_progress)(&Progress {
                chain_ix,
                sweep: chain.sweeps_done(),
                sweeps: self.settings.sweeps,
                n_bits: numbers.n_bits,
                satisfied: numbers.satisfied,
                log_likelihood: numbers.log_likelihood,
                elapsed: clock.elapsed().saturating_sub(self.began),
            });
            self.pace.note(clock.elapsed().saturating_sub(started));
            // After the sweep, not before: every round makes progress, however short the time between checkpoints.
            if self.pausing() || began.elapsed() >= TURN {
                return;
            }
        }
    }

    fn stopping(&self) -> bool {
        self.abort.load(Ordering::Relaxed)
            || self.control.stop.load(Ordering::Relaxed)
            || self.pace.is_over(self.control)
    }

    fn pausing(&self) -> bool {
        self.pause_at.is_some_and(|at| Instant::now() >= at)
    }
}

/// Locks the queue. A panic elsewhere cannot corrupt it: it is only held for a push or a pop.
fn lock<T>(queue: &Mutex<T>) -> MutexGuard<'_, T> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

struct RaiseOnPanic<'a>(&'a AtomicBool);

impl Drop for RaiseOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
