//! Defines the probability of one preference, for one triplet and for eight at a time.

use super::role::{Flip, Other, Role};
use crate::fault::{Fault, planted};
use crate::numerics::exponential::power_of_two;
use crate::numerics::vector::{Vector, chunk_of};

/// How A and B, the weights of the bits that speak for near and for far, become a probability; beside it, the lapse rate
/// counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Form {
    /// (A + pseudo/2) / (A + B + pseudo), and 1/2 where that is 0/0: Eq. (2) where the pseudo-weight is 0.
    Ratio {
        /// The pseudo-weight, at least 0.
        pseudo_weight: f64,
    },
    /// 1 / (1 + exp(-slope (A - B))).
    Logistic {
        /// The slope, above 0.
        slope: f64,
    },
}

/// The constants of the preference probability. Where judges have lapse rates of their own, the lowest of them bounds what
/// any triplet can gain or lose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scoring {
    /// Probability of the answer that is certain: 1 - lapse/2.
    pub(super) sure: f64,
    /// Probability of the answer that is impossible but for lapses: lapse/2.
    pub(super) slip: f64,
    pub(super) form: Form,
}

impl Scoring {
    /// `lapse` in (0, 1).
    pub fn new(lapse: f64, form: Form) -> Self {
        Self { sure: 1.0 - lapse / 2.0, slip: lapse / 2.0, form }
    }

    /// The ratio, Eq. (2), with this pseudo-weight.
    pub fn ratio(lapse: f64, pseudo_weight: f64) -> Self {
        Self::new(lapse, Form::Ratio { pseudo_weight })
    }

    /// The logistic link with this slope.
    pub fn logistic(lapse: f64, slope: f64) -> Self {
        Self::new(lapse, Form::Logistic { slope })
    }

    /// The largest log probability a triplet can have.
    pub fn log_best(&self) -> f64 {
        self.sure.ln()
    }

    /// Probability of a triplet with sums `a` and `b`.
    #[inline(always)]
    pub fn probability(&self, a: f64, b: f64) -> f64 {
        match self.form {
            Form::Ratio { pseudo_weight } => {
                let total = a + b + pseudo_weight;
                if total > 0.0 { (self.sure * a + self.slip * b + pseudo_weight / 2.0) / total } else { 0.5 }
            }
            Form::Logistic { slope } => self.lapsed(logistic(slope * (a - b))),
        }
    }

    /// The probability of an answer that has this probability for one who does not lapse.
    pub(super) fn lapsed(&self, probability: f64) -> f64 {
        self.slip + (self.sure - self.slip) * probability
    }

    /// Probability of a triplet with sums `a` and `b`, or the largest possible one where A + B + pseudo is 0.
    #[inline(always)]
    pub(super) fn highest(&self, a: f64, b: f64) -> f64 {
        let probability = match self.form {
            Form::Ratio { pseudo_weight } => {
                (self.sure * a + self.slip * b + pseudo_weight / 2.0) / (a + b + pseudo_weight)
            }
            Form::Logistic { .. } => self.probability(a, b),
        };
        if probability < self.sure { probability } else { self.sure }
    }

    /// An upper bound on the log ratio of one flip of at most this weight, for any triplet.
    pub fn largest_log_ratio(&self, weight: f64) -> f64 {
        match self.form {
            Form::Ratio { pseudo_weight } => (weight * self.sure / (pseudo_weight / 2.0)).ln_1p(),
            // A flip moves A - B by at most twice the weight, and the slope of ln p is below that of the link.
            Form::Logistic { slope } => (2.0 * slope * weight).min((self.sure / self.slip).ln()),
        }
    }

    /// Whether a bit of this weight may be taken from B of any triplet, even where it has none there.
    pub(super) fn allows_less(&self, weight: f64) -> bool {
        match self.form {
            Form::Ratio { pseudo_weight } => pseudo_weight > weight,
            Form::Logistic { .. } => true,
        }
    }
}

