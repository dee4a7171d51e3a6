//! Checks every registered model that provides a small problem by Geweke's test.

use super::checks::N_BATCHES;
use super::suite::{Check, Tier};
use super::{GewekeSettings, Verdict, geweke, largest_score};
use crate::model::{DefinitionVisitor, Model, ModelDefinition, ModelKind, Observations, Threads};

/// Number of steps of the chain.
const STEPS: u64 = 300_000;

/// The statistics: the number of bits, who owns them, and the first hyper-parameter.
const NAMES: &[&str] = &["bits", "bits squared", "ones", "pair 0-1 shares", "singletons", "first scalar", "x0 x1"];

/// The check of each model that provides a small problem.
pub(super) fn checks() -> Vec<Check> {
    ModelKind::ALL.iter().filter_map(|kind| kind.visit(Registered)).collect()
}

struct Registered;

impl DefinitionVisitor for Registered {
    type Output = Option<Check>;

    fn visit<D: ModelDefinition>(self) -> Option<Check> {
        D::small_problem()?;
        Some(Check { name: D::ABOUT.title, tier: Tier::Fast, run: run::<D> })
    }
}

fn run<D: ModelDefinition>(seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let Some((model, shape)) = D::small_problem() else { return Verdict::new(Vec::new()) };
    let scratch = model.prepare(&shape, Threads::ONE);
    let statistics = |data: &Observations, state: &<D::Model as Model>::State| {
        let draw = model.to_draw(data, state, &scratch, 0);
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
    };
    let settings = GewekeSettings { n_steps: STEPS, n_joint: STEPS / 2, n_batches: N_BATCHES, seed };
    let reports = geweke(&model, &shape, settings, NAMES, statistics, progress);
    Verdict::with_limit(reports.iter().map(|r| (r.name, r.z)), largest_score(NAMES.len(), N_BATCHES))
}
