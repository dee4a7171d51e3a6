//! Spreads work over threads; the result does not depend on their number.
//!
//! [`each`] is the one place where threads start; the others differ in how work is shared: numbers with the scratch of
//! a worker ([`for_each`]), results in order ([`map`]), items that may fail ([`try_for_each`]). Threads live as long
//! as the call, and a panic in one of them is passed on to the caller with its message.
#![allow(unsafe_code)]

use crate::fault::Planted;
use std::cell::Cell;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Objects in a part of the work: enough to keep a thread busy, and few enough for all threads to have some.
///
/// Sums over objects are formed part by part, so this number is part of the reproducibility promise.
pub const PART: usize = 4096;

/// The parts of `n` objects, in order.
pub fn parts(n: usize) -> impl ExactSizeIterator<Item = std::ops::Range<usize>> {
    (0..n.div_ceil(PART)).map(move |part| part * PART..((part + 1) * PART).min(n))
}

/// The number of threads to use: 0 stands for all cores.
pub fn n_threads(threads: usize) -> usize {
    match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    }
}

/// Runs `work` for all workers in parallel, and returns their results in order.
pub fn each<W: Send, T: Send>(workers: impl IntoIterator<Item = W>, work: impl Fn(W) -> T + Sync) -> Vec<T> {
    let mut workers = workers.into_iter();
    let Some(own) = workers.next() else { return Vec::new() };
    std::thread::scope(|scope| {
        let (work, planted) = (&work, Planted::here());
        let start = |worker: W| {
            scope.spawn(move || {
                planted.plant();
                work(worker)
            })
        };
        let handles: Vec<_> = workers.map(start).collect();
        // This thread takes a share too, which saves starting one.
        let own = work(own);
        let joined = handles.into_iter().map(|handle| handle.join().unwrap_or_else(|panic| resume_unwind(panic)));
        std::iter::once(own).chain(joined).collect()
    })
}

/// Runs `job` for every number below `n`, each with the scratch of its worker. There is one thread a worker; which of
/// them takes which number is not determined.
pub fn for_each<W: Send>(workers: &mut [W], n: usize, job: impl Fn(&mut W, usize) + Sync) {
    let next = AtomicUsize::new(0);
    each(workers.iter_mut().take(n), |worker| {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= n {
                return;
            }
            job(worker, at);
        }
    });
}

/// As [`for_each`], with every number assigned to a worker beforehand: all of them work, however late their threads
/// start.
pub fn for_each_assigned<W: Send>(workers: &mut [W], n: usize, job: impl Fn(&mut W, usize) + Sync) {
    let n_workers = workers.len();
    each(workers.iter_mut().take(n).enumerate(), |(first, worker)| {
        (first..n).step_by(n_workers).for_each(|at| job(worker, at));
    });
}

/// Results of `job` for every number below `n`, in order.
pub fn map<T: Send>(threads: usize, n: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut found: Vec<Vec<(usize, T)>> = (0..threads.clamp(1, n.max(1))).map(|_| Vec::new()).collect();
    for_each(&mut found, n, |found, at| found.push((at, job(at))));
    let mut results: Vec<Option<T>> = (0..n).map(|_| None).collect();
    found.into_iter().flatten().for_each(|(at, result)| results[at] = Some(result));
    results.into_iter().flatten().collect()
}

/// Runs `job` on every item with its number until one fails. Of several failures, that of the first item is returned.
///
/// Items are taken in order and finished once begun, so that all before a failed one have been processed.
pub fn try_for_each<I, E: Send>(
    threads: usize,
    items: impl ExactSizeIterator<Item = I> + Send,
    job: impl Fn(usize, I) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let threads = threads.clamp(1, items.len().max(1));
    let items = Mutex::new(items.enumerate());
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let failed = AtomicBool::new(false);
    let failures = each(0..threads, |_| {
        while !failed.load(Ordering::Relaxed) {
            let (at, item) = next()?;
            if let Err(failure) = job(at, item) {
                failed.store(true, Ordering::Relaxed);
                return Some((at, failure));
            }
        }
        None
    });
    let first = failures.into_iter().flatten().min_by_key(|&(at, _)| at);
    first.map_or(Ok(()), |(_, failure)| Err(failure))
}

