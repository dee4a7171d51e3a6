//! Shows that a fit ends where held-out agreement is flat, and that it does so alike however it is run.

use sibp::data::{Inputs, Labels};
use sibp::format::Fitted;
use sibp::model::ModelKind;
use sibp::pipeline::{Effort, Fit, NamedPart, Prepared};
use sibp::run::{RunControl, RunEnd};
use std::sync::atomic::{AtomicBool, Ordering};

/// Objects of three classes, each a line of its own.
fn fit() -> Fit {
    let n = 45;
    let class = |at: usize| at % 3;
    let value = |at: usize, input: usize| if class(at) == input { 2.0 } else { 0.1 * (at * (input + 2) % 7) as f64 };
    let inputs = Inputs::new(n, 3, (0..n).flat_map(|at| (0..3).map(move |input| value(at, input))).collect()).unwrap();
    let names: Vec<String> = (0..n).map(|at| class(at).to_string()).collect();
    Fit::by_labels(inputs, Labels::from_text(&names)).model(ModelKind::Probit).seed(3)
}

fn settled(fit: Fit, threads: usize) -> Prepared {
    let mut prepared = fit.prepare(None).unwrap();
    prepared.settle(&RunControl { threads, ..RunControl::default() }).unwrap();
    prepared
}

fn whole(fit: Fit, threads: usize) -> Fitted {
    fit.run(&RunControl { threads, ..RunControl::default() }).unwrap()
}

#[test]
fn classes_that_are_told_at_once_need_few_sweeps() {
    let prepared = settled(fit(), 1);
    let sweeps: Vec<u64> = prepared.looked.iter().map(|look| look.sweeps).collect();
    assert_eq!((sweeps, prepared.info.settings.sweeps), (vec![31, 62], 62));
    let fitted = whole(fit(), 1);
    assert!(fitted.chains.iter().all(|chain| chain.sweeps_done == 62), "chains do as many as the rehearsal");
    let calibration = fitted.info.calibration.unwrap();
    assert_eq!(calibration.agreement, prepared.looked[1].agreement, "what was seen is what is told");
}

#[test]
fn what_somebody_chose_stays() {
    assert!(settled(fit().sweeps(40), 1).looked.is_empty());
    assert_eq!(whole(fit().sweeps(40), 1).info.settings.sweeps, 40);
    assert_eq!(settled(fit().until_flat(false), 1).info.settings.sweeps, 500);
    assert_eq!(settled(fit().calibrates(false), 1).info.settings.sweeps, 500);
    let chains = |fit: Fit| fit.prepare(None).unwrap().info.settings.chains;
    assert_eq!(Effort::ALL.map(|effort| chains(fit().effort(effort))), [1, 2, 8]);
    assert_eq!(chains(fit().effort(Effort::Best).chains(3)), 3);
}

#[test]
fn threads_and_parts_give_the_same_bytes() {
    let bytes = whole(fit(), 1).to_bytes().unwrap();
    assert!(whole(fit(), 2).to_bytes().unwrap() == bytes, "two threads");
    let part = |chain: usize| NamedPart { name: chain.to_string(), model: whole(fit().only_chain(chain), 1) };
    let merged = Fitted::merged(vec![part(2), part(1)], None, 1).unwrap();
    assert!(merged.to_bytes().unwrap() == bytes, "parts");
}

#[test]
fn a_run_that_was_stopped_goes_on_to_the_same_bytes() {
    let bytes = whole(fit(), 1).to_bytes().unwrap();
    let stop = AtomicBool::new(false);
    let stopping = RunControl {
        stop: &stop,
        on_progress: &|now| stop.store(now.sweep >= 20, Ordering::Relaxed),
        threads: 1,
        ..RunControl::default()
    };
    let (part, end) = settled(fit(), 1).run(&stopping, None).unwrap();
    assert_eq!((end, part.info.calibration), (RunEnd::Stopped, None));
    let mut prepared = fit().prepare(None).unwrap();
    prepared.settle_as(&part.info.settings);
    let records = part.records_for(&prepared.info).unwrap();
    let (fitted, _) = prepared.run(&RunControl { threads: 1, ..RunControl::default() }, Some(records)).unwrap();
    assert!(fitted.to_bytes().unwrap() == bytes, "the rehearsal after the run is the one before it");
}

#[test]
fn a_rehearsal_that_was_stopped_fixes_nothing() {
    let stop = AtomicBool::new(false);
    let stopping = RunControl {
        stop: &stop,
        on_progress: &|now| stop.store(now.sweep >= 40, Ordering::Relaxed),
        threads: 1,
        ..RunControl::default()
    };
    let mut prepared = fit().prepare(None).unwrap();
    prepared.settle(&stopping).unwrap();
    assert!(stop.load(Ordering::Relaxed), "stopped between the first look and the second");
    assert_eq!((prepared.looked.len(), prepared.info.settings.sweeps), (0, 500));
}
