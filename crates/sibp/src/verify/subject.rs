//! Holds what a check needs of a model: a small problem, and what to look at in it.

use crate::model::{Model, Observations};

/// What is looked at in the states of a model and in data.
pub struct Statistics<M: Model> {
    /// One name a value.
    pub names: &'static [&'static str],
    /// The values.
    pub values: fn(&M, &Observations, &M::State) -> Vec<f64>,
    /// Steps of a chain for each draw from the prior that it is compared with: more where such draws cost more.
    pub steps_a_draw: u64,
}

impl<M: Model> Statistics<M> {
    /// A model on data of a shape, with these statistics.
    pub fn of(self, model: M, shape: Observations) -> Subject<M> {
        Subject { model, shape, statistics: self }
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
}

impl<M: Model> Subject<M> {
    pub(super) fn names(&self) -> &'static [&'static str] {
        self.statistics.names
    }

    pub(super) fn values(&self, data: &Observations, state: &M::State) -> Vec<f64> {
        (self.statistics.values)(&self.model, data, state)
    }
}
