//! Says how far a run has come, in a line now and then, where there is no terminal to draw in.

use crate::output::{grouped, say, seconds};
use sibp::run::Progress;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lines come after at least a tenth of all sweeps, and not faster than this.
pub const PAUSE: Duration = Duration::from_secs(2);
const PARTS: u64 = 10;

/// What was done, and what was said of it.
#[derive(Debug)]
pub struct Lines {
    n_sweeps: u64,
    chains: usize,
    began: Instant,
    said: Mutex<Said>,
}

#[derive(Debug, Default)]
struct Said {
    /// Sweeps done by each chain.
    done: Vec<u64>,
    /// The last tenth that was said.
    part: u64,
    /// When the last line was said.
    at: Duration,
}

impl Lines {
    /// Nothing has been done yet.
    pub fn new(chains: usize, sweeps: u64) -> Self {
        let said = Mutex::new(Said { done: vec![0; chains], ..Said::default() });
        Self { n_sweeps: sweeps.saturating_mul(chains as u64), chains, began: Instant::now(), said }
    }

    /// Says that a stage begins, unless all is done in a moment.
    pub fn stage(&self, words: &str) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.began.elapsed();
        if now >= said.at + PAUSE {
            said.at = now;
            say(format!("{words} ({})", seconds(now.as_secs_f64())));
        }
    }

    /// Counts a sweep, and says a line where one is due.
    pub fn show(&self, progress: &Progress) {
        if progress.chain_ix >= self.chains {
            return;
        }
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.done[progress.chain_ix] = progress.sweep;
        if let Some(line) = said.line(self.n_sweeps, progress, self.began.elapsed()) {
            say(line);
        }
    }
}

impl Said {
    /// The line that is due at this time, if one is.
    fn line(&mut self, n_sweeps: u64, progress: &Progress, now: Duration) -> Option<String> {
        let done: u64 = self.done.iter().sum();
        let part = PARTS * done / n_sweeps.max(1);
        if part <= self.part || part == PARTS || now < self.at + PAUSE {
            return None;
        }
        (self.part, self.at) = (part, now);
        let (done, all, time) = (grouped(done as usize), grouped(n_sweeps as usize), seconds(now.as_secs_f64()));
        Some(format!("{} %: {done} of {all} sweeps, {} bits, {time}", 100 / PARTS * part, progress.n_bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_with_every_tenth_but_not_too_often() {
        let mut said = Said { done: vec![0], ..Said::default() };
        let mut at = |sweep: u64, seconds: u64| {
            said.done[0] = sweep;
            let (satisfied, log_likelihood, elapsed) = (0.0, 0.0, Duration::ZERO);
            let progress = Progress { chain_ix: 0, sweep, sweeps: 200, n_bits: 7, satisfied, log_likelihood, elapsed };
            said.line(200, &progress, Duration::from_secs(seconds))
        };
        assert_eq!(at(20, 1), None, "too early");
        assert_eq!(at(21, 3).as_deref(), Some("10 %: 21 of 200 sweeps, 7 bits, 3.0 s"));
        assert_eq!(at(39, 60), None, "not a tenth more");
        assert_eq!(at(40, 61).as_deref(), Some("20 %: 40 of 200 sweeps, 7 bits, 61 s"));
        assert_eq!(at(60, 62), None, "too soon after the last");
        assert!(at(110, 70).is_some());
        assert_eq!(at(200, 80), None, "the end has a line of its own");
    }
}
