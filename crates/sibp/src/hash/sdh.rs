//! Fits supervised discrete hashing: codes from which classes are regressed, and which are regressed from inputs
//! (Shen, Shen, Liu and Shen, CVPR 2015).
//!
//! With signs B (an object a row), classes Y (one column each, 0 or 1) and heights F(X) of the inputs it lowers
//! |Y - B·W|² + λ|W|² + ν|B - F(X)|² over W, F and B in turn, each exactly, B a sign at a time.
//! As in the authors' program, W and F are first fitted to random signs, and B is then found from no signs at all:
//! with few objects, signs that go on from the random ones keep much of them.

use super::ridge::{Heights, RIDGE, Ridge};
use super::{LearnError, LinearHash, error::positive, error::some_classes};
use crate::data::{Inputs, Labels};
use crate::numerics::linalg::{LargeCholesky, Mat, in_row_order, product, view};
use crate::numerics::simd::dot;
use crate::rng::{Purpose, Streams};
use rand::RngExt;

/// Passes over the signs of an object before the regressions are fitted again; the authors' number.
const PASSES: usize = 10;

/// Settings of supervised discrete hashing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SdhSettings {
    /// Bits a code.
    pub n_bits: usize,
    /// Ridge of the regression from codes to classes (λ).
    pub class_ridge: f64,
    /// How much codes are drawn to what inputs predict (ν).
    pub input_weight: f64,
    /// Ridge of the regression from inputs to codes, in units of the mean variance of an input.
    pub ridge: f64,
    /// Rounds over codes and regressions.
    pub n_rounds: usize,
    /// Seed of the first codes.
    pub seed: u64,
}

impl SdhSettings {
    /// The authors' λ = 1, ν = 1e-5 and 5 rounds.
    pub fn new(n_bits: usize, seed: u64) -> Self {
        Self { n_bits, class_ridge: 1.0, input_weight: 1e-5, ridge: RIDGE, n_rounds: 5, seed }
    }
}

/// Learns codes of classes and hyperplanes that predict them.
///
/// The hash is linear in the inputs that it gets: the authors' kernel map is a transform in front of it.
///
/// ```
/// use sibp::{data::{Inputs, Labels}, encode::Encoder, hash::{LearnError, SdhSettings, fit_sdh}};
/// let inputs = Inputs::new(4, 1, vec![0.0, 1.0, 8.0, 9.0])?;
/// let labels = Labels::from_text(&["low", "low", "high", "high"]);
/// let codes = fit_sdh(&inputs, &labels, &SdhSettings::new(8, 0))?.encode(&inputs, 0);
/// assert_eq!(codes.distance(0, codes.row(1)), 0);
/// assert!(codes.distance(0, codes.row(2)) > 0);
/// let refused = fit_sdh(&inputs, &labels, &SdhSettings::new(0, 0));
/// assert_eq!(refused, Err(LearnError::NoBits));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_sdh(inputs: &Inputs, labels: &Labels, settings: &SdhSettings) -> Result<LinearHash, LearnError> {
    let mut descent = Descent::start(inputs, labels, settings)?;
    for _ in 0..settings.n_rounds {
        descent.round()?;
    }
    descent.ridge.hash(&descent.fit)
}

struct Descent<'a> {
    settings: &'a SdhSettings,
    class_of: &'a [u32],
    n_classes: usize,
    ridge: Ridge,
    /// B, an object a row; 0 before the first round.
    signs: Vec<f64>,
    /// W, a bit a row.
    weights: Vec<f64>,
    fit: Heights,
}

impl<'a> Descent<'a> {
    fn start(inputs: &Inputs, labels: &'a Labels, settings: &'a SdhSettings) -> Result<Self, LearnError> {
        if settings.n_bits == 0 {
            return Err(LearnError::NoBits);
        }
        some_classes("SDH", inputs.n_objects(), labels)?;
        positive("class ridge", settings.class_ridge)?;
        positive("input weight", settings.input_weight)?;
        let ridge = Ridge::of(inputs, settings.ridge, "SDH")?;
        let mut rng = Streams::new(settings.seed, 0).rng(Purpose::Hash, 2, 0);
        let n_signs = inputs.n_objects() * settings.n_bits;
        let signs: Vec<f64> = (0..n_signs).map(|_| if rng.random() { 1.0 } else { -1.0 }).collect();
        let fit = ridge.solve(view(&signs, inputs.n_objects(), settings.n_bits));
        let (class_of, n_classes) = (labels.class_of(), labels.names().len());
        let mut start = Self { settings, class_of, n_classes, ridge, signs, weights: Vec::new(), fit };
        start.regress_classes()?;
        start.signs.fill(0.0);
        Ok(start)
    }

    fn round(&mut self) -> Result<(), LearnError> {
        self.choose_signs();
        self.regress_classes()?;
        self.fit = self.ridge.solve(view(&self.signs, self.class_of.len(), self.settings.n_bits));
        Ok(())
    }

    /// The G-step: W = (BᵀB + λI)⁻¹ BᵀY.
    fn regress_classes(&mut self) -> Result<(), LearnError> {
        let n_bits = self.settings.n_bits;
        let signs = view(&self.signs, self.class_of.len(), n_bits);
        let mut gram = product(signs.transpose(), signs, 1.0);
        (0..n_bits).for_each(|bit| gram[(bit, bit)] += self.settings.class_ridge);
        let mut weights = Mat::zeros(n_bits, self.n_classes);
        for (signs, &class) in self.signs.chunks_exact(n_bits).zip(self.class_of) {
            weights.col_mut(class as usize).iter_mut().zip(signs).for_each(|(w, sign)| *w += sign);
        }
        LargeCholesky::new(gram)?.solve_in_place(&mut weights);
        self.weights = in_row_order(&weights);
        Ok(())
    }

