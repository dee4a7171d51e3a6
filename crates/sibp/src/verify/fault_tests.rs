//! Shows that the checks detect sampler bugs: each planted fault is rejected, at a fixed seed and without retry.

use super::*;
use crate::fault::{ALL, Fault, with_fault};
use crate::model::{DdIbpModel, GaussianModel, Model, ProbitModel};
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
    ProbitClasses,
    DdIbp(Kernel),
    RateTable,
}

fn rejected_by(fault: Fault) -> By {
    use By::{DdIbp, EnumeratedMoves, EnumeratedRows, Gaussian, Probit, ProbitClasses, RateTable};
    match fault {
        Fault::StorageOrderScan | Fault::SingletonGibbs => EnumeratedRows,
        Fault::SingletonsKept => EnumeratedMoves,
        Fault::ForgottenFar
        | Fault::ForgottenAnchor
        | Fault::BirthRate
        | Fault::BirthsWithoutTriplets
        | Fault::StaleSums => Gaussian(Kernel::Rows),
        Fault::WeightKept => Gaussian(Kernel::Columns { births: 2, complements: 2 }),
        Fault::MeanImages => Gaussian(Kernel::Variances),
        Fault::WeightJacobian => Gaussian(Kernel::Weights),
        Fault::LapseJacobian => Gaussian(Kernel::Lapse),
        Fault::RescaledAnyway => Gaussian(Kernel::WeightScale),
        Fault::HarmonicRate => Probit(Kernel::Concentration),
        Fault::ConjugateVariance => Probit(Kernel::Variances),
        Fault::LinearRateTable => RateTable,
        Fault::EllipseOfJoint => Probit(Kernel::Regressions(Regression::Elliptical)),
        Fault::NormalSticks => Probit(Kernel::Sticks),
        Fault::HyperWhileSliced | Fault::SliceWithoutStick | Fault::UnthinnedAtoms => Probit(Kernel::SliceRows),
        Fault::BirthsWithoutNumber | Fault::ForeignDeath => Probit(Kernel::Births { each: 1 }),
        Fault::ClassTakesAll => ProbitClasses,
        Fault::ComplementAlways => Probit(Kernel::Complements),
        Fault::LinkThroughCut | Fault::LinkAlone => DdIbp(Kernel::Links),
        Fault::EqualOwners => DdIbp(Kernel::Owners),
        Fault::LinkedHarmonic => DdIbp(Kernel::LinkedColumns { births: 2 }),
    }
}

/// Draws that serve all single-kernel checks.
struct Joint {
    gaussian: JointDraws<GaussianModel>,
    probit: JointDraws<ProbitModel>,
    classes: JointDraws<ProbitModel>,
    ddibp: JointDraws<DdIbpModel>,
}

fn draws<M: Model>(subject: Subject<M>) -> JointDraws<M> {
    JointDraws::new(subject, N_DRAWS, SEED)
}

impl Joint {
    fn new() -> Self {
        let (data, none) = (toys::four_objects(), Schedule::once([]));
        Self {
            gaussian: draws(GAUSSIAN.of(toys::free_gaussian(1.5, none.clone()), data.clone())),
            probit: draws(PROBIT.of(toys::free_probit(1.5, none.clone()), data)),
            classes: draws(PROBIT.of(toys::free_probit(1.5, none), toys::eight_objects())),
            ddibp: draws(ddibp_checks::subject(ddibp_checks::VARIANTS[3])),
        }
    }

    fn run(&self, by: By) -> Verdict {
        let rows = Schedule::once([Kernel::Rows]);
        match by {
            By::EnumeratedRows => checks::enumerate_gaussian(0.0, rows, 400_000, SEED, &|_| ()),
            By::EnumeratedMoves => checks::enumerate_gaussian(0.0, toys::gaussian_moves(), 40_000, SEED, &|_| ()),
            By::Gaussian(kernel) => self.gaussian.kernels(&[kernel], SEED, &|_| ()),
            By::Probit(kernel) => self.probit.kernels(&[kernel], SEED, &|_| ()),
            By::ProbitClasses => self.classes.kernels(&[Kernel::Rows], SEED, &|_| ()),
            By::DdIbp(kernel) => self.ddibp.kernels(&[kernel], SEED, &|_| ()),
            By::RateTable => prior_checks::rate_table(),
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
