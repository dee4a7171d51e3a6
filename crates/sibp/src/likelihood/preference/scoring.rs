//! Defines the probability of one preference, for one triplet and for eight at a time.

use crate::numerics::vector::Vector;

/// The constants of the preference probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scoring {
    /// Share of A that counts for the triplet: 1 - lapse/2.
    pub(super) sure: f64,
    /// Share of B that counts for the triplet: lapse/2.
    pub(super) slip: f64,
    pub(super) half_pseudo: f64,
    pub(super) pseudo: f64,
    /// Coefficient for which the numerator is A + pseudo/2 + slips (A + B + pseudo), up to the factor 1 - lapse; no
    /// term is negative.
    pub(super) slips: f64,
    /// One half, divided by the factor 1 - lapse.
    pub(super) half: f64,
}

impl Scoring {
    /// `lapse` in (0, 1), `pseudo_weight` at least 0.
    pub fn new(lapse: f64, pseudo_weight: f64) -> Self {
        let (sure, slip) = (1.0 - lapse / 2.0, lapse / 2.0);
        let (slips, half) = (slip / (sure - slip), 0.5 / (sure - slip));
        Self { sure, slip, half_pseudo: pseudo_weight / 2.0, pseudo: pseudo_weight, slips, half }
    }

    /// The largest log probability a triplet can have.
    pub fn log_best(&self) -> f64 {
        self.sure.ln()
    }

    /// Probability of a triplet with sums `a` and `b`.
    #[inline(always)]
    pub fn probability(&self, a: f64, b: f64) -> f64 {
        let total = a + b + self.pseudo;
        if total > 0.0 { (self.sure * a + self.slip * b + self.half_pseudo) / total } else { 0.5 }
    }

    /// Probability of a triplet with sums `a` and `b`, or the largest possible one where A + B + pseudo is 0.
    #[inline(always)]
    pub(super) fn highest(&self, a: f64, b: f64) -> f64 {
        let probability = (self.sure * a + self.slip * b + self.half_pseudo) / (a + b + self.pseudo);
        if probability < self.sure { probability } else { self.sure }
    }

    /// An upper bound on the log ratio of one flip of at most this weight, for any triplet.
    pub fn largest_log_ratio(&self, weight: f64) -> f64 {
        (weight * self.sure / self.half_pseudo).ln_1p()
    }
}

/// The constants of [`Scoring`] in all SIMD lanes.
pub(super) struct ScoringLanes<V: Vector> {
    sure: V::Doubles,
    slip: V::Doubles,
    half_pseudo: V::Doubles,
    pseudo: V::Doubles,
}

impl<V: Vector> ScoringLanes<V> {
    #[inline(always)]
    pub fn new(scoring: &Scoring) -> Self {
        Self {
            sure: V::splat(scoring.sure),
            slip: V::splat(scoring.slip),
            half_pseudo: V::splat(scoring.half_pseudo),
            pseudo: V::splat(scoring.pseudo),
        }
    }

    /// Numerators and denominators of probabilities. `EMPTY`: A + B + pseudo may be 0, which is one half.
    #[inline(always)]
    pub fn fractions<const EMPTY: bool>(&self, (a, b): (V::Doubles, V::Doubles)) -> (V::Doubles, V::Doubles) {
        let top = V::add(V::add(V::multiply(self.sure, a), V::multiply(self.slip, b)), self.half_pseudo);
        let bottom = V::add(V::add(a, b), self.pseudo);
        if EMPTY {
            (V::select_zero(bottom, V::splat(0.5), top), V::select_zero(bottom, V::splat(1.0), bottom))
        } else {
            (top, bottom)
        }
    }
}
