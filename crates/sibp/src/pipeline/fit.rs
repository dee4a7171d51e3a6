//! Collects the parts of a fit: objects, labels or triplets, a model and its settings.

use super::{Effort, FitError, Fitted, Lesson, Prepared, Work};
use crate::data::{Labels, Table};
use crate::format::{Continued, GivenBits, ModelInfo};
use crate::model::{ModelKind, ModelOptions, Preset};
use crate::run::{DEFAULT_DRAWS, RunControl, RunSettings};
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
    /// What the work that suits it depends on.
    pub fn lesson(&self) -> Lesson {
        match self {
            Self::Triplets(_) => Lesson::Judgements,
            Self::Nothing | Self::Labels(_) => Lesson::Classes,
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
    pub(super) effort: Effort,
    pub(super) seed: u64,
    pub(super) chosen: Chosen,
    pub(super) until_flat: bool,
    pub(super) calibrates: bool,
    pub(super) distils: Option<usize>,
    pub(super) leaves_distilling: bool,
    pub(super) max_bits: Option<usize>,
    pub(super) unsupervised: Option<usize>,
    pub(super) leaves_triplets: bool,
    pub(super) earlier: Option<Box<Earlier>>,
    pub(super) chain: Option<usize>,
}

/// What somebody chose; the rest is left to the effort and to the recipe for many inputs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Chosen {
    pub sweeps: Option<u64>,
    pub chains: Option<usize>,
    pub draws: Option<usize>,
}

impl Chosen {
    /// The settings of a run, with the work that suits what is left open. Where chains are short, few draws are kept.
    pub fn settings(&self, seed: u64, work: Work, draws: usize) -> RunSettings {
        let draws = if self.sweeps.is_some() { DEFAULT_DRAWS } else { draws };
        RunSettings {
            seed,
            sweeps: self.sweeps.unwrap_or(work.sweeps),
            chains: self.chains.unwrap_or(work.chains),
            draws: self.draws.unwrap_or(draws),
        }
    }
}

/// An earlier fit, from whose last draws chains start.
#[derive(Debug, Clone)]
pub(super) struct Earlier {
    pub info: ModelInfo,
    pub starts: Vec<Draw>,
    pub continued: Continued,
}

impl Fit {
    /// Default number of bits of the code that stands for all chains that learn from triplets.
    pub const DISTILLED_BITS: usize = 128;

    /// The default model for these objects. Inputs may be absent where triplets say enough.
    pub fn new(objects: impl Into<Option<Table>>, teaching: impl Into<Teaching>) -> Self {
        let teaching = teaching.into();
        let distils = matches!(teaching, Teaching::Triplets(_)).then_some(Self::DISTILLED_BITS);
        let usual = |own: &FromLabels| *own == FromLabels { seed: own.seed, ..FromLabels::default() };
        let leaves_triplets = matches!(&teaching, Teaching::Labels(own) if usual(own));
        Self {
            objects: objects.into(),
            teaching,
            given: None,
            options: ModelOptions::default(),
            transform: None,
            effort: Effort::default(),
            seed: 0,
            chosen: Chosen::default(),
            until_flat: true,
            calibrates: true,
            distils,
            leaves_distilling: true,
            max_bits: None,
            unsupervised: None,
            leaves_triplets,
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
        self.seed = seed;
        self
    }

    /// Sets how much work the fit may do: the number of chains and the largest number of sweeps, where these are not set.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// Sets the number of sweeps of every chain. By default a rehearsal without some of the triplets tells after how many
    /// agreement with these is flat, and the effort how many there are at most.
    pub fn sweeps(mut self, sweeps: impl Into<Option<u64>>) -> Self {
        self.chosen.sweeps = sweeps.into();
        self
    }

    /// Sets the number of chains; by default the effort does.
    pub fn chains(mut self, chains: impl Into<Option<usize>>) -> Self {
        self.chosen.chains = chains.into();
        self
    }

    /// Runs one of the chains alone, from 1 on; others run elsewhere, and [`Fitted::merged`] gives the bytes of a run of all.
    pub fn only_chain(mut self, chain: impl Into<Option<usize>>) -> Self {
        self.chain = chain.into();
        self
    }

    /// Sets the largest number of draws that every chain keeps.
    pub fn draws(mut self, draws: impl Into<Option<usize>>) -> Self {
        self.chosen.draws = draws.into();
        self
    }

    /// Sets seed, sweeps, chains and draws at once.
    pub fn settings(self, settings: RunSettings) -> Self {
        let RunSettings { seed, sweeps, chains, draws } = settings;
        self.seed(seed).sweeps(sweeps).chains(chains).draws(draws)
    }

    /// Sets whether sweeps that nobody chose end where held-out agreement is flat. Otherwise, as where the time is limited and
    /// a rehearsal beforehand might take it all, there are as many as the effort allows.
    pub fn until_flat(mut self, until_flat: bool) -> Self {
        self.until_flat = until_flat;
        self
    }

    /// Sets whether the number of triplets for each object was not chosen by anybody, so that the fit may raise it where
    /// inputs are many. By default it may if triplets are made from labels with the default options.
    pub fn leaves_triplets(mut self, is_open: bool) -> Self {
        self.leaves_triplets = is_open;
        self
    }

    /// Sets the number of unsupervised bits, which are computed from the inputs only, by iterative quantisation, and stand
    /// last in codes: they tell apart objects of one class, and classes that were never taught. By default, codes that were
    /// learned from the labels of 50 objects or more are filled up to 128 bits with at most 96 of them, or to the largest
    /// number that is set.
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

    /// Sets the number of bits of one code that stands for all chains; by default a fit to triplets makes one, and so does one to
    /// labels of few objects whose number of chains is left open.
    pub fn distils(mut self, n_bits: impl Into<Option<usize>>) -> Self {
        self.distils = n_bits.into();
        self.leaves_distilling = false;
        self
    }

    /// Starts every chain from the last draw of the same chain of an earlier fit, to fewer triplets about the same objects;
    /// the earlier draws themselves are not kept. Objects, model, given bits and number of chains must be the same.
    ///
    /// Chains near the new posterior need fewer sweeps, so this sets their number to [`Fit::continued_sweeps`] of the
    /// usual effort; the first half of them is still burn-in, as in every fit. Random numbers are none of the earlier fit's.
    pub fn continues(mut self, earlier: &Fitted) -> Self {
        self.chosen.chains = Some(earlier.info.settings.chains);
        let usual = Effort::Normal.work(self.teaching.lesson());
        self.chosen.sweeps = Some(Self::continued_sweeps(usual.sweeps));
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
        let mut prepared = self.prepare(control.memory)?;
        prepared.settle(control)?;
        Ok(prepared.run(control, None)?.0)
    }
}
