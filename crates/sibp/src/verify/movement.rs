//! Checks that kernels do something. One that does nothing leaves every distribution as it is, so no comparison of
//! distributions finds it; nor does one find a kind of proposal that is always rejected.

use super::single_kernel::{draw_jointly, passes};
use super::{Row, Subject};
use crate::model::{Model, Proposal, Tally};
use crate::schedule::{Kernel, Schedule};

/// Draws from the joint on which every kernel of a schedule is tried.
const N_TRIED: usize = 300;
/// Fewest of them that a kernel must change.
const FEWEST: u64 = 5;

/// A row that fails if something is wrong.
pub(super) fn fails_if(wrong: bool, statistic: String) -> Row {
    Row { statistic, value: f64::from(u8::from(wrong)), limit: 0.5 }
}

/// One row a kind of proposal: it must have been made and accepted.
pub(super) fn proposal_rows(tally: &Tally, kinds: &[Proposal]) -> Vec<Row> {
    let row = |&kind: &Proposal| {
        let count = tally.of(kind);
        fails_if(count.accepted == 0, format!("{kind:?}: {} of {} accepted", count.accepted, count.proposed))
    };
    kinds.iter().map(row).collect()
}

/// A row for a kernel that changed `n_changed` draws: some, unless it has nothing to draw, and then none.
pub(super) fn movement_row(kernel: Kernel, n_changed: u64, (fewest, idle): (u64, bool)) -> Row {
    let wrong = if idle { n_changed > 0 } else { n_changed < fewest };
    fails_if(wrong, format!("{kernel:?}: draws changed, {n_changed}"))
}

/// One row a kernel of the model's schedule: alone, it must change some draws from the joint.
pub(super) fn movement_rows<M: Model>(subject: &Subject<M>, seed: u64) -> Vec<Row> {
    let draws = draw_jointly(subject, N_TRIED, seed);
    let row = |kernel: Kernel| {
        let changes = passes(subject, &draws, &Schedule::once([kernel]), seed).changes;
        let most = changes.iter().map(|change| change.number).max().unwrap_or(0);
        movement_row(kernel, most, (FEWEST, subject.is_idle(kernel)))
    };
    let mut kernels: Vec<Kernel> = Vec::new();
    for step in &subject.model.schedule().steps {
        if !kernels.contains(&step.kernel) {
            kernels.push(step.kernel);
        }
    }
    kernels.into_iter().map(row).collect()
}

/// What every check of a whole schedule adds: all of its kernels move, and all of its proposals were accepted in the
/// run that counted them.
pub(super) fn rows_of_run<M: Model>(subject: &Subject<M>, scratch: &M::Scratch, seed: u64) -> Vec<Row> {
    let mut rows = proposal_rows(&M::tally(scratch), &subject.proposals(subject.model.schedule()));
    rows.extend(movement_rows(subject, seed));
    rows
}
