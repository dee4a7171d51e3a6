//! Checks the probit kernels where they work in another way: on several threads, with codes of several words, and on the
//! paths for many objects, whose sizes are lowered so that small problems take them.

use super::{PROBIT, Subject, toys};
use crate::likelihood::probit::Limits;
use crate::model::{ProbitModel, Proposal, Threads};
use crate::parallel::PART;
use crate::schedule::{Kernel, Regression, Schedule};

/// Two threads.
const TWO: Threads = Threads { setup: 1, sweep: 2 };

/// Sizes at which eight objects are many: rows are not rotated, a sample of them starts each fit, heights are binned,
/// outer objects stand for all in the control variate, every other triplet of a role guides no proposal, and flips are
/// scored together after the first rejected one.
pub(super) const LOWERED: Limits = Limits {
    head: 1,
    many_objects: 3,
    sample: 6,
    few_objects: 3,
    multiplications: 50_000,
    outer_objects: 5,
    guides: 2,
    take: 2,
    assigned: true,
    calm: 1,
};

/// Kernels that work in another way with many objects.
pub(super) const SCALED: [Kernel; 6] = [
    Kernel::Rows,
    Kernel::Births { each: 1 },
    Kernel::Regressions(Regression::AlbertChib),
    Kernel::Regressions(Regression::Elliptical),
    Kernel::Concentration,
    Kernel::Variances,
];

/// Kernels that share the objects among threads.
pub(super) const SHARED: [Kernel; 2] = [Kernel::Rows, Kernel::Regressions(Regression::AlbertChib)];

/// Eight objects on the paths for many.
pub(super) fn many_objects(schedule: Schedule) -> Subject<ProbitModel> {
    Subject {
        in_rows: &[Proposal::GroupedFlip],
        prepare: |model, data| model.prepare_within(data, Threads::ONE, LOWERED),
        ..PROBIT.of(toys::free_probit(1.5, schedule), toys::circle(8, 3))
    }
}

/// Few objects, of which each thread takes two at a time.
pub(super) fn few_on_threads() -> Subject<ProbitModel> {
    Subject {
        in_rows: &[Proposal::SharedColour],
        prepare: |model, data| model.prepare_within(data, TWO, Limits { take: 2, assigned: true, ..Limits::STANDARD }),
        ..PROBIT.of(toys::free_probit(1.5, Schedule::once([])), toys::circle(24, 1))
    }
}

/// More objects of one colour than a thread takes at a time.
pub(super) fn many_on_threads(n_objects: u32) -> Subject<ProbitModel> {
    Subject {
        in_rows: &[Proposal::SharedColour],
        prepare: |model, data| model.prepare_within(data, TWO, Limits::STANDARD),
        ..PROBIT.of(toys::free_probit(1.5, Schedule::once([])), toys::circle(n_objects, 1))
    }
}

/// Objects that fill a part and a half.
pub(super) fn two_parts() -> Subject<ProbitModel> {
    many_on_threads(PART as u32 * 3 / 2)
}

/// Codes of more than one word, whose flips are scored together.
pub(super) fn two_words(schedule: Schedule) -> Subject<ProbitModel> {
    Subject {
        in_rows: &[Proposal::GroupedFlip],
        prepare: |model, data| model.prepare_within(data, Threads::ONE, Limits { calm: 2, ..Limits::STANDARD }),
        ..PROBIT.of(toys::wide_probit(schedule), toys::circle(8, 3))
    }
}
