//! Computes the likelihood of triplets from arrays of their sums.

use super::products::{Fraction, Products, Terms};
use super::scoring::{Lanes, Scoring, by_form};
use crate::numerics::vector::{Vector, by_vectors, chunk_of};

/// Sums of triplets, all shifted by the same amounts.
struct Shifted<'a, V: Vector, L> {
    sums: (&'a [f64], &'a [f64]),
    add: (V::Doubles, V::Doubles),
    lanes: L,
}

impl<V: Vector, L: Lanes<V>> Terms<V> for Shifted<'_, V, L> {
    #[inline(always)]
    fn fractions(&self, chunk: usize) -> (V::Doubles, V::Doubles) {
        let (a, b) = (V::load(&chunk_of(self.sums.0, chunk)), V::load(&chunk_of(self.sums.1, chunk)));
        self.lanes.fractions((V::add(a, self.add.0), V::add(b, self.add.1)), chunk)
    }
}

#[inline(always)]
fn probability_body<V: Vector>(a: &[f64], b: &[f64], add: (f64, f64), slips: &[f64], scoring: &Scoring) -> Fraction {
    let n = a.len().min(b.len());
    let (sums, add) = ((&a[..n], &b[..n]), (V::splat(add.0), V::splat(add.1)));
    let mut products = Products::<V>::new();
    by_form!(V, scoring, slips, lanes => products.times_all(n, &Shifted::<V, _> { sums, add, lanes }));
    products.fraction()
}

by_vectors! {
    /// Probability of triplets with sums `a` and `b`, to which `add` is added.
    probability, probability_at = probability_body(
        a: &[f64],
        b: &[f64],
        add: (f64, f64),
        slips: &[f64],
        scoring: &Scoring
    ) -> Fraction
}

/// Log probability of triplets with sums `a + add.0` and `b + add.1`; `slips` has half the lapse rate behind each, or
/// nothing where there is one for all.
pub fn log_likelihood(a: &[f64], b: &[f64], add: (f64, f64), slips: &[f64], scoring: &Scoring) -> f64 {
    probability(a, b, add, slips, scoring).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::level::Level;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn every_level_gives_the_same_bits() {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        for n in 0..200 {
            let scoring = [Scoring::ratio(0.01, 0.0), Scoring::ratio(0.01, 7.5), Scoring::logistic(0.01, 0.4)][n % 3];
            let slips: Vec<f64> = (0..if n % 2 == 0 { n } else { 0 }).map(|at| 0.01 + 0.001 * at as f64).collect();
            let mut sums = || (0..n).map(|_| f64::from(rng.random_range(0..40u8)) / 4.0).collect::<Vec<_>>();
            let (a, b) = (sums(), sums());
            let at = |level: Level| probability_at(level, &a, &b, (0.5, 0.25), &slips, &scoring);
            assert!(Level::available().into_iter().map(at).all(|found| found == at(Level::Portable)), "{n} triplets");
        }
    }

    /// Far more factors than a double could hold, each as small as they come.
    #[test]
    fn long_products_of_small_probabilities_do_not_vanish() {
        let n = 100_001;
        let scoring = Scoring::ratio(1e-9, 0.0);
        let (a, b) = (vec![0.0; n], vec![crate::likelihood::preference::WEIGHT_GRID; n]);
        let log = log_likelihood(&a, &b, (0.0, 0.0), &[], &scoring);
        let exact = n as f64 * 0.5e-9f64.ln();
        assert!((log / exact - 1.0).abs() < 1e-13, "{log} {exact}");
    }
}
