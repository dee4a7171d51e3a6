//! Defines the checks: one function each, applied to a small problem with a given length.

use super::probit_exact::ColumnWeights;
use super::{
    BatchMeans, CalibrationSettings, ExactPosterior, GewekeSettings, JointDraws, Looks, Verdict, calibrate,
    gaussian_statistics, geweke, largest_score, probit_statistics, sequential_geweke, toys, widest_distance,
};
use crate::model::{GaussianModel, Model, Observations, ProbitModel, Threads};
use crate::rng::{Purpose, Streams};
use crate::schedule::{Kernel, Regression, Schedule, Step};

pub(super) const N_BATCHES: u64 = 100;
/// Sweeps of a run whose standard errors are small beside the effect of any fault.
const LONG_RUN: u64 = 4_000_000;
/// States whose visits are counted.
const N_STATES: usize = 60;

/// Compares the visits of a chain with the exact posterior of the codes of three objects.
pub fn visits<M: Model>(
    (model, data, exact): (&M, &Observations, &ExactPosterior),
    bits: impl Fn(&M::State) -> &crate::bits::BitMatrix,
    n_sweeps: u64,
    seed: u64,
    progress: &dyn Fn(f64),
) -> Verdict {
    let streams = Streams::new(seed, 0);
    let mut scratch = model.prepare(data, Threads::ONE);
    let mut state = model.start(data, &scratch, &mut streams.rng(Purpose::Start, 0, 0));
    let mut visits = exact.visits(N_STATES, n_sweeps / N_BATCHES);
    for sweep in 0..n_sweeps {
        model.sweep(data, &mut state, &mut scratch, &streams, sweep);
        visits.add(bits(&state));
        progress(sweep as f64 / n_sweeps as f64);
    }
    // A long run must keep every state within 4; in a short one that would fail by chance once in 140 times.
    let largest = if n_sweeps >= LONG_RUN { 4.0 } else { largest_score(N_STATES, N_BATCHES) };
    visits.deviation().verdict(largest)
}

/// Checks the Gaussian model by enumeration.
pub fn enumerate_gaussian(
    pseudo_weight: f64,
    schedule: Schedule,
    n_sweeps: u64,
    seed: u64,
    progress: &dyn Fn(f64),
) -> Verdict {
    let data = toys::three_objects();
    let model = toys::fixed_gaussian(pseudo_weight, schedule);
    let mut rng = Streams::new(seed, 0).rng(Purpose::Verify, 0, 0);
    let template = model.draw_prior(&data, &model.prepare(&data, Threads::ONE), &mut rng);
    let exact = ExactPosterior::enumerate(3, 9, |bits| {
        let mut state = template.clone();
        state.code.weights = vec![1.0; bits.n_bits()];
        state.code.bits = bits.clone();
        model.log_joint(&data, &state)
    });
    visits((&model, &data, &exact), |state| &state.code.bits, n_sweeps, seed, progress)
}

/// Checks the probit model by enumeration, coefficients and sticks integrated by quadrature.
pub fn enumerate_probit(schedule: Schedule, n_sweeps: u64, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let data = toys::three_on_a_line();
    let model = toys::fixed_probit(2.0, schedule);
    let mut rng = Streams::new(seed, 0).rng(Purpose::Verify, 0, 0);
    let state = model.draw_prior(&data, &model.prepare(&data, Threads::ONE), &mut rng);
    let weights = ColumnWeights::new(&data.inputs, state.coefficient_variance);
    let exact = weights.posterior(&data, state.concentration, &state.code.scoring(&model.preference));
    visits((&model, &data, &exact), |state| &state.code.bits, n_sweeps, seed, progress)
}

/// Geweke's test of a Gaussian model on four objects.
pub fn geweke_gaussian(model: &GaussianModel, n_steps: u64, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let (names, statistics) = gaussian_statistics(model);
    let settings = GewekeSettings { n_steps, n_joint: n_steps / 2, n_batches: N_BATCHES, seed };
    let reports = geweke(model, &toys::four_objects_with_given_bits(), settings, names, statistics, progress);
    Verdict::with_limit(reports.iter().map(|r| (r.name, r.z)), largest_score(names.len(), N_BATCHES))
}

