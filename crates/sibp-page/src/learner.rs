//! Learns while people answer: fits again when enough answers have come, and swaps the model in. Nobody waits for it.

use crate::app::{App, locked};
use crate::model::Shown;
use crate::progress;
use sibp::pipeline::{Fit, FitError, Reading};
use sibp::run::{Progress, Stage};
use sibp::triplets::Judgements;
use sibp::{Fitted, RunControl};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Answers after which codes are first learned.
pub const FIRST: usize = 30;
/// Further answers after which they are learned again: so many at least, and this share of those there are.
const STEP: usize = 20;
const SHARE: f64 = 0.25;
/// Chains and sweeps of the fits of the page: people wait for them, and later ones go on where these end. Their codes are the
/// bits of all chains side by side, as one code that stands for all of them takes longer to make than all sweeps. A whole fit
/// to the triplets of the journal does more of everything.
const CHAINS: usize = 6;
const SWEEPS: u64 = 60;
const MORE_SWEEPS: u64 = 40;
/// Time between two reports of progress.
const REPORT_EVERY: Duration = Duration::from_millis(500);

/// What the learner does.
#[derive(Default)]
pub struct Learning {
    /// The stage of a fit that is under way.
    pub stage: Option<String>,
    /// Sweeps done by all chains, and to do.
    pub done: u64,
    pub of: u64,
    /// Answers that the model at hand has learned from.
    pub n_learned: usize,
    /// Why the last fit failed.
    pub failed: Option<String>,
    /// The fit from which the next one goes on.
    last: Option<Fitted>,
}

impl Learning {
    /// Goes on from this fit, if the next one is to the same triplets and more.
    pub fn after(fitted: Option<Fitted>) -> Self {
        Self { last: fitted, ..Self::default() }
    }
}

/// The number of answers at which the next fit is due.
pub fn due_at(n_learned: usize, first: usize) -> usize {
    match n_learned {
        0 => first,
        n => n + STEP.max((SHARE * n as f64) as usize),
    }
}

/// Waits for answers and learns from them, until the server ends.
pub fn run(app: &App) {
    let Some(desk) = &app.desk else { return };
    if app.source.base.triplets().is_none() {
        return;
    }
    let mut failed_at = 0;
    loop {
        let n_answers = locked(desk).ledger().n_answers();
        let n_learned = locked(&app.learning).n_learned;
        let first = app.settings.first_fit.unwrap_or(FIRST);
        if n_answers >= due_at(n_learned.max(failed_at), first) {
            let judgements = locked(desk).judgements();
            if learn(app, judgements).is_none() {
                failed_at = n_answers;
            } else if !app.is_over() {
                progress::extrapolate(app);
            }
        }
        let pool = locked(&app.pool);
        if app.is_over() {
            return;
        }
        // An answer that comes in between is seen after this time at the latest.
        drop(app.work.wait_timeout(pool, REPORT_EVERY).unwrap_or_else(PoisonError::into_inner));
        if app.is_over() {
            return;
        }
    }
}

/// Fits to the base and these answers; `None` where that failed.
fn learn(app: &App, answers: Judgements) -> Option<()> {
    let n_answers = answers.triplets.len();
    let outcome = fit(app, answers).and_then(|fitted| {
        let reading = Reading { draws: sibp::DrawChoice::Concatenate, ..app.settings.reading };
        let shown = Shown::new(app.version() + 1, fitted.clone(), reading, &app.source);
        shown.map(|shown| (shown, fitted)).map_err(|error| error.to_string())
    });
    if app.is_over() {
        return None;
    }
    let mut learning = locked(&app.learning);
    learning.stage = None;
    match outcome {
        Ok((shown, fitted)) => {
            learning.n_learned = n_answers;
            learning.failed = None;
            learning.last = Some(fitted);
            drop(learning);
            shown.warm(&app.source);
            app.swap(shown);
            Some(())
        }
        Err(error) => {
            learning.failed = Some(error);
            drop(learning);
            app.changed();
            None
        }
    }
}

/// Goes on from the last fit where that is possible, else begins anew.
fn fit(app: &App, answers: Judgements) -> Result<Fitted, String> {
    let teaching = app.source.teaching(answers).ok_or("nobody knows what the model was learned from")?;
    let last = locked(&app.learning).last.take();
    let seed = app.settings.seed;
    let new = || Fit::new(app.source.table.clone(), teaching.clone()).seed(seed).distils(None);
    if let Some(last) = &last {
        match run_fit(app, new().continues(last).sweeps(MORE_SWEEPS)) {
            // Answers were taken back, or the settings that suit them changed.
            Err(FitError::Continue(_)) => {}
            other => return other.map_err(|error| error.to_string()),
        }
    }
    run_fit(app, new().chains(CHAINS).sweeps(SWEEPS)).map_err(|error| error.to_string())
}

fn run_fit(app: &App, fit: Fit) -> Result<Fitted, FitError> {
    report(app, "preparing inputs and answers", 0, 0);
    let prepared = fit.prepare(None)?;
    let settings = prepared.info.settings;
    let (of, done) = (settings.sweeps * settings.chains as u64, AtomicU64::new(0));
    let last = std::sync::Mutex::new(Instant::now());
    let on_progress = |_: &Progress| {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        let mut last = locked(&last);
        if last.elapsed() >= REPORT_EVERY {
            *last = Instant::now();
            report(app, "learning codes", done, of);
        }
    };
    let on_stage = |stage: Stage| report(app, words(stage), done.load(Ordering::Relaxed), of);
    let stop: &AtomicBool = &app.over;
    let control = RunControl {
        threads: app.settings.threads,
        stop,
        on_progress: &on_progress,
        on_stage: &on_stage,
        ..RunControl::default()
    };
    Ok(prepared.run(&control, None)?.0)
}

/// Tells how far the fit is.
fn report(app: &App, stage: &str, done: u64, of: u64) {
    let mut learning = locked(&app.learning);
    (learning.stage, learning.done, learning.of) = (Some(stage.to_owned()), done, of);
    drop(learning);
    app.changed();
}

fn words(stage: Stage) -> &'static str {
    match stage {
        Stage::SettingUp => "setting chains up",
        Stage::Sampling => "learning codes",
        Stage::Refitting => "preparing codes for new objects",
        Stage::Rehearsing => "checking by answers that are held out",
        Stage::Distilling => "distilling one code from all chains",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_come_at_growing_steps() {
        let mut due = vec![due_at(0, FIRST)];
        while due[due.len() - 1] < 300 {
            due.push(due_at(due[due.len() - 1], FIRST));
        }
        assert_eq!(due, [30, 50, 70, 90, 112, 140, 175, 218, 272, 340]);
    }
}
