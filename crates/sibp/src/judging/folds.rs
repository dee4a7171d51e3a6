//! Cross-validates a fit over judgements, or over objects with everything that was said about them.

use super::interval::{Estimate, clustered_mean};
use super::recipe::Judged;
use super::{JudgingError, questions};
use crate::rng::{Purpose, Streams};
use crate::run::RunControl;
use crate::triplets::Triplet;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// What is held out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Judgements; their objects are learned from the others. Those that answer one question are held out together.
    Judgements,
    /// Objects with all judgements about them: what a model says of objects that nobody has judged.
    Objects,
}

/// One part held out.
#[derive(Debug, Clone, PartialEq)]
pub struct Fold {
    /// Judgements that were learned from.
    pub n_learned: usize,
    /// Share of the held-out judgements that the fit agrees with, and their number: those among held-out objects alone,
    /// where objects are held out. `None` where there are none.
    pub asked: Option<(f64, usize)>,
    /// The same for judgements about at least one held-out object, where objects are held out.
    pub partly: Option<(f64, usize)>,
}

/// All folds.
#[derive(Debug, Clone, PartialEq)]
pub struct Folds {
    /// What was held out.
    pub over: Over,
    /// One for each part.
    pub folds: Vec<Fold>,
    /// Agreement over all held-out judgements; with objects held out, over those among them alone. Its standard error
    /// takes folds for independent, though they share most of what they learn from.
    pub agreement: Option<Estimate>,
    /// The same over judgements about at least one held-out object.
    pub partly: Option<Estimate>,
}

/// What a fold learns from and is asked.
pub(super) struct Plan {
    pub kept: Vec<usize>,
    pub learned: Vec<Triplet>,
    pub asked: Vec<Triplet>,
    pub partly: Vec<Triplet>,
}

/// Holds each of `k` parts out once and asks what it was not told; `on_fold` is called after each.
pub fn folds(
    judged: &Judged<'_>,
    k: usize,
    over: Over,
    control: &RunControl<'_>,
    on_fold: &mut dyn FnMut(&Fold),
) -> Result<Folds, JudgingError> {
    let mut rng = Streams::new(judged.recipe.settings.seed, 0).rng(Purpose::Judging, 0, 0);
    let plans = match over {
        Over::Judgements => without_judgements(judged, k, &mut rng)?,
        Over::Objects => without_objects(judged, k, &mut rng)?,
    };
    let mut folds = Vec::with_capacity(k);
    for plan in plans {
        let part = judged.fit(&plan.kept, &plan.learned, control)?;
        let measure = |asked: &[Triplet]| match asked {
            [] => Ok(None),
            _ => judged.agreement(&part, asked, control.threads).map(|share| Some((share, asked.len()))),
        };
        let (asked, partly) = (measure(&plan.asked)?, measure(&plan.partly)?);
        folds.push(Fold { n_learned: plan.learned.len(), asked, partly });
        folds.last().into_iter().for_each(&mut *on_fold);
    }
    let (agreement, partly) = (pooled(&folds, |fold| fold.asked), pooled(&folds, |fold| fold.partly));
    Ok(Folds { over, folds, agreement, partly })
}

fn pooled(folds: &[Fold], of: impl Fn(&Fold) -> Option<(f64, usize)>) -> Option<Estimate> {
    let sums = folds.iter().filter_map(of).map(|(share, n)| (share * n as f64, n));
    clustered_mean(&sums.collect::<Vec<_>>())
}

fn check(folds: usize, what: &'static str, n: usize) -> Result<(), JudgingError> {
    match (2..=n).contains(&folds) {
        true => Ok(()),
        false => Err(JudgingError::FoldCount { folds, what, n }),
    }
}

pub(super) fn without_judgements(
    judged: &Judged<'_>,
    k: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<Plan>, JudgingError> {
    let groups = questions::shuffled(judged.triplets, rng);
    check(k, "different questions", groups.len())?;
    let plan = |fold: usize| {
        let part = |held: bool| {
            let groups = groups.iter().enumerate().filter(|(at, _)| (at % k == fold) == held);
            questions::at(judged.triplets, &groups.map(|(_, group)| group.clone()).collect::<Vec<_>>())
        };
        let kept = (0..judged.table.inputs.n_objects()).collect();
        Plan { kept, learned: part(false), asked: part(true), partly: Vec::new() }
    };
    Ok((0..k).map(plan).collect())
}

pub(super) fn without_objects(judged: &Judged<'_>, k: usize, rng: &mut ChaCha8Rng) -> Result<Vec<Plan>, JudgingError> {
    let n_objects = judged.table.inputs.n_objects();
    check(k, "objects", n_objects)?;
    let mut objects: Vec<usize> = (0..n_objects).collect();
    objects.shuffle(rng);
    let mut part_of = vec![0; n_objects];
    objects.iter().enumerate().for_each(|(at, &object)| part_of[object] = at % k);
    let plan = |fold: usize| {
        let n_held =
            |t: &Triplet| [t.anchor, t.near, t.far].iter().filter(|&&object| part_of[object as usize] == fold).count();
        let with = |wanted: &dyn Fn(usize) -> bool| {
            judged.triplets.iter().filter(|t| wanted(n_held(t))).copied().collect::<Vec<_>>()
        };
        Plan {
            kept: (0..n_objects).filter(|&object| part_of[object] != fold).collect(),
            learned: with(&|n| n == 0),
            asked: with(&|n| n == 3),
            partly: with(&|n| n > 0),
        }
    };
    let plans: Vec<Plan> = (0..k).map(plan).collect();
    match plans.iter().any(|plan| plan.learned.is_empty()) || plans.iter().all(|plan| plan.partly.is_empty()) {
        true => Err(JudgingError::NothingLeft { folds: k }),
        false => Ok(plans),
    }
}
