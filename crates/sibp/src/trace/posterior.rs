//! Reads the kept draws: chooses the best chain, and the draw that encodes.

use crate::trace::{ChainRecord, Draw};
use serde::{Deserialize, Serialize};

/// Which draw gives the codes.
///
/// Both take the *best chain*: the one whose kept draws have the highest mean score (the lower number where two are
/// equal). The score is the log joint density with everything integrated out whose number of dimensions depends on the
/// number of bits ([`crate::model::Model::score`]): densities of draws with different numbers of bits could not be
/// compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeChoice {
    /// The kept draw of the best chain with the highest score (the earlier where two are equal).
    #[default]
    Map,
    /// The last draw of the best chain.
    Last,
}

/// The draws of all chains.
#[derive(Debug, Clone, Copy)]
pub struct Posterior<'a> {
    chains: &'a [ChainRecord],
}

impl<'a> Posterior<'a> {
    /// Gives access to these records.
    ///
    /// # Panics
    /// When there is no chain.
    pub fn new(chains: &'a [ChainRecord]) -> Self {
        assert!(!chains.is_empty(), "a run has at least one chain");
        Self { chains }
    }

    /// All records.
    pub fn chains(&self) -> &'a [ChainRecord] {
        self.chains
    }

    /// The chain with the highest mean score of its kept draws.
    pub fn best_chain(&self) -> usize {
        first_best(self.chains.iter().map(ChainRecord::mean_score))
    }

    /// The draw that encodes, and the number of its chain.
    ///
    /// An unfinished chain's present state counts as kept, so there always is one.
    pub fn chosen(&self, choice: CodeChoice) -> (&'a Draw, usize) {
        let chain_ix = self.best_chain();
        (Self::choose(&self.chains[chain_ix], choice), chain_ix)
    }

    /// The draw that each chain would encode with if it were the best, for codes that join several chains.
    pub fn chosen_of_each(&self, choice: CodeChoice) -> Vec<&'a Draw> {
        self.chains.iter().map(|chain| Self::choose(chain, choice)).collect()
    }

    fn choose(chain: &'a ChainRecord, choice: CodeChoice) -> &'a Draw {
        match choice {
            CodeChoice::Last => &chain.last,
            CodeChoice::Map => chain.best(),
        }
    }
}

/// Position of the largest number, the first of equals; NaN loses.
pub(crate) fn first_best(scores: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (at, score) in scores.enumerate() {
        if score > best.1 {
            best = (at, score);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::Codes;
    use crate::trace::{KeepPlan, SCORE, Trace};
    use std::collections::BTreeMap;

    fn draw(sweep: u64, score: Option<f64>) -> Draw {
        let (scalars, tensors) = (score.map(|score| (SCORE.to_owned(), score)).into_iter().collect(), BTreeMap::new());
        Draw { sweep, bits: Codes::zeros(1, 0), weights: Vec::new(), encoded: None, scalars, tensors }
    }

    /// A chain whose log joint says the opposite of the scores of its draws, which has two of them.
    fn chain(scores: &[f64], sweeps: u64) -> ChainRecord {
        let sweeps_done = scores.len() as u64;
        let column = |value: f64| vec![value; scores.len()];
        let log_joint = scores.iter().map(|score| -score).collect();
        let trace = Trace {
            n_bits: vec![0; scores.len()],
            log_joint,
            log_likelihood: column(0.0),
            satisfied: column(1.0),
            scalars: BTreeMap::new(),
        };
        let scored = |sweep: u64| draw(sweep, Some(scores.get(sweep.wrapping_sub(1) as usize).copied().unwrap_or(0.0)));
        let kept = KeepPlan::new(sweeps, 2).kept().filter(|&sweep| sweep <= sweeps_done);
        let record = ChainRecord { sweeps_done, last: scored(sweeps_done), draws: kept.map(scored).collect(), trace };
        record.check(&KeepPlan::new(sweeps, 2)).unwrap();
        record
    }

    #[test]
    fn the_best_chain_has_the_best_kept_draws_whatever_the_log_joint_says() {
        // The best of all sweeps is the second, which is not kept.
        let chains =
            [chain(&[9.0, 9.0, 9.0, 9.0, 1.0, 1.0, 1.0, 1.0], 8), chain(&[0.0, 9.5, 0.0, 0.0, 2.0, 4.0, 2.0, 3.0], 8)];
        assert_eq!(chains[1].draws.iter().map(|d| d.sweep).collect::<Vec<_>>(), [6, 8]);
        let posterior = Posterior::new(&chains);
        assert_eq!(posterior.best_chain(), 1);
        let (map, chain_ix) = posterior.chosen(CodeChoice::Map);
        assert_eq!((map.sweep, chain_ix), (6, 1));
        assert_eq!(posterior.chosen(CodeChoice::Last).0.sweep, 8);
        assert_eq!(posterior.chosen_of_each(CodeChoice::Map).iter().map(|d| d.sweep).collect::<Vec<_>>(), [6, 6]);
    }

    #[test]
    fn draws_without_scores_are_ranked_by_their_log_joint() {
        let mut old = [chain(&[0.0, 0.0, 2.0, 9.0], 4), chain(&[0.0, 0.0, 5.0, 4.0], 4)];
        for draw in old.iter_mut().flat_map(|chain| chain.draws.iter_mut().chain([&mut chain.last])) {
            draw.scalars.clear();
        }
        let (map, chain_ix) = Posterior::new(&old).chosen(CodeChoice::Map);
        assert_eq!((map.sweep, chain_ix), (4, 1), "the last half: -2, -9 against -5, -4");
    }

    #[test]
    fn an_unfinished_run_still_encodes() {
        for n_done in 0..4 {
            let chains = [chain(&[1.0, f64::NAN, 3.0][..n_done.min(3)], 8)];
            let (draw, chain_ix) = Posterior::new(&chains).chosen(CodeChoice::Map);
            assert_eq!((draw.sweep, chain_ix), (n_done.min(3) as u64, 0));
        }
    }
}
