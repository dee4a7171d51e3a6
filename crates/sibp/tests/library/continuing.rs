//! Shows that chains that continue an earlier fit draw from the posterior of the new one, and what is refused.

use sibp::codes::Codes;
use sibp::data::{Inputs, Table};
use sibp::format::{Fitted, GivenBits};
use sibp::model::{ModelKind, ModelOptions, Preset};
use sibp::pipeline::{Asking, Fit, Objects};
use sibp::run::{RunControl, RunEnd};
use sibp::triplets::{Judgements, Judges, Triplet};
use std::sync::atomic::{AtomicBool, Ordering};

const N: u32 = 8;
/// Chains: each gives one independent value of every mean.
const CHAINS: usize = 60;
/// Difference of two means in standard errors that chance exceeds once in 10,000 times over all means.
const LIMIT: f64 = 4.5;

fn inputs() -> Inputs {
    Inputs::new(N as usize, 2, (0..2 * N).map(|at| f64::from(at * 7 % 11)).collect()).unwrap()
}

/// Every object is more like those of its half (first), or of its parity (second).
fn triplets(like: impl Fn(u32) -> u32) -> Vec<Triplet> {
    let mut found = Vec::new();
    for anchor in 0..N {
        for near in (0..N).filter(|&near| near != anchor && like(near) == like(anchor)) {
            let far = (0..N).filter(|&far| like(far) != like(anchor)).nth((near % 4) as usize);
            found.extend(far.map(|far| Triplet { anchor, near, far }));
        }
    }
    found
}

fn first() -> Vec<Triplet> {
    triplets(|object| object / 4)
}

fn all() -> Vec<Triplet> {
    [first(), triplets(|object| object % 2), triplets(|object| object % 2)].concat()
}

fn fit(triplets: Vec<Triplet>) -> Fit {
    Fit::new(Table::from(inputs()), triplets).chains(CHAINS).draws(30).calibrates(false).distils(None)
}

fn run(fit: Fit) -> Fitted {
    fit.run(&RunControl { threads: 2, ..RunControl::default() }).unwrap()
}

/// Means of every chain: number of bits, and probabilities of some triplets.
fn means(fitted: &Fitted) -> Vec<[f64; 4]> {
    let inputs = inputs();
    let training: Vec<Option<u32>> = (0..N).map(Some).collect();
    let asked = [(0, 2, 1), (0, 1, 4), (5, 7, 4)].map(|(anchor, near, far)| Triplet { anchor, near, far });
    let of_chain = |chain: Fitted| {
        let objects = Objects { inputs: &inputs, known: None, training: &training };
        let p = chain.preferences(objects, &asked, &Asking { threads: 1, ..Asking::default() }).unwrap().probabilities;
        let bits: Vec<f64> = chain.chains[0].draws.iter().map(|draw| draw.bits.n_bits() as f64).collect();
        [sibp::eval::mean(&bits), p[0], p[1], p[2]]
    };
    fitted.each_chain().into_iter().map(of_chain).collect()
}

/// Largest difference of means in standard errors.
fn apart(a: &[[f64; 4]], b: &[[f64; 4]]) -> f64 {
    let moments = |rows: &[[f64; 4]], at: usize| {
        let column: Vec<f64> = rows.iter().map(|row| row[at]).collect();
        let mean = sibp::eval::mean(&column);
        let squares: f64 = column.iter().map(|value| (value - mean).powi(2)).sum();
        (mean, squares / ((column.len() - 1) * column.len()) as f64)
    };
    let score = |at: usize| {
        let ((a, va), (b, vb)) = (moments(a, at), moments(b, at));
        (a - b).abs() / (va + vb).sqrt()
    };
    (0..4).map(score).fold(0.0, f64::max)
}

#[test]
fn continued_chains_draw_from_the_new_posterior() {
    let earlier = run(fit(first()).sweeps(100).seed(1));
    let continued = run(fit(all()).continues(&earlier).sweeps(60).seed(1));
    let anew = means(&run(fit(all()).sweeps(300).seed(2)));
    let found = apart(&means(&continued), &anew);
    assert!(found < LIMIT, "{found} standard errors apart");

    // The same test sees chains that did not move, and draws of the earlier fit among those that count.
    assert!(apart(&means(&earlier), &anew) > LIMIT, "the posteriors must differ for the test to mean anything");
    let mut mixed = continued.clone();
    for (chain, old) in mixed.chains.iter_mut().zip(&earlier.chains) {
        chain.draws.splice(..0, old.draws.iter().cloned());
    }
    let found = apart(&means(&mixed), &anew);
    assert!(found > LIMIT, "kept old draws pass: {found}");
}

#[test]
fn a_continued_fit_starts_where_the_earlier_one_ended_with_other_random_numbers() {
    let earlier = run(fit(first()).chains(2).sweeps(40));
    let now = fit(all()).continues(&earlier);
    let stop = AtomicBool::new(true);
    let control = RunControl { stop: &stop, ..RunControl::default() };
    let (still, end) = now.clone().prepare(None).unwrap().run(&control, None).unwrap();
    assert_eq!(end, RunEnd::Stopped);
    for (chain, old) in still.chains.iter().zip(&earlier.chains) {
        assert_eq!((chain.sweeps_done, chain.draws.len()), (0, 0));
        assert_eq!((&chain.last.bits, &chain.last.weights), (&old.last.bits, &old.last.weights));
        assert_ne!(chain.last.scalars["score"], old.last.scalars["score"], "scored by the new triplets");
    }
    // Continued to the same triplets twice over: with the random numbers of the first, the second would walk alike.
    let second = run(fit(first()).continues(&earlier).sweeps(40));
    let third = run(fit(first()).continues(&second).sweeps(40));
    let sweeps = [&second, &third].map(|fitted| fitted.info.continues.as_ref().unwrap().sweeps);
    assert_eq!(sweeps, [40, 80]);
    let mut replayed = second.clone();
    replayed.info.continues = None;
    replayed.chains.iter_mut().for_each(|chain| chain.sweeps_done = 0);
    assert_eq!(replayed.as_continued().sweeps, 0);
    let same_start = run(fit(first()).continues(&replayed).sweeps(40));
    assert_ne!(same_start.chains, third.chains, "sweeps before decide the random numbers");
}

