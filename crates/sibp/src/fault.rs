//! Plants deliberate sampler bugs in tests, to show that the tests would catch them.

/// A deliberate bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Features are visited in storage order instead of a fresh random one.
    StorageOrderScan,
}

#[cfg(test)]
thread_local! {
    static PLANTED: std::cell::Cell<Option<Fault>> = const { std::cell::Cell::new(None) };
}

/// Whether the fault is planted on this thread.
#[cfg(test)]
pub(crate) fn planted(fault: Fault) -> bool {
    PLANTED.get() == Some(fault)
}

/// Outside tests nothing is ever planted.
#[cfg(not(test))]
#[inline(always)]
pub(crate) fn planted(_: Fault) -> bool {
    false
}

/// Runs `job` with the fault planted on this thread.
#[cfg(test)]
pub(crate) fn with_fault<T>(fault: Fault, job: impl FnOnce() -> T) -> T {
    PLANTED.set(Some(fault));
    let result = job();
    PLANTED.set(None);
    result
}
