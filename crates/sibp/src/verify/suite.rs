//! Lists every check of the samplers by name, and runs them.

use super::ddibp_checks::{self, VARIANTS};
use super::gaussian_exact::ExactLink::{Logistic, Ratio};
use super::scale_checks::{self, LOWERED, SCALED, SHARED};
use super::{
    GAUSSIAN, JointDraws, LEVEL, Looks, PROBIT, Subject, Verdict, after_draw, bound_checks, calibrate, checks,
    encoder_checks, geweke, preference_checks, prior_checks, proposal_checks, sequential_geweke, toys,
};
use crate::likelihood::probit::Limits;
use crate::model::{GaussianModel, Model, ProbitModel};
use crate::parallel::map;
use crate::prior::hyper::GammaPrior;
use crate::schedule::{Kernel, Schedule};
use std::borrow::Cow;
use std::time::{Duration, Instant};

/// The running time of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// Seconds; run by the unit tests.
    Fast,
    /// Minutes; run by `sibp verify`.
    Slow,
    /// Minutes, with so few false alarms (1e-5) that any seed can be used, also a fresh one.
    Sequential,
}

/// A named check. `run` takes a seed and is told where to report the share that is done.
#[derive(Debug, Clone)]
pub struct Check {
    /// What is checked.
    pub name: Cow<'static, str>,
    /// How long it takes.
    pub tier: Tier,
    /// The check.
    pub run: fn(u64, &dyn Fn(f64)) -> Verdict,
}

/// The verdict of a check, and its running time.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The running time.
    pub time: Duration,
}

/// Sweeps of an enumeration in the fast and the slow tier.
const SHORT: u64 = 400_000;
const LONG: u64 = 4_000_000;
/// Steps of Geweke's test.
pub(super) const STEPS: u64 = 300_000;
/// Level of the checks of priors in the slow tier.
const PRIOR_LEVEL: f64 = 1e-6;
/// Number of draws from the joint on which single kernels are tested.
const JOINT: usize = 40_000;
/// Replicates of a calibration.
pub(super) const N_REPLICATES: usize = 1000;

/// Kernels that go through the words of codes.
const WIDE: [Kernel; 3] = [Kernel::Rows, Kernel::Births { each: 1 }, Kernel::Weights];

const fn fast(name: &'static str, run: fn(u64, &dyn Fn(f64)) -> Verdict) -> Check {
    Check { name: Cow::Borrowed(name), tier: Tier::Fast, run }
}

const fn slow(name: &'static str, run: fn(u64, &dyn Fn(f64)) -> Verdict) -> Check {
    Check { name: Cow::Borrowed(name), tier: Tier::Slow, run }
}

const fn sequential(name: &'static str, run: fn(u64, &dyn Fn(f64)) -> Verdict) -> Check {
    Check { name: Cow::Borrowed(name), tier: Tier::Sequential, run }
}

/// A Gaussian model on four objects with given bits.
fn gaussian(model: GaussianModel) -> Subject<GaussianModel> {
    GAUSSIAN.of(model, toys::four_objects_with_given_bits())
}

fn gamma_weights(pseudo_weight: f64) -> GaussianModel {
    toys::free_gaussian(pseudo_weight, Schedule::gaussian())
}

fn unit_weights() -> GaussianModel {
    let mut model = gamma_weights(1.5);
    model.preference.weights = GammaPrior::Fixed(1.0);
    model.preference.given_weights = Some(GammaPrior::Gamma { shape: 2.0, rate: 1.5 });
    model
}

/// A probit model on four objects with given bits.
fn probit(pseudo_weight: f64, schedule: Schedule) -> Subject<ProbitModel> {
    PROBIT.of(toys::free_probit(pseudo_weight, schedule), toys::four_objects_with_given_bits())
}

fn rows_only() -> Schedule {
    Schedule::once([Kernel::Rows])
}

/// Every given kernel alone, on draws from the joint.
pub(super) fn alone<M: Model>(subject: Subject<M>, kernels: &[Kernel], seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    alone_on(JOINT, subject, kernels, seed, progress)
}