    /// The B-step: every sign in turn takes the better of its two values given the others, until none changes.
    fn choose_signs(&mut self) {
        let heights = self.ridge.heights(&self.fit);
        let (n_bits, n_classes) = (self.settings.n_bits, self.n_classes);
        let lengths: Vec<f64> = self.weights.chunks_exact(n_classes).map(|w| dot(w, w)).collect();
        for (object, signs) in self.signs.chunks_exact_mut(n_bits).enumerate() {
            let mut left = residual(signs, &self.weights, self.class_of[object] as usize, n_classes);
            for _ in 0..PASSES {
                let mut changed = false;
                for (bit, sign) in signs.iter_mut().enumerate() {
                    let weights = &self.weights[bit * n_classes..(bit + 1) * n_classes];
                    let pull = dot(&left, weights)
                        + *sign * lengths[bit]
                        + self.settings.input_weight * heights[(object, bit)];
                    let better = sign_of(pull, *sign);
                    if better != *sign {
                        left.iter_mut().zip(weights).for_each(|(l, w)| *l -= (better - *sign) * w);
                        *sign = better;
                        changed = true;
                    }
                }
                if !changed {
                    break;
                }
            }
        }
    }

    /// What the three steps lower.
    #[cfg(test)]
    fn objective(&self) -> f64 {
        let heights = self.ridge.heights(&self.fit);
        let mut sum = self.settings.class_ridge * dot(&self.weights, &self.weights);
        sum += self.settings.input_weight * self.ridge.penalty(&self.fit, self.settings.ridge);
        for (object, signs) in self.signs.chunks_exact(self.settings.n_bits).enumerate() {
            let left = residual(signs, &self.weights, self.class_of[object] as usize, self.n_classes);
            let apart = signs.iter().enumerate().map(|(bit, s)| (s - heights[(object, bit)]).powi(2)).sum::<f64>();
            sum += dot(&left, &left) + self.settings.input_weight * apart;
        }
        sum
    }
}

/// The sign of a pull; one of 0 leaves the sign as it was, if there was one.
fn sign_of(pull: f64, before: f64) -> f64 {
    match (pull > 0.0, pull < 0.0) {
        (true, _) => 1.0,
        (_, true) => -1.0,
        _ if before == 0.0 => 1.0,
        _ => before,
    }
}

/// What the signs of an object leave of its class: a row of Y - B·W.
fn residual(signs: &[f64], weights: &[f64], class: usize, n_classes: usize) -> Vec<f64> {
    let mut left = vec![0.0; n_classes];
    left[class] = 1.0;
    for (sign, weights) in signs.iter().zip(weights.chunks_exact(n_classes)) {
        left.iter_mut().zip(weights).for_each(|(l, w)| *l -= sign * w);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_step_raises_the_objective(
            values in prop::collection::vec(-3.0f64..3.0, 120), seed in any::<u64>(), input_weight in 1e-5f64..1.0
        ) {
            let inputs = Inputs::new(30, 4, values).unwrap();
            let labels = Labels::from_classes(vec!["a".into(), "b".into(), "c".into()], (0..30).map(|i| i % 3).collect());
            let settings = SdhSettings { input_weight, ..SdhSettings::new(7, seed) };
            let mut descent = Descent::start(&inputs, &labels, &settings).unwrap();
            descent.round().unwrap();
            prop_assert!(descent.signs.iter().all(|sign| sign.abs() == 1.0));
            let mut last = descent.objective();
            for _ in 0..6 {
                let mut lowered = |now: f64| { let fell = now <= last * (1.0 + 1e-12); last = now; fell };
                descent.choose_signs();
                prop_assert!(lowered(descent.objective()));
                descent.regress_classes().unwrap();
                prop_assert!(lowered(descent.objective()));
                descent.fit = descent.ridge.solve(view(&descent.signs, 30, 7));
                prop_assert!(lowered(descent.objective()));
            }
        }
    }

    #[test]
    fn few_objects_of_a_class_share_most_of_their_code() {
        let mut rng = Streams::new(1, 0).rng(Purpose::Hash, 0, 0);
        let values = (0..300).map(|at| f64::from(at as u32 / 5 % 3) + rng.random::<f64>()).collect();
        let inputs = Inputs::new(60, 5, values).unwrap();
        let labels = Labels::from_text(&(0..60).map(|object| (object % 3).to_string()).collect::<Vec<_>>());
        let settings = SdhSettings::new(32, 4);
        let mut descent = Descent::start(&inputs, &labels, &settings).unwrap();
        (0..5).for_each(|_| descent.round().unwrap());
        let distinct: std::collections::BTreeSet<String> =
            descent.signs.chunks_exact(32).map(|signs| format!("{signs:?}")).collect();
        assert!(distinct.len() <= 10, "{}", distinct.len());
    }

    #[test]
    fn mistakes_are_named() {
        let inputs = Inputs::new(3, 1, vec![1.0, 2.0, 3.0]).unwrap();
        let fit = |texts: &[&str], settings: SdhSettings| {
            fit_sdh(&inputs, &Labels::from_text(texts), &settings).unwrap_err().to_string()
        };
        let settings = SdhSettings::new(4, 0);
        assert!(fit(&["a", "b"], settings).contains("2 labels were given for 3 objects"));
        assert!(fit(&["a", "a", "a"], settings).contains("all 3 objects are of one class; SDH needs at least two"));
        assert!(fit(&["a", "b", "a"], SdhSettings { class_ridge: 0.0, ..settings }).contains("class ridge is 0"));
        assert!(fit(&["a", "b", "a"], SdhSettings { ridge: f64::NAN, ..settings }).contains("ridge is NaN"));
    }
}
