//! Chooses the questions to ask next: those whose answers are expected to tell most about the model, a few at random, and a
//! few that were answered already.
//!
//! Each informative question has an anchor of its own, all anchors in turn in a random order, and is the one of many
//! candidates about that anchor on whose answer the draws of the model differ most ([`Prospect::information`]). Random
//! questions keep a sample by which models can be compared fairly; repeated ones show how far judges agree with themselves.

mod cold;
mod open;
#[cfg(test)]
mod tests;

pub use cold::suggest_cold;

use crate::format::Fitted;
use crate::pipeline::{Asking, CodingError, Objects, Prospect};
use crate::rng::{Purpose, Streams};
use crate::triplets::{Triplet, TripletError};
use open::Open;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::collections::BTreeSet;
use thiserror::Error;

/// Candidates of each informative question, at least, by default.
pub const FEWEST_CANDIDATES: usize = 100;

/// Why a question is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Its answer is expected to tell much.
    Informative,
    /// It was drawn at random.
    Control,
    /// It was answered already.
    Repeat,
}

impl Kind {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Informative => "informative",
            Self::Control => "control",
            Self::Repeat => "repeat",
        }
    }
}

/// A question: is `anchor` more like `near` than like `far`? Which of the two stands first is random.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Question {
    /// The three objects.
    pub triplet: Triplet,
    /// Why it is asked.
    pub kind: Kind,
    /// What is expected of its answer; absent without a model.
    pub prospect: Option<Prospect>,
}

/// How many questions are asked, and which can be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AskSettings<'a> {
    /// Questions.
    pub n: usize,
    /// Seed of all random choices.
    pub seed: u64,
    /// Candidates of all informative questions together.
    pub candidates: usize,
    /// Candidates of each informative question, at least.
    pub fewest: usize,
    /// Share of random questions.
    pub controls: f64,
    /// Share of questions that were answered already, where there are some.
    pub repeats: f64,
    /// Answered triplets: they are asked again as repeats only.
    pub answered: &'a [Triplet],
    /// The questions that can be asked, if not all can.
    pub pool: Option<&'a [Triplet]>,
    /// Threads; 0 takes all cores. No question depends on them.
    pub threads: usize,
}

impl AskSettings<'_> {
    /// The default share of random questions and of repeats, and any question that three objects make.
    pub fn new(n: usize, seed: u64) -> Self {
        Self {
            n,
            seed,
            candidates: 10_000,
            fewest: FEWEST_CANDIDATES,
            controls: 0.15,
            repeats: 0.07,
            answered: &[],
            pool: None,
            threads: 0,
        }
    }

    fn check(&self) -> Result<(), AskError> {
        if self.n == 0 {
            return Err(AskError::NoQuestions);
        }
        let shares = self.controls >= 0.0 && self.repeats >= 0.0 && self.controls + self.repeats <= 1.0;
        if shares { Ok(()) } else { Err(AskError::Shares { controls: self.controls, repeats: self.repeats }) }
    }

    /// Number of informative questions, of random ones and of repeats.
    fn parts(&self) -> (usize, usize, usize) {
        let part = |share: f64| (share * self.n as f64).round() as usize;
        let repeats = if self.answered.is_empty() { 0 } else { part(self.repeats).min(self.n) };
        let controls = part(self.controls).min(self.n - repeats);
        (self.n - controls - repeats, controls, repeats)
    }
}

