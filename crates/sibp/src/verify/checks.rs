//! Checks samplers against exact posteriors and against each other, and lists the kernels that are checked alone.

use super::batch_means::N_BATCHES;
use super::gaussian_exact::{self, ExactLink, Fixed};
use super::movement::proposal_rows;
use super::probit_exact::ColumnWeights;
use super::{BatchMeans, ExactPosterior, PROBIT, Subject, Verdict, largest_score, toys};
use crate::model::{GaussianModel, Model, Observations, PreferencePrior, ProbitModel, Proposal, Threads};
use crate::rng::{Purpose, Streams};
use crate::schedule::{Kernel, Regression, Schedule};

/// Sweeps of a run whose errors are small beside those of any fault.
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
    let kinds: Vec<Proposal> =
        model.schedule().steps.iter().flat_map(|step| M::proposals(step.kernel)).copied().collect();
    visits.deviation().verdict(largest).with(proposal_rows(&M::tally(&scratch), &kinds))
}

/// Checks the Gaussian model by enumeration; the exact posterior rests on textbook formulas alone.
pub fn enumerate_gaussian(
    link: ExactLink,
    schedule: Schedule,
    n_sweeps: u64,
    seed: u64,
    progress: &dyn Fn(f64),
) -> Verdict {
    let data = toys::three_objects();
    let preference = match link {
        ExactLink::Ratio(pseudo_weight) => toys::fixed_preference(pseudo_weight),
        ExactLink::Logistic(slope) => toys::fixed_logistic(slope),
    };
    let model = GaussianModel { preference, ..toys::fixed_gaussian(0.0, schedule) };
    let mut rng = Streams::new(seed, 0).rng(Purpose::Verify, 0, 0);
    let template = model.draw_prior(&data, &model.prepare(&data, Threads::ONE), &mut rng);
    let fixed = Fixed {
        concentration: template.concentration,
        noise: template.noise_variance,
        image: template.image_variance,
        lapse: template.code.lapse,
        link,
    };
    let exact = gaussian_exact::posterior(&data, fixed, 9);
    visits((&model, &data, &exact), |state| &state.code.bits, n_sweeps, seed, progress)
}

/// Checks the probit model by enumeration, coefficients and sticks integrated by quadrature.
pub fn enumerate_probit(
    preference: PreferencePrior,
    schedule: Schedule,
    n_sweeps: u64,
    seed: u64,
    progress: &dyn Fn(f64),
) -> Verdict {
    let data = toys::three_on_a_line();
    let model = ProbitModel { preference, ..toys::fixed_probit(0.0, schedule) };
    let mut rng = Streams::new(seed, 0).rng(Purpose::Verify, 0, 0);
    let state = model.draw_prior(&data, &model.prepare(&data, Threads::ONE), &mut rng);
    let weights = ColumnWeights::new(&data.inputs, state.coefficient_variance);
    let exact = weights.posterior(&data, state.concentration, &state.code.scoring(&model.preference));
    visits((&model, &data, &exact), |state| &state.code.bits, n_sweeps, seed, progress)
}

/// Checks the probit model without inputs by enumeration: its prior is the Indian buffet.
pub fn enumerate_buffet(slope: f64, schedule: Schedule, n_sweeps: u64, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let data = toys::without_inputs(toys::three_objects());
    let model = ProbitModel { preference: toys::fixed_logistic(slope), ..toys::fixed_probit(0.0, schedule) };
    let mut rng = Streams::new(seed, 0).rng(Purpose::Verify, 0, 0);
    let state = model.draw_prior(&data, &model.prepare(&data, Threads::ONE), &mut rng);
    let fixed = Fixed {
        concentration: state.concentration,
        noise: 1.0,
        image: 1.0,
        lapse: state.code.lapse,
        link: ExactLink::Logistic(slope),
    };
    let exact = gaussian_exact::posterior(&data, fixed, 9);
    visits((&model, &data, &exact), |state| &state.code.bits, n_sweeps, seed, progress)
}

/// Kernels of the Gaussian schedules.
pub const GAUSSIAN_KERNELS: [Kernel; 9] = [
    Kernel::Rows,
    Kernel::Columns { births: 2, complements: 2 },
    Kernel::Neighbourhoods { births: 2, flips: 2 },
    Kernel::Weights,
    Kernel::WeightScale,
    Kernel::Lapse,
    Kernel::Slope,
    Kernel::Concentration,
    Kernel::Variances,
];

/// Kernels of both probit schedules.
pub const PROBIT_KERNELS: [Kernel; 13] = [
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
    Kernel::Slope,
    Kernel::Concentration,
    Kernel::Variances,
];

/// Both probit schemes on the posterior of six objects: all statistics and the log joint density.
pub fn schemes_agree(n_sweeps: u64, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let schedules = [toys::probit_births(), toys::probit_slice()];
    let chains = [0, 1].map(|which| {
        let subject = PROBIT.of(toys::free_probit(1.5, schedules[which].clone()), toys::six_objects());
        let share = |done: f64| progress(0.5 * (which as f64 + done));
        posterior_means(&subject, n_sweeps, seed + which as u64, &share)
    });
    let names: Vec<&str> = PROBIT.names.iter().copied().chain(["log joint"]).collect();
    let score = |(at, &name): (usize, &&'static str)| (name, chains[0].score_against(&chains[1], at));
    Verdict::with_limit(names.iter().enumerate().map(score), largest_score(names.len(), N_BATCHES))
}

fn posterior_means<M: Model>(subject: &Subject<M>, n_sweeps: u64, seed: u64, progress: &dyn Fn(f64)) -> BatchMeans {
    let Subject { model, shape: data, .. } = subject;
    let streams = Streams::new(seed, 8);
    let mut scratch = subject.scratch();
    let mut state = model.start(data, &scratch, &mut streams.rng(Purpose::Start, 0, 0));
    let mut means = BatchMeans::new(subject.names().len() + 1, n_sweeps / N_BATCHES);
    let burn_in = n_sweeps / 50;
    for sweep in 0..burn_in + n_sweeps {
        model.sweep(data, &mut state, &mut scratch, &streams, sweep);
        if sweep >= burn_in {
            let mut values = subject.values(data, &state);
            values.push(model.record(data, &state, &mut scratch).log_joint);
            means.add(&values);
        }
        progress(sweep as f64 / (burn_in + n_sweeps) as f64);
    }
    means
}