/// 1 / (1 + exp(-x)).
#[inline(always)]
fn logistic(x: f64) -> f64 {
    let small = (-x.abs()).exp();
    (if x < 0.0 { small } else { 1.0 }) / (1.0 + small)
}

/// Whether a bit counts for a triplet or against it.
#[derive(Clone, Copy)]
pub(super) enum Side {
    For,
    Against,
}

/// Computes probabilities of eight triplets at a time, as numerators and denominators: products of many probabilities
/// need no division then.
pub(super) trait Lanes<V: Vector>: Copy {
    /// Numerators and denominators from A and B of a chunk of triplets.
    fn fractions(&self, sums: (V::Doubles, V::Doubles), chunk: usize) -> (V::Doubles, V::Doubles);

    /// What is kept of A and B, which lack the weight of a bit, while that weight is tried.
    fn without_weight(&self, sums: (V::Doubles, V::Doubles), chunk: usize) -> (V::Doubles, V::Doubles);

    /// Numerators and denominators, from what was kept, if the bit has this weight and counts for the triplets, or
    /// against them.
    fn with_weight(&self, kept: (V::Doubles, V::Doubles), weight: V::Doubles, side: Side) -> (V::Doubles, V::Doubles);

    /// What is kept of A and B while flips of an object's bits are tried.
    fn gathered<R: Role>(&self, sums: (V::Doubles, V::Doubles), chunk: usize) -> (V::Doubles, V::Doubles);

    /// Numerators and denominators after a flip, from what was gathered, up to factors that no flip changes.
    fn after_flip<R: Role>(
        &self,
        flip: &Flip,
        gathered: (V::Doubles, V::Doubles),
        words: (V::Words, V::Words),
    ) -> (V::Doubles, V::Doubles);
}

/// The ratio in all SIMD lanes. `EMPTY`: A + B + pseudo may be 0, which is one half.
#[derive(Clone, Copy)]
pub(super) struct RatioLanes<V: Vector, const EMPTY: bool> {
    sure: V::Doubles,
    slip: V::Doubles,
    half_pseudo: V::Doubles,
    pseudo: V::Doubles,
    /// Coefficient for which the numerator is A + pseudo/2 + slips (A + B + pseudo), up to the factor 1 - lapse; no
    /// term is negative.
    slips: V::Doubles,
    /// One half, divided by the factor 1 - lapse.
    half: V::Doubles,
}

impl<V: Vector, const EMPTY: bool> RatioLanes<V, EMPTY> {
    #[inline(always)]
    pub fn new(scoring: &Scoring, pseudo: f64) -> Self {
        let certain = scoring.sure - scoring.slip;
        Self {
            sure: V::splat(scoring.sure),
            slip: V::splat(scoring.slip),
            half_pseudo: V::splat(pseudo / 2.0),
            pseudo: V::splat(pseudo),
            slips: V::splat(scoring.slip / certain),
            half: V::splat(0.5 / certain),
        }
    }
}

impl<V: Vector, const EMPTY: bool> Lanes<V> for RatioLanes<V, EMPTY> {
    #[inline(always)]
    fn fractions(&self, sums: (V::Doubles, V::Doubles), chunk: usize) -> (V::Doubles, V::Doubles) {
        let (top, bottom) = self.without_weight(sums, chunk);
        if EMPTY {
            (V::select_zero(bottom, V::splat(0.5), top), V::select_zero(bottom, V::splat(1.0), bottom))
        } else {
            (top, bottom)
        }
    }

    /// The numerator and the denominator, to which multiples of the weight are added.
    #[inline(always)]
    fn without_weight(&self, (a, b): (V::Doubles, V::Doubles), _: usize) -> (V::Doubles, V::Doubles) {
        let top = V::add(V::add(V::multiply(self.sure, a), V::multiply(self.slip, b)), self.half_pseudo);
        (top, V::add(V::add(a, b), self.pseudo))
    }