/// Why no questions can be chosen.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum AskError {
    /// Not a single question is wanted.
    #[error("the number of questions is 0; it must be 1 or more")]
    NoQuestions,
    /// Shares that are none.
    #[error(
        "{controls} random questions and {repeats} repeats are no shares: they must be 0 or more, together at most 1"
    )]
    Shares {
        /// Share of random questions.
        controls: f64,
        /// Share of repeats.
        repeats: f64,
    },
    /// A question is about three objects.
    #[error("there are {n_objects} objects; a question needs three")]
    TooFewObjects {
        /// Objects.
        n_objects: usize,
    },
    /// All questions have been answered.
    #[error("every question that can be asked is answered already")]
    NothingLeft,
    /// Answered triplets or a pool about other objects.
    #[error("{what}: {problem}")]
    Triplets {
        /// `"answered triplets"` or `"pool"`.
        what: &'static str,
        /// What is wrong.
        problem: TripletError,
    },
    /// Inputs by which the first anchors cannot be chosen.
    #[error(transparent)]
    Data(#[from] crate::data::DataError),
    /// The model gives no probabilities.
    #[error(transparent)]
    Coding(#[from] CodingError),
}

/// The questions to ask next about the rows of `objects`, in random order; fewer than wanted where there are fewer.
///
/// No two of them compare the same two objects while there are others.
pub fn suggest<'a>(
    fitted: &'a Fitted,
    objects: impl Into<Objects<'a>>,
    settings: &AskSettings<'_>,
) -> Result<Vec<Question>, AskError> {
    let objects = objects.into();
    settings.check()?;
    let open = Open::new(objects.inputs.n_objects(), settings)?;
    let mut rng = Streams::new(settings.seed, 0).rng(Purpose::Ask, 0, 0);
    let (n_informative, n_controls, n_repeats) = settings.parts();
    let mut batch = Batch::default();
    for triplet in again(settings.answered, n_repeats, &mut rng) {
        batch.add(triplet, Kind::Repeat, None);
    }
    for triplet in open.random(n_controls, &batch.asked, &mut rng) {
        batch.add(triplet, Kind::Control, None);
    }
    let each = (settings.candidates / n_informative.max(1)).max(settings.fewest).max(1);
    let asking = Asking { seed: settings.seed, threads: settings.threads, ..Asking::default() };
    let fixed: Vec<Triplet> = batch.questions.iter().map(|question| question.triplet).collect();
    let of_fixed = fitted.prospects(objects, &fixed, &asking)?;
    batch.questions.iter_mut().zip(of_fixed).for_each(|(question, prospect)| question.prospect = Some(prospect));
    let n = fixed.len() + n_informative;
    // Anchors about which everything is asked leave their share to others, in another round.
    while batch.questions.len() < n {
        let before = batch.questions.len();
        let groups = open.by_anchor(n - before, each, &mut rng);
        let prospects = fitted.prospects(objects, &groups.concat(), &asking)?;
        let mut rest = &prospects[..];
        for group in &groups {
            let (own, others) = rest.split_at(group.len());
            rest = others;
            if let Some((triplet, prospect)) = batch.best(group, own) {
                batch.add(triplet, Kind::Informative, Some(prospect));
            }
        }
        if batch.questions.len() == before {
            break;
        }
    }
    batch.finish(&mut rng)
}

/// Some of the answered questions, each at most once.
fn again(answered: &[Triplet], n: usize, rng: &mut ChaCha8Rng) -> Vec<Triplet> {
    let mut seen = BTreeSet::new();
    let mut left: Vec<Triplet> = answered.iter().filter(|&&triplet| seen.insert(question(triplet))).copied().collect();
    left.shuffle(rng);
    left.truncate(n);
    left
}

/// What a triplet asks, whichever way it was answered.
fn question(triplet: Triplet) -> (u32, u32, u32) {
    let Triplet { anchor, near, far } = triplet;
    (anchor, near.min(far), near.max(far))
}

/// The questions chosen so far.
#[derive(Default)]
struct Batch {
    questions: Vec<Question>,
    asked: BTreeSet<(u32, u32, u32)>,
    pairs: BTreeSet<(u32, u32)>,
}

impl Batch {
    fn add(&mut self, triplet: Triplet, kind: Kind, prospect: Option<Prospect>) {
        let (anchor, low, high) = question(triplet);
        self.asked.insert((anchor, low, high));
        self.pairs.insert((low, high));
        self.questions.push(Question { triplet, kind, prospect });
    }

    /// The most informative candidate that is not asked yet; one that compares two other objects than all before it, where
    /// there is one.
    fn best(&self, candidates: &[Triplet], prospects: &[Prospect]) -> Option<(Triplet, Prospect)> {
        let mut best: Option<(bool, Triplet, Prospect)> = None;
        for (&triplet, &prospect) in candidates.iter().zip(prospects) {
            let (anchor, low, high) = question(triplet);
            if self.asked.contains(&(anchor, low, high)) {
                continue;
            }
            let fresh = !self.pairs.contains(&(low, high));
            let better = best.is_none_or(|(other, _, than)| (fresh, prospect.information) > (other, than.information));
            if better {
                best = Some((fresh, triplet, prospect));
            }
        }
        best.map(|(_, triplet, prospect)| (triplet, prospect))
    }

    /// All questions in random order, with near and far in random order.
    fn finish(mut self, rng: &mut ChaCha8Rng) -> Result<Vec<Question>, AskError> {
        if self.questions.is_empty() {
            return Err(AskError::NothingLeft);
        }
        self.questions.shuffle(rng);
        for question in self.questions.iter_mut().filter(|_| rng.random_bool(0.5)) {
            let Triplet { anchor, near, far } = question.triplet;
            question.triplet = Triplet { anchor, near: far, far: near };
            if let Some(prospect) = &mut question.prospect {
                prospect.probability = 1.0 - prospect.probability;
            }
        }
        Ok(self.questions)
    }
}
