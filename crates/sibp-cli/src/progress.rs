//! Shows the progress of a run, one line a chain; silent without a terminal.

use crate::output::percent;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use sibp::run::Progress;
use std::time::Duration;

/// Most chains that get a line.
const MOST_LINES: usize = 8;

/// The lines of a run.
pub struct Bars {
    bars: Vec<ProgressBar>,
    has_triplets: bool,
    // Keeps the lines together for as long as they are drawn.
    _all: MultiProgress,
}

impl Bars {
    /// Lines for `chains` chains that have done `done` sweeps each; none when quiet or without a terminal.
    pub fn new(chains: usize, sweeps: u64, has_triplets: bool, quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
        let all = MultiProgress::with_draw_target(target);
        let style = ProgressStyle::with_template("{prefix} {wide_bar} {pos:>5}/{len}  {msg}{eta:>4} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━╸ ");
        let bar = |at: usize| {
            let bar = all.add(ProgressBar::new(sweeps).with_style(style.clone()));
            bar.with_prefix(if chains == 1 { "sweeps ".to_owned() } else { format!("chain {}", at + 1) })
        };
        Self { bars: (0..chains.min(MOST_LINES)).map(bar).collect(), has_triplets, _all: all }
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
        let Some(bar) = self.bars.get(progress.chain_ix) else { return };
        if bar.is_hidden() {
            return;
        }
        let bits = format!("{:>3} bits  ", progress.n_bits);
        let triplets =
            if self.has_triplets { format!("{:>7} of triplets  ", percent(progress.satisfied)) } else { String::new() };
        bar.set_message(format!("{bits}{triplets}log joint {:.0}  ", progress.log_joint));
        bar.set_position(progress.sweep);
    }

    /// Clears the lines.
    pub fn finish(&self) {
        self.bars.iter().for_each(ProgressBar::finish_and_clear);
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

/// A duration in words, for progress messages.
pub fn waited(time: Duration) -> String {
    crate::output::seconds(time.as_secs_f64())
}
