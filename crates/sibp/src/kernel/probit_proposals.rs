//! Proposes bits of the probit model, with the density of every proposal.

use super::probit_births::Context;
use crate::fault::{Fault, planted};
use crate::likelihood::preference::contribution;
use crate::likelihood::probit::{ColumnFit, ColumnPosterior, log_likelihood};
use crate::numerics::normal::log_density;
use crate::numerics::normal_table::log_cdf;
use crate::state::{Proposal, draw_bit, draw_coefficients};
use crate::triplets::{Role, RoleEntry};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

/// Proposes (g, t) and the column of a new bit. Auxiliary choices are drawn when the proposal is made, from a
/// distribution that does not depend on the state, and are used by birth and death alike.
pub trait AtomProposal {
    /// Its births, as they are counted.
    const BIRTH: Proposal;
    /// The deaths that reverse them, as they are counted.
    const DEATH: Proposal;
    /// Coefficients, stick and column, which may be empty, and the log density of proposing them.
    fn propose<R: Rng>(&self, context: &Context<'_>, rng: &mut R) -> (ColumnFit, Vec<u8>, f64);
    /// Log density of proposing these coefficients, stick and column.
    fn log_density(&self, context: &Context<'_>, fit: &ColumnFit, column: &[u8]) -> f64;
    /// Whether the density depends on the sums of the triplets.
    const LOOKS_AT_SUMS: bool = false;
    /// An upper bound on the log density that holds for any sums; exact if the density does not depend on them.
    fn log_density_bound(&self, context: &Context<'_>, fit: &ColumnFit, column: &[u8]) -> f64 {
        self.log_density(context, fit, column)
    }
}

/// Standard deviation of a proposed threshold around the object it passes through. The posterior of a stick has
/// Gaussian tails of deviation 1; a narrower proposal could not reach them, and such bits would rarely be removed.
const STICK_DEVIATION: f64 = 1.0;

/// Proposes g from the prior and a threshold near a random object.
fn propose_plane<R: Rng>(context: &Context<'_>, heights: &mut Vec<f64>, rng: &mut R) -> ColumnFit {
    let basis = &context.scratch.basis;
    let coefficients = draw_coefficients(basis.rank(), context.variance, rng);
    basis.heights(&coefficients, heights);
    let noise: f64 = StandardNormal.sample(rng);
    let stick = -heights[rng.random_range(0..heights.len())] + STICK_DEVIATION * noise;
    ColumnFit { coefficients, stick }
}

/// Log density of [`propose_plane`]: the threshold's is a mixture over all objects.
fn log_plane(context: &Context<'_>, fit: &ColumnFit, heights: &[f64]) -> f64 {
    let mixture: f64 = heights.iter().map(|h| log_density((fit.stick + h) / STICK_DEVIATION).exp()).sum();
    let variance = context.variance;
    let square: f64 = fit.coefficients.iter().map(|g| g * g).sum();
    let rank = fit.coefficients.len() as f64;
    (mixture / (heights.len() as f64 * STICK_DEVIATION)).ln()
        - 0.5 * (square / variance + rank * (2.0 * std::f64::consts::PI * variance).ln())
}

/// Proposes a hyperplane from the prior, and bits by the probit model.
#[derive(Debug, Clone, Copy)]
pub struct Plain;

impl AtomProposal for Plain {
    const BIRTH: Proposal = Proposal::PlainBirth;
    const DEATH: Proposal = Proposal::PlainDeath;

    fn propose<R: Rng>(&self, context: &Context<'_>, rng: &mut R) -> (ColumnFit, Vec<u8>, f64) {
        let mut heights = Vec::new();
        let fit = propose_plane(context, &mut heights, rng);
        let column: Vec<u8> = heights.iter().map(|height| draw_bit(height + fit.stick, rng)).collect();
        let log_q = log_plane(context, &fit, &heights) + log_likelihood(&heights, fit.stick, &column);
        (fit, column, log_q)
    }

    fn log_density(&self, context: &Context<'_>, fit: &ColumnFit, column: &[u8]) -> f64 {
        let mut heights = Vec::new();
        context.scratch.basis.heights(&fit.coefficients, &mut heights);
        log_plane(context, fit, &heights) + log_likelihood(&heights, fit.stick, column)
    }
}

/// Proposes a hyperplane, and bits drawn one object after another, each also by the triplets whose other members are
/// drawn.
#[derive(Debug, Clone)]
pub struct Guided {
    order: Vec<usize>,
}

impl Guided {
    /// Draws the order of the objects.
    pub fn new<R: Rng>(n_objects: usize, rng: &mut R) -> Self {
        let mut order: Vec<usize> = (0..n_objects).collect();
        order.shuffle(rng);
        Self { order }
    }

    /// Visits the objects in order; `choose` gives each bit from its probability, and the log probability of all is
    /// summed.
    fn walk(
        &self,
        context: &Context<'_>,
        heights: &[f64],
        stick: f64,
        mut choose: impl FnMut(usize, f64) -> u8,
    ) -> (Vec<u8>, f64) {
        const UNSEEN: u8 = 2;
        let mut column = vec![UNSEEN; heights.len()];
        let mut log_q = 0.0;
        for &object_ix in &self.order {
            let x = heights[object_ix] + stick;
            let log_odds = log_cdf(x) - log_cdf(-x) + guidance(context, object_ix, &column, UNSEEN);
            let log_one = -(-log_odds).exp().ln_1p();
            let bit = choose(object_ix, log_one);
            log_q += if bit == 1 { log_one } else { log_one - log_odds };
            column[object_ix] = bit;
        }
        (column, log_q)
    }
}

/// Approximate log likelihood ratio of a 1 against a 0 over the triplets whose other members are drawn; of very many,
/// an even subset stands for all.
fn guidance(context: &Context<'_>, object_ix: usize, column: &[u8], unseen: u8) -> f64 {
    let triplets = &context.data.triplets;
    let log_ratio = |role: Role, entries: &mut dyn Iterator<Item = (usize, [u32; 2])>, stride: usize| {
        let (mut tops, mut bottoms, mut sum) = (1.0, 1.0, 0.0);
        for (triplet_ix, others) in entries {
            let [p, q] = others.map(|other| column[other as usize]);
            if p == unseen || q == unseen {
                continue;
            }
            let (a, b) = context.sums.of(triplet_ix);
            let probability = |own: bool| {
                let (p, q) = (p == 1, q == 1);
                let (for_a, for_b) = match role {
                    Role::Anchor => contribution(own, p, q),
                    Role::Near => contribution(p, own, q),
                    Role::Far => contribution(p, q, own),
                };
                context.scoring.probability(a + context.weight * for_a, b + context.weight * for_b)
            };
            tops *= probability(true);
            bottoms *= probability(false);
            if tops < 1e-100 || bottoms < 1e-100 {
                sum += f64::ln(tops / bottoms);
                (tops, bottoms) = (1.0, 1.0);
            }
        }
        stride as f64 * (sum + f64::ln(tops / bottoms))
    };
    let stride = |n: usize| n.div_ceil(context.guides).max(1);
    let anchored = triplets.anchored(object_ix);
    let by_anchor = stride(anchored.len());
    let mut anchors = anchored.step_by(by_anchor).map(|triplet_ix| {
        let t = triplets.triplets()[triplet_ix];
        (triplet_ix, [t.near, t.far])
    });
    let (near, far) = triplets.others(object_ix).split_at(triplets.n_entries(object_ix, Role::Near));
    let entry = |entry: &RoleEntry| (entry.triplet_ix as usize, entry.others);
    let (by_near, by_far) = (stride(near.len()), stride(far.len()));
    log_ratio(Role::Anchor, &mut anchors, by_anchor)
        + log_ratio(Role::Near, &mut near.iter().step_by(by_near).map(entry), by_near)
        + log_ratio(Role::Far, &mut far.iter().step_by(by_far).map(entry), by_far)
}

impl AtomProposal for Guided {
    const BIRTH: Proposal = Proposal::GuidedBirth;
    const DEATH: Proposal = Proposal::GuidedDeath;

    fn propose<R: Rng>(&self, context: &Context<'_>, rng: &mut R) -> (ColumnFit, Vec<u8>, f64) {
        let mut heights = Vec::new();
        let fit = propose_plane(context, &mut heights, rng);
        let choose = |_: usize, log_one: f64| u8::from(rng.random::<f64>().ln() < log_one);
        let (column, log_q) = self.walk(context, &heights, fit.stick, choose);
        let log_q = log_q + log_plane(context, &fit, &heights);
        (fit, column, log_q)
    }

    fn log_density(&self, context: &Context<'_>, fit: &ColumnFit, column: &[u8]) -> f64 {
        let mut heights = Vec::new();
        context.scratch.basis.heights(&fit.coefficients, &mut heights);
        let reversed =
            planted(Fault::GuidedOtherOrder).then(|| Self { order: self.order.iter().rev().copied().collect() });
        let death = reversed.as_ref().unwrap_or(self);
        let guides = if planted(Fault::DeathByAllGuides) { usize::MAX } else { context.guides };
        let context = &Context { guides, ..*context };
        let (_, log_q) = death.walk(context, &heights, fit.stick, |object_ix, _| column[object_ix]);
        log_plane(context, fit, &heights) + log_q
    }

    const LOOKS_AT_SUMS: bool = true;

    /// The probability of the bits is at most 1.
    fn log_density_bound(&self, context: &Context<'_>, fit: &ColumnFit, _: &[u8]) -> f64 {
        let mut heights = Vec::new();
        context.scratch.basis.heights(&fit.coefficients, &mut heights);
        log_plane(context, fit, &heights)
    }
}

/// Proposes a fair coin for each set of objects connected by near relations, with some bits flipped; then (g, t) from
/// a Laplace approximation of their posterior.
#[derive(Debug, Clone, Copy)]
pub struct Component {
    turned: f64,
}

impl Component {
    /// Draws the rate of flipped bits: few or many.
    pub fn new<R: Rng>(rng: &mut R) -> Self {
        Self { turned: if rng.random() { 0.02 } else { 0.2 } }
    }
}

impl AtomProposal for Component {
    const BIRTH: Proposal = Proposal::ComponentBirth;
    const DEATH: Proposal = Proposal::ComponentDeath;

    fn propose<R: Rng>(&self, context: &Context<'_>, rng: &mut R) -> (ColumnFit, Vec<u8>, f64) {
        let mut column = vec![0; context.data.inputs.n_objects()];
        for members in context.scratch.components.iter() {
            let coin: bool = rng.random();
            for &member in members {
                column[member as usize] = u8::from(coin != (rng.random::<f64>() < self.turned));
            }
        }
        if !column.contains(&1) {
            let nothing = ColumnFit { coefficients: vec![0.0; context.scratch.basis.rank()], stick: 0.0 };
            return (nothing, column, f64::NEG_INFINITY);
        }
        let posterior = posterior(context, &column);
        let fit = posterior.draw(rng);
        let log_q = self.log_column(context, &column) + posterior.log_density(&fit);
        (fit, column, log_q)
    }

    fn log_density(&self, context: &Context<'_>, fit: &ColumnFit, column: &[u8]) -> f64 {
        self.log_column(context, column) + posterior(context, column).log_density(fit)
    }
}

fn posterior(context: &Context<'_>, column: &[u8]) -> ColumnPosterior {
    ColumnPosterior::new(&context.scratch.basis, context.variance, column, context.scratch.threads)
}

impl Component {
    /// Log probability of proposing the column.
    pub fn log_column(&self, context: &Context<'_>, column: &[u8]) -> f64 {
        let log_odds = (1.0 - self.turned).ln() - self.turned.ln();
        let mut log_q = 0.0;
        for members in context.scratch.components.iter() {
            let ones = members.iter().filter(|&&member| column[member as usize] == 1).count() as f64;
            let size = members.len() as f64;
            // Relative to all bits being flipped: each bit that agrees with the coin gains the odds.
            let (high, low) = (log_odds * ones.max(size - ones), log_odds * ones.min(size - ones));
            let other_coin = if planted(Fault::OneCoin) { 0.0 } else { (low - high).exp().ln_1p() };
            log_q += size * self.turned.ln() + high + other_coin - std::f64::consts::LN_2;
        }
        log_q
    }
}
