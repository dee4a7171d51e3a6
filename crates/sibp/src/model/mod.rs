//! States the models: what the joint is, how a chain starts, how data are simulated from it.

mod any;
mod ddibp;
mod gaussian;
mod latent_code;
mod probit;
mod settings;

pub use any::{AnyModel, ModelKind};
pub use ddibp::{DdIbpModel, DdIbpScratch, DdIbpState, MAX_LINKED_OBJECTS};
pub use gaussian::{GaussianModel, GaussianScratch, GaussianState};
pub use latent_code::{LatentCode, PreferencePrior, PreferenceScratch};
pub use probit::{ProbitModel, ProbitScratch, ProbitState, RATE_ERROR};
pub(crate) use probit::{draw_bit, draw_coefficients};
pub use settings::{Preset, SettingsError, Start, StartError};

use crate::bits::BitMatrix;
use crate::data::Features;
use crate::rng::Streams;
use crate::trace::{Draw, RestoreError};
use crate::triplets::TripletSet;
use rand_chacha::ChaCha8Rng;

/// What a model is fitted to. Without preferences the triplets are empty.
#[derive(Debug, Clone)]
pub struct Observations {
    /// Transformed inputs.
    pub features: Features,
    /// Triplets over the rows of `features`.
    pub triplets: TripletSet,
    /// Bits that the objects have already (H). They help to explain triplets and are never changed.
    pub given: BitMatrix,
    /// What distances between objects are taken from, for the model that uses them.
    pub positions: Positions,
}

/// What distances between objects are taken from.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Positions {
    /// The features as they stand.
    #[default]
    Features,
    /// These inputs. Simulations replace the features but not what is known beside them.
    Inputs(Features),
    /// Classes of the objects.
    Classes(Vec<u32>),
}

impl Observations {
    /// Inputs and triplets, without given bits.
    pub fn new(features: Features, triplets: TripletSet) -> Self {
        let given = BitMatrix::new(features.n_objects());
        Self { features, triplets, given, positions: Positions::default() }
    }
}

/// The numbers kept of every sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Learned bits.
    pub n_bits: usize,
    /// Log joint density.
    pub log_joint: f64,
    /// Share of triplets with probability above one half.
    pub satisfied: f64,
    /// Named hyper-parameters, always the same names in the same order.
    pub scalars: Vec<(&'static str, f64)>,
}

/// A joint density of state and observations, with a sweep that leaves the posterior invariant.
pub trait Model: Sync {
    /// All that the next draw depends on, and all that is stored.
    type State: Clone + Send;
    /// Tables derived from the observations, and memory that sweeps reuse. Never stored.
    type Scratch: Clone + Send;

    /// Derives the tables.
    fn prepare(&self, data: &Observations) -> Self::Scratch;
    /// Brings the tables up to date after [`Model::simulate`] changed the observations.
    fn refresh(&self, data: &Observations, scratch: &mut Self::Scratch);
    /// The same on several threads, where that helps.
    fn prepare_on(&self, data: &Observations, _threads: usize) -> Self::Scratch {
        self.prepare(data)
    }
    /// Lets one chain use several threads, which changes no draw; models that cannot take one.
    fn use_threads(&self, _scratch: &mut Self::Scratch, _threads: usize) {}
    /// A first state for a chain.
    fn start(&self, data: &Observations, scratch: &Self::Scratch, rng: &mut ChaCha8Rng) -> Self::State;
    /// A draw of the state from its prior, for observations of the same shape.
    fn draw_prior(&self, shape: &Observations, scratch: &Self::Scratch, rng: &mut ChaCha8Rng) -> Self::State;
    /// Replaces the observations by a draw given the state; triplets keep their questions, only answers are drawn.
    fn simulate(&self, state: &Self::State, data: &mut Observations, rng: &mut ChaCha8Rng);
    /// One pass of the schedule.
    fn sweep(
        &self,
        data: &Observations,
        state: &mut Self::State,
        scratch: &mut Self::Scratch,
        streams: &Streams,
        sweep: u64,
    );
    /// Log joint density of state and observations.
    fn log_joint(&self, data: &Observations, state: &Self::State) -> f64 {
        self.record(data, state, &mut self.prepare(data)).log_joint
    }
    /// The numbers kept of every sweep; `scratch` serves as memory.
    fn record(&self, data: &Observations, state: &Self::State, scratch: &mut Self::Scratch) -> Record;
    /// The state in its stored form, with what encoding needs beside it.
    fn to_draw(&self, data: &Observations, state: &Self::State, scratch: &Self::Scratch, sweep: u64) -> Draw;
    /// The state of a stored draw.
    fn restore(&self, data: &Observations, scratch: &Self::Scratch, draw: &Draw) -> Result<Self::State, RestoreError>;
}
