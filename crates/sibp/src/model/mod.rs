//! Defines the models: the joint density, the starting state of a chain, and how data are simulated.

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

pub use crate::prior::hyper::{GammaPrior, LapsePrior, SlopePrior, VariancePrior};
pub use crate::prior::proximity::{Decay, DecayChoice, DecayKind, Distance, UnknownDecay};
pub use crate::schedule::{Kernel, Regression, Schedule, ScheduleError, Step};
pub use crate::state::{
    DdIbpModel, DdIbpScratch, DdIbpState, GaussianModel, GaussianScratch, GaussianState, LatentCode, Link, LinkError,
    MAX_LINKED_OBJECTS, Observations, ObservationsError, Positions, PreferencePrior, PreferenceScratch, Preset,
    ProbitModel, ProbitScratch, ProbitState, Proposal, RATE_ERROR, Start, StartError, Tally,
};

use crate::fault::{Fault, planted};
use crate::rng::{Purpose, Streams};
use crate::trace::{Draw, Record, RestoreError};
use rand_chacha::ChaCha8Rng;

/// Threads for the setup, and for every chain's sweeps. No draw depends on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threads {
    /// Threads while tables are computed.
    pub setup: usize,
    /// Threads while a chain sweeps; models that cannot use several take one.
    pub sweep: usize,
}

impl Threads {
    /// One thread for each.
    pub const ONE: Self = Self { setup: 1, sweep: 1 };
}

/// The function that applies a kernel to the state of a model.
pub type Transition<M> =
    Box<dyn Fn(&M, &Observations, &mut <M as Model>::State, &mut <M as Model>::Scratch, &mut ChaCha8Rng) + Send + Sync>;

/// Boxes the function of a kernel.
pub(crate) fn transition<M: Model>(
    step: impl Fn(&M, &Observations, &mut M::State, &mut M::Scratch, &mut ChaCha8Rng) + Send + Sync + 'static,
) -> Option<Transition<M>> {
    Some(Box::new(step))
}

/// A joint density of state and observations, with a sweep that leaves the posterior invariant.
pub trait Model: Sync + Sized + 'static {
    /// The state of a chain: everything that the next draw depends on, and everything that is stored.
    type State: Clone + Send;
    /// Tables derived from the observations, and reusable scratch buffers. Never stored.
    type Scratch: Clone + Send;

    /// Computes the tables.
    fn prepare(&self, data: &Observations, threads: Threads) -> Self::Scratch;
    /// Updates the tables after [`Model::simulate`] changed the observations.
    fn refresh(&self, data: &Observations, scratch: &mut Self::Scratch);
    /// Draws the starting state of a chain.
    fn start(&self, data: &Observations, scratch: &Self::Scratch, rng: &mut ChaCha8Rng) -> Self::State;
    /// A draw of the state from its prior, for observations of the same shape.
    fn draw_prior(&self, shape: &Observations, scratch: &Self::Scratch, rng: &mut ChaCha8Rng) -> Self::State;
    /// Replaces the observations by a draw given the state; triplets keep their three objects, only near and far may
    /// swap.
    fn simulate(&self, state: &Self::State, data: &mut Observations, rng: &mut ChaCha8Rng);
    /// The kernels of a sweep.
    fn schedule(&self) -> &Schedule;
    /// The function of a kernel; `None` where the model does not have it.
    fn transition(kernel: Kernel) -> Option<Transition<Self>>;
    /// The kinds of proposal that a kernel makes and counts, each of which must be accepted now and then.
    fn proposals(_kernel: Kernel) -> &'static [Proposal] {
        &[]
    }
    /// The proposals that were counted with this scratch.
    fn tally(_scratch: &Self::Scratch) -> Tally {
        Tally::default()
    }
    /// Updates the scratch from the state before a sweep.
    fn begin_sweep(&self, _data: &Observations, _state: &Self::State, _scratch: &mut Self::Scratch) {}
    /// Marks in the scratch what the kernels have kept up to date.
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
            if planted(Fault::IdleKernel) && matches!(step.kernel, Kernel::Complements | Kernel::Neighbourhoods { .. })
            {
                continue;
            }
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
    /// The log joint density with everything integrated out whose number of dimensions depends on the number of bits, so
    /// that draws with any numbers of bits can be compared by it.
    fn score(&self, data: &Observations, state: &Self::State, scratch: &mut Self::Scratch) -> f64 {
        self.record(data, state, scratch).log_joint
    }
    /// The numbers recorded for every sweep; `scratch` provides buffers.
    fn record(&self, data: &Observations, state: &Self::State, scratch: &mut Self::Scratch) -> Record;
    /// The state in its stored form, with the tensors that encoding needs.
    fn to_draw(&self, data: &Observations, state: &Self::State, scratch: &Self::Scratch, sweep: u64) -> Draw;
    /// Adds to a draw what encoding needs and is too costly to compute for every draw.
    fn finish(&self, _data: &Observations, _scratch: &Self::Scratch, _draw: &mut Draw) -> Result<(), RestoreError> {
        Ok(())
    }
    /// Restores the state of a stored draw.
    fn restore(&self, data: &Observations, scratch: &Self::Scratch, draw: &Draw) -> Result<Self::State, RestoreError>;
}
