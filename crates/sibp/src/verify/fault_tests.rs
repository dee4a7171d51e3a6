//! Shows that the checks detect sampler bugs: each planted fault is rejected, at a fixed seed and without retry.

use super::*;
use crate::fault::{ALL, Fault, with_fault};
use crate::likelihood::probit::Limits;
use crate::model::{DdIbpModel, GammaPrior, GaussianModel, LapsePrior, Model, ProbitModel};
use crate::schedule::{Kernel, Regression, Schedule};

const SEED: u64 = 20_261_115;
const N_DRAWS: usize = 10_000;

/// The check that must reject a fault.
#[derive(Debug, Clone, Copy, PartialEq)]
enum By {
    EnumeratedRows,
    EnumeratedMoves,
    Gaussian(Kernel),
    Probit(Kernel),
    /// With a logistic link.
    Logistic(Kernel),
    /// With a lapse rate for each judge.
    Judged(Kernel),
    ProbitClasses,
    ProbitSlice,
    /// With given bits, whose weights have a prior of their own.
    ProbitGiven(Kernel),
    /// On a circle of eight objects, pseudo-weight 0.
    ProbitCircle(Kernel),
    ProbitManyObjects(Kernel),
    ProbitThreads,
    ProbitParts,
    ProbitTwoWords,
    DdIbp(Kernel),
    Bounds,
    Groups,
    Densities,
    RateTable,
    RateTableOfMany,
    /// A kernel that does nothing, in a whole schedule.
    Geweke,
    Scores,
    Refits,
    Preferences,
    GaussianCodes,
    /// No check of a sampler but a test of its own: `extend/tests.rs`.
    OwnTest,
}

fn rejected_by(fault: Fault) -> By {
    use By::*;
    const BIRTHS: Kernel = Kernel::Births { each: 1 };
    const ALBERT_CHIB: Kernel = Kernel::Regressions(Regression::AlbertChib);
    const NEIGHBOURHOODS: Kernel = Kernel::Neighbourhoods { births: 2, flips: 2 };
    match fault {
        Fault::StorageOrderScan | Fault::SingletonGibbs => EnumeratedRows,
        Fault::SingletonsKept => EnumeratedMoves,
        Fault::ForgottenFar
        | Fault::ForgottenAnchor
        | Fault::BirthRate
        | Fault::BirthsWithoutTriplets
        | Fault::StaleSums => Gaussian(Kernel::Rows),
        Fault::WeightKept => Gaussian(Kernel::Columns { births: 2, complements: 2 }),
        Fault::BestCentreOnly | Fault::FlipWithoutPrior => Gaussian(NEIGHBOURHOODS),
        Fault::MeanImages => Gaussian(Kernel::Variances),
        Fault::WeightJacobian => Gaussian(Kernel::Weights),
        Fault::LapseJacobian => Gaussian(Kernel::Lapse),
        Fault::SlopeJacobian => Logistic(Kernel::Slope),
        Fault::AnchorCountsOnce => Logistic(Kernel::Rows),
        Fault::FirstJudges => Judged(Kernel::Rows),
        Fault::LapseOfAll => Judged(Kernel::Lapse),
        Fault::RescaledAnyway => Gaussian(Kernel::WeightScale),
        Fault::HopelessTooSoon
        | Fault::BirthsHopelessTooSoon
        | Fault::GainKeptAfterFlip
        | Fault::BoundsKeptAfterFlip => Bounds,
        Fault::HarmonicRate => Probit(Kernel::Concentration),
        Fault::ConjugateVariance => Probit(Kernel::Variances),
        Fault::LinearRateTable => RateTable,
        Fault::BinsWithoutSign => RateTableOfMany,
        Fault::EllipseOfJoint => Probit(Kernel::Regressions(Regression::Elliptical)),
        Fault::CoefficientsWithoutPrior | Fault::UtilitiesWithStick | Fault::SticksWithoutIntensity => {
            Probit(ALBERT_CHIB)
        }
        Fault::PartsFromTheFirst => ProbitParts,
        Fault::NormalSticks => Probit(Kernel::Sticks),
        Fault::HyperWhileSliced | Fault::SliceWithoutStick | Fault::UnthinnedAtoms => ProbitSlice,
        Fault::BirthsWithoutNumber
        | Fault::ForeignDeath
        | Fault::LaplaceWithoutDeterminant
        | Fault::GuidedNeverAccepted => Probit(BIRTHS),
        Fault::GuidedByItself => ProbitCircle(BIRTHS),
        Fault::GuidedOtherOrder | Fault::DeathByAllGuides | Fault::OneCoin => Densities,
        Fault::SumsNotRotated => ProbitManyObjects(ALBERT_CHIB),
        Fault::TailForgotten => ProbitManyObjects(BIRTHS),
        Fault::GivenByLearnedPrior => ProbitGiven(Kernel::Weights),
        Fault::GivenBitsForgotten => ProbitGiven(Kernel::Rows),
        Fault::ClassTakesAll => ProbitClasses,
        Fault::OneThreadCounted => ProbitThreads,
        Fault::GroupOfOneWord => ProbitTwoWords,
        Fault::GroupGoesOn => Groups,
        Fault::ComplementAlways => Probit(Kernel::Complements),
        Fault::IdleKernel => Geweke,
        Fault::LinkThroughCut | Fault::LinkAlone => DdIbp(Kernel::Links),
        Fault::EqualOwners => DdIbp(Kernel::Owners),
        Fault::RankedByJoint | Fault::EqualBitsCounted => Scores,
        Fault::FewRefitSteps => Refits,
        Fault::OwnBitsForgotten => GaussianCodes,
        Fault::TrainingBitsForgotten | Fault::PreferenceOfMeans => Preferences,
        Fault::LinkedHarmonic => DdIbp(Kernel::LinkedColumns { births: 2 }),
        Fault::ExtensionAlways | Fault::ExtensionCountsTwice => By::OwnTest,
    }
}

