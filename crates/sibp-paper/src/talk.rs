//! Reports the progress of a run to its caller, and asks whether to stop.

use sibp::run::Progress;
use std::sync::atomic::AtomicBool;

/// Receives the progress reports of a run. Several threads may call it at once.
pub trait Talk: Sync {
    /// Reports a line of text.
    fn say(&self, text: &str);

    /// Starts listening for a request to stop, and returns the flag that it raises.
    fn stop(&self) -> anyhow::Result<&AtomicBool>;

    /// Starts showing chains: their number, their sweeps, and whether they learn from triplets. The returned function
    /// is called after every sweep and dropped at the end.
    fn chains(&self, n_chains: usize, sweeps: u64, has_triplets: bool) -> Box<dyn Fn(&Progress) + Sync + '_>;

    /// Starts counting up to `n` results. The returned function is called with the number of results added and dropped
    /// at the end. `None` where no progress bar is shown; then each result is reported as a line.
    fn results(&self, n: usize) -> Option<Box<dyn Fn(usize) + Sync + '_>>;
}

/// Reports nothing and never stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Talk for Silent {
    fn say(&self, _text: &str) {}

    fn stop(&self) -> anyhow::Result<&AtomicBool> {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Ok(&NEVER)
    }

    fn chains(&self, _n_chains: usize, _sweeps: u64, _has_triplets: bool) -> Box<dyn Fn(&Progress) + Sync + '_> {
        Box::new(|_| ())
    }

    fn results(&self, _n: usize) -> Option<Box<dyn Fn(usize) + Sync + '_>> {
        None
    }
}
