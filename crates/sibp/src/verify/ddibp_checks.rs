//! Checks the distance-dependent IBP: its prior against known cases and its sampler by enumeration; and names its
//! statistics for the checks that all models share.

use super::checks::visits;
use super::prior_checks::PoissonCounts;
use super::statistics::squash;
use super::{ExactPosterior, Row, Statistics, Subject, Verdict, score_limit, toys};
use crate::likelihood::linear_gaussian::{Moments, Work};
use crate::model::{DdIbpModel, DdIbpState, Model, Observations, Threads};
use crate::prior::ibp::IbpTable;
use crate::prior::links::{self, LinkedColumn};
use crate::prior::proximity::{Decay, Distance, Places, Proximity};
use crate::rng::{Purpose, Streams};
use crate::schedule::{Kernel, Schedule};

/// Kernels of the schedule of the distance-dependent IBP.
pub const KERNELS: [Kernel; 5] =
    [Kernel::Links, Kernel::Owners, Kernel::LinkedColumns { births: 2 }, Kernel::Concentration, Kernel::Variances];

/// The decays and distances that are checked. The window leaves some pairs without links.
pub const VARIANTS: [(&str, Distance, Decay); 4] = [
    ("exponential", Distance::Input, Decay::Exponential { rate: 1.0 }),
    ("window", Distance::Input, Decay::Window { width: 1.6 }),
    ("logistic", Distance::Input, Decay::Logistic { centre: 1.5, scale: 0.4 }),
    ("classes", Distance::Output, Decay::Exponential { rate: 1.5 }),
];

/// The sum of weights of all owners and links that give each column of bits (as a number; 0 is empty).
fn column_weights(proximity: &Proximity) -> Vec<f64> {
    let n = proximity.n_objects();
    let mut weights = vec![0.0; 1 << n];
    for graph in 0..n.pow(n as u32) {
        let links: Vec<u32> = (0..n as u32).map(|place| (graph / n.pow(place) % n) as u32).collect();
        for owner in 0..n as u32 {
            let column = LinkedColumn { owner, links: links.clone() };
            let number = column.bits().iter().rev().fold(0, |sum, &bit| 2 * sum + usize::from(bit));
            weights[number] += column.log_weight(proximity).exp();
        }
    }
    weights
}

/// Compares sums over all links with known cases and with their closed form: on a line where every object sees those
/// before it (with equal proximity) the process is the Indian buffet process, isolated objects share nothing, and all
/// weights sum to Σ 1/h. Values are differences.
pub fn known_cases() -> Verdict {
    let mut rows = Vec::new();
    for n in 1..=4 {
        let table = IbpTable::new(n);
        let before = (0..n * n).map(|at| f64::from(u8::from(at % n <= at / n))).collect();
        let weights = column_weights(&Proximity::from_values(n, before));
        let expected = |number: usize| match number.count_ones() as usize {
            0 => 0.0,
            n_owners => table.log_column(n_owners).exp(),
        };
        let worst = |weights: &[f64], expected: &dyn Fn(usize) -> f64| {
            weights.iter().enumerate().map(|(number, w)| (w - expected(number)).abs()).fold(0.0, f64::max)
        };
        let row = |what: &str, value: f64| Row { statistic: format!("{n} objects, {what}"), value, limit: 1e-12 };
        rows.push(row("in a line", worst(&weights, &expected)));
        let classes: Vec<u32> = (0..n as u32).collect();
        let alone = Proximity::new(&Decay::Window { width: 0.0 }, &Places::Classes(&classes));
        let single = |number: usize| f64::from(u8::from(number.count_ones() == 1));
        rows.push(row("alone", worst(&column_weights(&alone), &single)));
        let pairs = Proximity::new(&Decay::Exponential { rate: 0.8 }, &Places::Classes(&[0, 1, 0, 1][..n]));
        let sum: f64 = column_weights(&pairs).iter().sum();
        rows.push(row("sum of weights", sum - pairs.total_rate()));
        // Neither symmetric nor equal.
        let crooked = (0..n * n).map(|at| 1.0 / (1.0 + (3 * (at / n) + 5 * (at % n)) as f64 % 7.0)).collect();
        let crooked = Proximity::from_values(n, crooked);
        let closed = |number: usize| match number {
            0 => 0.0,
            _ => {
                let bits: Vec<u8> = (0..n).map(|object_ix| (number >> object_ix & 1) as u8).collect();
                links::log_column(&bits, &crooked).exp()
            }
        };
        rows.push(row("in closed form", worst(&column_weights(&crooked), &closed)));
    }
    Verdict::new(rows)
}