/// Draws that serve all single-kernel checks.
struct Joint {
    gaussian: JointDraws<GaussianModel>,
    logistic: JointDraws<GaussianModel>,
    judged: JointDraws<GaussianModel>,
    probit: JointDraws<ProbitModel>,
    slice: JointDraws<ProbitModel>,
    classes: JointDraws<ProbitModel>,
    given: JointDraws<ProbitModel>,
    circle: JointDraws<ProbitModel>,
    many_objects: JointDraws<ProbitModel>,
    threads: JointDraws<ProbitModel>,
    parts: JointDraws<ProbitModel>,
    two_words: JointDraws<ProbitModel>,
    ddibp: JointDraws<DdIbpModel>,
}

fn draws<M: Model>(subject: Subject<M>) -> JointDraws<M> {
    JointDraws::new(subject, N_DRAWS, SEED)
}

fn with_given_bits() -> Subject<ProbitModel> {
    let mut model = toys::free_probit(1.5, Schedule::once([]));
    model.preference.given_weights = Some(GammaPrior::Gamma { shape: 4.0, rate: 1.0 });
    PROBIT.of(model, toys::six_objects_with_given_bits())
}

/// Enough answers of two judges, of whose rates little is known beforehand, to tell their rates apart.
fn often_judged() -> Subject<GaussianModel> {
    let mut model = toys::logistic_gaussian();
    model.preference.lapse = LapsePrior::Beta { a: 1.0, b: 1.0 };
    GAUSSIAN.of(model, toys::with_judges(toys::circle(12, 5)))
}

impl Joint {
    fn new() -> Self {
        let (data, none) = (toys::four_objects(), Schedule::once([]));
        Self {
            gaussian: draws(GAUSSIAN.of(toys::free_gaussian(1.5, none.clone()), data.clone())),
            probit: draws(PROBIT.of(toys::free_probit(1.5, none.clone()), data.clone())),
            logistic: draws(GAUSSIAN.of(toys::logistic_gaussian(), data.clone())),
            judged: draws(often_judged()),
            // A fault that feeds on itself takes long.
            slice: JointDraws::new(PROBIT.of(toys::free_probit(1.5, none.clone()), data), 3000, SEED),
            classes: draws(PROBIT.of(toys::free_probit(1.5, none.clone()), toys::eight_objects())),
            given: JointDraws::new(with_given_bits(), 6000, SEED),
            circle: draws(PROBIT.of(toys::free_probit(0.0, none.clone()), toys::circle(8, 3))),
            many_objects: JointDraws::new(scale_checks::many_objects(none), 2000, SEED),
            threads: JointDraws::new(scale_checks::few_on_threads(), 500, SEED),
            parts: JointDraws::new(scale_checks::two_parts(), 60, SEED),
            two_words: JointDraws::new(scale_checks::two_words(Schedule::once([])), 800, SEED),
            ddibp: draws(ddibp_checks::subject(ddibp_checks::VARIANTS[3])),
        }
    }

