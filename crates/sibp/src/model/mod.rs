//! States the models: what the joint is, how a chain starts, how data are simulated from it.

#[macro_use]
mod registry_macro;

#[cfg(feature = "test-model")]
mod bernoulli;
mod ddibp;
mod definition;
mod gaussian;
mod options;
mod probit;
mod registry;
mod settings;

pub use definition::{About, Footprint, ModelDefinition, Reference, Shape, Training};
pub use options::ModelOptions;
pub use registry::{AnyModel, DefinitionVisitor, ModelKind, ModelVisitor, UnknownModel};
pub use settings::SettingsError;

pub use crate::prior::hyper::{GammaPrior, LapsePrior, VariancePrior};
pub use crate::prior::proximity::{Decay, DecayChoice, DecayKind, Distance, UnknownDecay};
pub use crate::schedule::{Kernel, Regression, Schedule, ScheduleError, Step};
pub use crate::state::{
    DdIbpModel, DdIbpScratch, DdIbpState, GaussianModel, GaussianScratch, GaussianState, LatentCode,
    MAX_LINKED_OBJECTS, Observations, ObservationsError, Positions, PreferencePrior, PreferenceScratch, Preset,
    ProbitModel, ProbitScratch, ProbitState, RATE_ERROR, Start, StartError,
};

use crate::rng::{Purpose, Streams};
use crate::trace::{Draw, Record, RestoreError};
use rand_chacha::ChaCha8Rng;

/// Threads of the work before the first sweep, and of every chain's sweeps. No draw depends on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threads {
    /// While tables are derived.
    pub setup: usize,
    /// While a chain sweeps; models that cannot use several take one.
    pub sweep: usize,
}

impl Threads {
    /// One each.
    pub const ONE: Self = Self { setup: 1, sweep: 1 };
}

/// What a kernel does to the state of a model.
pub type Transition<M> =
    Box<dyn Fn(&M, &Observations, &mut <M as Model>::State, &mut <M as Model>::Scratch, &mut ChaCha8Rng) + Send + Sync>;

/// Boxes what a kernel does.
pub(crate) fn transition<M: Model>(
    step: impl Fn(&M, &Observations, &mut M::State, &mut M::Scratch, &mut ChaCha8Rng) + Send + Sync + 'static,
) -> Option<Transition<M>> {
    Some(Box::new(step))
}

/// A joint density of state and observations, with a sweep that leaves the posterior invariant.
pub trait Model: Sync + Sized + 'static {
    /// All that the next draw depends on, and all that is stored.
    type State: Clone + Send;
    /// Tables derived from the observations, and memory that sweeps reuse. Never stored.
    type Scratch: Clone + Send;

    /// Derives the tables.
    fn prepare(&self, data: &Observations, threads: Threads) -> Self::Scratch;
    /// Brings the tables up to date after [`Model::simulate`] changed the observations.
    fn refresh(&self, data: &Observations, scratch: &mut Self::Scratch);
    /// A first state for a chain.
    fn start(&self, data: &Observations, scratch: &Self::Scratch, rng: &mut ChaCha8Rng) -> Self::State;
    /// A draw of the state from its prior, for observations of the same shape.
    fn draw_prior(&self, shape: &Observations, scratch: &Self::Scratch, rng: &mut ChaCha8Rng) -> Self::State;
    /// Replaces the observations by a draw given the state; triplets keep their questions, only answers are drawn.
    fn simulate(&self, state: &Self::State, data: &mut Observations, rng: &mut ChaCha8Rng);
    /// What a sweep does.
    fn schedule(&self) -> &Schedule;
    /// What a kernel does to the state; `None` where the model does not have it.
    fn transition(kernel: Kernel) -> Option<Transition<Self>>;
    /// Brings the scratch up to date with the state before a sweep.
    fn begin_sweep(&self, _data: &Observations, _state: &Self::State, _scratch: &mut Self::Scratch) {}
    /// Notes in the scratch what the kernels kept up to date.
    fn end_sweep(&self, _state: &Self::State, _scratch: &mut Self::Scratch) {}
    /// One pass of the schedule.
    ///
    /// # Panics
    /// When the schedule names a kernel that the model does not have, which its check refuses.
    fn sweep(
        &self,
        data: &Observations,
        state: &mut Self::State,
        scratch: &mut Self::Scratch,
        streams: &Streams,
        sweep: u64,
    ) {
        self.sweep_by(self.schedule(), (data, state, scratch), streams, sweep);
    }
    /// One pass of another schedule than the model's own.
    ///
    /// # Panics
    /// When the schedule names a kernel that the model does not have.
    fn sweep_by(
        &self,
        schedule: &Schedule,
        (data, state, scratch): (&Observations, &mut Self::State, &mut Self::Scratch),
        streams: &Streams,
        sweep: u64,
    ) {
        self.begin_sweep(data, state, scratch);
        for (at, step) in schedule.steps.iter().enumerate() {
            let Some(transition) = Self::transition(step.kernel) else {
                panic!("the schedule was not checked: the model has no {:?}", step.kernel)
            };
            let mut rng = streams.rng(Purpose::Kernel, at, sweep);
            for _ in 0..step.times {
                transition(self, data, state, scratch, &mut rng);
            }
        }
        self.end_sweep(state, scratch);
    }
    /// Log joint density of state and observations.
    fn log_joint(&self, data: &Observations, state: &Self::State) -> f64 {
        self.record(data, state, &mut self.prepare(data, Threads::ONE)).log_joint
    }
    /// The numbers kept of every sweep; `scratch` serves as memory.
    fn record(&self, data: &Observations, state: &Self::State, scratch: &mut Self::Scratch) -> Record;
    /// The state in its stored form, with what encoding needs beside it.
    fn to_draw(&self, data: &Observations, state: &Self::State, scratch: &Self::Scratch, sweep: u64) -> Draw;
    /// The state of a stored draw.
    fn restore(&self, data: &Observations, scratch: &Self::Scratch, draw: &Draw) -> Result<Self::State, RestoreError>;
}
