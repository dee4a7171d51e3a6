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
    chains: usize,
    /// The fit without some triplets.
    rehearsal: ProgressBar,
    // Keeps the lines together for as long as they are drawn.
    all: MultiProgress,
}

impl Bars {
    /// Lines for `chains` chains; none when quiet or without a terminal. Another one appears when a rehearsal starts,
    /// which comes after the chains.
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
        let bars = (0..chains.min(MOST_LINES)).map(bar).collect();
        let rehearsal = ProgressBar::hidden().with_style(style.clone()).with_prefix("held out");
        Self { bars, chains, rehearsal, has_triplets, all }
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
        self.bars.iter().chain([&self.rehearsal]).for_each(ProgressBar::finish_and_clear);
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
