//! Collects the parts of a fit: objects, labels or triplets, a model and its settings.

use super::{FitError, Fitted, Prepared};
use crate::data::{Labels, Table};
use crate::format::{Continued, GivenBits, ModelInfo};
use crate::model::{ModelKind, ModelOptions, Preset};
use crate::run::{RunControl, RunSettings};
use crate::trace::Draw;
use crate::transform::InputTransform;
use crate::triplets::{FromLabels, Judgements, Triplet};

/// What a model learns from beside the inputs. Models of the inputs alone take no triplets and make none from labels.
#[derive(Debug, Clone, Default)]
pub enum Teaching {
    /// Nothing: for a model of the inputs alone.
    #[default]
    Nothing,
    /// The labels of the objects, with options for making triplets from them.
    Labels(FromLabels),
    /// Triplets over the rows of the objects, and who judged each where that is known.
    Triplets(Judgements),
}

impl Teaching {
    /// The number of sweeps and of chains that suits it. Chains of judgements seldom change their ways, so that many short
    /// ones say more together than a few long ones.
    pub fn effort(&self) -> (u64, usize) {
        match self {
            Self::Triplets(_) => (Fit::SWEEPS_FOR_JUDGEMENTS, Fit::CHAINS_FOR_JUDGEMENTS),
            Self::Nothing | Self::Labels(_) => (Fit::SWEEPS, Fit::CHAINS),
        }
    }

    /// The preset that suits it.
    pub fn preset(&self) -> Preset {
        Preset::suited_to(matches!(self, Self::Triplets(_)))
    }
}

impl From<Vec<Triplet>> for Teaching {
    fn from(triplets: Vec<Triplet>) -> Self {
        Self::Triplets(triplets.into())
    }
}

impl From<Judgements> for Teaching {
    fn from(judgements: Judgements) -> Self {
        Self::Triplets(judgements)
    }
}

impl From<FromLabels> for Teaching {
    fn from(options: FromLabels) -> Self {
        Self::Labels(options)
    }
}

/// A fit to be run: the only way from data to a fitted model.
#[derive(Debug, Clone)]
pub struct Fit {
    pub(super) objects: Option<Table>,
    pub(super) teaching: Teaching,
    pub(super) given: Option<GivenBits>,
    pub(super) options: ModelOptions,
    pub(super) transform: Option<InputTransform>,
    pub(super) settings: RunSettings,
    pub(super) calibrates: bool,
    pub(super) distils: Option<usize>,
    pub(super) max_bits: Option<usize>,
    pub(super) unsupervised: Option<usize>,
    pub(super) open: Open,
    pub(super) earlier: Option<Box<Earlier>>,
    pub(super) chain: Option<usize>,
}

/// What nobody chose, so that the fit may.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    /// Numbers of sweeps and of kept draws.
    pub effort: bool,
    /// Number of triplets for each object.
    pub per_object: bool,
}

/// An earlier fit, from whose last draws chains start.
#[derive(Debug, Clone)]
pub(super) struct Earlier {
    pub info: ModelInfo,
    pub starts: Vec<Draw>,
    pub continued: Continued,
}

impl Fit {
    /// Default number of sweeps of every chain.
    pub const SWEEPS: u64 = 500;
    /// Default number of chains.
    pub const CHAINS: usize = 2;
    /// Default number of sweeps of every chain that learns from triplets.
    pub const SWEEPS_FOR_JUDGEMENTS: u64 = 150;
    /// Default number of bits of the code that stands for all chains that learn from triplets.
    pub const DISTILLED_BITS: usize = 128;
    /// Default number of chains that learn from triplets.
    pub const CHAINS_FOR_JUDGEMENTS: usize = 12;

    /// The default model for these objects. Inputs may be absent where triplets say enough.
    pub fn new(objects: impl Into<Option<Table>>, teaching: impl Into<Teaching>) -> Self {
        let teaching = teaching.into();
        let (sweeps, chains) = teaching.effort();
        let distils = matches!(teaching, Teaching::Triplets(_)).then_some(Self::DISTILLED_BITS);
        let usual = |own: &FromLabels| *own == FromLabels { seed: own.seed, ..FromLabels::default() };
        let per_object = matches!(&teaching, Teaching::Labels(own) if usual(own));
        Self {
            objects: objects.into(),
            teaching,
            given: None,
            options: ModelOptions::default(),
            transform: None,
            settings: RunSettings { chains, ..RunSettings::new(0, sweeps) },
            calibrates: true,
            distils,
            max_bits: None,
            unsupervised: None,
            open: Open { effort: true, per_object },
            earlier: None,
            chain: None,
        }
    }

    /// The default model for objects with labels.
    pub fn by_labels(objects: impl Into<Table>, labels: Labels) -> Self {
        Self::new(Table { labels: Some(labels), ..objects.into() }, FromLabels::default())
    }

