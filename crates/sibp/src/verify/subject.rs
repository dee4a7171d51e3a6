//! Holds what a check needs of a model: a small problem, and what to look at in it.

use crate::model::{Model, Observations, Proposal, Schedule, Threads};
use crate::schedule::Kernel;

/// What is looked at in the states of a model and in data.
pub struct Statistics<M: Model> {
    /// One name a value.
    pub names: &'static [&'static str],
    /// The values.
    pub values: fn(&M, &Observations, &M::State) -> Vec<f64>,
    /// Steps of a chain for each draw from the prior that it is compared with: more where such draws cost more.
    pub steps_a_draw: u64,
    /// Whether a kernel has nothing to draw under the model's priors, for data of this shape. Every other kernel must
    /// move some statistic.
    pub idle: fn(&M, &Observations, Kernel) -> bool,
}

impl<M: Model> Statistics<M> {
    /// A model on data of a shape, with these statistics.
    pub fn of(self, model: M, shape: Observations) -> Subject<M> {
        Subject {
            model,
            shape,
            statistics: self,
            prepare: |model, data| model.prepare(data, Threads::ONE),
            in_rows: &[],
        }
    }
}

/// A model on a small problem. All checks of a sampler take one, whatever the model.
pub struct Subject<M: Model> {
    /// The model, with the schedule that is checked.
    pub model: M,
    /// The shape of the data, which are simulated.
    pub shape: Observations,
    /// What is looked at.
    pub statistics: Statistics<M>,
    /// Computes the tables: on one thread, unless a check wants more, or the paths of larger problems.
    pub prepare: fn(&M, &Observations) -> M::Scratch,
    /// Kinds of proposal that the update of rows makes here, besides those that it always makes.
    pub in_rows: &'static [Proposal],
}

impl<M: Model> Subject<M> {
    pub(super) fn names(&self) -> &'static [&'static str] {
        self.statistics.names
    }

    pub(super) fn values(&self, data: &Observations, state: &M::State) -> Vec<f64> {
        (self.statistics.values)(&self.model, data, state)
    }

    /// Computes the tables for the shape.
    pub(super) fn scratch(&self) -> M::Scratch {
        (self.prepare)(&self.model, &self.shape)
    }

    pub(super) fn is_idle(&self, kernel: Kernel) -> bool {
        (self.statistics.idle)(&self.model, &self.shape, kernel)
    }

    /// The kinds of proposal that a run by `schedule` must make and accept.
    pub(super) fn proposals(&self, schedule: &Schedule) -> Vec<Proposal> {
        let mut all: Vec<Proposal> = Vec::new();
        for step in &schedule.steps {
            let here: &[Proposal] = if step.kernel == Kernel::Rows { self.in_rows } else { &[] };
            for &kind in M::proposals(step.kernel).iter().chain(here) {
                if !all.contains(&kind) {
                    all.push(kind);
                }
            }
        }
        all
    }
}