    #[inline(always)]
    fn with_weight(
        &self,
        (top, bottom): (V::Doubles, V::Doubles),
        weight: V::Doubles,
        side: Side,
    ) -> (V::Doubles, V::Doubles) {
        let share = match side {
            Side::For => self.sure,
            Side::Against => self.slip,
        };
        (V::add(top, V::multiply(share, weight)), V::add(bottom, weight))
    }

    /// A + pseudo/2, and A + B + pseudo; for an anchor, whose flips do not change that, what it adds to the numerator.
    #[inline(always)]
    fn gathered<R: Role>(&self, (a, b): (V::Doubles, V::Doubles), _: usize) -> (V::Doubles, V::Doubles) {
        let total = V::add(V::add(a, b), self.pseudo);
        let second = if R::TOTAL_STAYS {
            // No bit matters to an anchor's triplet with A + B = 0: any number will do.
            V::select_zero(total, V::splat(1.0), V::multiply(self.slips, total))
        } else {
            total
        };
        (V::add(a, self.half_pseudo), second)
    }

    #[inline(always)]
    fn after_flip<R: Role>(
        &self,
        flip: &Flip,
        (favour, total): (V::Doubles, V::Doubles),
        words: (V::Words, V::Words),
    ) -> (V::Doubles, V::Doubles) {
        let (favour, change) = R::favour_and_change::<V>(flip, favour, words);
        if R::TOTAL_STAYS {
            return (V::add(favour, total), V::splat(1.0));
        }
        let total = V::add(total, change);
        let top = V::add(favour, V::multiply(self.slips, total));
        if EMPTY {
            (V::select_zero(total, self.half, top), V::select_zero(total, V::splat(1.0), total))
        } else {
            (top, total)
        }
    }
}

/// The logistic link in all SIMD lanes: p = (1 - slip + slip E) / (1 + E) with E = exp(-slope (A - B)).
#[derive(Clone, Copy)]
pub(super) struct LogisticLanes<V: Vector, S> {
    /// The slope in binary digits, with the opposite sign.
    slope: V::Doubles,
    slips: S,
}

/// Half the lapse rate behind each triplet.
pub(super) trait Slips<V: Vector>: Copy {
    fn of(&self, chunk: usize) -> V::Doubles;
}

/// The same for all triplets.
#[derive(Clone, Copy)]
pub(super) struct Common<V: Vector>(V::Doubles);

impl<V: Vector> Slips<V> for Common<V> {
    #[inline(always)]
    fn of(&self, _: usize) -> V::Doubles {
        self.0
    }
}

/// That of each triplet's judge.
#[derive(Clone, Copy)]
pub(super) struct OfJudges<'a>(&'a [f64]);

impl<V: Vector> Slips<V> for OfJudges<'_> {
    #[inline(always)]
    fn of(&self, chunk: usize) -> V::Doubles {
        V::load(&chunk_of(self.0, if planted(Fault::FirstJudges) { 0 } else { chunk }))
    }
}

impl<V: Vector> LogisticLanes<V, Common<V>> {
    #[inline(always)]
    pub fn new(scoring: &Scoring, slope: f64) -> Self {
        Self { slope: binary::<V>(slope), slips: Common(V::splat(scoring.slip)) }
    }
}

impl<'a, V: Vector> LogisticLanes<V, OfJudges<'a>> {
    #[inline(always)]
    pub fn judged(slope: f64, slips: &'a [f64]) -> Self {
        Self { slope: binary::<V>(slope), slips: OfJudges(slips) }
    }
}

#[inline(always)]
fn binary<V: Vector>(slope: f64) -> V::Doubles {
    V::splat(-slope * std::f64::consts::LOG2_E)
}

impl<V: Vector, S> LogisticLanes<V, S> {
    #[inline(always)]
    fn of_difference(&self, difference: V::Doubles, slip: V::Doubles) -> (V::Doubles, V::Doubles) {
        // E = top / bottom; no division is needed.
        let (top, bottom) = power_of_two::<V>(V::multiply(self.slope, difference));
        let sure = V::subtract(V::splat(1.0), slip);
        (V::add(V::multiply(sure, bottom), V::multiply(slip, top)), V::add(bottom, top))
    }
}

