//! Tests assessments and cross-validation on objects whose judgements are known.

use super::folds::{Plan, without_judgements, without_objects};
use super::*;
use crate::codes::Codes;
use crate::data::{Inputs, Labels, Table};
use crate::eval::euclidean_agreement;
use crate::format::Fitted;
use crate::pipeline::{Fit, Objects};
use crate::run::RunControl;
use crate::triplets::{FromLabels, Scheme, Triplet, TripletSet};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::atomic::AtomicBool;

const N: usize = 45;

/// Three groups that the inputs part, and judgements by group.
fn groups() -> (Table, Vec<Triplet>) {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let value = |at: usize, rng: &mut ChaCha8Rng| f64::from(u8::from(at / 2 % 3 == at % 2)) + 0.4 * rng.random::<f64>();
    let values = (0..2 * N).map(|at| value(at, &mut rng)).collect();
    let inputs = Inputs::new(N, 2, values).unwrap();
    let labels = Labels::from_text(&(0..N).map(|object| ["a", "b", "c"][object % 3]).collect::<Vec<_>>());
    let triplets = FromLabels { per_object: 8, ..FromLabels::default() }.build(&labels, &inputs).unwrap().triplets;
    (Table::from(inputs), triplets)
}

fn fitted(table: &Table, triplets: &[Triplet]) -> Fitted {
    let fit = Fit::new(table.clone(), triplets.to_vec()).seed(1).sweeps(30).chains(1).draws(10);
    fit.calibrates(false).distils(None).run(&RunControl::default()).unwrap()
}

fn everything(n: usize) -> Vec<Option<u32>> {
    (0..n as u32).map(Some).collect()
}

#[test]
fn an_assessment_is_of_learned_bits_and_of_every_judge() {
    let (table, triplets) = groups();
    let mut fitted = fitted(&table, &triplets);
    let training = everything(N);
    let objects = Objects { inputs: &table.inputs, known: None, training: &training };
    // The second judge always says the opposite.
    let swapped = |t: &Triplet| Triplet { near: t.far, far: t.near, ..*t };
    let asked: Vec<Triplet> = triplets.iter().copied().chain(triplets.iter().take(100).map(swapped)).collect();
    let judges: Vec<u32> = (0..asked.len()).map(|at| if at < triplets.len() { 7 } else { 9 }).collect();
    let assess = |fitted: &Fitted| assess(fitted, objects, &asked, Some(&judges), &Assessing::default()).unwrap();
    let found = assess(&fitted);
    assert_eq!((found.n_judgements, found.n_anchors, found.n_objects), (asked.len(), N, (N, N)));
    let [first, second] = found.judges[..] else { panic!("{:?}", found.judges) };
    assert_eq!((first.judge, second.judge, second.n_judgements), (7, 9, 100));
    assert!(first.agreement > 0.9 && second.agreement < 0.1, "{:?}", found.judges);
    let mean = (first.agreement * triplets.len() as f64 + second.agreement * 100.0) / asked.len() as f64;
    assert!((mean - found.agreement).abs() < 1e-12);
    assert!(found.interval.0 < found.agreement && found.agreement < found.interval.1, "{found:?}");
    assert_eq!(found.bins.iter().map(|bin| bin.n).sum::<usize>(), asked.len());
    let plain = euclidean_agreement(&TripletSet::new(N, asked.clone()).unwrap(), &table.inputs).unwrap();
    assert_eq!(found.euclidean, plain.share_with_half_ties());
    // Bits that say nothing leave every distance tied and every probability at one half.
    for draw in fitted.chains.iter_mut().flat_map(|chain| chain.draws.iter_mut().chain([&mut chain.last])) {
        draw.bits = Codes::zeros(N, draw.bits.n_bits());
    }
    let found = assess(&fitted);
    assert_eq!((found.agreement, found.codes.agreement, found.codes.tied), (0.5, 0.5, 1.0));
    let wrong = super::assess(&fitted, objects, &asked, Some(&judges[1..]), &Assessing::default());
    assert!(matches!(wrong, Err(JudgingError::Judges { .. })));
    let none = super::assess(&fitted, objects, &[], None, &Assessing::default());
    assert!(matches!(none, Err(JudgingError::TooFew { .. })));
}

#[test]
fn unseen_objects_are_encoded() {
    let (table, triplets) = groups();
    let kept: Vec<usize> = (0..N).filter(|object| object % 5 != 0).collect();
    let (recipe, given) = (Recipe::from(&fitted(&table, &triplets).info), None);
    let judged = Judged { recipe: &recipe, table: &table, given, triplets: &triplets };
    let part = judged.fit(&kept, &triplets, &RunControl::default()).unwrap();
    let training: Vec<Option<u32>> =
        (0..N).map(|object| kept.iter().position(|&k| k == object).map(|at| at as u32)).collect();
    let objects = Objects { inputs: &table.inputs, known: None, training: &training };
    let found = assess(&part.fitted, objects, &triplets, None, &Assessing::default()).unwrap();
    assert_eq!(found.n_objects, (N, kept.len()));
    assert!(found.agreement > 0.9 && found.codes.agreement > 0.9 && found.judges.is_empty(), "{found:?}");
}

fn members(t: &Triplet) -> [usize; 3] {
    [t.anchor, t.near, t.far].map(|object| object as usize)
}

