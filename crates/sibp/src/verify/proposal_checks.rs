//! Checks the densities of the probit model's proposals: what a birth says of itself is what the reverse death says, and
//! the probabilities of all columns sum to 1.

use super::{Row, Subject, Verdict};
use crate::kernel::probit_births::Context;
use crate::kernel::probit_proposals::{AtomProposal, Component, Guided, Plain};
use crate::model::{Model, ProbitModel};
use crate::rng::{Purpose, Streams};
use rand_chacha::ChaCha8Rng;

/// Largest difference that rounding may leave.
const ROUNDING: f64 = 1e-9;

/// The largest differences so far.
#[derive(Debug, Default)]
struct Worst {
    /// Of the log density of a proposal, by birth and by death: plain, guided, component.
    both_ways: [f64; 3],
    /// Of the sum over all columns from 1: guided, component.
    sums: [f64; 2],
}

/// Compares both ways for proposals to states that are drawn from the joint.
pub fn densities(subject: &Subject<ProbitModel>, n_draws: usize, seed: u64) -> Verdict {
    let model = &subject.model;
    let mut rng = Streams::new(seed, 11).rng(Purpose::Verify, 0, 0);
    let (mut data, mut scratch) = (subject.shape.clone(), subject.scratch());
    let mut worst = Worst::default();
    for _ in 0..n_draws {
        let state = model.draw_prior(&data, &scratch, &mut rng);
        model.simulate(&state, &mut data, &mut rng);
        model.refresh(&data, &mut scratch);
        model.begin_sweep(&data, &state, &mut scratch);
        let context = Context {
            data: &data,
            scratch: &scratch,
            sums: &scratch.preference.sums,
            variance: state.coefficient_variance,
            weight: model.preference.draw_weight(&mut rng),
            scoring: &state.code.scoring(&model.preference),
            guides: scratch.limits.guides,
        };
        worst.try_all(&context, &mut rng);
    }
    worst.verdict()
}

/// Every column of so many objects.
fn columns(n_objects: usize) -> impl Iterator<Item = Vec<u8>> {
    (0u32..1 << n_objects).map(move |bits| (0..n_objects).map(|object| (bits >> object & 1) as u8).collect())
}

impl Worst {
    fn try_all(&mut self, context: &Context<'_>, rng: &mut ChaCha8Rng) {
        let n_objects = context.data.inputs.n_objects();
        let guided = Guided::new(n_objects, rng);
        let component = Component::new(rng);
        let both_ways =
            [both_ways(&Plain, context, rng), both_ways(&guided, context, rng), both_ways(&component, context, rng)];
        // The bound of a guided density is that of the hyperplane alone.
        let (fit, _, _) = Plain.propose(context, rng);
        let of_column = |column: &[u8]| {
            (guided.log_density(context, &fit, column) - guided.log_density_bound(context, &fit, column)).exp()
        };
        let sums = [
            columns(n_objects).map(|column| of_column(&column)).sum::<f64>() - 1.0,
            columns(n_objects).map(|column| component.log_column(context, &column).exp()).sum::<f64>() - 1.0,
        ];
        self.both_ways.iter_mut().zip(both_ways).for_each(|(worst, found)| keep_larger(worst, found));
        self.sums.iter_mut().zip(sums).for_each(|(worst, found)| keep_larger(worst, found));
    }

    fn verdict(&self) -> Verdict {
        let kinds = ["plain", "guided", "component"];
        let both_ways =
            kinds.iter().zip(self.both_ways).map(|(kind, value)| (format!("{kind}: birth and death"), value));
        let sums = kinds[1..].iter().zip(self.sums).map(|(kind, value)| (format!("{kind}: sum over columns"), value));
        let row = |(statistic, value): (String, f64)| Row { statistic, value, limit: ROUNDING };
        Verdict::new(both_ways.chain(sums).map(row).collect())
    }
}

/// Difference of the log density of a proposal by birth and by death; 0 for a column that nobody owns.
fn both_ways<P: AtomProposal>(proposal: &P, context: &Context<'_>, rng: &mut ChaCha8Rng) -> f64 {
    let (fit, column, log_q) = proposal.propose(context, rng);
    if column.contains(&1) { log_q - proposal.log_density(context, &fit, &column) } else { 0.0 }
}

fn keep_larger(worst: &mut f64, found: f64) {
    // What is not a number must not pass as small.
    *worst = if found.is_nan() { f64::INFINITY } else { worst.max(found.abs()) };
}