/// Geweke's test of a probit model on four objects with given bits. Draws from its prior cost several sweeps each, so
/// they are fewer.
pub fn geweke_probit(model: &ProbitModel, n_steps: u64, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let (names, statistics) = probit_statistics(model);
    let settings = GewekeSettings { n_steps, n_joint: n_steps / 8, n_batches: N_BATCHES, seed };
    let reports = geweke(model, &toys::four_objects_with_given_bits(), settings, names, statistics, progress);
    Verdict::with_limit(reports.iter().map(|r| (r.name, r.z)), largest_score(names.len(), N_BATCHES))
}

/// Steps of the chain that make a batch of the sequential test; far longer than its autocorrelation time.
const BATCH: u64 = 3000;

/// Geweke's test of a Gaussian model at lengths that double.
pub fn sequential_gaussian(model: &GaussianModel, looks: Looks, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let (names, statistics) = gaussian_statistics(model);
    let lengths = (looks, [BATCH / 2, BATCH]);
    sequential_geweke(model, (&toys::four_objects_with_given_bits(), seed), lengths, names, statistics, progress)
}

/// Geweke's test of a probit model at lengths that double.
pub fn sequential_probit(model: &ProbitModel, looks: Looks, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let (names, statistics) = probit_statistics(model);
    let lengths = (looks, [BATCH / 8, BATCH]);
    sequential_geweke(model, (&toys::four_objects_with_given_bits(), seed), lengths, names, statistics, progress)
}

/// How often a kernel is applied to every draw from the joint. Odd: a faulty exchange done twice would go undetected.
pub(super) const REPEATS: usize = 5;

fn alone(kernel: Kernel) -> Schedule {
    Schedule { steps: vec![Step { kernel, times: REPEATS }] }
}

/// Kernels of the Gaussian schedules.
pub const GAUSSIAN_KERNELS: [Kernel; 8] = [
    Kernel::Rows,
    Kernel::Columns { births: 2, complements: 2 },
    Kernel::Neighbourhoods { births: 2, flips: 2 },
    Kernel::Weights,
    Kernel::WeightScale,
    Kernel::Lapse,
    Kernel::Concentration,
    Kernel::Variances,
];

/// Kernels of both probit schedules.
pub const PROBIT_KERNELS: [Kernel; 12] = [
    Kernel::Rows,
    Kernel::SliceRows,
    Kernel::Births { each: 1 },
    Kernel::Regressions(Regression::AlbertChib),
    Kernel::Regressions(Regression::Elliptical),
    Kernel::Sticks,
    Kernel::Complements,
    Kernel::Weights,
    Kernel::WeightScale,
    Kernel::Lapse,
    Kernel::Concentration,
    Kernel::Variances,
];

/// Tests every given kernel of the Gaussian model alone, on draws from the joint of four objects.
pub fn gaussian_kernels(
    draws: &JointDraws<GaussianModel>,
    (pseudo_weight, kernels): (f64, &[Kernel]),
    seed: u64,
    progress: &dyn Fn(f64),
) -> Verdict {
    let part = |(at, &kernel): (usize, &Kernel)| {
        let model = toys::free_gaussian(pseudo_weight, alone(kernel));
        let (names, statistics) = gaussian_statistics(&model);
        let scores = draws.shifts(&model, seed, names.len(), statistics);
        progress((at + 1) as f64 / kernels.len() as f64);
        (kernel, names, scores)
    };
    kernel_verdict(kernels.iter().enumerate().map(part).collect())
}

/// Tests every given kernel of the probit model alone, on draws from the joint of four objects.
pub fn probit_kernels(
    draws: &JointDraws<ProbitModel>,
    (pseudo_weight, kernels): (f64, &[Kernel]),
    seed: u64,
    progress: &dyn Fn(f64),
) -> Verdict {
    let part = |(at, &kernel): (usize, &Kernel)| {
        let model = toys::free_probit(pseudo_weight, alone(kernel));
        let (names, statistics) = probit_statistics(&model);
        let scores = draws.shifts(&model, seed, names.len(), statistics);
        progress((at + 1) as f64 / kernels.len() as f64);
        (kernel, names, scores)
    };
    kernel_verdict(kernels.iter().enumerate().map(part).collect())
}

