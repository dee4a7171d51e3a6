//! Describes a model of one chain whose others run elsewhere, so that they can be merged.

use super::FormatError;
use crate::run::MAX_CHAINS;
use serde::{Deserialize, Serialize};

/// Which chain of a fit a model holds, and what is to be made of all of them together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainPart {
    /// The chain, from 1.
    pub chain: usize,
    /// Chains of the whole fit.
    pub of: usize,
    /// Whether the fit is rehearsed, which the first part does.
    pub rehearses: bool,
    /// Bits of the code that is distilled from all chains, if it is.
    pub distils: Option<usize>,
    /// Largest number of given and learned bits of the default code.
    pub max_bits: Option<usize>,
    /// The program that ran the chain.
    pub build: String,
}

impl ChainPart {
    /// This program. Other versions, and other machines' mathematical functions, may draw otherwise.
    pub fn build() -> String {
        format!("{} {}-{}", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH, std::env::consts::OS)
    }

    /// Refuses a part that cannot be one.
    pub(super) fn check(&self, chains: usize) -> Result<(), FormatError> {
        if self.chain == 0 || self.chain > self.of || self.of > MAX_CHAINS || chains != 1 {
            let reason = format!("chain {} of {} cannot be a part with {chains} chains", self.chain, self.of);
            return Err(FormatError::Metadata { key: "model", reason });
        }
        Ok(())
    }
}
