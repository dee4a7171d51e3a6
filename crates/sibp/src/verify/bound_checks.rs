//! Checks that what only saves work changes no draw: a chain that scores every proposal in full, or every flip alone,
//! goes the same way.

use super::movement::fails_if;
use super::{Subject, Verdict};
use crate::model::Model;
use crate::rng::{Purpose, Streams};

/// Sweeps of every replicate. Each visits objects that have flipped before in the same visit, and moves columns.
const N_SWEEPS: u64 = 10;

/// Runs pairs of chains on simulated data, one of which works without the saving that `without` switches off.
pub fn change_no_draw<M: Model>(
    subject: &Subject<M>,
    without: fn(&mut M::Scratch),
    n_replicates: usize,
    seed: u64,
) -> Verdict
where
    M::State: PartialEq,
{
    let model = &subject.model;
    let mut rng = Streams::new(seed, 9).rng(Purpose::Verify, 0, 0);
    let (mut data, mut n_different) = (subject.shape.clone(), 0);
    let tables = subject.scratch();
    for replicate in 0..n_replicates {
        let prior = model.draw_prior(&data, &tables, &mut rng);
        model.simulate(&prior, &mut data, &mut rng);
        let streams = Streams::new(seed, 10 + replicate);
        let [saving, thorough] = [None, Some(without)].map(|without| {
            let mut scratch = tables.clone();
            model.refresh(&data, &mut scratch);
            if let Some(without) = without {
                without(&mut scratch);
            }
            let mut state = prior.clone();
            for sweep in 0..N_SWEEPS {
                model.sweep(&data, &mut state, &mut scratch, &streams, sweep);
            }
            state
        });
        n_different += usize::from(saving != thorough);
    }
    Verdict::new(vec![fails_if(n_different > 0, format!("chains that differ, {n_different} of {n_replicates}"))])
}
