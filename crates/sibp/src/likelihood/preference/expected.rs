//! Averages the probability of a triplet over bits that are independent, each with its own probability.
//!
//! Per bit, only three things can happen: it sides with near (A), with far (B), or it does not tell near from far. With
//! equal weights sums are exact: over the number of separating bits under the ratio, which is linear in A given this
//! number; over A - B under the logistic link. With other weights what is left is an integral over the line. For the ratio,
//! 1/(A + B + κ) = ∫ exp(-u (A + B + κ)) du, whose average over the bits is a product. For the logistic link, which is the
//! probability that a logistic variable is below slope (A - B), the characteristic functions of both are known.

use super::{Form, Scoring};
use crate::fault::{Fault, planted};

/// The chances that a bit sides with near, and with far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Chances {
    /// That near and far differ and the anchor is as near is.
    pub near: f64,
    /// That near and far differ and the anchor is as far is.
    pub far: f64,
}

impl Chances {
    /// The chances under independent bits of anchor, near and far, each 1 with its probability.
    pub fn new(anchor: f64, near: f64, far: f64) -> Self {
        let (near_alone, far_alone) = (near * (1.0 - far), (1.0 - near) * far);
        Self {
            near: anchor * near_alone + (1.0 - anchor) * far_alone,
            far: anchor * far_alone + (1.0 - anchor) * near_alone,
        }
    }
}

impl Scoring {
    /// The mean probability of a triplet: `certain` holds A and B of what is known, and every further bit adds its weight
    /// by its chances.
    pub fn expected(&self, certain: (f64, f64), chances: &[Chances], weights: &[f64]) -> f64 {
        let Some(&weight) = weights.first() else { return self.probability(certain.0, certain.1) };
        let equal = weights.iter().all(|&other| other == weight);
        match self.form {
            Form::Ratio { .. } if equal => self.by_counts(certain, chances, weight),
            Form::Ratio { pseudo_weight } => self.by_integral(certain, chances, weights, pseudo_weight),
            Form::Logistic { .. } if equal => self.by_differences(certain, chances, weight),
            Form::Logistic { slope } => self.by_frequencies(slope * (certain.0 - certain.1), chances, weights, slope),
        }
    }

    /// Σ over the difference of the numbers of bits that side with near and with far.
    fn by_differences(&self, (a, b): (f64, f64), chances: &[Chances], weight: f64) -> f64 {
        let middle = chances.len();
        let mut probability = vec![0.0; 2 * middle + 1];
        let mut next = probability.clone();
        probability[middle] = 1.0;
        let mut mean = 0.0;
        let (mut low, mut high) = (middle, middle);
        for chance in chances.iter().filter(|chance| chance.near + chance.far > 0.0) {
            (low, high) = (low - 1, high + 1);
            let before = |at: usize| if (low + 1..high).contains(&at) { probability[at] } else { 0.0 };
            for (at, next) in (low..=high).zip(&mut next[low..=high]) {
                let stays = before(at) * (1.0 - chance.near - chance.far);
                *next = stays + before(at.wrapping_sub(1)) * chance.near + before(at + 1) * chance.far;
            }
            std::mem::swap(&mut probability, &mut next);
            mean += chance.near - chance.far;
        }
        if planted(Fault::PreferenceOfMeans) {
            return self.probability(a + weight * mean, b);
        }
        let of = |at: usize| probability[at] * self.probability(a + weight * (at as f64 - middle as f64), b);
        (low..=high).map(of).sum()
    }

    /// 1/2 + ∫ Im φ(t) / sinh(πt) dt over t > 0, where φ is the characteristic function of slope (A - B) (Gil-Pelaez), by
    /// the midpoint rule, whose error falls exponentially with the number of nodes.
    fn by_frequencies(&self, certain: f64, chances: &[Chances], weights: &[f64], slope: f64) -> f64 {
        /// Beyond it sinh(πt) exceeds 1e17.
        const LAST: f64 = 12.5;
        const DIGITS: f64 = 40.0;
        let largest = certain.abs() + slope * weights.iter().sum::<f64>();
        let n_nodes = (LAST * (largest + DIGITS) / (2.0 * std::f64::consts::PI)).ceil().max(1.0) as usize;
        let step = LAST / n_nodes as f64;
        let term = |node: usize| {
            let t = (node as f64 + 0.5) * step;
            let (mut imaginary, mut real) = (certain * t).sin_cos();
            for (chance, weight) in chances.iter().zip(weights) {
                let (sine, cosine) = (slope * weight * t).sin_cos();
                let separates = chance.near + chance.far;
                let factor = (1.0 - separates + separates * cosine, (chance.near - chance.far) * sine);
                (real, imaginary) = (real * factor.0 - imaginary * factor.1, real * factor.1 + imaginary * factor.0);
            }
            imaginary / (std::f64::consts::PI * t).sinh()
        };
        self.lapsed(0.5 + step * (0..n_nodes).map(term).sum::<f64>())
    }

