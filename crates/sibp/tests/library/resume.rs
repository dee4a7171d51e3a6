//! Shows that neither threads nor interruptions change what a run writes.

use crate::fits::{Fit, MODELS};
use sibp::format::{Fitted, ResumeError};
use sibp::run::{Checkpoint, RunControl, RunEnd, RunSettings};
use sibp::trace::ChainRecord;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const SWEEPS: u64 = 50;

fn settings(chains: usize) -> RunSettings {
    RunSettings { seed: 11, sweeps: SWEEPS, chains, draws: 7 }
}

/// Runs until `chain_ix` has done `sweep` sweeps in all.
fn run_until(fit: &Fit, sweep: u64, chain_ix: usize, resume: Option<Vec<ChainRecord>>) -> (RunEnd, Fitted) {
    let stop = AtomicBool::new(sweep == 0);
    let control = RunControl {
        threads: 2,
        stop: &stop,
        on_progress: &|now| {
            if now.chain_ix == chain_ix && now.sweep >= sweep {
                stop.store(true, Ordering::Relaxed);
            }
        },
        ..RunControl::default()
    };
    let outcome = fit.run(&control, resume);
    (outcome.end, fit.file(outcome.chains))
}

/// What a later process would find: nothing but the bytes.
fn reread(file: &Fitted) -> Vec<ChainRecord> {
    let again = Fitted::from_bytes(&file.to_bytes().unwrap()).unwrap();
    assert_eq!(&again, file);
    again.chains
}

#[test]
fn threads_do_not_change_the_bytes() {
    for (name, kind, preset) in MODELS {
        let fit = Fit::new(kind, preset, 12, settings(5));
        let one = fit.bytes(1);
        for threads in [1, 2, 8] {
            assert_eq!(fit.bytes(threads), one, "{name}: {threads} threads");
        }
        let other = Fit::new(kind, preset, 12, RunSettings { seed: 12, ..settings(5) });
        assert_ne!(other.bytes(1), one, "{name}: another seed");
    }
}

#[test]
fn stopped_at_every_sweep_a_resumed_run_writes_the_same_bytes() {
    for (name, kind, preset) in MODELS {
        let fit = Fit::new(kind, preset, 12, settings(2));
        let whole = fit.bytes(2);
        for sweep in 0..SWEEPS {
            let (end, partial) = run_until(&fit, sweep, 1, None);
            assert!(end == RunEnd::Stopped && !partial.finished(), "{name}: {end:?} at {sweep}");
            assert_eq!(partial.chains[1].sweeps_done, sweep);
            let outcome = fit.run(&RunControl::default(), Some(reread(&partial)));
            assert!(outcome.finished());
            assert!(fit.file(outcome.chains).to_bytes().unwrap() == whole, "{name}: stopped at sweep {sweep}");
        }
    }
}

#[test]
fn a_run_in_fifty_pieces_writes_the_same_bytes() {
    for (name, kind, preset) in MODELS {
        let fit = Fit::new(kind, preset, 12, settings(1));
        let mut records = None;
        for sweep in 1..=SWEEPS {
            let (end, partial) = run_until(&fit, sweep, 0, records.take());
            assert_eq!(end == RunEnd::Finished, sweep == SWEEPS);
            records = Some(reread(&partial));
        }
        assert!(fit.file(records.unwrap()).to_bytes().unwrap() == fit.bytes(1), "{name}");
    }
}

