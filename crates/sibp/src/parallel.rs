//! Spreads work over threads, without letting the result depend on how many there are.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Objects of a part of the work: enough to keep a thread busy, and few enough for all threads to have some.
///
/// Sums over objects are formed part by part, so this is part of the reproducibility promise.
pub const PART: usize = 4096;

/// The parts of `n` objects, in order.
pub fn parts(n: usize) -> impl ExactSizeIterator<Item = std::ops::Range<usize>> {
    (0..n.div_ceil(PART)).map(move |part| part * PART..((part + 1) * PART).min(n))
}

/// How many threads are meant: 0 stands for all cores.
pub fn n_threads(threads: usize) -> usize {
    match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    }
}

/// Runs `job` for every number below `n`, each with the memory of its worker. There is a thread a worker; which of them
/// takes which number is left to chance.
pub fn for_each<W: Send>(workers: &mut [W], n: usize, job: impl Fn(&mut W, usize) + Sync) {
    let next = AtomicUsize::new(0);
    let work = |worker: &mut W| loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        if at >= n {
            return;
        }
        job(worker, at);
    };
    let Some((own, others)) = workers.split_first_mut() else { return };
    if n < 2 || others.is_empty() {
        return work(own);
    }
    std::thread::scope(|scope| {
        let work = &work;
        let handles: Vec<_> = others.iter_mut().map(|worker| scope.spawn(move || work(worker))).collect();
        work(own);
        for handle in handles {
            handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
}

/// Results of `job` for every number below `n`, in order.
pub fn map<T: Send>(threads: usize, n: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let results: Vec<Mutex<Option<T>>> = (0..n).map(|_| Mutex::new(None)).collect();
    for_each(&mut vec![(); threads.max(1)], n, |(), at| {
        let result = job(at);
        if let Ok(mut place) = results[at].lock() {
            *place = Some(result);
        }
    });
    results.into_iter().filter_map(|place| place.into_inner().ok().flatten()).collect()
}

/// Cells that several threads may use at once, each its own ones.
pub(crate) struct Shared<'a, T>(&'a [Cell<T>]);

// SAFETY: who makes one promises that no cell is used by two threads while one of them writes it.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    /// Lets threads use these values.
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
    fn parts_cover_all_objects() {
        for n in [0, 1, PART, PART + 1, 5 * PART - 1] {
            let all: Vec<usize> = parts(n).flatten().collect();
            assert_eq!(all, (0..n).collect::<Vec<_>>());
        }
    }
}
