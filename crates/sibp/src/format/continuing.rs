//! Tells whether chains can go on from the last draws of an earlier fit to fewer triplets.

use super::resume::compare_infos;
use super::{Fitted, FormatError, ModelInfo, ResumeError};
use crate::state::JUDGE_LAPSES;
use crate::trace::{Draw, Tensor};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

/// The earlier fit whose last draws the chains of a fit started from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Continued {
    /// Sweeps that led to those draws, over all earlier fits together.
    pub sweeps: u64,
    /// SHA-256 digest of those draws, in hexadecimal.
    pub starts: String,
}

/// Why chains cannot go on from an earlier fit.
#[derive(Debug, Error)]
pub enum ContinueError {
    /// The earlier fit was about other objects.
    #[error("cannot continue: {what} are not those of the earlier fit; give the same, or fit anew")]
    OtherData {
        /// What differs.
        what: &'static str,
    },
    /// A setting differs.
    #[error("cannot continue: {field} was {expected} in the earlier fit and is now {got}; use the same, or fit anew")]
    Changed {
        /// Which setting.
        field: String,
        /// What the earlier fit had.
        expected: String,
        /// What there is now.
        got: String,
    },
    /// Triplets of the earlier fit are missing.
    #[error(
        "cannot continue: the earlier fit learned from {before} triplets and there are only {now}; give the earlier ones \
         and the new ones together"
    )]
    FewerTriplets {
        /// Triplets of the earlier fit.
        before: usize,
        /// Triplets of this one.
        now: usize,
    },
    /// The settings cannot be compared.
    #[error(transparent)]
    Unreadable(#[from] FormatError),
}

impl ModelInfo {
    /// Refuses to start the chains of a fit from those of this one unless objects, given bits, number of chains and all
    /// settings of the model are the same, and there are at least as many triplets.
    pub fn check_continue(&self, now: &ModelInfo) -> Result<(), ContinueError> {
        let digests = [
            ("the inputs", &Some(self.digests.inputs.clone()), &Some(now.digests.inputs.clone())),
            ("the ids", &self.digests.ids, &now.digests.ids),
            ("the labels", &self.digests.labels, &now.digests.labels),
            ("the given bits", &self.digests.given, &now.digests.given),
        ];
        if let Some(&(what, ..)) = digests.iter().find(|(_, before, now)| before != now) {
            return Err(ContinueError::OtherData { what });
        }
        // What may differ: triplets and who judged them, and the settings of the run but its number of chains.
        let mut before = ModelInfo {
            triplets: now.triplets.clone(),
            digests: now.digests.clone(),
            continues: now.continues.clone(),
            judges: now.judges.clone(),
            ..self.clone()
        };
        before.settings = crate::run::RunSettings { chains: self.settings.chains, ..now.settings };
        match compare_infos(&before, now) {
            Ok(()) => {}
            Err(ResumeError::Changed { field, expected, got }) => {
                return Err(ContinueError::Changed { field, expected, got });
            }
            Err(ResumeError::Unreadable(error)) => return Err(error.into()),
            Err(other) => unreachable!("a comparison finds no other error: {other}"),
        }
        let [before, now] = [self, now].map(|info| info.triplets.n_triplets());
        if now < before { Err(ContinueError::FewerTriplets { before, now }) } else { Ok(()) }
    }

    /// Draws of this fit as starts of one with these judges: those who were there before keep their lapse rates, and others
    /// begin with that of a random answer.
    pub fn starts_among(&self, mut starts: Vec<Draw>, judges: Option<&[String]>) -> Vec<Draw> {
        let before = self.judges.as_deref().unwrap_or_default();
        for start in &mut starts {
            let old = start.tensors.remove(JUDGE_LAPSES).map(|tensor| tensor.values).unwrap_or_default();
            let (Some(judges), Some(&common)) = (judges, start.scalars.get("lapse")) else { continue };
            let rate = |name: &String| {
                let place = before.iter().position(|other| other == name);
                place.and_then(|place| old.get(place)).copied().unwrap_or(common)
            };
            let values: Vec<f64> = judges.iter().map(rate).collect();
            start.tensors.insert(JUDGE_LAPSES.to_owned(), Tensor { shape: vec![values.len()], values });
        }
        starts
    }
}

impl Fitted {
    /// The last draw of every chain, as the start of another chain.
    pub fn starts(&self) -> Vec<Draw> {
        let start = |draw: &Draw| {
            let mut start = Draw { sweep: 0, ..draw.clone() };
            start.reopen();
            start
        };
        self.chains.iter().map(|chain| start(&chain.last)).collect()
    }

    /// What a fit that starts from the last draws of this one says about it.
    pub fn as_continued(&self) -> Continued {
        let done = self.chains.iter().map(|chain| chain.sweeps_done).max().unwrap_or(0);
        let before = self.info.continues.as_ref().map_or(0, |earlier| earlier.sweeps);
        Continued { sweeps: before + done, starts: digest(&self.starts()) }
    }
}

fn digest(draws: &[Draw]) -> String {
    let mut hash = Sha256::new();
    let mut add = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    let numbers = |values: &[f64]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    for draw in draws {
        add(draw.bits.bytes());
        add(&numbers(&draw.weights));
        for (name, value) in &draw.scalars {
            add(name.as_bytes());
            add(&value.to_le_bytes());
        }
        for (name, tensor) in &draw.tensors {
            add(name.as_bytes());
            add(&numbers(&tensor.values));
        }
    }
    crate::fingerprint::hex(&hash.finalize())
}
