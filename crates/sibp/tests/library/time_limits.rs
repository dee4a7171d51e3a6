//! Shows that nothing begins after the time limit of a run, by a clock that the tests set.

use sibp::data::{Inputs, Labels, Table};
use sibp::pipeline::{Fit, Prepared};
use sibp::run::{Clock, RunControl, RunEnd, RunError, Stage};
use sibp::triplets::FromLabels;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Seconds that the steps of a run take by the clock of the tests.
const SET_UP: u64 = 12;
const SWEEP: u64 = 4;
const REFIT: u64 = 6;

fn prepared(sweeps: u64) -> Prepared {
    let n = 40;
    let value = |at: usize| ((at * 7919 % 101) as f64 / 101.0) + if at % 4 == at / 4 % 2 { 3.0 } else { 0.0 };
    let inputs = Inputs::new(n, 4, (0..4 * n).map(value).collect()).unwrap();
    let labels: Vec<&str> = (0..n).map(|row| ["a", "b"][row % 2]).collect();
    let table = Table { labels: Some(Labels::from_text(&labels)), ..inputs.into() };
    Fit::new(table, FromLabels::default()).sweeps(sweeps).chains(1).prepare(None).unwrap()
}

/// What a run did, and when by the clock of the tests.
struct Told {
    stages: Vec<(Stage, u64)>,
    sweeps: u64,
    ended: u64,
    calibrated: bool,
    end: Result<RunEnd, RunError>,
}

fn run(prepared: &Prepared, from: u64, limit: u64) -> Told {
    let now = AtomicU64::new(from);
    let stages = Mutex::new(Vec::new());
    let clock = || Duration::from_secs(now.load(Ordering::Relaxed));
    let control = RunControl {
        threads: 1,
        time_limit: Some(Duration::from_secs(limit)),
        clock: Clock::Told(&clock),
        on_stage: &|stage| {
            let takes = match stage {
                Stage::SettingUp => SET_UP,
                Stage::Refitting => REFIT,
                _ => 0,
            };
            stages.lock().unwrap().push((stage, now.fetch_add(takes, Ordering::Relaxed)));
        },
        on_progress: &|_| {
            now.fetch_add(SWEEP, Ordering::Relaxed);
        },
        ..RunControl::default()
    };
    let outcome = prepared.run(&control, None);
    let (sweeps, calibrated) = outcome
        .as_ref()
        .map_or((0, false), |(fitted, _)| (fitted.chains[0].sweeps_done, fitted.info.calibration.is_some()));
    let ended = now.load(Ordering::Relaxed);
    Told { stages: stages.into_inner().unwrap(), sweeps, ended, calibrated, end: outcome.map(|(_, end)| end) }
}

#[test]
fn set_up_counts_and_time_is_left_to_refit() {
    let told = run(&prepared(1000), 0, 45);
    assert!(matches!(told.end, Ok(RunEnd::TimeLimit)));
    // Five sweeps end after 12 + 20 s; refitting is taken to need as long as set-up, so that a sixth would end too late.
    assert_eq!(told.sweeps, 5);
    assert_eq!(told.stages, [(Stage::SettingUp, 0), (Stage::Sampling, 12), (Stage::Refitting, 32)]);
    assert!(told.ended <= 45);
}

#[test]
fn a_rehearsal_is_left_out_where_its_set_up_alone_would_be_too_long() {
    // Set-up, three sweeps and the refit take 30 s.
    let short = run(&prepared(3), 0, 42);
    assert!(matches!(short.end, Ok(RunEnd::Finished)) && !short.calibrated);
    assert!(!short.stages.iter().any(|(stage, _)| *stage == Stage::Rehearsing), "{:?}", short.stages);
    let long = run(&prepared(3), 0, 1000);
    assert!(matches!(long.end, Ok(RunEnd::Finished)) && long.calibrated);
    assert!(long.stages.contains(&(Stage::Rehearsing, 30)), "{:?}", long.stages);
}

/// Where set-up took all the time there is no sweep; the start alone is prepared, so that the model can be asked.
#[test]
fn no_sweep_begins_where_set_up_took_all_the_time() {
    let slow = run(&prepared(3), 40, 45);
    assert!(matches!(slow.end, Ok(RunEnd::TimeLimit)));
    assert_eq!(slow.sweeps, 0);
}
