//! Tests whole runs by simulation-based calibration (Talts et al. 2018): a state drawn from the prior must have a
//! uniform rank among posterior draws given data that were simulated from it.

use super::movement::rows_of_run;
use super::{Subject, Verdict};
use crate::model::Model;
use crate::rng::{Purpose, Streams};
use rand::{Rng, RngExt};

/// Sweeps before the first posterior draw.
const BURN_IN: u64 = 200;
/// Posterior draws a replicate.
const N_DRAWS: u64 = 99;
/// Sweeps from one to the next; they should be nearly independent.
const THIN: u64 = 10;

/// Probability that a correct sampler leaves the band, over all quantities together.
const OUTSIDE: f64 = 0.01;

/// The largest distance between the empirical and the uniform distribution of `n` ranks that is within a 99 % band,
/// simultaneously over all ranks and `n_statistics` quantities (Dvoretzky, Kiefer & Wolfowitz with Massart's constant).
pub fn widest_distance(n_replicates: usize, n_statistics: usize) -> f64 {
    ((2.0 * n_statistics as f64 / OUTSIDE).ln() / (2.0 * n_replicates as f64)).sqrt()
}

/// Distance between the distribution of `n_replicates` ranks and the uniform one, for each statistic.
pub fn calibrate<M: Model>(subject: &Subject<M>, n_replicates: usize, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let Subject { model, shape, .. } = subject;
    let names = subject.names();
    let mut rng = Streams::new(seed, 4).rng(Purpose::Verify, 0, 0);
    let mut data = shape.clone();
    let mut scratch = subject.scratch();
    let mut places = vec![Vec::with_capacity(n_replicates); names.len()];
    for replicate in 0..n_replicates {
        let truth = model.draw_prior(shape, &scratch, &mut rng);
        model.simulate(&truth, &mut data, &mut rng);
        model.refresh(&data, &mut scratch);
        let truth = subject.values(&data, &truth);
        let mut state = model.draw_prior(shape, &scratch, &mut rng);
        let streams = Streams::new(seed, 5 + replicate);
        let mut ranks = vec![Rank::default(); names.len()];
        for sweep in 1..=BURN_IN + N_DRAWS * THIN {
            model.sweep(&data, &mut state, &mut scratch, &streams, sweep);
            if sweep > BURN_IN && (sweep - BURN_IN).is_multiple_of(THIN) {
                for ((rank, draw), truth) in ranks.iter_mut().zip(subject.values(&data, &state)).zip(&truth) {
                    rank.add(draw, *truth);
                }
            }
        }
        for (places, rank) in places.iter_mut().zip(&ranks) {
            places.push(rank.place(&mut rng));
        }
        progress((replicate + 1) as f64 / n_replicates as f64);
    }
    let distances = places.into_iter().map(distance_from_uniform);
    let verdict = Verdict::with_limit(names.iter().copied().zip(distances), widest_distance(n_replicates, names.len()));
    verdict.with(rows_of_run(subject, &scratch, seed))
}

/// Number of posterior draws below the true value, and equal to it.
#[derive(Debug, Clone, Copy, Default)]
struct Rank {
    below: u64,
    equal: u64,
}

impl Rank {
    fn add(&mut self, draw: f64, truth: f64) {
        self.below += u64::from(draw < truth);
        // Sums over bits depend on their order in the last digits.
        self.equal += u64::from((draw - truth).abs() <= 1e-12 * truth.abs());
    }

    /// A place in (0, 1), uniform when the ranks are: ties are broken at random, and so is the place within a rank.
    fn place<R: Rng>(&self, rng: &mut R) -> f64 {
        let rank = self.below + rng.random_range(0..=self.equal);
        (rank as f64 + rng.random::<f64>()) / (N_DRAWS + 1) as f64
    }
}

fn distance_from_uniform(mut places: Vec<f64>) -> f64 {
    places.sort_by(f64::total_cmp);
    let n = places.len() as f64;
    let gap = |(at, place): (usize, &f64)| (place - at as f64 / n).abs().max((place - (at + 1) as f64 / n).abs());
    places.iter().enumerate().map(gap).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert!((distance_from_uniform(vec![0.25, 0.75]) - 0.25).abs() < 1e-15);
        assert!((distance_from_uniform(vec![0.9, 0.95]) - 0.9).abs() < 1e-15);
        // The 99 % band of one quantity: 1.63 / √n.
        assert!((widest_distance(100, 1) - 0.1628).abs() < 1e-4);
    }
}