    fn run(&self, by: By) -> Verdict {
        let rows = Schedule::once([Kernel::Rows]);
        match by {
            By::EnumeratedRows => {
                checks::enumerate_gaussian(gaussian_exact::ExactLink::Ratio(0.0), rows, 400_000, SEED, &|_| ())
            }
            By::EnumeratedMoves => checks::enumerate_gaussian(
                gaussian_exact::ExactLink::Ratio(0.0),
                toys::gaussian_moves(),
                40_000,
                SEED,
                &|_| (),
            ),
            By::Judged(kernel) => self.judged.kernels(&[kernel], SEED, &|_| ()),
            By::Logistic(kernel) => self.logistic.kernels(&[kernel], SEED, &|_| ()),
            By::Gaussian(kernel) => self.gaussian.kernels(&[kernel], SEED, &|_| ()),
            By::Probit(kernel) => self.probit.kernels(&[kernel], SEED, &|_| ()),
            By::ProbitSlice => self.slice.kernels(&[Kernel::SliceRows], SEED, &|_| ()),
            By::ProbitClasses => self.classes.kernels(&[Kernel::Rows], SEED, &|_| ()),
            By::ProbitGiven(kernel) => self.given.kernels(&[kernel], SEED, &|_| ()),
            By::ProbitCircle(kernel) => self.circle.kernels(&[kernel], SEED, &|_| ()),
            By::ProbitManyObjects(kernel) => self.many_objects.kernels(&[kernel], SEED, &|_| ()),
            By::ProbitThreads => self.threads.kernels(&[Kernel::Rows], SEED, &|_| ()),
            By::ProbitParts => self.parts.kernels(&[Kernel::Regressions(Regression::AlbertChib)], SEED, &|_| ()),
            By::ProbitTwoWords => self.two_words.kernels(&[Kernel::Rows], SEED, &|_| ()),
            By::DdIbp(kernel) => self.ddibp.kernels(&[kernel], SEED, &|_| ()),
            By::Scores => after_draw::scores(),
            By::Refits => after_draw::refits(),
            By::Preferences => preference_checks::probit(SEED),
            By::GaussianCodes => encoder_checks::gaussian_codes(SEED),
            By::OwnTest => unreachable!("its own test finds it"),
            By::Bounds => suite::bounds(400, SEED, &|_| ()),
            By::Groups => suite::groups(100, SEED),
            By::Densities => suite::densities(300, SEED),
            By::RateTable => prior_checks::rate_table(Limits::STANDARD),
            By::RateTableOfMany => prior_checks::rate_table(scale_checks::LOWERED),
            By::Geweke => geweke(&suite::default_probit(), 2000, SEED, &|_| ()),
        }
    }
}

#[test]
fn every_planted_fault_is_rejected_and_nothing_else() {
    let joint = Joint::new();
    let mut sound: Vec<By> = Vec::new();
    let mut missed = Vec::new();
    for &fault in ALL {
        let by = rejected_by(fault);
        if by == By::OwnTest {
            continue;
        }
        if !sound.contains(&by) {
            let verdict = joint.run(by);
            assert!(verdict.passed, "without a fault {by:?} must pass: {:?}", verdict.worst());
            sound.push(by);
        }
        let verdict = with_fault(fault, || joint.run(by));
        let worst = verdict.worst().unwrap();
        println!("| {fault:?} | {by:?} | {} | {:.3} | {:.3} |", worst.statistic, worst.value, worst.limit);
        if verdict.passed {
            missed.push(fault);
        }
    }
    assert!(missed.is_empty(), "missed: {missed:?}");
}

/// A kernel that does nothing keeps every distribution; that it moves nothing gives it away, alone and in a schedule.
#[test]
fn a_kernel_that_does_nothing_is_refused() {
    let alone = |kernel: Kernel| {
        let subject = PROBIT.of(toys::free_probit(1.5, Schedule::once([])), toys::four_objects());
        JointDraws::new(subject, 500, SEED).kernels(&[kernel], SEED, &|_| ())
    };
    let moved = |verdict: &Verdict| verdict.rows.iter().filter(|row| !row.passed()).count();
    assert!(alone(Kernel::Complements).passed, "{:?}", alone(Kernel::Complements).worst());
    let idle = with_fault(Fault::IdleKernel, || alone(Kernel::Complements));
    let scores = idle.rows.iter().filter(|row| row.statistic.contains("stick"));
    assert!(scores.clone().count() > 0 && scores.clone().all(|row| row.value == 0.0), "nothing moved: {idle:?}");
    assert_eq!(moved(&idle), 2, "no draw changed, and no complement was accepted: {idle:?}");
    let calibrated = || calibrate(&suite::default_probit(), 2, SEED, &|_| ());
    let failed = with_fault(Fault::IdleKernel, calibrated);
    assert!(failed.rows.iter().any(|row| row.statistic.starts_with("Complements") && !row.passed()), "{failed:?}");
}
