//! Merges chains that ran apart into the model that they would have given together.

use super::distilled::CodePlan;
use crate::bits::BitMatrix;
use crate::data::{DataError, Inputs};
use crate::format::{ChainPart, Fitted, FormatError, ModelInfo, ResumeError};
use crate::model::Observations;
use crate::run::RunSettings;
use crate::trace::RestoreError;
use crate::triplets::TripletSet;
use thiserror::Error;

/// Why parts cannot be merged.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MergeError {
    /// There are none.
    #[error("there is nothing to merge")]
    Nothing,
    /// A model that is no part of a fit.
    #[error("{name} is no part of a fit; parts are made with --chain K/N")]
    NotPart {
        /// Which one.
        name: String,
    },
    /// Chains that no part holds.
    #[error("{} of {of} missing", listed(chains))]
    Missing {
        /// The chains, from 1.
        chains: Vec<usize>,
        /// Chains of the whole fit.
        of: usize,
    },
    /// A chain that two parts hold.
    #[error("{first} and {second} both hold chain {chain}")]
    Doubled {
        /// The chain, from 1.
        chain: usize,
        /// One part.
        first: String,
        /// The other.
        second: String,
    },
    /// A part of another fit.
    #[error("{name} is part of another fit: its {field} is {found}, but that of {first} is {expected}")]
    Foreign {
        /// The part.
        name: String,
        /// The part that it is compared with.
        first: String,
        /// What differs.
        field: String,
        /// What the first part has.
        expected: String,
        /// What this one has.
        found: String,
    },
    /// A chain that did not do all its sweeps.
    #[error("{name}: chain {chain} did {done} of {sweeps} sweeps; let it go on with --resume")]
    Unfinished {
        /// The part.
        name: String,
        /// The chain, from 1.
        chain: usize,
        /// Sweeps done.
        done: u64,
        /// Sweeps to be done.
        sweeps: u64,
    },
    /// The code that stands for all chains is made of the inputs too.
    #[error(
        "one code of {n_bits} bits is to stand for all chains, for which the inputs are needed that they were fitted to"
    )]
    NeedsInputs {
        /// Its bits.
        n_bits: usize,
    },
    /// Inputs that the parts were not fitted to.
    #[error("these are not the inputs that the parts were fitted to")]
    OtherInputs,
    /// The inputs.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Settings that cannot be compared.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The code that stands for all chains could not be made.
    #[error("the code that stands for all chains could not be made: {0}")]
    Distilling(#[from] RestoreError),
}

/// "chain 2" or "chains 1, 3 and 4".
fn listed(chains: &[usize]) -> String {
    let words: Vec<String> = chains.iter().map(usize::to_string).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("chains {} and {last}", rest.join(", ")),
        Some((last, _)) => format!("chain {last}"),
        None => String::new(),
    }
}

/// A part with its name, for messages.
#[derive(Debug, Clone)]
pub struct NamedPart {
    /// Usually its file.
    pub name: String,
    /// The model of one chain.
    pub model: Fitted,
}

impl Fitted {
    /// The model that the chains of these parts would have given in one run, to the last byte. The inputs (before any
    /// transform) are needed where one code stands for all chains, and for nothing else.
    pub fn merged(parts: Vec<NamedPart>, inputs: Option<&Inputs>, threads: usize) -> Result<Self, MergeError> {
        let (part, parts) = in_order(parts)?;
        let calibration = parts.iter().find_map(|part| part.model.info.calibration);
        let mut parts = parts.into_iter().map(|part| part.model);
        let Some(first) = parts.next() else { return Err(MergeError::Nothing) };
        let settings = RunSettings { chains: part.of, ..first.info.settings };
        let info = ModelInfo { settings, calibration, part: None, ..first.info };
        let chains = first.chains.into_iter().chain(parts.flat_map(|part| part.chains)).collect();
        let mut merged = Self { info, chains, distilled: None };
        let plan = CodePlan { distils: part.distils, max_bits: part.max_bits };
        if let Some(n_bits) = plan.n_bits(&merged) {
            let observations = merged.observed(inputs, n_bits)?;
            let n_taught = merged.info.triplets.n_triplets();
            merged.distilled = plan.distilled(&merged, &observations, n_taught, threads)?;
        }
        Ok(merged)
    }

