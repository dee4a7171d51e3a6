//! Scores another weight of one bit, over the triplets to which it matters.

use super::PreferenceSums;
use super::products::{Fraction, Products, Terms};
use super::scoring::{Lanes, NO_SLIPS, Scoring, Side, by_form};
use super::sides::{AGAINST, FOR, Sides, lanes};
use crate::numerics::simd::LANES;
use crate::numerics::vector::{Chunk, Vector, by_vectors, chunk_of};
use crate::triplets::TripletSet;

/// The triplets to which one bit matters, without that bit's weight.
#[derive(Debug, Clone, Default)]
pub struct WeightTrial {
    sides: Sides,
    counts_for: Listed,
    against: Listed,
    scoring: Option<Scoring>,
    weight: f64,
}

/// What is kept of some triplets (see [`Lanes::without_weight`]), in contiguous arrays that are longer than their content.
#[derive(Debug, Clone, Default)]
pub struct Listed {
    n: usize,
    first: Vec<f64>,
    second: Vec<f64>,
}

impl Listed {
    /// Makes room for `n` and for the last chunk behind them.
    fn clear(&mut self, n: usize) {
        self.n = 0;
        if self.first.len() < n + LANES {
            self.first.resize(n + LANES, 0.0);
            self.second.resize(n + LANES, 0.0);
        }
    }

    /// Appends the lanes whose bit is set.
    #[inline(always)]
    fn append<V: Vector>(&mut self, lanes: u8, (first, second): (V::Doubles, V::Doubles)) {
        for (values, list) in [(first, &mut self.first), (second, &mut self.second)] {
            if let Some(end) = list[self.n..].first_chunk_mut() {
                V::pack(values, lanes, end);
            }
        }
        self.n += lanes.count_ones() as usize;
    }
}

impl WeightTrial {
    /// Gathers the triplets that `column` (of weight `weight`) separates.
    pub fn gather(
        &mut self,
        triplets: &TripletSet,
        sums: &PreferenceSums,
        column: &[u8],
        weight: f64,
        scoring: &Scoring,
    ) {
        (self.weight, self.scoring) = (weight, Some(*scoring));
        self.sides.fill(triplets, column);
        self.counts_for.clear(triplets.len());
        self.against.clear(triplets.len());
        list(
            (&sums.a, &sums.b),
            &self.sides.0,
            weight,
            (&sums.slips, scoring),
            (&mut self.counts_for, &mut self.against),
        );
    }

    /// Log likelihood of the gathered triplets if the bit had this weight.
    pub fn log_likelihood(&self, weight: f64) -> f64 {
        self.scoring.map_or(0.0, |scoring| probability((&self.counts_for, &self.against), weight, &scoring).ln())
    }

    /// Gives the bit this weight in all sums.
    pub fn apply(&mut self, sums: &mut PreferenceSums, weight: f64) {
        self.sides.add(sums, weight - self.weight);
        self.weight = weight;
    }
}

#[inline(always)]
fn list_body<V: Vector>(
    (a, b): (&[f64], &[f64]),
    sides: &[Chunk<u8>],
    weight: f64,
    (slips, scoring): (&[f64], &Scoring),
    (counts_for, against): (&mut Listed, &mut Listed),
) {
    let less = V::splat(-weight);
    by_form!(V, scoring, slips, form => for (at, sides) in sides.iter().enumerate() {
        let (a, b) = (V::load(&chunk_of(a, at)), V::load(&chunk_of(b, at)));
        counts_for.append::<V>(lanes(sides, FOR), form.without_weight((V::add(a, less), b), at));
        against.append::<V>(lanes(sides, AGAINST), form.without_weight((a, V::add(b, less)), at));
    });
}

by_vectors! {
    /// Lists the triplets for and against which the bit counts, with this weight subtracted.
    list, list_at = list_body(
        sums: (&[f64], &[f64]),
        sides: &[Chunk<u8>],
        weight: f64,
        scoring: (&[f64], &Scoring),
        lists: (&mut Listed, &mut Listed)
    )
}

/// Listed triplets, with another weight of the bit.
struct Weighed<'a, V: Vector, L> {
    list: &'a Listed,
    side: Side,
    weight: V::Doubles,
    lanes: L,
}

impl<V: Vector, L: Lanes<V>> Terms<V> for Weighed<'_, V, L> {
    #[inline(always)]
    fn fractions(&self, at: usize) -> (V::Doubles, V::Doubles) {
        let kept = (V::load(&chunk_of(&self.list.first, at)), V::load(&chunk_of(&self.list.second, at)));
        self.lanes.with_weight(kept, self.weight, self.side)
    }
}

#[inline(always)]
fn probability_body<V: Vector>((pro, contra): (&Listed, &Listed), weight: f64, scoring: &Scoring) -> Fraction {
    let mut products = Products::<V>::new();
    let weight = V::splat(weight);
    by_form!(V, scoring, NO_SLIPS, lanes => for (list, side) in [(pro, Side::For), (contra, Side::Against)] {
        products.times_all(list.n, &Weighed::<V, _> { list, side, weight, lanes });
    });
    products.fraction()
}

by_vectors! {
    /// Probability of the listed triplets if the bit has this weight.
    probability, probability_at = probability_body(lists: (&Listed, &Listed), weight: f64, scoring: &Scoring) -> Fraction
}

#[cfg(test)]
mod tests {
    use super::super::sides::tests::draw;
    use super::*;
    use crate::numerics::level::Level;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn every_level_gives_the_same_bits() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for n in 0..200usize {
            let scoring = [Scoring::ratio(0.01, 0.0), Scoring::ratio(0.01, 7.5), Scoring::logistic(0.01, 0.4)][n % 3];
            let slips: Vec<f64> = (0..if n % 2 == 0 { n } else { 0 }).map(|at| 0.01 + 0.001 * at as f64).collect();
            let ([a, b], sides) = draw(n, &mut rng);
            let at = |level: Level| {
                let mut lists = (Listed::default(), Listed::default());
                lists.0.clear(n);
                lists.1.clear(n);
                list_at(level, (&a, &b), &sides, 1.5, (&slips, &scoring), (&mut lists.0, &mut lists.1));
                let found = probability_at(level, (&lists.0, &lists.1), 2.25, &scoring);
                (found, lists.0.n, lists.1.n)
            };
            let portable = at(Level::Portable);
            assert!(Level::available().into_iter().map(at).all(|found| found == portable), "{n} triplets");
            let count = |side: u8| sides.as_flattened().iter().filter(|&&of| of == side).count();
            assert_eq!((portable.1, portable.2), (count(FOR), count(AGAINST)));
        }
    }
}
