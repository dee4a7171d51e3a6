//! Tests the choice of questions on a model of a few objects.

use super::*;
use crate::data::{Inputs, Table};
use crate::pipeline::Fit;
use crate::run::RunControl;

const N: usize = 12;

fn inputs() -> Inputs {
    let row = |object: usize| [(object % 3) as f64, (object / 3) as f64 + 0.1 * (object % 2) as f64];
    Inputs::new(N, 2, (0..N).flat_map(row).collect()).unwrap()
}

fn triplet(anchor: u32, near: u32, far: u32) -> Triplet {
    Triplet { anchor, near, far }
}

/// Objects are alike if their numbers are the same modulo 3.
fn taught() -> Vec<Triplet> {
    let other = |anchor: u32, step: u32| (anchor + step) % N as u32;
    (0..N as u32).flat_map(|a| [triplet(a, other(a, 3), other(a, 1)), triplet(a, other(a, 6), other(a, 2))]).collect()
}

fn fitted() -> Fitted {
    let fit = Fit::new(Table::from(inputs()), taught()).chains(3).sweeps(30).draws(5).calibrates(false).distils(None);
    fit.run(&RunControl { threads: 1, ..RunControl::default() }).unwrap()
}

fn training() -> Vec<Option<u32>> {
    (0..N as u32).map(Some).collect()
}

fn asked(settings: &AskSettings<'_>) -> Vec<Question> {
    let (inputs, training) = (inputs(), training());
    suggest(&fitted(), Objects { inputs: &inputs, known: None, training: &training }, settings).unwrap()
}

/// Every question about an anchor.
fn all_of(anchor: u32) -> Vec<Triplet> {
    let objects = || (0..N as u32).filter(move |&object| object != anchor);
    objects()
        .flat_map(|near| objects().filter(move |&far| far > near).map(move |far| (near, far)))
        .map(|(near, far)| triplet(anchor, near, far))
        .collect()
}

#[test]
fn information_is_the_entropy_of_the_mean_minus_the_mean_entropy() {
    let (fitted, inputs) = (fitted(), inputs());
    // Some objects are training objects, the others have their law.
    let training: Vec<Option<u32>> = (0..N as u32).map(|object| (object % 2 == 0).then_some(object)).collect();
    let objects = Objects { inputs: &inputs, known: None, training: &training };
    let questions = [triplet(0, 3, 1), triplet(2, 4, 6), triplet(5, 8, 9), triplet(1, 4, 2)];
    let found = fitted.prospects(objects, &questions, &Asking::default()).unwrap();
    let mut each_draw: Vec<Vec<f64>> = vec![Vec::new(); questions.len()];
    for (chain_ix, chain) in fitted.chains.iter().enumerate() {
        for draw in chain.all_draws() {
            let mut alone = fitted.each_chain()[chain_ix].clone();
            alone.chains[0].draws = vec![draw.clone()];
            alone.chains[0].sweeps_done = draw.sweep;
            let p = alone.preferences(objects, &questions, &Asking::default()).unwrap().probabilities;
            each_draw.iter_mut().zip(p).for_each(|(all, p)| all.push(p));
        }
    }
    let coin = |p: f64| -(p * p.ln() + (1.0 - p) * (1.0 - p).ln()) / std::f64::consts::LN_2;
    for (prospect, p) in found.iter().zip(each_draw) {
        assert_eq!(p.len(), 15);
        let mean = crate::eval::mean(&p);
        let expected = coin(mean) - crate::eval::mean(&p.iter().map(|&p| coin(p)).collect::<Vec<_>>());
        assert!((prospect.probability - mean).abs() < 1e-12 && (prospect.information - expected).abs() < 1e-12);
    }
    assert!(found.iter().any(|prospect| prospect.information > 1e-4), "{found:?}");
}

#[test]
fn a_question_is_the_best_about_its_anchor() {
    let (fitted, inputs, training) = (fitted(), inputs(), training());
    let objects = Objects { inputs: &inputs, known: None, training: &training };
    for seed in 0..20 {
        let settings = AskSettings { controls: 0.0, repeats: 0.0, ..AskSettings::new(1, seed) };
        let [question] = suggest(&fitted, objects, &settings).unwrap()[..] else { panic!("one question") };
        let all = fitted.prospects(objects, &all_of(question.triplet.anchor), &Asking::default()).unwrap();
        let best = all.iter().map(|prospect| prospect.information).fold(0.0, f64::max);
        assert!((question.prospect.unwrap().information - best).abs() < 1e-12, "{question:?}, {best}");
        let again = fitted.prospects(objects, &[question.triplet], &Asking::default()).unwrap()[0];
        assert!(
            (question.prospect.unwrap().probability - again.probability).abs() < 1e-12,
            "of the order it stands in"
        );
    }
}

#[test]
fn a_batch_is_diverse_and_has_its_shares_of_kinds() {
    let answered = taught();
    let settings = AskSettings { answered: &answered, repeats: 0.1, controls: 0.2, ..AskSettings::new(20, 1) };
    let batch = asked(&settings);
    let of = |kind: Kind| batch.iter().filter(|q| q.kind == kind).map(|q| q.triplet).collect::<Vec<_>>();
    let (informative, controls, repeats) = (of(Kind::Informative), of(Kind::Control), of(Kind::Repeat));
    assert_eq!((informative.len(), controls.len(), repeats.len()), (14, 4, 2));
    let known: BTreeSet<_> = answered.iter().copied().map(question).collect();
    assert!(repeats.iter().all(|&t| known.contains(&question(t))));
    assert!(informative.iter().chain(&controls).all(|&t| !known.contains(&question(t))));
    assert_eq!(batch.iter().map(|q| question(q.triplet)).collect::<BTreeSet<_>>().len(), 20);
    let pairs: BTreeSet<_> = informative.iter().map(|&t| (question(t).1, question(t).2)).collect();
    assert_eq!(pairs.len(), 14, "no two compare the same objects");
    let anchors: BTreeSet<u32> = informative.iter().map(|t| t.anchor).collect();
    assert_eq!(anchors.len(), N, "all objects before any comes again");
    let ascending: Vec<bool> = (0..10)
        .flat_map(|seed| asked(&AskSettings { seed, ..settings }))
        .map(|q| q.triplet.near < q.triplet.far)
        .collect();
    let share = ascending.iter().filter(|&&up| up).count() as f64 / 200.0;
    assert!((share - 0.5).abs() < 0.16, "{share}: 4.5 standard deviations of 200 coins");
}