#[test]
fn folds_of_judgements_never_learn_a_question_that_they_are_asked() {
    let (table, mut triplets) = groups();
    // Every question is answered again, the other way round.
    triplets.extend(triplets.clone().iter().map(|t| Triplet { near: t.far, far: t.near, ..*t }));
    let recipe = Recipe::from(&fitted(&table, &triplets).info);
    let judged = Judged { recipe: &recipe, table: &table, given: None, triplets: &triplets };
    let plans = without_judgements(&judged, 4, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
    assert_eq!(plans.iter().map(|plan| plan.asked.len()).sum::<usize>(), triplets.len(), "each is asked once");
    for Plan { learned, asked, .. } in &plans {
        assert_eq!(learned.len() + asked.len(), triplets.len());
        let question = |t: &Triplet| (t.anchor, t.near.min(t.far), t.near.max(t.far));
        assert!(asked.iter().all(|a| learned.iter().all(|l| question(a) != question(l))));
    }
    let wrong = without_judgements(&judged, 1, &mut ChaCha8Rng::seed_from_u64(1));
    assert!(matches!(wrong, Err(JudgingError::FoldCount { folds: 1, .. })));
}

#[test]
fn folds_of_objects_learn_nothing_about_them() {
    let (table, triplets) = groups();
    let recipe = Recipe::from(&fitted(&table, &triplets).info);
    let judged = Judged { recipe: &recipe, table: &table, given: None, triplets: &triplets };
    let plans = without_objects(&judged, 3, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
    for Plan { kept, learned, asked, partly } in &plans {
        let is_kept = |object: &usize| kept.contains(object);
        assert!(learned.iter().all(|t| members(t).iter().all(is_kept)));
        assert!(asked.iter().all(|t| !members(t).iter().any(is_kept)));
        assert!(partly.iter().all(|t| !members(t).iter().all(is_kept)));
        assert_eq!(learned.len() + partly.len(), triplets.len());
        assert!(!asked.is_empty() && asked.len() < partly.len());
    }
    let result = folds(&judged, 3, Over::Objects, &RunControl::default(), &mut |_| ()).unwrap();
    let (all, partly) = (result.agreement.unwrap(), result.partly.unwrap());
    assert!(all.value > 0.9 && partly.value > 0.9 && all.n < partly.n, "{result:?}");
    let few = Judged { triplets: &triplets[..1], ..judged };
    let nothing = folds(&few, 3, Over::Objects, &RunControl::default(), &mut |_| ());
    assert!(matches!(nothing, Err(JudgingError::NothingLeft { folds: 3 })));
}

#[test]
fn folds_do_not_depend_on_threads_and_can_be_stopped() {
    let (table, triplets) = groups();
    let recipe = Recipe::from(&fitted(&table, &triplets).info);
    let judged = Judged { recipe: &recipe, table: &table, given: None, triplets: &triplets[..60] };
    let run = |threads: usize| {
        let control = RunControl { threads, ..RunControl::default() };
        let mut n_seen = 0;
        let result = folds(&judged, 2, Over::Judgements, &control, &mut |_| n_seen += 1).unwrap();
        assert_eq!(n_seen, 2);
        result
    };
    let result = run(1);
    assert_eq!(result, run(3));
    assert!(result.agreement.unwrap().n == 60 && result.partly.is_none());
    let stop = AtomicBool::new(true);
    let stopped =
        folds(&judged, 2, Over::Judgements, &RunControl { stop: &stop, ..RunControl::default() }, &mut |_| ());
    assert!(matches!(stopped, Err(JudgingError::Stopped)));
}

#[test]
fn a_learning_curve_rises_and_is_extrapolated() {
    // Inputs that tell nothing about the groups, so that all must be learned from judgements.
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let table = Table::from(Inputs::new(N, 2, (0..2 * N).map(|_| rng.random()).collect()).unwrap());
    let labels = Labels::from_text(&(0..N).map(|object| ["a", "b", "c"][object % 3]).collect::<Vec<_>>());
    let many = FromLabels { per_object: 8, scheme: Scheme::Product, ..FromLabels::default() };
    let triplets = many.build(&labels, &table.inputs).unwrap().triplets;
    let recipe = Recipe::from(&fitted(&table, &triplets).info);
    let judged = Judged { recipe: &recipe, table: &table, given: None, triplets: &triplets };
    let settings = CurveSettings { repeats: 2, parts: vec![0.02, 0.1, 1.0], more: 100, ..CurveSettings::default() };
    let found = curve(&judged, &settings, &RunControl::default(), &mut |_| ()).unwrap();
    let [first, _, last] = found.points[..] else { panic!("{:?}", found.points) };
    assert!(first.agreement < 0.7 && last.agreement > 0.8, "{:?}", found.points);
    assert_eq!((found.n_judgements, found.measured.len()), (triplets.len(), 6));
    assert!(found.gain.0 >= 0.0 && found.gain.0 < 0.1 && found.limit.0 <= 1.0, "{found:?}");
    assert!(found.sentence().starts_with("another 100 answers bring +"), "{}", found.sentence());
    let few = Judged { triplets: &triplets[..10], ..judged };
    let refused = curve(&few, &settings, &RunControl::default(), &mut |_| ());
    assert!(matches!(refused, Err(JudgingError::TooFew { found: 10, .. })));
    let wrong = CurveSettings { parts: vec![0.5, 0.2, 1.0], ..settings };
    let refused = curve(&judged, &wrong, &RunControl::default(), &mut |_| ());
    assert!(matches!(refused, Err(JudgingError::CurveSettings)));
}