/// Stops after `sweep` sweeps of the first chain, and goes on from what the file holds.
#[test]
fn a_resumed_continued_fit_writes_the_same_bytes() {
    let earlier = run(fit(first()).chains(2).sweeps(20));
    let earlier = Fitted::from_bytes(&earlier.to_bytes().unwrap()).unwrap();
    let now = || fit(all()).continues(&earlier).sweeps(30).calibrates(true).distils(8).prepare(None).unwrap();
    let control = RunControl { threads: 2, ..RunControl::default() };
    let whole = now().run(&control, None).unwrap().0.to_bytes().unwrap();
    for sweep in [0, 1, 7, 20, 29] {
        let stop = AtomicBool::new(sweep == 0);
        let stopping = RunControl {
            stop: &stop,
            on_progress: &|now| stop.store(now.sweep >= sweep, Ordering::Relaxed),
            threads: 1,
            ..RunControl::default()
        };
        let (part, end) = now().run(&stopping, None).unwrap();
        assert_eq!(end, RunEnd::Stopped);
        let file = Fitted::from_bytes(&part.to_bytes().unwrap()).unwrap();
        file.check_resume(&now().info).unwrap();
        let resumed = now().run(&control, Some(file.chains)).unwrap().0;
        assert!(resumed.to_bytes().unwrap() == whole, "stopped after {sweep}: other bytes");
    }
    let other = run(fit(first()).chains(2).sweeps(20).seed(9));
    let error = Fitted::from_bytes(&whole).unwrap();
    let error = error.check_resume(&fit(all()).continues(&other).sweeps(30).prepare(None).unwrap().info).unwrap_err();
    assert!(error.to_string().contains("continues.starts"), "{error}");
}

#[test]
fn an_earlier_fit_to_something_else_is_refused() {
    let earlier = run(fit(first()).chains(2).sweeps(10));
    let error = |fit: Fit| fit.prepare(None).unwrap_err().to_string();
    assert!(fit(all()).continues(&earlier).prepare(None).is_ok());
    let other = Inputs::new(8, 2, vec![1.0; 16]).unwrap();
    let text = error(Fit::new(Table::from(other), all()).continues(&earlier));
    assert_eq!(text, "cannot continue: the inputs are not those of the earlier fit; give the same, or fit anew");
    let text = error(fit(all()).continues(&earlier).chains(3));
    assert!(text.contains("settings.chains was 2 in the earlier fit and is now 3"), "{text}");
    let text = error(fit(all()).continues(&earlier).model(ModelOptions::new(ModelKind::Probit, Preset::Hash)));
    assert!(text.starts_with("cannot continue: model"), "{text}");
    let text = error(fit(first()[1..].to_vec()).continues(&earlier));
    assert!(text.contains("learned from 24 triplets and there are only 23"), "{text}");
    let given = GivenBits { source: "h".to_owned(), codes: Codes::zeros(8, 1), predictor: None };
    let text = error(fit(all()).given(given).continues(&earlier));
    assert!(text.contains("the given bits are not those"), "{text}");
    let text =
        error(fit(all()).continues(&earlier).transform("centre".parse::<sibp::transform::InputTransform>().unwrap()));
    assert!(text.contains("transform"), "{text}");
}

#[test]
fn defaults_are_those_of_the_earlier_fit_and_a_third_of_the_sweeps() {
    let earlier = run(fit(first()).chains(3).sweeps(10));
    let info = Fit::new(Table::from(inputs()), all()).continues(&earlier).prepare(None).unwrap().info;
    assert_eq!((info.settings.chains, info.settings.sweeps), (3, 50));
    assert_eq!((Fit::continued_sweeps(150), Fit::continued_sweeps(40), Fit::continued_sweeps(500)), (50, 30, 166));
}

/// Judges who answer later join; those who were there keep their lapse rates, whatever number they have now.
#[test]
fn new_judges_may_join() {
    let by = |names: &[&str], triplets: Vec<Triplet>| {
        let of = (0..triplets.len()).map(|at| names[at % names.len()]);
        Judgements::new(triplets, Some(Judges::from_names(of).unwrap())).unwrap()
    };
    let fit = |judgements: Judgements| {
        Fit::new(Table::from(inputs()), judgements).chains(2).sweeps(20).draws(3).calibrates(false).distils(None)
    };
    let earlier = run(fit(by(&["ann", "bob"], first())));
    let names = ["cid", "bob", "ann"].map(str::to_owned);
    for (start, chain) in earlier.info.starts_among(earlier.starts(), Some(&names)).iter().zip(&earlier.chains) {
        let (now, before) = (&start.tensors["judge_lapses"].values, &chain.last.tensors["judge_lapses"].values);
        assert_eq!(*now, [chain.last.scalars["lapse"], before[1], before[0]]);
    }
    let later = run(fit(by(&["cid", "bob", "ann"], all())).continues(&earlier));
    assert_eq!(later.info.judges.as_deref().unwrap(), names);
}
