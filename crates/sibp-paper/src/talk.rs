//! Tells whoever started a run how it goes, and hears whether it is to stop.

use sibp::run::Progress;
use std::sync::atomic::AtomicBool;

/// What a run says while it lasts. Threads call it at the same time.
pub trait Talk: Sync {
    /// Says a line about what is being done.
    fn say(&self, text: &str);

    /// Begins to listen for a wish to stop, and returns the flag that tells.
    fn stop(&self) -> anyhow::Result<&AtomicBool>;

    /// Begins to show chains: how many there are, their sweeps, and whether they learn from triplets. What is returned
    /// is called after every sweep, and dropped at the end.
    fn chains(&self, n_chains: usize, sweeps: u64, has_triplets: bool) -> Box<dyn Fn(&Progress) + Sync + '_>;

    /// Begins to count up to `n` results. What is returned is called with how many were added, and dropped at the end.
    /// `None` where nobody would see it; then each result is said in a line.
    fn results(&self, n: usize) -> Option<Box<dyn Fn(usize) + Sync + '_>>;
}

/// Says nothing and never stops.
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