/// Checks that numbers of bits are Poisson(α Σ 1/h), and with equal proximities Poisson(α).
pub fn numbers_are_poisson(n_draws: usize, level: f64, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let mut rng = Streams::new(seed, 9).rng(Purpose::Verify, 0, 0);
    let data = toys::four_objects();
    let line = Places::Inputs(&data.inputs);
    let cases = [
        ("exponential", Proximity::new(&Decay::Exponential { rate: 1.0 }, &line), None),
        ("window", Proximity::new(&Decay::Window { width: 1.6 }, &line), None),
        ("all alike", Proximity::new(&Decay::Window { width: 1.0 }, &Places::Classes(&[0, 1, 2, 3, 4])), Some(1.0)),
        ("all apart", Proximity::new(&Decay::Window { width: 0.5 }, &Places::Classes(&[0, 1, 2, 3, 4])), Some(5.0)),
    ];
    let limit = score_limit(level, 3 * cases.len(), n_draws as u64);
    let mut rows = Vec::new();
    for (at, (name, proximity, known)) in cases.iter().enumerate() {
        let rate = 1.3 * known.unwrap_or(proximity.total_rate());
        let draws = (0..n_draws).map(|_| links::draw(1.3, proximity, &mut rng).len());
        rows.extend(PoissonCounts::of(draws).rows(name, rate, limit));
        progress((at + 1) as f64 / cases.len() as f64);
    }
    Verdict::new(rows)
}

/// Checks the sampler by enumeration: all bit matrices of three objects, links summed over.
pub fn enumerate(decay: Decay, n_sweeps: u64, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let data = toys::three_linked();
    let schedule = Schedule::once([Kernel::Links, Kernel::Owners, Kernel::LinkedColumns { births: 1 }]);
    let model = toys::fixed_ddibp(Distance::Input, decay, schedule);
    let scratch = model.prepare(&data, Threads::ONE);
    let state = model.draw_prior(&data, &scratch, &mut Streams::new(seed, 0).rng(Purpose::Verify, 0, 0));
    let weights = column_weights(&scratch.proximity);
    let exact = ExactPosterior::enumerate(3, 9, |bits| {
        let mut moments = Moments::default();
        moments.rebuild(&data.inputs, bits);
        let number = |f: usize| (0..3).fold(0, |sum, o| sum | usize::from(bits.get(o, f)) << o);
        let prior: f64 = (0..bits.n_bits()).map(|f| (state.concentration * weights[number(f)]).ln()).sum();
        prior + moments.log_marginal(3, scratch.square_norm, state.variances(), &mut Work::default())
    });
    visits((&model, &data, &exact), |state| &state.bits, n_sweeps, seed, progress)
}

/// Statistics of the distance-dependent IBP. Scales enter by their logarithms: their priors have heavy tails.
pub const DDIBP: Statistics<DdIbpModel> = Statistics {
    names: &[
        "features",
        "bits squared",
        "bits",
        "pair 0-1 shares",
        "pair 1-2 shares",
        "first owner's bits",
        "singletons",
        "links home",
        "owners' rates",
        "proximity of links",
        "owners' links home",
        "concentration",
        "log noise variance",
        "log image variance",
        "log |x|",
        "x0 x1",
        "log joint",
    ],
    values,
    steps_a_draw: 2,
    idle: |_, _, _| false,
};

fn values(model: &DdIbpModel, data: &Observations, state: &DdIbpState) -> Vec<f64> {
    let mut scratch = model.prepare(data, Threads::ONE);
    let log_joint = model.record(data, state, &mut scratch).log_joint;
    let (z, x) = (&state.bits, data.inputs.values());
    let k = z.n_bits();
    let shares = |i: usize, j: usize| (0..k).filter(|&f| z.get(i, f) && z.get(j, f)).count() as f64;
    let all_links = || state.columns.iter().flat_map(|column| column.links.iter().enumerate());
    let home = |link: &(usize, &u32)| link.0 == *link.1 as usize;
    vec![
        k as f64,
        (k * k) as f64,
        z.counts().iter().sum::<u32>().into(),
        shares(0, 1),
        shares(1, 2),
        z.ones(0).count() as f64,
        z.counts().iter().filter(|&&m| m == 1).count() as f64,
        all_links().filter(home).count() as f64,
        state.columns.iter().map(|column| 1.0 / scratch.proximity.sum(column.owner as usize)).sum(),
        all_links().map(|(i, &j)| scratch.proximity.row(i)[j as usize]).sum(),
        state.columns.iter().filter(|column| column.links[column.owner as usize] == column.owner).count() as f64,
        state.concentration,
        state.noise_variance.ln(),
        state.image_variance.ln(),
        x.iter().map(|v| v.abs().max(1e-300).ln()).sum(),
        squash(x[0]) * squash(x[data.inputs.n_inputs()]),
        squash(log_joint / 30.0),
    ]
}

/// A variant on four objects.
pub fn subject((_, distance, decay): (&str, Distance, Decay)) -> Subject<DdIbpModel> {
    DDIBP.of(toys::free_ddibp(distance, decay, Schedule::ddibp()), toys::four_linked(distance))
}
