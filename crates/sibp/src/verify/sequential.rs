//! Compares two growing series several times, with a bound on the probability of a false alarm over all looks
//! together.
//!
//! A test that is repeated on more and more data until it fails would fail at last. So the significance level is split
//! equally: with `n_looks` looks at lengths that double, each look at each statistic may raise a false alarm with
//! probability `level / (n_looks x n_statistics)`, and all of them together with at most `level` (Bonferroni; no
//! independence is needed). A fault that shifts a mean is usually seen at an early, cheap look; a correct sampler
//! takes all of them.

use super::verdict::score_limit;
use super::{BatchMeans, Row, Verdict};

/// The number, lengths and significance level of the looks.
#[derive(Debug, Clone, Copy)]
pub struct Looks {
    /// Probability of a false alarm over all looks and statistics.
    pub level: f64,
    /// Number of looks; the length doubles from one to the next.
    pub n_looks: u32,
    /// Batches of each series at the first look.
    pub first_batches: u64,
}

/// Significance level of the sequential tier, low enough for any seed.
pub const SEQUENTIAL_LEVEL: f64 = 1e-5;

impl Looks {
    /// Four looks at 50, 100, 200 and 400 batches.
    pub const STANDARD: Self = Self { level: SEQUENTIAL_LEVEL, n_looks: 4, first_batches: 50 };

    /// Three looks at 50, 100 and 200 batches.
    pub const SHORT: Self = Self { n_looks: 3, ..Self::STANDARD };

    /// Batches of each series at a look; looks count from 0.
    pub fn n_batches(&self, look: u32) -> u64 {
        self.first_batches << look
    }

    /// The largest score that passes at a look. Standard errors are estimated from the batches so far.
    pub fn limit(&self, look: u32, n_statistics: usize) -> f64 {
        score_limit(self.level / f64::from(self.n_looks), n_statistics, self.n_batches(look))
    }

    /// Lengthens both series by batches, in turn, until a look finds them different or all looks are done. The verdict
    /// is that of the last look.
    pub fn compare(
        &self,
        names: &[&'static str],
        mut lengthen: impl FnMut(u64, &mut BatchMeans, &mut BatchMeans),
        (mut one, mut other): (BatchMeans, BatchMeans),
    ) -> Verdict {
        let mut verdict = Verdict::new(Vec::new());
        for look in 0..self.n_looks {
            let so_far = if look == 0 { 0 } else { self.n_batches(look - 1) };
            for batch in so_far..self.n_batches(look) {
                lengthen(batch, &mut one, &mut other);
            }
            let limit = self.limit(look, names.len());
            let row = |(at, name): (usize, &&str)| {
                let statistic = format!("{name}, look {} of {}", look + 1, self.n_looks);
                Row { statistic, value: one.score_against(&other, at), limit }
            };
            verdict = Verdict::new(names.iter().enumerate().map(row).collect());
            if !verdict.passed {
                break;
            }
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::{Fault, with_fault};
    use crate::rng::{Purpose, Streams};
    use crate::schedule::Schedule;
    use crate::verify::{GAUSSIAN, sequential_geweke, toys};
    use rand_distr::{Distribution, StandardNormal};

    const NAMES: [&str; 3] = ["a", "b", "c"];
    const LENGTH: u64 = 40;

    /// Independent draws against an autocorrelated chain, of three statistics; the chain's mean is off by `shift`.
    fn simulate(looks: Looks, shift: f64, seed: u64) -> Verdict {
        let mut rng = Streams::new(seed, 0).rng(Purpose::Verify, 0, 0);
        let mut chain = [0.0; 3];
        let series = || BatchMeans::new(NAMES.len(), LENGTH);
        let lengthen = |_: u64, one: &mut BatchMeans, other: &mut BatchMeans| {
            for _ in 0..LENGTH {
                let draw: [f64; 3] = std::array::from_fn(|_| StandardNormal.sample(&mut rng));
                one.add(&draw);
                for value in &mut chain {
                    let step: f64 = StandardNormal.sample(&mut rng);
                    *value = 0.5 * *value + 0.75f64.sqrt() * step;
                }
                other.add(&chain.map(|value| value + shift));
            }
        };
        looks.compare(&NAMES, lengthen, (series(), series()))
    }

    #[test]
    fn false_alarms_are_as_rare_as_stated() {
        // At 5 % for 1,000 pairs of series 50 alarms are allowed on average; 75 would be 3.6 deviations above that.
        let looks = Looks { level: 0.05, n_looks: 3, first_batches: 20 };
        let alarms = (0..1000).filter(|&seed| !simulate(looks, 0.0, seed).passed).count();
        println!("{alarms} alarms of 1,000 at level 0.05");
        assert!((5..75).contains(&alarms), "{alarms} false alarms of 1,000 at level 0.05");
        let strict = Looks { level: SEQUENTIAL_LEVEL, ..looks };
        assert!((0..1000).all(|seed| simulate(strict, 0.0, seed).passed));
    }

    #[test]
    fn a_small_shift_is_found_at_a_late_look_and_a_large_one_at_the_first() {
        let looks = Looks { n_looks: 5, first_batches: 20, ..Looks::STANDARD };
        let large = simulate(looks, 1.0, 1);
        assert!(!large.passed && large.rows[0].statistic.ends_with("look 1 of 5"), "{:?}", large.worst());
        let small = simulate(looks, 0.13, 1);
        assert!(!small.passed && !small.rows[0].statistic.ends_with("look 1 of 5"), "{:?}", small.worst());
    }

    #[test]
    fn the_sequential_geweke_test_finds_a_planted_fault() {
        let shape = toys::four_objects_with_given_bits();
        let subject = GAUSSIAN.of(toys::free_gaussian(0.0, Schedule::gaussian()), shape);
        let short = Looks { n_looks: 2, ..Looks::STANDARD };
        let run = || sequential_geweke(&subject, short, 1, &|_| ());
        assert!(run().passed, "{:?}", run().worst());
        let verdict = with_fault(Fault::LapseJacobian, run);
        assert!(!verdict.passed, "{:?}", verdict.worst());
    }
}