    /// Σ over the number n of separating bits: P(n) and the mean of A on n are all that is needed.
    fn by_counts(&self, (a, b): (f64, f64), chances: &[Chances], weight: f64) -> f64 {
        let mut probability = vec![0.0; chances.len() + 1];
        let mut nears = vec![0.0; chances.len() + 1];
        probability[0] = 1.0;
        for (n_before, chance) in chances.iter().enumerate() {
            let separates = chance.near + chance.far;
            let stays = 1.0 - separates;
            for n in (1..=n_before + 1).rev() {
                nears[n] = nears[n] * stays + nears[n - 1] * separates + probability[n - 1] * chance.near;
                probability[n] = probability[n] * stays + probability[n - 1] * separates;
            }
            nears[0] *= stays;
            probability[0] *= stays;
        }
        let term = |n: usize| {
            let p = probability[n];
            if p <= 0.0 {
                return 0.0;
            }
            let mean = if planted(Fault::PreferenceOfMeans) { 0.5 * n as f64 } else { nears[n] / p };
            p * self.probability(a + weight * mean, b + weight * (n as f64 - mean))
        };
        (0..probability.len()).map(term).sum()
    }

    /// The same for any weights, by the trapezoidal rule in ln u, which converges faster than any power of the step.
    fn by_integral(&self, (a, b): (f64, f64), chances: &[Chances], weights: &[f64], pseudo: f64) -> f64 {
        const STEP: f64 = 0.25;
        let bits =
            || chances.iter().zip(weights).filter(|(chance, weight)| chance.near + chance.far > 0.0 && **weight > 0.0);
        let known = a + b + pseudo;
        let total = known + bits().map(|(_, weight)| weight).sum::<f64>();
        let smallest = bits().map(|(_, &weight)| weight).fold(f64::INFINITY, f64::min);
        // A product over bits that never separate, which is what is left where u is large.
        let none: f64 = bits().map(|(chance, _)| 1.0 - chance.near - chance.far).product();
        if !smallest.is_finite() {
            return self.probability(a, b);
        }
        let least = if known > 0.0 { known.min(smallest) } else { smallest };
        let (low, high) = ((1e-9 / total).ln(), (40.0 / least).ln());
        let mut sum = 0.0;
        for node in 0..=((high - low) / STEP) as usize {
            let u = (low + node as f64 * STEP).exp();
            // Product of the bits' factors, and the sum of what each would add to A.
            let (mut product, mut adds) = ((-u * known).exp(), 0.0);
            for (chance, &weight) in bits() {
                let fades = (-u * weight).exp();
                let factor = 1.0 - (chance.near + chance.far) * (1.0 - fades);
                product *= factor;
                adds +=
                    weight * (self.sure * chance.near + self.slip * chance.far) * fades / factor.max(f64::MIN_POSITIVE);
            }
            sum += STEP * u * product * (adds + self.sure * a + self.slip * b + pseudo / 2.0);
        }
        if known > 0.0 { sum } else { sum + 0.5 * none }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// The sum over all 3^n outcomes.
    fn enumerated(scoring: &Scoring, certain: (f64, f64), chances: &[Chances], weights: &[f64]) -> f64 {
        let Some((chance, rest)) = chances.split_first() else { return scoring.probability(certain.0, certain.1) };
        let go = |a: f64, b: f64| enumerated(scoring, (certain.0 + a, certain.1 + b), rest, &weights[1..]);
        chance.near * go(weights[0], 0.0)
            + chance.far * go(0.0, weights[0])
            + (1.0 - chance.near - chance.far) * go(0.0, 0.0)
    }

    #[test]
    fn sums_and_integrals_equal_the_enumeration() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let forms = [
            Scoring::ratio(0.02, 0.0),
            Scoring::ratio(0.02, 0.3),
            Scoring::ratio(0.02, 10.0),
            Scoring::logistic(0.02, 0.4),
            Scoring::logistic(0.02, 30.0),
        ];
        for scoring in forms {
            for certain in [(0.0, 0.0), (1.5, 0.25)] {
                for equal in [true, false] {
                    let chances: Vec<Chances> = (0..7)
                        .map(|at| match at {
                            0 => Chances::new(1.0, 1.0, 0.0),
                            1 => Chances::new(0.3, 1.0, 1.0),
                            _ => Chances::new(rng.random(), rng.random(), rng.random()),
                        })
                        .collect();
                    let weights: Vec<f64> =
                        (0..7).map(|_| if equal { 0.7 } else { rng.random::<f64>().powi(6) + 1e-6 }).collect();
                    for from in 0..7 {
                        let (chances, weights) = (&chances[from..], &weights[from..]);
                        let expected = enumerated(&scoring, certain, chances, weights);
                        let found = scoring.expected(certain, chances, weights);
                        assert!(
                            (found - expected).abs() < 1e-7,
                            "{scoring:?} {certain:?} {equal} {from}: {found} {expected}"
                        );
                        let both = found + scoring.expected((certain.1, certain.0), &opposite(chances), weights);
                        assert!((both - 1.0).abs() < 1e-7, "a preference and its opposite: {both}");
                    }
                }
            }
        }
    }

    fn opposite(chances: &[Chances]) -> Vec<Chances> {
        chances.iter().map(|chance| Chances { near: chance.far, far: chance.near }).collect()
    }

    #[test]
    fn chances_are_those_of_three_independent_bits() {
        let (i, j, l) = (0.2, 0.9, 0.4);
        let chance = Chances::new(i, j, l);
        let mut expected = Chances::default();
        for outcome in 0..8u8 {
            let [zi, zj, zl] = [outcome & 1 == 1, outcome & 2 == 2, outcome & 4 == 4];
            let p = |p: f64, z: bool| if z { p } else { 1.0 - p };
            let weight = p(i, zi) * p(j, zj) * p(l, zl);
            let (near, far) = super::super::contribution(zi, zj, zl);
            expected.near += weight * near;
            expected.far += weight * far;
        }
        assert!((chance.near - expected.near).abs() < 1e-15 && (chance.far - expected.far).abs() < 1e-15);
    }
}
