//! Checks every registered model that brings a small problem, whatever the model.

use super::suite::{Check, N_REPLICATES, STEPS, Tier, alone};
use super::{Looks, Statistics, Subject, Verdict, calibrate, geweke, sequential_geweke};
use crate::model::{DefinitionVisitor, Model, ModelDefinition, ModelKind, Observations, Threads};
use std::borrow::Cow;

/// The checks of each model that brings a problem.
pub(super) fn checks() -> Vec<Check> {
    ModelKind::ALL.iter().flat_map(|kind| kind.visit(Registered)).collect()
}

struct Registered;

impl DefinitionVisitor for Registered {
    type Output = Vec<Check>;

    fn visit<D: ModelDefinition>(self) -> Vec<Check> {
        if D::small_problem().is_none() {
            return Vec::new();
        }
        let title = D::ABOUT.title;
        let named = |what: &str| Cow::Owned(format!("{title}: {what}"));
        vec![
            Check {
                name: named("sequential Geweke"),
                tier: Tier::Sequential,
                run: |s, p| on::<D>(|subject| sequential_geweke(&subject, Looks::STANDARD, s, p)),
            },
            Check {
                name: named("simulation-based calibration"),
                tier: Tier::Slow,
                run: |s, p| on::<D>(|subject| calibrate(&subject, N_REPLICATES, s, p)),
            },
            Check {
                name: named("every kernel alone"),
                tier: Tier::Slow,
                run: |s, p| on::<D>(|subject| every_kernel(subject, s, p)),
            },
            Check {
                name: Cow::Borrowed(title),
                tier: Tier::Fast,
                run: |s, p| on::<D>(|subject| geweke(&subject, STEPS, s, p)),
            },
        ]
    }
}

/// A check on the problem that the model brings.
fn on<D: ModelDefinition>(check: impl FnOnce(Subject<D::Model>) -> Verdict) -> Verdict {
    match D::small_problem() {
        Some((model, shape)) => check(common_statistics().of(model, shape)),
        None => Verdict::new(Vec::new()),
    }
}

/// The kernels of its schedule.
fn every_kernel<M: Model>(subject: Subject<M>, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let mut kernels = Vec::new();
    for step in &subject.model.schedule().steps {
        if !kernels.contains(&step.kernel) {
            kernels.push(step.kernel);
        }
    }
    alone(subject, &kernels, seed, progress)
}

/// What every model has: the number of bits, who owns them, and the first hyper-parameter.
fn common_statistics<M: Model>() -> Statistics<M> {
    Statistics {
        names: &["bits", "bits squared", "ones", "pair 0-1 shares", "singletons", "first scalar", "x0 x1"],
        values: common_values,
        steps_a_draw: 2,
        idle: |_, _, _| false,
    }
}

fn common_values<M: Model>(model: &M, data: &Observations, state: &M::State) -> Vec<f64> {
    let draw = model.to_draw(data, state, &model.prepare(data, Threads::ONE), 0);
    let (n, k) = (draw.bits.n_objects(), draw.bits.n_bits());
    let owners = |bit: usize| (0..n).filter(|&object| draw.bits.get(object, bit)).count();
    let shared = (0..k).filter(|&bit| draw.bits.get(0, bit) && draw.bits.get(1, bit)).count();
    vec![
        k as f64,
        (k * k) as f64,
        (0..k).map(owners).sum::<usize>() as f64,
        shared as f64,
        (0..k).filter(|&bit| owners(bit) == 1).count() as f64,
        draw.scalars.values().next().copied().unwrap_or(0.0),
        data.inputs.row(0)[0] * data.inputs.row(1)[0],
    ]
}