/// Every given kernel alone, on so many draws from the joint.
fn alone_on<M: Model>(
    n_draws: usize,
    subject: Subject<M>,
    kernels: &[Kernel],
    seed: u64,
    progress: &dyn Fn(f64),
) -> Verdict {
    JointDraws::new(subject, n_draws, seed).kernels(kernels, seed, progress)
}

/// Flips of codes of two words, scored in groups and one by one.
pub(super) fn groups(n_replicates: usize, seed: u64) -> Verdict {
    let subject = scale_checks::two_words(rows_only());
    bound_checks::change_no_draw(&subject, |s| s.limits.calm = usize::MAX, n_replicates, seed)
}

/// Densities of the probit model's proposals, with all triplets as guides and with few.
pub(super) fn densities(n_draws: usize, seed: u64) -> Verdict {
    let all = PROBIT.of(toys::free_probit(0.0, Schedule::once([])), toys::circle(8, 3));
    let few = scale_checks::many_objects(Schedule::once([]));
    let parts = [("all guides", &all), ("few guides", &few)];
    Verdict::join(parts.map(|(name, subject)| (name, proposal_checks::densities(subject, n_draws, seed))))
}

/// The probit model that users get, on six objects with given bits.
pub(super) fn default_probit() -> Subject<ProbitModel> {
    PROBIT.of(toys::default_probit(), toys::six_objects_with_given_bits())
}

/// The model that users get for judgements, on six objects with given bits.
pub(super) fn default_judgements() -> Subject<ProbitModel> {
    PROBIT.of(toys::default_judgements(), toys::six_objects_with_given_bits())
}

/// The model that users get for judgements about objects without inputs.
fn no_inputs() -> Subject<ProbitModel> {
    PROBIT.of(toys::default_judgements(), toys::without_inputs(toys::six_objects_with_given_bits()))
}

/// Models with a logistic link on four objects with given bits.
fn logistic_gaussian() -> Subject<GaussianModel> {
    gaussian(toys::logistic_gaussian())
}

fn logistic_probit(schedule: Schedule) -> Subject<ProbitModel> {
    PROBIT.of(toys::logistic_probit(schedule), toys::four_objects_with_given_bits())
}

/// Models with a lapse rate for each judge.
fn judged_gaussian() -> Subject<GaussianModel> {
    GAUSSIAN.of(toys::logistic_gaussian(), toys::with_judges(toys::circle(8, 3)))
}

fn judged_probit() -> Subject<ProbitModel> {
    PROBIT.of(toys::logistic_probit(toys::probit_births()), toys::with_judges(toys::six_objects_with_given_bits()))
}

/// Bounds of the Gaussian and of the probit kernels, with and without a pseudo-weight, and with a logistic link.
pub(super) fn bounds(n_replicates: usize, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let ratio = |pseudo: f64| (gamma_weights(pseudo), toys::free_probit(pseudo, toys::probit_births()));
    let models = [
        ("pseudo-weight 0", ratio(0.0)),
        ("pseudo-weight 1.5", ratio(1.5)),
        ("logistic link", (toys::logistic_gaussian(), toys::logistic_probit(toys::probit_births()))),
        ("judges", (toys::logistic_gaussian(), toys::logistic_probit(toys::probit_births()))),
    ];
    let parts = models.into_iter().enumerate().map(|(at, (name, (gaussian, probit)))| {
        let plain = toys::circle(8, 3);
        let data = if name == "judges" { toys::with_judges(plain) } else { plain };
        let (gaussian, probit) = (GAUSSIAN.of(gaussian, data.clone()), PROBIT.of(probit, data));
        let gaussian = bound_checks::change_no_draw(&gaussian, |s| s.preference.thorough = true, n_replicates, seed);
        let probit = bound_checks::change_no_draw(&probit, |s| s.preference.thorough = true, n_replicates, seed);
        progress((at + 1) as f64 / 4.0);
        (name, Verdict::join([("gaussian", gaussian), ("probit", probit)]))
    });
    Verdict::join(parts)
}