#[test]
fn chosen_questions_tell_more_than_random_ones() {
    let batch = asked(&AskSettings { controls: 0.5, ..AskSettings::new(60, 3) });
    let mean = |kind: Kind| {
        let own = batch.iter().filter(|q| q.kind == kind).map(|q| q.prospect.unwrap().information);
        crate::eval::mean(&own.collect::<Vec<_>>())
    };
    assert!(mean(Kind::Informative) > 2.0 * mean(Kind::Control), "{} {}", mean(Kind::Informative), mean(Kind::Control));
}

#[test]
fn questions_depend_on_the_seed_and_not_on_threads() {
    let answered = taught();
    let settings = AskSettings { answered: &answered, threads: 1, ..AskSettings::new(15, 7) };
    let first = asked(&settings);
    assert_eq!(first, asked(&AskSettings { threads: 3, ..settings }));
    assert_ne!(first, asked(&AskSettings { seed: 8, ..settings }));
}

#[test]
fn only_questions_of_the_pool_are_asked() {
    let pool: Vec<Triplet> = (0..6).flat_map(|anchor| all_of(anchor).into_iter().step_by(7)).collect();
    let answered = vec![pool[0], triplet(pool[3].anchor, pool[3].far, pool[3].near)];
    let settings = AskSettings { answered: &answered, pool: Some(&pool), ..AskSettings::new(1000, 2) };
    let batch = asked(&settings);
    let found: BTreeSet<_> = batch.iter().map(|q| question(q.triplet)).collect();
    let all: BTreeSet<_> = pool.iter().copied().map(question).collect();
    assert_eq!(found, all, "all that are left, and the answered ones as repeats");
    assert_eq!(batch.len(), pool.len());
    assert_eq!(batch.iter().filter(|q| q.kind == Kind::Repeat).count(), 2);
}

#[test]
fn a_batch_ends_where_there_are_no_more_questions() {
    let inputs = inputs().select(&[0, 1, 2, 3]);
    let settings = AskSettings { controls: 0.25, ..AskSettings::new(40, 0) };
    let training: Vec<Option<u32>> = (0..4).map(Some).collect();
    let batch = suggest(&fitted(), Objects { inputs: &inputs, known: None, training: &training }, &settings).unwrap();
    assert_eq!(batch.len(), 12, "4 objects, 3 pairs of others each");
    let all: Vec<Triplet> = batch.iter().map(|q| q.triplet).collect();
    let none = AskSettings { answered: &all, repeats: 0.0, ..settings };
    let error = suggest(&fitted(), (&inputs, None), &none).unwrap_err();
    assert_eq!(error, AskError::NothingLeft);
}

#[test]
fn wrong_settings_are_named() {
    let (fitted, inputs) = (fitted(), inputs());
    let error = |settings: &AskSettings<'_>| suggest(&fitted, (&inputs, None), settings).unwrap_err().to_string();
    assert_eq!(error(&AskSettings::new(0, 0)), "the number of questions is 0; it must be 1 or more");
    assert!(
        error(&AskSettings { controls: 0.8, repeats: 0.3, ..AskSettings::new(5, 0) }).contains("together at most 1")
    );
    let foreign = [triplet(0, 1, 12)];
    let text = error(&AskSettings { answered: &foreign, ..AskSettings::new(5, 0) });
    assert!(text.starts_with("answered triplets: triplet 0: far is object 12"), "{text}");
    assert!(error(&AskSettings { pool: Some(&foreign), ..AskSettings::new(5, 0) }).starts_with("pool: triplet 0"));
    let two = inputs.select(&[0, 1]);
    let error = suggest(&fitted, (&two, None), &AskSettings::new(5, 0)).unwrap_err();
    assert_eq!(error, AskError::TooFewObjects { n_objects: 2 });
}

/// Four far clusters of five: the first four anchors are of four clusters, whichever object is first.
#[test]
fn first_anchors_are_far_apart() {
    let place = |object: usize| [100.0 * (object % 4) as f64, 0.01 * object as f64];
    let inputs = Inputs::new(20, 1, (0..20).map(|object| place(object)[0] + place(object)[1]).collect()).unwrap();
    for seed in 0..10 {
        let batch = suggest_cold(&inputs, &AskSettings::new(4, seed)).unwrap();
        let clusters: BTreeSet<u32> = batch.iter().map(|q| q.triplet.anchor % 4).collect();
        assert_eq!(clusters.len(), 4, "{batch:?}");
        assert!(batch.iter().all(|q| q.kind == Kind::Control && q.prospect.is_none()));
    }
    let batch = suggest_cold(&Inputs::none(6), &AskSettings::new(100, 0)).unwrap();
    assert_eq!(batch.len(), 60, "all questions about 6 objects");
    assert_eq!(
        suggest_cold(&Inputs::none(6), &AskSettings::new(9, 4)),
        suggest_cold(&Inputs::none(6), &AskSettings::new(9, 4))
    );
}
