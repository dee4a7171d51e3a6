//! Separates settings that decide the draws from those that only decide when and where they are made.

use super::Clock;
use crate::trace::KeepPlan;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use thiserror::Error;

/// Largest number of chains of a run.
pub const MAX_CHAINS: usize = 1_024;
/// Largest number of sweeps of a run.
pub const MAX_SWEEPS: u64 = 1_000_000_000;
/// Largest number of draws that all chains together may keep.
pub const MAX_KEPT_DRAWS: usize = 20_000;
/// Default number of draws that a chain keeps.
pub const DEFAULT_DRAWS: usize = 50;

/// The settings that decide the draws, beside model and data. Equal settings give equal bytes on any number of
/// threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSettings {
    /// Source of all random numbers.
    pub seed: u64,
    /// Sweeps of every chain.
    pub sweeps: u64,
    /// Number of chains.
    pub chains: usize,
    /// Draws that every chain keeps, at most.
    pub draws: usize,
}

/// Why run settings are invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum RunSettingsError {
    /// A number is 0 or above its limit.
    #[error("the number of {what} is {value}; it must be between 1 and {limit}")]
    OutOfRange {
        /// `"sweeps"`, `"chains"` or `"draws"`.
        what: &'static str,
        /// The number given.
        value: u64,
        /// The largest allowed.
        limit: u64,
    },
    /// All chains together keep too many draws.
    #[error("{chains} chains that keep {draws} draws each are too many; keep at most {MAX_KEPT_DRAWS} in all")]
    TooManyDraws {
        /// Number of chains.
        chains: usize,
        /// Draws each keeps.
        draws: usize,
    },
}

impl RunSettings {
    /// Settings of one chain that keeps the default number of draws.
    pub fn new(seed: u64, sweeps: u64) -> Self {
        Self { seed, sweeps, chains: 1, draws: DEFAULT_DRAWS }
    }

    /// The plan of which draws are kept.
    pub fn plan(&self) -> KeepPlan {
        KeepPlan::new(self.sweeps, self.draws)
    }

    /// Refuses settings that no run can use.
    pub fn check(&self) -> Result<(), RunSettingsError> {
        let ranges = [
            ("sweeps", self.sweeps, MAX_SWEEPS),
            ("chains", self.chains as u64, MAX_CHAINS as u64),
            ("draws", self.draws as u64, MAX_KEPT_DRAWS as u64),
        ];
        if let Some(&(what, value, limit)) = ranges.iter().find(|(_, value, limit)| !(1..=*limit).contains(value)) {
            return Err(RunSettingsError::OutOfRange { what, value, limit });
        }
        let draws = self.plan().n_kept();
        if self.chains * draws > MAX_KEPT_DRAWS {
            return Err(RunSettingsError::TooManyDraws { chains: self.chains, draws });
        }
        Ok(())
    }
}

/// The progress report after every sweep of every chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Which chain, from 0.
    pub chain_ix: usize,
    /// Sweeps that chain has done.
    pub sweep: u64,
    /// Sweeps every chain will do.
    pub sweeps: u64,
    /// Learned bits.
    pub n_bits: usize,
    /// Share of triplets with probability above one half.
    pub satisfied: f64,
    /// Log likelihood of the triplets, or of the inputs where the model has no triplets.
    pub log_likelihood: f64,
    /// Time since this run started or resumed.
    pub elapsed: Duration,
}

/// A part of a run that may take long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Tables are made that all chains share, and chains are started.
    SettingUp,
    /// Chains do sweeps.
    Sampling,
    /// Draws are prepared for encoding.
    Refitting,
    /// A chain learns without some of the triplets, to calibrate probabilities.
    Rehearsing,
    /// One code is made of all chains.
    Distilling,
}

/// Why a checkpoint could not be saved.
pub type SaveError = Box<dyn Error + Send + Sync>;

/// Saves what all chains drew so far.
pub type Save<'a> = dyn Fn(&[&crate::trace::ChainRecord]) -> Result<(), SaveError> + Sync + 'a;

/// How often to save an unfinished run, and how.
#[derive(Clone, Copy)]
pub struct Checkpoint<'a> {
    /// Time between two saves.
    pub every: Duration,
    /// Called between sweeps, while no chain is running.
    pub save: &'a Save<'a>,
}

/// When and where the work is done. Nothing here changes the draws of a run that finishes.
#[derive(Clone, Copy)]
pub struct RunControl<'a> {
    /// Threads to use; 0 for as many as the machine has.
    pub threads: usize,
    /// No step starts later than this by the clock, and no sweep that is likely to end too late.
    pub time_limit: Option<Duration>,
    /// Tells how much of that time has passed: since this control was made, unless another clock is given.
    pub clock: Clock<'a>,
    /// Once true, the run stops after the sweeps that are under way.
    pub stop: &'a AtomicBool,
    /// Called after every sweep, from several threads.
    pub on_progress: &'a (dyn Fn(&Progress) + Sync + 'a),
    /// Called when a stage of the run begins.
    pub on_stage: &'a (dyn Fn(Stage) + Sync + 'a),
    /// Saves unfinished work.
    pub checkpoint: Option<Checkpoint<'a>>,
    /// Bytes of memory that the fit may need; no limit where it is absent.
    pub memory: Option<u64>,
    /// Number of the first chain, from 0, where earlier ones run elsewhere: chains draw by their numbers.
    pub first_chain: usize,
}

impl RunControl<'_> {
    /// The time that is left, where there is a limit.
    pub fn time_left(&self) -> Option<Duration> {
        self.time_limit.map(|limit| limit.saturating_sub(self.clock.elapsed()))
    }

    /// Whether no further step may start: the run was stopped, or its time has passed.
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.time_left().is_some_and(|left| left.is_zero())
    }

    /// The number of threads to use.
    pub fn n_threads(&self) -> usize {
        crate::parallel::n_threads(self.threads)
    }
}

impl Default for RunControl<'_> {
    /// All threads, no time or memory limit, no progress reports.
    fn default() -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Self {
            threads: 0,
            time_limit: None,
            clock: Clock::start(),
            stop: &NEVER,
            on_progress: &|_| (),
            on_stage: &|_| (),
            checkpoint: None,
            memory: None,
            first_chain: 0,
        }
    }
}

impl fmt::Debug for RunControl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunControl")
            .field("threads", &self.threads)
            .field("time_limit", &self.time_limit)
            .field("stop", &self.stop)
            .field("checkpoint_every", &self.checkpoint.map(|checkpoint| checkpoint.every))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_settings_are_named() {
        let good = RunSettings { seed: 1, sweeps: 1000, chains: 4, draws: 50 };
        assert_eq!(good.check(), Ok(()));
        let error = RunSettings { sweeps: 0, ..good }.check().unwrap_err();
        assert_eq!(error.to_string(), "the number of sweeps is 0; it must be between 1 and 1000000000");
        let error = RunSettings { chains: 1025, ..good }.check().unwrap_err();
        assert_eq!(error, RunSettingsError::OutOfRange { what: "chains", value: 1025, limit: 1024 });
        assert!(RunSettings { draws: 0, ..good }.check().is_err());
        let error = RunSettings { sweeps: 100_000, draws: 20_000, ..good }.check().unwrap_err();
        assert_eq!(error, RunSettingsError::TooManyDraws { chains: 4, draws: 20_000 });
        // The limit applies to draws that are kept, not to the number allowed.
        assert_eq!(RunSettings { draws: 20_000, ..good }.check(), Ok(()));
    }
}