/// The checks of the models here; the slow ones first, so that two threads end at about the same time.
pub(super) const CHECKS: &[Check] = &[
    sequential("probit: sequential Geweke, slice", |s, p| {
        sequential_geweke(&probit(1.5, toys::probit_slice()), Looks::STANDARD, s, p)
    }),
    sequential("probit: sequential Geweke, births", |s, p| {
        sequential_geweke(&probit(0.0, toys::probit_births()), Looks::STANDARD, s, p)
    }),
    sequential("probit: sequential Geweke, settings for judgements", |s, p| {
        sequential_geweke(&default_judgements(), Looks::STANDARD, s, p)
    }),
    sequential("probit: sequential Geweke, logistic link", |s, p| {
        sequential_geweke(&logistic_probit(toys::probit_births()), Looks::STANDARD, s, p)
    }),
    sequential("gaussian: sequential Geweke, logistic link", |s, p| {
        sequential_geweke(&logistic_gaussian(), Looks::STANDARD, s, p)
    }),
    sequential("gaussian: sequential Geweke, Gamma weights", |s, p| {
        sequential_geweke(&gaussian(gamma_weights(0.0)), Looks::STANDARD, s, p)
    }),
    sequential("gaussian: sequential Geweke, unit weights and pseudo-weight", |s, p| {
        sequential_geweke(&gaussian(unit_weights()), Looks::STANDARD, s, p)
    }),
    sequential("dd-IBP: sequential Geweke, exponential decay", |s, p| {
        sequential_geweke(&ddibp_checks::subject(VARIANTS[0]), Looks::STANDARD, s, p)
    }),
    sequential("dd-IBP: sequential Geweke, window", |s, p| {
        sequential_geweke(&ddibp_checks::subject(VARIANTS[1]), Looks::STANDARD, s, p)
    }),
    sequential("probit: sequential Geweke, default settings", |s, p| {
        sequential_geweke(&default_probit(), Looks::STANDARD, s, p)
    }),
    sequential("probit: sequential Geweke, paths for many objects", |s, p| {
        sequential_geweke(&scale_checks::many_objects(toys::probit_births()), Looks::SHORT, s, p)
    }),
    slow("probit: simulation-based calibration, default settings", |s, p| {
        calibrate(&default_probit(), N_REPLICATES, s, p)
    }),
    slow("probit: kernels alone, 6,144 objects on two threads", |s, p| {
        alone_on(200, scale_checks::two_parts(), &SHARED, s, p)
    }),
    slow("probit: kernels alone, 2,000 objects on two threads", |s, p| {
        alone_on(600, scale_checks::many_on_threads(2000), &SHARED, s, p)
    }),
    slow("probit: kernels alone, codes of two words", |s, p| {
        alone_on(10_000, scale_checks::two_words(rows_only()), &WIDE, s, p)
    }),
    slow("probit: kernels alone, paths for many objects", |s, p| {
        alone(scale_checks::many_objects(Schedule::once([])), &SCALED, s, p)
    }),
    slow("probit: every kernel alone, default settings", |s, p| alone(default_probit(), &checks::PROBIT_KERNELS, s, p)),
    slow("probit: simulation-based calibration, births", |s, p| {
        calibrate(&probit(1.5, toys::probit_births()), N_REPLICATES, s, p)
    }),
    slow("probit: simulation-based calibration, slice", |s, p| {
        calibrate(&probit(1.5, toys::probit_slice()), N_REPLICATES, s, p)
    }),
    slow("probit: simulation-based calibration, settings for judgements", |s, p| {
        calibrate(&default_judgements(), N_REPLICATES, s, p)
    }),
    slow("gaussian: simulation-based calibration, logistic link", |s, p| {
        calibrate(&logistic_gaussian(), N_REPLICATES, s, p)
    }),
    slow("gaussian: simulation-based calibration", |s, p| calibrate(&gaussian(gamma_weights(1.5)), N_REPLICATES, s, p)),
    slow("dd-IBP: simulation-based calibration", |s, p| {
        calibrate(&ddibp_checks::subject(VARIANTS[0]), N_REPLICATES, s, p)
    }),
    slow("probit: every kernel alone, pseudo-weight 1.5", |s, p| {
        let model = toys::free_probit(1.5, Schedule::probit());
        alone(PROBIT.of(model, toys::four_objects()), &checks::PROBIT_KERNELS, s, p)
    }),
    slow("probit: every kernel alone, pseudo-weight 0", |s, p| {
        let model = toys::free_probit(0.0, Schedule::probit());
        alone(PROBIT.of(model, toys::four_objects()), &checks::PROBIT_KERNELS, s, p)
    }),
    slow("probit: every kernel alone, logistic link", |s, p| {
        alone(logistic_probit(Schedule::probit()), &checks::PROBIT_KERNELS, s, p)
    }),
    slow("gaussian: every kernel alone, logistic link", |s, p| {
        alone(logistic_gaussian(), &checks::GAUSSIAN_KERNELS, s, p)
    }),
    slow("gaussian: enumeration, all moves, logistic link", |s, p| {
        checks::enumerate_gaussian(Logistic(0.8), toys::gaussian_moves(), LONG, s, p)
    }),
    slow("probit: enumeration, births, logistic link", |s, p| {
        checks::enumerate_probit(toys::fixed_logistic(0.8), toys::probit_births(), LONG, s, p)
    }),
    slow("probit: enumeration, slice, logistic link", |s, p| {
        checks::enumerate_probit(toys::fixed_logistic(0.8), toys::probit_slice(), LONG, s, p)
    }),
    slow("gaussian: every kernel alone, judges", |s, p| alone(judged_gaussian(), &checks::GAUSSIAN_KERNELS, s, p)),
    slow("probit: every kernel alone, judges", |s, p| alone(judged_probit(), &checks::PROBIT_KERNELS, s, p)),
    slow("probit: simulation-based calibration, judges", |s, p| calibrate(&judged_probit(), N_REPLICATES, s, p)),
    slow("probit: enumeration, no inputs", |s, p| checks::enumerate_buffet(0.8, toys::probit_births(), LONG, s, p)),
    slow("probit: enumeration, no inputs, slice", |s, p| {
        checks::enumerate_buffet(0.8, toys::probit_slice(), LONG, s, p)
    }),
    slow("probit: every kernel alone, no inputs", |s, p| alone(no_inputs(), &checks::PROBIT_KERNELS, s, p)),
    slow("gaussian: enumeration, all moves", |s, p| {
        checks::enumerate_gaussian(Ratio(0.0), toys::gaussian_moves(), LONG, s, p)
    }),
    slow("gaussian: enumeration, rows only", |s, p| checks::enumerate_gaussian(Ratio(0.0), rows_only(), LONG, s, p)),
    slow("gaussian: enumeration, all moves, pseudo-weight 2", |s, p| {
        checks::enumerate_gaussian(Ratio(2.0), toys::gaussian_moves(), LONG, s, p)
    }),
    slow("gaussian: enumeration, rows only, pseudo-weight 2", |s, p| {
        checks::enumerate_gaussian(Ratio(2.0), rows_only(), LONG, s, p)
    }),
    slow("probit: enumeration, births", |s, p| {
        checks::enumerate_probit(toys::fixed_preference(2.0), toys::probit_births(), LONG, s, p)
    }),
    slow("probit: enumeration, slice", |s, p| {
        checks::enumerate_probit(toys::fixed_preference(2.0), toys::probit_slice(), LONG, s, p)
    }),
    slow("probit: both schemes agree, six objects", |s, p| checks::schemes_agree(STEPS, s, p)),
    slow("gaussian: every kernel alone, pseudo-weight 0", |s, p| {
        alone(GAUSSIAN.of(gamma_weights(0.0), toys::four_objects()), &checks::GAUSSIAN_KERNELS, s, p)
    }),
    slow("gaussian: every kernel alone, pseudo-weight 1.5", |s, p| {
        alone(GAUSSIAN.of(gamma_weights(1.5), toys::four_objects()), &checks::GAUSSIAN_KERNELS, s, p)
    }),
    slow("dd-IBP: enumeration, exponential decay", |s, p| ddibp_checks::enumerate(VARIANTS[0].2, LONG, s, p)),
    slow("dd-IBP: enumeration, window", |s, p| ddibp_checks::enumerate(VARIANTS[1].2, LONG, s, p)),
    slow("dd-IBP: every kernel alone, all decays and distances", |s, p| {
        let part = |at: usize| {
            let share = |done: f64| p((at as f64 + done) / VARIANTS.len() as f64);
            (VARIANTS[at].0, alone(ddibp_checks::subject(VARIANTS[at]), &ddibp_checks::KERNELS, s, &share))
        };
        Verdict::join((0..VARIANTS.len()).map(part))
    }),
    slow("dd-IBP prior: numbers of bits are Poisson, 1e6 draws", |s, p| {
        ddibp_checks::numbers_are_poisson(1_000_000, PRIOR_LEVEL, s, p)
    }),
    slow("prior: numbers of bits are Poisson, 1e6 draws", |s, p| {
        prior_checks::numbers_are_poisson(100_000, PRIOR_LEVEL, s, p)
    }),
    slow("prior: sticks are the buffet, 1e6 draws", |s, p| {
        prior_checks::sticks_are_the_buffet(1_000_000, PRIOR_LEVEL, s, p)
    }),
    fast("probit: Geweke, default settings", |s, p| geweke(&default_probit(), STEPS / 3, s, p)),
    fast("probit: rows of objects on two threads", |s, p| {
        alone_on(2000, scale_checks::few_on_threads(), &SHARED, s, p)
    }),
    fast("probit: rows of codes of two words", |s, p| {
        alone_on(800, scale_checks::two_words(rows_only()), &[Kernel::Rows], s, p)
    }),
    fast("probit: kernels alone, paths for many objects, few draws", |s, p| {
        alone_on(5000, scale_checks::many_objects(Schedule::once([])), &SCALED, s, p)
    }),
    fast("probit: densities of proposals", |s, _| densities(300, s)),
    fast("groups of flips change no draw", |s, _| groups(100, s)),
    fast("bounds change no draw", |s, p| bounds(400, s, p)),
    fast("probit: table of expected bits, paths for many objects", |_, _| prior_checks::rate_table(LOWERED)),
    fast("probit: Geweke, births", |s, p| geweke(&probit(0.0, toys::probit_births()), STEPS, s, p)),
    fast("probit: Geweke, slice", |s, p| geweke(&probit(1.5, toys::probit_slice()), STEPS, s, p)),
    fast("probit: rows of independent objects at once", |s, p| {
        let subject = PROBIT.of(toys::free_probit(1.5, rows_only()), toys::eight_objects());
        alone(subject, &[Kernel::Rows], s, p)
    }),
    fast("probit: Geweke, settings for judgements", |s, p| geweke(&default_judgements(), STEPS / 3, s, p)),
    fast("probit: Geweke, logistic link", |s, p| geweke(&logistic_probit(toys::probit_births()), STEPS / 2, s, p)),
    fast("probit: Geweke, slice, logistic link", |s, p| {
        geweke(&logistic_probit(toys::probit_slice()), STEPS / 3, s, p)
    }),
    fast("gaussian: Geweke, logistic link", |s, p| geweke(&logistic_gaussian(), STEPS, s, p)),
    fast("gaussian: short enumeration, all moves, logistic link", |s, p| {
        checks::enumerate_gaussian(Logistic(0.8), toys::gaussian_moves(), SHORT, s, p)
    }),
    fast("probit: short enumeration, births, logistic link", |s, p| {
        checks::enumerate_probit(toys::fixed_logistic(0.8), toys::probit_births(), SHORT / 2, s, p)
    }),
    fast("gaussian: Geweke, judges", |s, p| geweke(&judged_gaussian(), STEPS, s, p)),
    fast("probit: Geweke, judges", |s, p| geweke(&judged_probit(), STEPS / 2, s, p)),
    fast("probit: short enumeration, no inputs", |s, p| {
        checks::enumerate_buffet(0.8, toys::probit_births(), SHORT / 2, s, p)
    }),
    fast("probit: Geweke, no inputs", |s, p| geweke(&no_inputs(), STEPS / 3, s, p)),
    fast("gaussian: Geweke, Gamma weights", |s, p| geweke(&gaussian(gamma_weights(0.0)), STEPS, s, p)),
    fast("gaussian: Geweke, unit weights and pseudo-weight", |s, p| geweke(&gaussian(unit_weights()), STEPS, s, p)),
    fast("dd-IBP: Geweke, exponential decay", |s, p| geweke(&ddibp_checks::subject(VARIANTS[0]), STEPS, s, p)),
    fast("dd-IBP: Geweke, window", |s, p| geweke(&ddibp_checks::subject(VARIANTS[1]), STEPS, s, p)),
    fast("dd-IBP: Geweke, logistic decay", |s, p| geweke(&ddibp_checks::subject(VARIANTS[2]), STEPS, s, p)),
    fast("dd-IBP: Geweke, output distances", |s, p| geweke(&ddibp_checks::subject(VARIANTS[3]), STEPS, s, p)),
    fast("dd-IBP: short enumeration, exponential decay", |s, p| ddibp_checks::enumerate(VARIANTS[0].2, SHORT, s, p)),
    fast("dd-IBP: short enumeration, window", |s, p| ddibp_checks::enumerate(VARIANTS[1].2, SHORT, s, p)),
    fast("dd-IBP prior: known cases", |_, _| ddibp_checks::known_cases()),
    fast("dd-IBP prior: numbers of bits are Poisson", |s, p| ddibp_checks::numbers_are_poisson(40_000, LEVEL, s, p)),
    fast("probit: short enumeration, births", |s, p| {
        checks::enumerate_probit(toys::fixed_preference(2.0), toys::probit_births(), SHORT / 2, s, p)
    }),
    fast("probit: short enumeration, slice", |s, p| {
        checks::enumerate_probit(toys::fixed_preference(2.0), toys::probit_slice(), SHORT / 2, s, p)
    }),
    fast("gaussian: short enumeration, all moves", |s, p| {
        checks::enumerate_gaussian(Ratio(0.0), toys::gaussian_moves(), SHORT, s, p)
    }),
    fast("gaussian: short enumeration, rows only", |s, p| {
        checks::enumerate_gaussian(Ratio(0.0), rows_only(), SHORT, s, p)
    }),
    fast("gaussian: short enumeration, all moves, pseudo-weight 2", |s, p| {
        checks::enumerate_gaussian(Ratio(2.0), toys::gaussian_moves(), SHORT, s, p)
    }),
    fast("prior: numbers of bits are Poisson", |s, p| prior_checks::numbers_are_poisson(20_000, LEVEL, s, p)),
    fast("prior: sticks are the buffet", |s, p| prior_checks::sticks_are_the_buffet(40_000, LEVEL, s, p)),
    fast("prior: sums over all classes", |_, _| prior_checks::classes_sum_to_poisson()),
    fast("probit: table of expected bits", |_, _| prior_checks::rate_table(Limits::STANDARD)),
    fast("probit: scores of draws", |_, _| after_draw::scores()),
    fast("probit: preferences about unseen objects", |s, _| preference_checks::probit(s)),
    fast("gaussian: codes of an unseen object, new bits among them", |s, _| encoder_checks::gaussian_codes(s)),
    fast("probit: refitted coefficients", |_, _| after_draw::refits()),
];

/// All checks, including those of models that provide a small problem of their own.
pub fn checks() -> Vec<Check> {
    super::registered::checks().into_iter().chain(CHECKS.iter().cloned()).collect()
}

/// Runs checks on `n_threads` threads, each with the seed that `seed_of` gives it. `progress` is told the number of the check and the share of it that is done.
pub fn run(
    checks: &[Check],
    seed_of: impl Fn(&Check) -> u64 + Sync,
    n_threads: usize,
    progress: &(dyn Fn(usize, f64) + Sync),
) -> Vec<Outcome> {
    map(n_threads, checks.len(), |at| {
        let start = Instant::now();
        let verdict = (checks[at].run)(seed_of(&checks[at]), &|share| progress(at, share));
        progress(at, 1.0);
        Outcome { verdict, time: start.elapsed() }
    })
}
