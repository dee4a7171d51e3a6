//! Shows the progress of a run: one line a chain in a terminal, elsewhere a line of text now and then.

mod lines;

use crate::output::percent;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use lines::Lines;
use sibp::run::{Clock, Progress, Stage};
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Most chains that get a line.
const MOST_LINES: usize = 8;
/// Time between two pictures of something that turns.
const TICK: Duration = Duration::from_millis(100);

/// The lines of a run.
pub struct Bars {
    bars: Vec<ProgressBar>,
    has_triplets: bool,
    chains: usize,
    /// The fit without some triplets.
    rehearsal: ProgressBar,
    /// What is done before the first sweep and after the last.
    stage: ProgressBar,
    /// What is said without a terminal.
    lines: Option<Lines>,
    // Keeps the lines together for as long as they are drawn.
    all: MultiProgress,
}

impl Bars {
    /// Lines for `chains` chains; none when quiet or without a terminal. Another one appears when a rehearsal starts,
    /// which comes after the chains.
    pub fn new(chains: usize, sweeps: u64, has_triplets: bool, quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
        let all = MultiProgress::with_draw_target(target);
        let style = ProgressStyle::with_template("{prefix} {wide_bar} {pos:>5}/{len}  {msg}{left:>4} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .with_key("left", |state: &ProgressState, text: &mut dyn Write| {
                let _ = write!(text, "{}", waited(state.eta()));
            })
            .progress_chars("━╸ ");
        let bar = |at: usize| {
            let bar = all.add(ProgressBar::new(sweeps).with_style(style.clone()));
            bar.with_prefix(if chains == 1 { "sweeps ".to_owned() } else { format!("chain {}", at + 1) })
        };
        let bars = (0..chains.min(MOST_LINES)).map(bar).collect();
        let rehearsal = ProgressBar::hidden().with_style(style.clone()).with_prefix("held out");
        let lines = (!quiet && !std::io::stderr().is_terminal()).then(|| Lines::new(chains, sweeps));
        Self { bars, chains, rehearsal, stage: ProgressBar::hidden(), lines, has_triplets, all }
    }

    /// Shows no more time left than a limit leaves, by the clock of the run.
    pub fn until(mut self, clock: Clock<'_>, limit: Option<Duration>) -> Self {
        let ends = limit.and_then(|limit| Instant::now().checked_add(limit.saturating_sub(clock.elapsed())));
        for bar in &mut self.bars {
            bar.set_style(bar.style().with_key("left", move |state: &ProgressState, text: &mut dyn Write| {
                let _ = write!(text, "{}", waited(time_left(state.eta(), ends)));
            }));
        }
        self
    }

    /// Shows that a stage of the run begins.
    pub fn stage(&self, stage: Stage) {
        let words = match stage {
            Stage::SettingUp => "setting up the chains",
            Stage::Sampling => return self.stage.finish_and_clear(),
            Stage::Refitting => "preparing what was drawn for encoding",
            Stage::Rehearsing => "learning without some triplets, to calibrate probabilities",
            Stage::Distilling => "distilling one code from all chains",
        };
        if let Some(lines) = &self.lines {
            lines.stage(words);
        }
        if self.bars.iter().all(ProgressBar::is_hidden) {
            return;
        }
        self.all.add(self.stage.clone());
        self.stage.reset();
        self.stage.set_style(spinner());
        self.stage.set_message(words);
        self.stage.enable_steady_tick(TICK);
    }

    /// Sets the position of resumed chains, so that the remaining time is estimated from there.
    pub fn resume(&self, done: &[u64]) {
        for (bar, &sweeps) in self.bars.iter().zip(done) {
            bar.set_position(sweeps);
            bar.reset_eta();
        }
    }

    /// Shows one sweep of one chain.
    pub fn show(&self, progress: &Progress) {
        if let Some(lines) = &self.lines {
            lines.show(progress);
        }
        if progress.chain_ix == self.chains {
            return self.show_rehearsal(progress);
        }
        let Some(bar) = self.bars.get(progress.chain_ix) else { return };
        if bar.is_hidden() {
            return;
        }
        let bits = format!("{:>3} bits  ", progress.n_bits);
        let triplets =
            if self.has_triplets { format!("{:>7} of triplets  ", percent(progress.satisfied)) } else { String::new() };
        bar.set_message(format!("{bits}{triplets}log likelihood {:.0}  ", progress.log_likelihood));
        bar.set_position(progress.sweep);
    }

    fn show_rehearsal(&self, progress: &Progress) {
        if self.bars.iter().all(ProgressBar::is_hidden) {
            return;
        }
        if progress.sweep == 1 {
            self.rehearsal.set_length(progress.sweeps);
            self.all.add(self.rehearsal.clone());
        }
        self.rehearsal.set_position(progress.sweep);
    }

    /// Clears the lines.
    pub fn finish(&self) {
        self.bars.iter().chain([&self.rehearsal, &self.stage]).for_each(ProgressBar::finish_and_clear);
    }
}

/// A progress line of `n` items; hidden when quiet or without a terminal.
pub fn steps(word: &'static str, n: usize, quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
    let style = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len}  {msg}{eta:>4} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("━╸ ");
    let bar = ProgressBar::with_draw_target(Some(n as u64), target).with_style(style).with_prefix(word);
    bar.tick();
    bar
}

/// Says that something is being done whose length is not known, until it is dropped: by a line that turns in a terminal,
/// elsewhere by one line if it takes long; not at all when quiet.
pub struct Waiting {
    bar: ProgressBar,
    is_over: Arc<AtomicBool>,
}

impl Waiting {
    /// Begins to wait for something.
    pub fn begin(words: &'static str, quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
        let bar = ProgressBar::with_draw_target(None, target).with_style(spinner()).with_message(words);
        bar.enable_steady_tick(TICK);
        let is_over = Arc::new(AtomicBool::new(false));
        if !quiet && !std::io::stderr().is_terminal() {
            let is_over = Arc::clone(&is_over);
            thread::spawn(move || {
                thread::sleep(lines::PAUSE);
                if !is_over.load(Ordering::Relaxed) {
                    crate::output::say(words);
                }
            });
        }
        Self { bar, is_over }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.bar.finish_and_clear();
    }
}

fn spinner() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {msg}  {elapsed}").unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// The estimated time, but no more than there is until a run must end.
fn time_left(estimated: Duration, ends: Option<Instant>) -> Duration {
    ends.map_or(estimated, |ends| estimated.min(ends.saturating_duration_since(Instant::now())))
}

/// A duration in words, for progress messages.
pub fn waited(time: Duration) -> String {
    crate::output::seconds(time.as_secs_f64())
}
