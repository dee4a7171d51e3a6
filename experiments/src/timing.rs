//! Times fits of one chain sweep by sweep, and shows their states without touching the times.

use anyhow::{Context, Result, ensure};
use rustix::time::{ClockId, clock_gettime};
use sibp::format::Fitted;
use sibp::pipeline::Prepared;
use sibp::run::{Checkpoint, Progress, RunControl, Stage};
use sibp::trace::{ChainRecord, Draw};
use std::ops::{ControlFlow, Sub};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Seconds that this thread has computed, which a busy machine lengthens less than seconds by the clock.
pub fn computing_seconds() -> f64 {
    seconds_of(ClockId::ThreadCPUTime)
}

fn seconds_of(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// A length of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seconds {
    /// By the clock.
    pub clock: f64,
    /// Of computing, on all threads together.
    pub computing: f64,
}

impl Sub for Seconds {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { clock: self.clock - other.clock, computing: self.computing - other.computing }
    }
}

/// Where time began.
struct Stopwatch {
    began: Instant,
    computed: f64,
}

impl Stopwatch {
    fn start() -> Self {
        Self { began: Instant::now(), computed: seconds_of(ClockId::ProcessCPUTime) }
    }

    fn read(&self) -> Seconds {
        let computing = seconds_of(ClockId::ProcessCPUTime) - self.computed;
        Seconds { clock: self.began.elapsed().as_secs_f64(), computing }
    }
}

/// A fit with the times of its sweeps, each with its record.
pub struct Timed {
    /// What came of it.
    pub fitted: Fitted,
    /// Time of all that the run did before its first sweep: tables, and the start of the chain.
    pub set_up: Seconds,
    /// Time from the start of the run to the end of every sweep.
    ends: Vec<Seconds>,
    /// Sweeps at the beginning that are not counted.
    skip: usize,
}

impl Timed {
    /// Runs a fit of one chain that keeps its last draw alone. The first `skip` sweeps are not counted, nor is the last
    /// one, in which the draw is made.
    pub fn run(prepared: &Prepared, threads: usize, skip: u64) -> Result<Self> {
        Self::run_with(prepared, threads, skip, |_| ())
    }

    /// The same with something to do after every sweep, which is not to take long.
    pub fn run_with(
        prepared: &Prepared,
        threads: usize,
        skip: u64,
        after_sweep: impl Fn(&Progress) + Sync,
    ) -> Result<Self> {
        let settings = &prepared.info.settings;
        ensure!(settings.chains == 1 && settings.draws == 1, "only one chain with one draw has times of its own");
        // Before the end of the first sweep lies the set-up, after that of the last but one a draw.
        let skip = skip.max(1);
        ensure!(settings.sweeps > skip + 1, "{} sweeps are too few to leave out {skip} and the last", settings.sweeps);
        let (set_up, ends, watch) = (OnceLock::new(), Mutex::new(Vec::new()), Stopwatch::start());
        let on_stage = |stage| {
            if stage == Stage::Sampling {
                set_up.get_or_init(|| watch.read());
            }
        };
        let on_progress = |progress: &Progress| {
            ends.lock().unwrap_or_else(PoisonError::into_inner).push(watch.read());
            after_sweep(progress);
        };
        let control = RunControl { threads, on_progress: &on_progress, on_stage: &on_stage, ..RunControl::default() };
        let (fitted, _) = prepared.run(&control, None)?;
        let set_up = set_up.into_inner().context("no sweep was begun")?;
        let ends = ends.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Self { fitted, set_up, ends, skip: skip as usize })
    }

    /// Sweeps that are counted.
    fn n_counted(&self) -> usize {
        self.ends.len() - 1 - self.skip
    }

    /// Mean time of the counted sweeps.
    pub fn sweep(&self) -> Seconds {
        let n = self.n_counted() as f64;
        let all = self.ends[self.ends.len() - 2] - self.ends[self.skip - 1];
        Seconds { clock: all.clock / n, computing: all.computing / n }
    }

    /// Time of the last sweep beyond the mean: that of a kept draw.
    pub fn kept_draw(&self) -> Seconds {
        self.ends[self.ends.len() - 1] - self.ends[self.ends.len() - 2] - self.sweep()
    }

    /// Mean number of bits in the counted sweeps.
    pub fn n_bits(&self) -> f64 {
        let bits = &self.fitted.chains[0].trace.n_bits[self.skip..self.ends.len() - 1];
        bits.iter().map(|&n| f64::from(n)).sum::<f64>() / self.n_counted() as f64
    }

    /// Seconds by the clock from the start of the run to the end of every sweep.
    pub fn ends(&self) -> impl Iterator<Item = f64> + '_ {
        self.ends.iter().map(|end| end.clock)
    }
}

/// Runs a fit of one chain and shows the state after every sweep, until `look` has seen enough. The draws are those of
/// the timed run, as they depend on the seed alone; the times are not.
pub fn watch(
    prepared: &Prepared,
    threads: usize,
    look: impl FnMut(&Draw) -> Result<ControlFlow<()>> + Send,
) -> Result<()> {
    let (look, stop) = (Mutex::new(look), AtomicBool::new(false));
    let show = |draw: &Draw| -> Result<()> {
        let seen = (look.lock().unwrap_or_else(PoisonError::into_inner))(draw)?;
        stop.store(seen.is_break(), Ordering::Relaxed);
        Ok(())
    };
    let save = |records: &[&ChainRecord]| show(&records[0].last).map_err(Into::into);
    let checkpoint = Some(Checkpoint { every: Duration::ZERO, save: &save });
    let (fitted, _) = prepared.run(&RunControl { threads, stop: &stop, checkpoint, ..RunControl::default() }, None)?;
    // The state after the last sweep is a result, no longer a checkpoint.
    if fitted.finished() { show(&fitted.chains[0].last) } else { Ok(()) }
}