pub(super) type KernelScores = (Kernel, &'static [&'static str], Vec<f64>);

pub(super) fn kernel_verdict(parts: Vec<KernelScores>) -> Verdict {
    let n_statistics = parts.iter().map(|(_, names, _)| names.len()).sum();
    let limit = largest_score(n_statistics, u64::MAX);
    let rows = parts.into_iter().flat_map(|(kernel, names, scores)| {
        names.iter().zip(scores).map(move |(name, score)| (format!("{kernel:?}: {name}"), score))
    });
    Verdict::with_limit(rows, limit)
}

/// Simulation-based calibration of the Gaussian model on four objects with given bits.
pub fn calibrate_gaussian(n_replicates: usize, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let model = toys::free_gaussian(1.5, Schedule::gaussian());
    let (names, statistics) = gaussian_statistics(&model);
    let settings = CalibrationSettings { n_replicates, burn_in: 200, n_draws: 99, thin: 10, seed };
    let distances =
        calibrate(&model, &toys::four_objects_with_given_bits(), settings, names.len(), statistics, progress);
    Verdict::with_limit(names.iter().copied().zip(distances), widest_distance(n_replicates, names.len()))
}

/// Simulation-based calibration of the probit model on four objects with given bits.
pub fn calibrate_probit(schedule: Schedule, n_replicates: usize, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let model = toys::free_probit(1.5, schedule);
    let (names, statistics) = probit_statistics(&model);
    let settings = CalibrationSettings { n_replicates, burn_in: 200, n_draws: 99, thin: 10, seed };
    let distances =
        calibrate(&model, &toys::four_objects_with_given_bits(), settings, names.len(), statistics, progress);
    Verdict::with_limit(names.iter().copied().zip(distances), widest_distance(n_replicates, names.len()))
}

/// Compares both probit schedules on the posterior of six objects: all statistics and the log joint density.
pub fn schemes_agree(n_sweeps: u64, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let schedules = [toys::probit_births(), toys::probit_slice()];
    let mut names: Vec<&str> = Vec::new();
    let chains = [0, 1].map(|which| {
        let model = toys::free_probit(1.5, schedules[which].clone());
        let (common, statistics) = probit_statistics(&model);
        names = common.iter().copied().chain(["log joint"]).collect();
        let share = |done: f64| progress(0.5 * (which as f64 + done));
        posterior_means(&model, &toys::six_objects(), statistics, (n_sweeps, common.len()), seed + which as u64, &share)
    });
    let score = |(at, &name): (usize, &&'static str)| (name, chains[0].score_against(&chains[1], at));
    Verdict::with_limit(names.iter().enumerate().map(score), largest_score(names.len(), N_BATCHES))
}

fn posterior_means<M: Model>(
    model: &M,
    data: &Observations,
    statistics: impl Fn(&Observations, &M::State) -> Vec<f64>,
    (n_sweeps, n_statistics): (u64, usize),
    seed: u64,
    progress: &dyn Fn(f64),
) -> BatchMeans {
    let streams = Streams::new(seed, 8);
    let mut scratch = model.prepare(data, Threads::ONE);
    let mut state = model.start(data, &scratch, &mut streams.rng(Purpose::Start, 0, 0));
    let mut means = BatchMeans::new(n_statistics + 1, n_sweeps / N_BATCHES);
    let burn_in = n_sweeps / 50;
    for sweep in 0..burn_in + n_sweeps {
        model.sweep(data, &mut state, &mut scratch, &streams, sweep);
        if sweep >= burn_in {
            let mut values = statistics(data, &state);
            values.push(model.record(data, &state, &mut scratch).log_joint);
            means.add(&values);
        }
        progress(sweep as f64 / (burn_in + n_sweeps) as f64);
    }
    means
}