    /// What the chains saw, but for the triplets themselves.
    fn observed(&self, inputs: Option<&Inputs>, n_bits: usize) -> Result<Observations, MergeError> {
        let n_objects = self.info.n_objects;
        let none = (self.info.n_inputs() == 0).then(|| Inputs::none(n_objects));
        let inputs = inputs.or(none.as_ref()).ok_or(MergeError::NeedsInputs { n_bits })?;
        if !self.info.digests.are_of(inputs) {
            return Err(MergeError::OtherInputs);
        }
        let mut observations = Observations::new(self.info.transform.apply(inputs)?, TripletSet::empty(n_objects));
        observations.anchors = self.info.transform.anchors().to_vec();
        if let Some(given) = &self.info.given {
            observations.given = BitMatrix::from_codes(&given.codes);
        }
        Ok(observations)
    }
}

/// The parts in the order of their chains, all of one fit and none missing, and what they say about it.
fn in_order(mut parts: Vec<NamedPart>) -> Result<(ChainPart, Vec<NamedPart>), MergeError> {
    let part_of =
        |part: &NamedPart| part.model.info.part.clone().ok_or_else(|| MergeError::NotPart { name: part.name.clone() });
    let Some(first) = parts.first() else { return Err(MergeError::Nothing) };
    let described = part_of(first)?;
    for other in &parts {
        part_of(other)?;
        check_same(first, other)?;
        for chain in &other.model.chains {
            let (done, sweeps) = (chain.sweeps_done, other.model.info.settings.sweeps);
            if done != sweeps {
                let name = other.name.clone();
                return Err(MergeError::Unfinished { name, chain: chain_of(other), done, sweeps });
            }
        }
    }
    parts.sort_by_key(chain_of);
    if let Some(pair) = parts.windows(2).find(|pair| chain_of(&pair[0]) == chain_of(&pair[1])) {
        let (chain, first, second) = (chain_of(&pair[0]), pair[0].name.clone(), pair[1].name.clone());
        return Err(MergeError::Doubled { chain, first, second });
    }
    let is_missing = |chain: &usize| parts.binary_search_by_key(chain, chain_of).is_err();
    let missing: Vec<usize> = (1..=described.of).filter(is_missing).collect();
    match missing.is_empty() {
        true => Ok((described, parts)),
        false => Err(MergeError::Missing { chains: missing, of: described.of }),
    }
}

fn chain_of(part: &NamedPart) -> usize {
    part.model.info.part.as_ref().map_or(0, |part| part.chain)
}

/// Refuses parts that differ in anything but their chain: data, settings, seed or build. The cause is named rather than its
/// consequences: triplets made from labels change with the seed, and priors with the transform.
fn check_same(first: &NamedPart, other: &NamedPart) -> Result<(), MergeError> {
    let (own, mut whole) = (&first.model.info, other.model.info.clone());
    if let (Some(part), Some(own)) = (&mut whole.part, &own.part) {
        part.chain = own.chain;
    }
    let mut probe = ModelInfo { settings: whole.settings, part: whole.part.clone(), ..own.clone() };
    check_info(first, other, &probe)?;
    probe.triplets = whole.triplets.clone();
    check_info(first, other, &probe)?;
    probe.digests = whole.digests.clone();
    check_info(first, other, &probe)?;
    probe.transform = whole.transform.clone();
    check_info(first, other, &probe)?;
    whole.calibration = own.calibration;
    check_info(first, other, &whole)?;
    match whole == *own {
        true => Ok(()),
        // Equal digests and settings, yet other bits of the inputs: the builds differ.
        false => Err(foreign(first, other, "stored data".into(), "of one kind".into(), "of another".into())),
    }
}

fn check_info(first: &NamedPart, other: &NamedPart, probe: &ModelInfo) -> Result<(), MergeError> {
    match first.model.info.check_resume(probe) {
        Ok(()) => Ok(()),
        Err(ResumeError::Changed { field, expected, got }) => Err(foreign(first, other, field, expected, got)),
        Err(ResumeError::Unreadable(error)) => Err(error.into()),
        Err(other) => unreachable!("a comparison finds no other error: {other}"),
    }
}

fn foreign(first: &NamedPart, other: &NamedPart, field: String, expected: String, found: String) -> MergeError {
    MergeError::Foreign { name: other.name.clone(), first: first.name.clone(), field, expected, found }
}
