//! Defines how codes are read from a fitted model: by which draws and encoder, and which codes its training objects
//! have.

use super::CodingError;
use crate::codes::Codes;
use crate::encode::EncoderChoice;
use crate::format::Fitted;
use crate::trace::posterior::CodeChoice;
use crate::trace::{ChainRecord, Draw};

/// Which draws encode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DrawChoice {
    /// The distilled code, where there is one; else the kept draw of the best chain with the highest score.
    #[default]
    Suited,
    /// One code that stands for all chains.
    Distilled,
    /// The kept draw of the best chain with the highest score.
    Map,
    /// The last draw of the best chain.
    Last,
    /// The best kept draw of every chain, their bits side by side: longer codes, averaged distances.
    Concatenate,
    /// The last draw of every chain, side by side.
    LastOfEach,
    /// All kept draws of the best chain, side by side.
    Kept,
}

/// Which codes training objects have when others are searched among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrainingCodes {
    /// The bits that were learned for them, which also reflect their triplets: better neighbours where inputs alone
    /// predict bits badly.
    #[default]
    Learned,
    /// The bits that the encoder gives them from their inputs, as for any object.
    Encoded,
}

impl TrainingCodes {
    /// The training codes of a draw.
    pub fn of(self, draw: &Draw) -> &Codes {
        match (self, &draw.encoded) {
            (Self::Encoded, Some(encoded)) => encoded,
            _ => &draw.bits,
        }
    }
}

/// How codes are made from a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    /// The encoder; by default that of the model.
    pub encoder: Option<EncoderChoice>,
    /// Which draws encode.
    pub draws: DrawChoice,
    /// Seed of encoders that sample.
    pub seed: u64,
    /// Which codes training objects have.
    pub training: TrainingCodes,
}

impl From<DrawChoice> for Reading {
    fn from(draws: DrawChoice) -> Self {
        Self { draws, ..Self::default() }
    }
}

impl From<DrawChoice> for CodeChoice {
    /// How the draw of a single chain is chosen: the kept one with the highest score, or the last.
    fn from(draws: DrawChoice) -> Self {
        match draws {
            DrawChoice::Suited | DrawChoice::Distilled | DrawChoice::Map | DrawChoice::Concatenate => Self::Map,
            DrawChoice::Last | DrawChoice::LastOfEach | DrawChoice::Kept => Self::Last,
        }
    }
}

/// Numbers of bits of a code, in the order in which they stand there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeParts {
    /// Bits that objects had before the fit.
    pub given: usize,
    /// Bits that were learned.
    pub learned: usize,
    /// Unsupervised bits.
    pub unsupervised: usize,
}

impl CodeParts {
    /// All of them.
    pub fn total(&self) -> usize {
        self.given + self.learned + self.unsupervised
    }
}

impl Fitted {
    /// Numbers of bits of codes that are read by these draws.
    pub fn code_parts(&self, draws: DrawChoice) -> Result<CodeParts, CodingError> {
        Ok(self.parts_by(&self.chosen_draws(draws)?))
    }

    /// Codes of the training objects by these draws, as they are drawn or as the encoder gives them.
    pub fn training_codes(&self, draws: &[&Draw], training: TrainingCodes) -> Codes {
        let given = self.info.given.as_ref().map(|given| &given.codes);
        let learned = draws.iter().map(|draw| training.of(draw));
        let n_last = self.parts_by(draws).unsupervised;
        let last = self.info.unsupervised.as_ref().map(|bits| bits.codes.first_bits(n_last));
        Codes::side_by_side(&given.into_iter().chain(learned).chain(last.as_ref()).collect::<Vec<_>>())
    }

    pub(super) fn parts_by(&self, draws: &[&Draw]) -> CodeParts {
        let given = self.info.given.as_ref().map_or(0, |given| given.codes.n_bits());
        let learned: usize = draws.iter().map(|draw| draw.bits.n_bits()).sum();
        // As many as behind the code of one draw.
        let n_others = given + learned.div_ceil(draws.len().max(1));
        let unsupervised = self.info.unsupervised.as_ref().map_or(0, |bits| bits.n_behind(n_others));
        CodeParts { given, learned, unsupervised }
    }

    /// The model with each of its chains alone.
    pub fn each_chain(&self) -> Vec<Self> {
        self.chains.iter().map(|chain| self.with_chains(vec![chain.clone()])).collect()
    }

    fn with_chains(&self, chains: Vec<ChainRecord>) -> Self {
        let mut info = self.info.clone();
        info.settings.chains = chains.len();
        Self { info, chains, distilled: None }
    }

    /// What is meant by a choice: [`DrawChoice::Suited`] depends on what there is.
    pub fn choice(&self, draws: DrawChoice) -> DrawChoice {
        match (draws, &self.distilled) {
            (DrawChoice::Suited, Some(_)) => DrawChoice::Distilled,
            (DrawChoice::Suited, None) => DrawChoice::Map,
            (draws, _) => draws,
        }
    }

    /// The draws that encode, whether they have bits or not; an error where a distilled code is meant and there is none.
    pub fn chosen_draws(&self, draws: DrawChoice) -> Result<Vec<&Draw>, CodingError> {
        let posterior = self.posterior();
        Ok(match self.choice(draws) {
            DrawChoice::Distilled => vec![self.distilled.as_ref().ok_or(CodingError::NotDistilled)?],
            DrawChoice::Concatenate | DrawChoice::LastOfEach => posterior.chosen_of_each(draws.into()),
            DrawChoice::Kept => self.chains[posterior.best_chain()].all_draws().collect(),
            DrawChoice::Suited | DrawChoice::Map | DrawChoice::Last => vec![posterior.chosen(draws.into()).0],
        })
    }

    /// The same fit with its first chains alone, and of each the last kept draws alone; everything where a number is
    /// absent. The first chain draws the same in a run of one chain and of several, so that a part of a long run stands
    /// for a shorter one.
    pub fn part(&self, chains: Option<usize>, draws: Option<usize>) -> Fitted {
        let n_chains = chains.unwrap_or(usize::MAX).clamp(1, self.chains.len());
        let cut = |chain: &ChainRecord| {
            let mut chain = chain.clone();
            let n_dropped = chain.draws.len().saturating_sub(draws.unwrap_or(usize::MAX).max(1));
            chain.draws.drain(..n_dropped);
            chain
        };
        self.with_chains(self.chains[..n_chains].iter().map(cut).collect())
    }
}