/// Cells that several threads may use at once, each its own cells.
pub(crate) struct Shared<'a, T>(&'a [Cell<T>]);

// SAFETY: `new` requires that no cell is used by two threads while one of them writes it.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    /// Shares these values among threads.
    ///
    /// # Safety
    /// While several threads use it, no thread may read or write what another one writes.
    pub unsafe fn new(values: &'a mut [T]) -> Self {
        Self(Cell::from_mut(values).as_slice_of_cells())
    }

    /// The cells.
    pub fn cells(&self) -> &'a [Cell<T>] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_met_once_and_results_keep_their_order() {
        for threads in [1, 2, 3, 8] {
            for n in [0, 1, 2, 7, 1000] {
                assert_eq!(map(threads, n, |at| at * at), (0..n).map(|at| at * at).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn workers_keep_their_order_and_their_memory() {
        for n_workers in [0, 1, 2, 5] {
            let expected: Vec<usize> = (0..n_workers).map(|at| 3 * at).collect();
            assert_eq!(each(0..n_workers, |at| 3 * at), expected);
        }
        let mut sums = [0, 0, 0];
        for_each(&mut sums, 1000, |sum, at| *sum += at);
        assert_eq!(sums.iter().sum::<usize>(), 999 * 1000 / 2);
        let mut sums = [0, 0, 0];
        for_each_assigned(&mut sums, 10, |sum, at| *sum += at);
        assert_eq!(sums, [3 + 6 + 9, 1 + 4 + 7, 2 + 5 + 8]);
    }

    #[test]
    fn all_pieces_are_filled() {
        for threads in [1, 2, 3, 8] {
            let mut squares = vec![0; 1001];
            let filled = try_for_each(threads, squares.chunks_mut(10), |at, chunk| {
                chunk.iter_mut().enumerate().for_each(|(i, square)| *square = (10 * at + i).pow(2));
                Ok::<(), ()>(())
            });
            assert_eq!(filled, Ok(()));
            assert!(squares.iter().enumerate().all(|(at, &square)| square == at * at));
            assert_eq!(try_for_each(threads, [0; 0].iter(), |_, _| Err(())), Ok(()));
        }
    }

    /// The later failure is waited for by the earlier one, so that it is always met.
    #[test]
    fn the_first_of_several_failures_is_told() {
        for threads in [1, 2, 3] {
            let later = AtomicBool::new(threads == 1);
            let result = try_for_each(threads, 0..1000, |at, item| {
                assert_eq!(at, item);
                match at {
                    40 => {
                        while !later.load(Ordering::Relaxed) {
                            std::thread::yield_now();
                        }
                        Err(at)
                    }
                    41 => {
                        later.store(true, Ordering::Relaxed);
                        Err(at)
                    }
                    _ => Ok(()),
                }
            });
            assert_eq!(result, Err(40));
        }
    }

    #[test]
    fn a_panic_keeps_its_message() {
        for (threads, bad) in [(1, 3), (2, 0), (2, 5), (4, 63)] {
            let work = || map(threads, 64, |at| assert!(at != bad, "number {bad} is bad"));
            let panic = std::panic::catch_unwind(work).unwrap_err();
            let message = panic.downcast_ref::<String>().unwrap();
            assert_eq!(message, &format!("number {bad} is bad"));
        }
    }

    #[test]
    fn parts_cover_all_objects() {
        for n in [0, 1, PART, PART + 1, 5 * PART - 1] {
            let all: Vec<usize> = parts(n).flatten().collect();
            assert_eq!(all, (0..n).collect::<Vec<_>>());
        }
    }
}
