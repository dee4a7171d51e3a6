//! Tests whole runs by simulation-based calibration (Talts et al. 2018): a state drawn from the prior must have a
//! uniform rank among posterior draws given data that were simulated from it.

use crate::model::{Model, Observations, Threads};
use crate::rng::{Purpose, Streams};
use rand::{Rng, RngExt};

/// Lengths and seed of simulation-based calibration.
#[derive(Debug, Clone, Copy)]
pub struct CalibrationSettings {
    /// Number of prior draws whose rank is found.
    pub n_replicates: usize,
    /// Warm-up sweeps before the first posterior draw.
    pub burn_in: u64,
    /// Posterior draws for each replicate.
    pub n_draws: u64,
    /// Sweeps between posterior draws, which should be nearly independent.
    pub thin: u64,
    /// Seed of all streams.
    pub seed: u64,
}

/// Probability that a correct sampler leaves the band, over all quantities together.
const OUTSIDE: f64 = 0.01;

/// The largest distance between the empirical and the uniform distribution of `n` ranks that is within a 99 % band,
/// simultaneously over all ranks and `n_statistics` quantities (Dvoretzky, Kiefer & Wolfowitz with Massart's constant).
pub fn widest_distance(n_replicates: usize, n_statistics: usize) -> f64 {
    ((2.0 * n_statistics as f64 / OUTSIDE).ln() / (2.0 * n_replicates as f64)).sqrt()
}

/// Distance between the ranks' distribution and the uniform one, for each statistic.
pub fn calibrate<M: Model>(
    model: &M,
    shape: &Observations,
    settings: CalibrationSettings,
    n_statistics: usize,
    statistics: impl Fn(&Observations, &M::State) -> Vec<f64>,
    progress: &dyn Fn(f64),
) -> Vec<f64> {
    let mut rng = Streams::new(settings.seed, 4).rng(Purpose::Verify, 0, 0);
    let mut data = shape.clone();
    let mut scratch = model.prepare(&data, Threads::ONE);
    let mut places = vec![Vec::with_capacity(settings.n_replicates); n_statistics];
    for replicate in 0..settings.n_replicates {
        let truth = model.draw_prior(shape, &scratch, &mut rng);
        model.simulate(&truth, &mut data, &mut rng);
        model.refresh(&data, &mut scratch);
        let truth = statistics(&data, &truth);
        let mut state = model.draw_prior(shape, &scratch, &mut rng);
        let streams = Streams::new(settings.seed, 5 + replicate);
        let mut ranks = vec![Rank::default(); n_statistics];
        for sweep in 1..=settings.burn_in + settings.n_draws * settings.thin {
            model.sweep(&data, &mut state, &mut scratch, &streams, sweep);
            if sweep > settings.burn_in && (sweep - settings.burn_in).is_multiple_of(settings.thin) {
                for ((rank, draw), truth) in ranks.iter_mut().zip(statistics(&data, &state)).zip(&truth) {
                    rank.add(draw, *truth);
                }
            }
        }
        for (places, rank) in places.iter_mut().zip(&ranks) {
            places.push(rank.place(settings.n_draws, &mut rng));
        }
        progress((replicate + 1) as f64 / settings.n_replicates as f64);
    }
    places.into_iter().map(distance_from_uniform).collect()
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

    /// Position in (0, 1), uniform when the ranks are: ties are broken at random, and so is the position within a
    /// rank.
    fn place<R: Rng>(&self, n_draws: u64, rng: &mut R) -> f64 {
        let rank = self.below + rng.random_range(0..=self.equal);
        (rank as f64 + rng.random::<f64>()) / (n_draws + 1) as f64
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