#[test]
fn every_checkpoint_resumes_to_the_same_bytes() {
    let (_, kind, preset) = MODELS[0];
    let fit = Fit::new(kind, preset, 12, settings(3));
    let whole = fit.bytes(1);
    let saved: Mutex<Vec<Fitted>> = Mutex::new(Vec::new());
    let save = |chains: &[&ChainRecord]| {
        saved.lock().unwrap().push(fit.file(chains.iter().map(|&chain| chain.clone()).collect()));
        Ok(())
    };
    let checkpoint = Some(Checkpoint { every: Duration::ZERO, save: &save });
    let outcome = fit.run(&RunControl { threads: 2, checkpoint, ..RunControl::default() }, None);
    assert!(fit.file(outcome.chains).to_bytes().unwrap() == whole, "checkpoints change the run");
    let saved = saved.into_inner().unwrap();
    assert!(saved.len() >= SWEEPS as usize, "only {} checkpoints", saved.len());
    for partial in &saved {
        assert!(!partial.finished());
        let outcome = fit.run(&RunControl::default(), Some(reread(partial)));
        assert!(fit.file(outcome.chains).to_bytes().unwrap() == whole);
    }
}

#[test]
fn a_time_limit_ends_the_run_and_what_was_drawn_goes_on() {
    let (_, kind, preset) = MODELS[1];
    let fit = Fit::new(kind, preset, 12, settings(2));
    let control = RunControl { time_limit: Some(Duration::ZERO), ..RunControl::default() };
    let outcome = fit.run(&control, None);
    assert_eq!(outcome.end, RunEnd::TimeLimit);
    assert!(outcome.chains.iter().all(|chain| chain.sweeps_done == 0));
    let outcome = fit.run(&RunControl::default(), Some(outcome.chains));
    assert!(fit.file(outcome.chains).to_bytes().unwrap() == fit.bytes(1));
}

#[test]
fn a_finished_run_has_nothing_left_to_do() {
    let (_, kind, preset) = MODELS[2];
    let fit = Fit::new(kind, preset, 12, settings(2));
    let done = fit.run(&RunControl::default(), None);
    let silent = RunControl { on_progress: &|_| panic!("a sweep too many"), ..RunControl::default() };
    let again = fit.run(&silent, Some(done.chains.clone()));
    assert_eq!(again, done);
}

/// A finished run of `sweeps` sweeps, as a later process finds it.
fn finished(kind: sibp::model::ModelKind, preset: sibp::model::Preset, sweeps: u64) -> Fitted {
    let fit = Fit::new(kind, preset, 12, RunSettings { sweeps, ..settings(2) });
    Fitted::from_bytes(&fit.bytes(2)).unwrap()
}

#[test]
fn a_finished_run_goes_on_to_the_bytes_of_more_sweeps_at_once() {
    for (name, kind, preset) in MODELS {
        let fit = Fit::new(kind, preset, 12, settings(2));
        let whole = fit.bytes(2);
        for done in [1, 10, 25] {
            let records = finished(kind, preset, done).records_for(&fit.file(Vec::new()).info).unwrap();
            let outcome = fit.run(&RunControl::default(), Some(records));
            assert!(outcome.finished());
            assert!(fit.file(outcome.chains).to_bytes().unwrap() == whole, "{name}: gone on after {done} sweeps");
        }
    }
}

#[test]
fn a_finished_run_that_lacks_draws_does_not_go_on() {
    let (_, kind, preset) = MODELS[0];
    let fit = Fit::new(kind, preset, 12, settings(2));
    let now = fit.file(Vec::new()).info;
    let error = finished(kind, preset, 40).records_for(&now).unwrap_err();
    assert!(matches!(error, ResumeError::DrawsNotKept { done: 40, sweeps: 50 }), "{error}");
    assert!(error.to_string().contains("at least 80 sweeps"), "{error}");
    let error = finished(kind, preset, 60).records_for(&now).unwrap_err();
    assert!(matches!(error, ResumeError::FewerSweeps { done: 60, sweeps: 50 }), "{error}");
    let other = sibp::format::ModelInfo { settings: RunSettings { seed: 12, ..now.settings }, ..now };
    let error = finished(kind, preset, 25).records_for(&other).unwrap_err();
    assert!(matches!(&error, ResumeError::Changed { field, .. } if field == "settings.seed"), "{error}");
}
