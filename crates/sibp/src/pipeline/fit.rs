//! Collects what a fit needs: objects, a teacher, a model and its settings.

use super::{FitError, Fitted, Prepared};
use crate::data::{Labels, Table};
use crate::format::GivenBits;
use crate::model::{ModelKind, ModelOptions};
use crate::run::{RunControl, RunSettings};
use crate::transform::InputTransform;
use crate::triplets::{FromLabels, Triplet};

/// What codes are taught by. Models of the inputs alone take no triplets and make none from labels.
#[derive(Debug, Clone, Default)]
pub enum Teaching {
    /// Nothing: a model of the inputs alone.
    #[default]
    Nothing,
    /// The labels of the objects, and how triplets are made from them.
    Labels(FromLabels),
    /// Triplets over the rows of the objects.
    Triplets(Vec<Triplet>),
}

impl From<Vec<Triplet>> for Teaching {
    fn from(triplets: Vec<Triplet>) -> Self {
        Self::Triplets(triplets)
    }
}

impl From<FromLabels> for Teaching {
    fn from(options: FromLabels) -> Self {
        Self::Labels(options)
    }
}

/// A fit to be made: the only way from data to a fitted model.
#[derive(Debug, Clone)]
pub struct Fit {
    pub(super) objects: Option<Table>,
    pub(super) teaching: Teaching,
    pub(super) given: Option<GivenBits>,
    pub(super) options: ModelOptions,
    pub(super) transform: Option<InputTransform>,
    pub(super) settings: RunSettings,
}

impl Fit {
    /// Sweeps of every chain, unless told otherwise.
    pub const SWEEPS: u64 = 500;
    /// Chains, unless told otherwise.
    pub const CHAINS: usize = 2;

    /// The default model of these objects. Inputs may be absent, for a model that can do without.
    pub fn new(objects: impl Into<Option<Table>>, teaching: impl Into<Teaching>) -> Self {
        Self {
            objects: objects.into(),
            teaching: teaching.into(),
            given: None,
            options: ModelOptions::default(),
            transform: None,
            settings: RunSettings { chains: Self::CHAINS, ..RunSettings::new(0, Self::SWEEPS) },
        }
    }

    /// The default model of objects that labels teach about.
    pub fn by_labels(objects: impl Into<Table>, labels: Labels) -> Self {
        Self::new(Table { labels: Some(labels), ..objects.into() }, FromLabels::default())
    }

    /// Fits this model by its preset, or with what the user changed of it.
    pub fn model(mut self, options: impl Into<ModelOptions>) -> Self {
        self.options = options.into();
        self
    }

    /// Does this to inputs first, instead of what suits the model.
    pub fn transform(mut self, transform: impl Into<Option<InputTransform>>) -> Self {
        self.transform = transform.into();
        self
    }

    /// Bits that the objects have already: they help to explain triplets and stand first in codes.
    pub fn given(mut self, given: impl Into<Option<GivenBits>>) -> Self {
        self.given = given.into();
        self
    }

    /// Source of all random numbers of the chains.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// Sweeps of every chain.
    pub fn sweeps(mut self, sweeps: u64) -> Self {
        self.settings.sweeps = sweeps;
        self
    }

    /// Number of chains.
    pub fn chains(mut self, chains: usize) -> Self {
        self.settings.chains = chains;
        self
    }

    /// Draws that every chain keeps, at most.
    pub fn draws(mut self, draws: usize) -> Self {
        self.settings.draws = draws;
        self
    }

    /// Seed, sweeps, chains and draws at once.
    pub fn settings(mut self, settings: RunSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Which model.
    pub fn kind(&self) -> ModelKind {
        self.options.kind
    }

    /// Checks everything, makes the triplets and transforms the inputs; refuses what does not fit into so many bytes
    /// of memory.
    pub fn prepare(self, memory: Option<u64>) -> Result<Prepared, FitError> {
        Prepared::new(self, memory)
    }

    /// Prepares and runs all chains.
    pub fn run(self, control: &RunControl<'_>) -> Result<Fitted, FitError> {
        Ok(self.prepare(control.memory)?.run(control, None)?.0)
    }
}
