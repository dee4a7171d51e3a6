//! Distils one code from all chains of a finished run.

use super::{Fitted, Prepared};
use crate::distil::{Distilling, Source, distil};
use crate::model::Observations;
use crate::trace::posterior::CodeChoice;
use crate::trace::{ChainRecord, Draw, RestoreError};

/// Draws whose answers the code is to average, at most.
const MOST_ANSWERING: usize = 240;

/// What decides whether one code is to stand for all chains, and how long it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodePlan {
    /// Bits of the code, if one was asked for.
    pub distils: Option<usize>,
    /// Largest number of given and learned bits of the default code.
    pub max_bits: Option<usize>,
}

impl CodePlan {
    /// Bits of the distilled code: as many as were asked for, or as a code may have where the best draw has more. `None` where
    /// there is to be none.
    pub fn n_bits(&self, fitted: &Fitted) -> Option<usize> {
        fitted.info.model.preference()?;
        let Some(most) = self.max_bits else { return self.distils };
        let n_given = fitted.info.given.as_ref().map_or(0, |given| given.codes.n_bits());
        let most = most.saturating_sub(n_given).max(1);
        let n_best = fitted.posterior().chosen(CodeChoice::Map).0.bits.n_bits();
        self.distils.map(|n_bits| n_bits.min(most)).or((n_best > most).then_some(most))
    }

    /// One code for all chains, ready to encode; they learned from `n_taught` triplets.
    pub fn distilled(
        &self,
        fitted: &Fitted,
        data: &Observations,
        n_taught: usize,
        threads: usize,
    ) -> Result<Option<Draw>, RestoreError> {
        let (Some(n_bits), Some(prior)) = (self.n_bits(fitted), fitted.info.model.preference()) else {
            return Ok(None);
        };
        let all: Vec<&Draw> = fitted.chains.iter().flat_map(ChainRecord::all_draws).collect();
        let draws: Vec<&Draw> = all.iter().copied().step_by(all.len().div_ceil(MOST_ANSWERING).max(1)).collect();
        let scorings = draws.iter().map(|draw| prior.scoring_of(draw)).collect::<Result<Vec<_>, _>>()?;
        let columns: Vec<&Draw> = fitted.chains.iter().flat_map(|chain| [chain.best(), &chain.last]).collect();
        let source = Source {
            draws: &draws,
            columns: &columns,
            scorings: &scorings,
            inputs: &data.inputs,
            given: &data.given,
            n_taught,
        };
        let settings = Distilling { n_bits, seed: fitted.info.settings.seed, threads };
        let Some(mut draw) = distil(&source, &settings)? else { return Ok(None) };
        fitted.info.model.refit(&data.inputs, &data.anchors, &mut [&mut draw], threads)?;
        Ok(Some(draw))
    }
}

impl Prepared {
    /// One code for all chains, ready to encode.
    pub(super) fn distilled(&self, fitted: &Fitted, threads: usize) -> Result<Option<Draw>, RestoreError> {
        let plan = CodePlan { distils: self.distils, max_bits: self.max_bits };
        plan.distilled(fitted, &self.observations, self.observations.triplets.len(), threads)
    }
}