    /// Chooses the model, by its preset or with the user's changes.
    pub fn model(mut self, options: impl Into<ModelOptions>) -> Self {
        self.options = options.into();
        self
    }

    /// Sets the input transform, instead of the model's default.
    pub fn transform(mut self, transform: impl Into<Option<InputTransform>>) -> Self {
        self.transform = transform.into();
        self
    }

    /// Sets the given bits: they help to explain triplets and stand first in codes.
    pub fn given(mut self, given: impl Into<Option<GivenBits>>) -> Self {
        self.given = given.into();
        self
    }

    /// Sets the seed of all random numbers of the chains.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// Sets the number of sweeps of every chain.
    pub fn sweeps(mut self, sweeps: u64) -> Self {
        self.open.effort = false;
        self.settings.sweeps = sweeps;
        self
    }

    /// Sets the number of chains.
    pub fn chains(mut self, chains: usize) -> Self {
        self.settings.chains = chains;
        self
    }

    /// Runs one of the chains alone, from 1 on; others run elsewhere, and [`Fitted::merged`] gives the bytes of a run of all.
    pub fn only_chain(mut self, chain: impl Into<Option<usize>>) -> Self {
        self.chain = chain.into();
        self
    }

    /// Sets the largest number of draws that every chain keeps.
    pub fn draws(mut self, draws: usize) -> Self {
        self.open.effort = false;
        self.settings.draws = draws;
        self
    }

    /// Sets seed, sweeps, chains and draws at once.
    pub fn settings(mut self, settings: RunSettings) -> Self {
        self.open.effort = false;
        self.settings = settings;
        self
    }

    /// Sets whether sweeps and draws were not chosen by anybody, so that the fit may lower them where inputs are many.
    pub fn leaves_effort(mut self, is_open: bool) -> Self {
        self.open.effort = is_open;
        self
    }

    /// Sets whether the number of triplets for each object was not chosen by anybody, so that the fit may raise it where
    /// inputs are many. By default it may if triplets are made from labels with the default options.
    pub fn leaves_triplets(mut self, is_open: bool) -> Self {
        self.open.per_object = is_open;
        self
    }

    /// Sets the number of bits that are made of the inputs alone, by iterative quantisation, and stand last in codes: they tell
    /// objects of a class apart, and classes that were never taught. By default, codes that were learned from the labels of
    /// 50 objects or more are filled up to 128 bits with at most 96 of them, or to the largest number that is set.
    pub fn unsupervised_bits(mut self, n_bits: impl Into<Option<usize>>) -> Self {
        self.unsupervised = n_bits.into();
        self
    }

    /// Sets the largest number of bits of the default code: where the best draw has more, the code is distilled from the bits
    /// of all chains.
    pub fn max_bits(mut self, n_bits: impl Into<Option<usize>>) -> Self {
        self.max_bits = n_bits.into();
        self
    }

    /// Sets whether the fit is rehearsed without some of its triplets, which takes one chain more and calibrates the
    /// probabilities of preferences; it is by default.
    pub fn calibrates(mut self, calibrates: bool) -> Self {
        self.calibrates = calibrates;
        self
    }

    /// Sets the number of bits of one code that stands for all chains; by default a fit to triplets makes one, others none.
    pub fn distils(mut self, n_bits: impl Into<Option<usize>>) -> Self {
        self.distils = n_bits.into();
        self
    }

    /// Starts every chain from the last draw of the same chain of an earlier fit, to fewer triplets about the same objects;
    /// the earlier draws themselves are not kept. Objects, model, given bits and number of chains must be the same.
    ///
    /// Chains near the new posterior need fewer sweeps, so this sets their number to [`Fit::continued_sweeps`] of the
    /// default; the first half of them is still burn-in, as in every fit. Random numbers are none of the earlier fit's.
    pub fn continues(mut self, earlier: &Fitted) -> Self {
        self.settings.chains = earlier.info.settings.chains;
        self.settings.sweeps = Self::continued_sweeps(self.teaching.effort().0);
        let (info, starts, continued) = (earlier.info.clone(), earlier.starts(), earlier.as_continued());
        self.earlier = Some(Box::new(Earlier { info, starts, continued }));
        self
    }

    /// Sweeps of a fit that continues an earlier one, where a new one does `sweeps`: a third, 30 at least.
    pub fn continued_sweeps(sweeps: u64) -> u64 {
        (sweeps / 3).max(30)
    }

    /// The kind of the model.
    pub fn kind(&self) -> ModelKind {
        self.options.kind
    }

    /// Checks everything, makes the triplets and transforms the inputs; refuses a fit that needs more than `memory`
    /// bytes.
    pub fn prepare(self, memory: Option<u64>) -> Result<Prepared, FitError> {
        Prepared::new(self, memory)
    }

    /// Prepares and runs all chains.
    pub fn run(self, control: &RunControl<'_>) -> Result<Fitted, FitError> {
        Ok(self.prepare(control.memory)?.run(control, None)?.0)
    }
}