impl<V: Vector, S: Slips<V>> Lanes<V> for LogisticLanes<V, S> {
    #[inline(always)]
    fn fractions(&self, (a, b): (V::Doubles, V::Doubles), chunk: usize) -> (V::Doubles, V::Doubles) {
        self.of_difference(V::subtract(a, b), self.slips.of(chunk))
    }

    #[inline(always)]
    fn without_weight(&self, sums: (V::Doubles, V::Doubles), chunk: usize) -> (V::Doubles, V::Doubles) {
        self.gathered::<Other>(sums, chunk)
    }

    #[inline(always)]
    fn with_weight(
        &self,
        (difference, slip): (V::Doubles, V::Doubles),
        weight: V::Doubles,
        side: Side,
    ) -> (V::Doubles, V::Doubles) {
        let difference = match side {
            Side::For => V::add(difference, weight),
            Side::Against => V::subtract(difference, weight),
        };
        self.of_difference(difference, slip)
    }

    /// A - B, which is all that counts, and half the lapse rate.
    #[inline(always)]
    fn gathered<R: Role>(&self, (a, b): (V::Doubles, V::Doubles), chunk: usize) -> (V::Doubles, V::Doubles) {
        (V::subtract(a, b), self.slips.of(chunk))
    }

    #[inline(always)]
    fn after_flip<R: Role>(
        &self,
        flip: &Flip,
        (difference, slip): (V::Doubles, V::Doubles),
        words: (V::Words, V::Words),
    ) -> (V::Doubles, V::Doubles) {
        self.of_difference(R::difference::<V>(flip, difference, words), slip)
    }
}

/// For what was gathered before, which holds its lapse rates.
pub(super) const NO_SLIPS: &[f64] = &[];

/// Evaluates an expression with `$lanes` bound to the constants of a scoring in the lanes of a vector. `$slips` has half the
/// lapse rate behind each triplet, or nothing where there is one for all.
macro_rules! by_form {
    ($vector:ty, $scoring:expr, $slips:expr, $lanes:ident => $value:expr) => {
        match $scoring.form {
            $crate::likelihood::preference::scoring::Form::Ratio { pseudo_weight } if pseudo_weight > 0.0 => {
                let $lanes =
                    $crate::likelihood::preference::scoring::RatioLanes::<$vector, false>::new($scoring, pseudo_weight);
                $value
            }
            $crate::likelihood::preference::scoring::Form::Ratio { pseudo_weight } => {
                let $lanes =
                    $crate::likelihood::preference::scoring::RatioLanes::<$vector, true>::new($scoring, pseudo_weight);
                $value
            }
            $crate::likelihood::preference::scoring::Form::Logistic { slope } if $slips.is_empty() => {
                let $lanes = $crate::likelihood::preference::scoring::LogisticLanes::<$vector, _>::new($scoring, slope);
                $value
            }
            $crate::likelihood::preference::scoring::Form::Logistic { slope } => {
                let $lanes =
                    $crate::likelihood::preference::scoring::LogisticLanes::<$vector, _>::judged(slope, $slips);
                $value
            }
        }
    };
}
pub(super) use by_form;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logistic_link_is_symmetric_and_never_certain() {
        for slope in [0.01, 0.3, 15.0, 400.0] {
            for difference in [0.0, 1.0, 3.5, 40.0] {
                let scoring = Scoring::logistic(0.02, slope);
                let (p, q) = (scoring.probability(difference, 0.0), scoring.probability(0.0, difference));
                assert!((p + q - 1.0).abs() < 1e-15, "{slope} {difference}: {p} {q}");
                let expected = 0.98 / (1.0 + (-slope * difference).exp()) + 0.01;
                assert!((p - expected).abs() < 1e-15 && (0.01..=0.99).contains(&q));
            }
        }
    }
}
