//! Holds what all supervised models share: bits, weights and lapse rate, scored by triplets.

use super::{Link, Observations};
use crate::bits::{BitMatrix, stir};
use crate::fault::{Fault, planted};
use crate::likelihood::preference::{ColumnTrial, PreferenceSums, RowVisit, Scoring, Sides, WeightTrial, on_grid};
use crate::prior::hyper::{GammaPrior, LAPSE_RANGE, LapsePrior};
use crate::trace::{Draw, RestoreError, Tensor};
use crate::triplets::{Triplet, TripletSet};
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// Priors of the preference likelihood.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PreferencePrior {
    /// Prior of each bit's weight.
    pub weights: GammaPrior,
    /// Prior of each given bit's weight, if it differs from that of learned bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_weights: Option<GammaPrior>,
    /// Prior of the lapse rate.
    pub lapse: LapsePrior,
    /// Pseudo-weight of the ratio: above 0, bits are rewarded for a larger margin, not only for satisfying triplets.
    pub pseudo_weight: f64,
    /// The form of the probability.
    #[serde(default, skip_serializing_if = "Link::is_ratio")]
    pub link: Link,
}

impl PreferencePrior {
    /// Number of judges with a lapse rate of their own: all, where they are named, the rate is learned, and the link is one
    /// that tells them apart.
    pub fn n_lapses(&self, triplets: &TripletSet) -> usize {
        match (self.link, self.lapse) {
            (Link::Logistic(_), LapsePrior::Beta { .. }) => triplets.n_judges(),
            _ => 0,
        }
    }

    /// Draws the slope of the link; 1 where it has none.
    fn draw_slope<R: Rng>(&self, rng: &mut R) -> f64 {
        match self.link {
            Link::Ratio => 1.0,
            Link::Logistic(prior) => prior.draw(rng),
        }
    }

    /// The constants of the preference probability under a stored draw.
    pub fn scoring_of(&self, draw: &Draw) -> Result<Scoring, RestoreError> {
        let lapse = draw.positive(LAPSE)?;
        Ok(match self.link {
            Link::Ratio => Scoring::ratio(lapse, self.pseudo_weight),
            Link::Logistic(_) => Scoring::logistic(lapse, draw.positive(SLOPE)?),
        })
    }

    /// The prior of the weights of given bits.
    pub fn of_given(&self) -> GammaPrior {
        self.given_weights.unwrap_or(self.weights)
    }

    /// Draws a weight from the prior, rounded to the grid.
    pub fn draw_weight<R: Rng>(&self, rng: &mut R) -> f64 {
        on_grid(self.weights.draw(rng))
    }
}

/// Names of the scalars that hold the lapse rate and the slope of the link.
const LAPSE: &str = "lapse";
const SLOPE: &str = "slope";

/// Name of the tensor of the judges' lapse rates.
pub const JUDGE_LAPSES: &str = "judge_lapses";

/// Name of the tensor of given bits' weights.
const GIVEN_WEIGHTS: &str = "given_weights";

/// Learned bits with their weights, and the lapse rate of the judgements.
#[derive(Debug, Clone, PartialEq)]
pub struct LatentCode {
    /// Z.
    pub bits: BitMatrix,
    /// w, one a bit, on the grid of `WEIGHT_GRID`.
    pub weights: Vec<f64>,
    /// Weights of the given bits, on the same grid.
    pub given_weights: Vec<f64>,
    /// ε; where judges have rates of their own, that of a random answer.
    pub lapse: f64,
    /// ε of each judge; empty where judges are not known, or the rate is the same for all.
    pub judge_lapses: Vec<f64>,
    /// Slope of the logistic link; 1 under the ratio, which has none.
    pub slope: f64,
}

impl LatentCode {
    /// A code with these bits, and with weights, lapse rates and slope from their priors.
    pub fn with_bits<R: Rng>(bits: BitMatrix, data: &Observations, prior: &PreferencePrior, rng: &mut R) -> Self {
        let n_given = data.given.n_bits();
        let mut weights =
            |prior: GammaPrior, n: usize| -> Vec<f64> { (0..n).map(|_| on_grid(prior.draw(rng))).collect() };
        let (weights, given_weights) = (weights(prior.weights, bits.n_bits()), weights(prior.of_given(), n_given));
        let judge_lapses: Vec<f64> = (0..prior.n_lapses(&data.triplets)).map(|_| prior.lapse.draw(rng)).collect();
        let lapse = if judge_lapses.is_empty() { prior.lapse.draw(rng) } else { 0.0 };
        let mut code = Self { bits, weights, given_weights, lapse, judge_lapses, slope: prior.draw_slope(rng) };
        code.average_lapse(&data.triplets);
        code
    }

    /// The bits, weights, lapse rate and slope of a stored draw over these objects.
    pub fn from_draw(draw: &Draw, data: &Observations, prior: &PreferencePrior) -> Result<Self, RestoreError> {
        let n_objects = data.inputs.n_objects();
        if draw.bits.n_objects() != n_objects {
            return Err(draw.impossible("bits", format!("of {} objects, not {n_objects}", draw.bits.n_objects())));
        }
        let bits = BitMatrix::from_codes(&draw.bits);
        if bits.counts().contains(&0) {
            return Err(draw.impossible("bits", "with a column that nobody owns"));
        }
        if draw.weights.len() != bits.n_bits() {
            return Err(draw.impossible("weights", format!("of length {}", draw.weights.len())));
        }
        let given_weights = match data.given.n_bits() {
            0 => Vec::new(),
            n => draw.tensor(GIVEN_WEIGHTS, &[n])?.to_vec(),
        };
        let impossible = |w: &&f64| !w.is_finite() || on_grid(**w) != **w;
        for (name, weights) in [("weights", &draw.weights), (GIVEN_WEIGHTS, &given_weights)] {
            if let Some(weight) = weights.iter().find(impossible) {
                return Err(draw.impossible(name, weight));
            }
        }
        let slope = match prior.link {
            Link::Ratio => 1.0,
            Link::Logistic(_) => draw.positive(SLOPE)?,
        };
        let judge_lapses = match prior.n_lapses(&data.triplets) {
            0 => Vec::new(),
            n => draw.tensor(JUDGE_LAPSES, &[n])?.to_vec(),
        };
        if let Some(lapse) = judge_lapses.iter().find(|lapse| !(LAPSE_RANGE.0..=LAPSE_RANGE.1).contains(*lapse)) {
            return Err(draw.impossible(JUDGE_LAPSES, lapse));
        }
        let (weights, lapse) = (draw.weights.clone(), draw.positive(LAPSE)?);
        Ok(Self { bits, weights, given_weights, lapse, judge_lapses, slope })
    }

    /// Weights of given bits and lapse rates of judges in the form stored with a draw, where there are some.
    pub fn tensors(&self) -> impl Iterator<Item = (String, Tensor)> {
        let lists = [(GIVEN_WEIGHTS, &self.given_weights), (JUDGE_LAPSES, &self.judge_lapses)];
        let some = lists.into_iter().filter(|(_, values)| !values.is_empty());
        some.map(|(name, values)| (name.to_owned(), Tensor { shape: vec![values.len()], values: values.clone() }))
    }

    /// Sets the lapse rate of a random answer, where judges have rates of their own.
    pub fn average_lapse(&mut self, triplets: &TripletSet) {
        if !self.judge_lapses.is_empty() {
            let of_all = triplets.judges().iter().map(|&judge| self.judge_lapses[judge as usize]).sum::<f64>();
            self.lapse = of_all / triplets.len() as f64;
        }
    }

    /// Computes A and B of all triplets, over learned and given bits.
    pub fn sum_into(&self, sums: &mut PreferenceSums, triplets: &TripletSet, given: &BitMatrix) {
        sums.rebuild(triplets, &self.bits, &self.weights);
        sums.add(triplets, given, &self.given_weights);
        sums.set_lapses(triplets, &self.judge_lapses);
    }

    /// A hash of bits and weights; others have another one but for rare collisions.
    fn fingerprint(&self) -> u64 {
        let weights = self.weights.iter().chain(&self.given_weights);
        weights.map(|weight| weight.to_bits()).fold(self.bits.fingerprint(), stir)
    }

    /// The constants of the preference probability.
    pub fn scoring(&self, prior: &PreferencePrior) -> Scoring {
        self.scoring_with(self.judge_lapses.iter().copied().reduce(f64::min).unwrap_or(self.lapse), prior)
    }

    /// The same with another lapse rate.
    pub fn scoring_with(&self, lapse: f64, prior: &PreferencePrior) -> Scoring {
        match prior.link {
            Link::Ratio => Scoring::ratio(lapse, prior.pseudo_weight),
            Link::Logistic(_) => Scoring::logistic(lapse, self.slope),
        }
    }

    /// Lapse rate and slope, named; no slope under the ratio.
    pub(crate) fn scalars(&self, prior: &PreferencePrior) -> Vec<(&'static str, f64)> {
        match prior.link {
            Link::Ratio => vec![(LAPSE, self.lapse)],
            Link::Logistic(_) => vec![(LAPSE, self.lapse), (SLOPE, self.slope)],
        }
    }

    /// Appends a bit.
    pub fn push(&mut self, column: &[u8], weight: f64) {
        self.bits.push_column(column);
        self.weights.push(weight);
    }

    /// Removes a bit; the last one takes its place.
    pub fn swap_remove(&mut self, bit_ix: usize) {
        self.bits.swap_remove(bit_ix);
        let last = self.weights.len() - 1;
        self.weights.swap_remove(if planted(Fault::WeightKept) { last } else { bit_ix });
    }

    /// Log prior density of weights, lapse rate and slope.
    pub fn log_prior(&self, prior: &PreferencePrior) -> f64 {
        let log_density =
            |prior: GammaPrior, weights: &[f64]| weights.iter().map(|&w| prior.log_density(w)).sum::<f64>();
        log_density(prior.weights, &self.weights)
            + log_density(prior.of_given(), &self.given_weights)
            + match &self.judge_lapses[..] {
                [] => prior.lapse.log_density(self.lapse),
                of_judges => of_judges.iter().map(|&lapse| prior.lapse.log_density(lapse)).sum(),
            }
            + match prior.link {
                Link::Ratio => 0.0,
                Link::Logistic(own) => own.log_density(self.slope),
            }
    }

    /// Draws the answers of the triplets by their probabilities: an answer may swap near and far.
    pub fn answer<R: Rng>(&self, data: &Observations, prior: &PreferencePrior, rng: &mut R) -> Vec<Triplet> {
        let scoring = self.scoring(prior);
        let mut sums = PreferenceSums::default();
        self.sum_into(&mut sums, &data.triplets, &data.given);
        let answers = data.triplets.triplets().iter().enumerate().map(|(triplet_ix, &t)| {
            if rng.random::<f64>() < sums.probability(triplet_ix, &scoring) {
                t
            } else {
                Triplet { anchor: t.anchor, near: t.far, far: t.near }
            }
        });
        answers.collect()
    }
}

/// Sums and scratch buffers of the preference kernels.
#[derive(Debug, Clone, Default)]
pub struct PreferenceScratch {
    /// A and B of every triplet.
    pub sums: PreferenceSums,
    /// Scratch buffers of row updates.
    pub row: RowVisit,
    /// Scratch buffers of column moves.
    pub column: ColumnTrial,
    /// Scratch buffers of birth–death moves.
    pub sides: Sides,
    /// Scratch buffers of weight updates.
    pub weight: WeightTrial,
    /// Whether every proposal is scored in full, even where a bound rejects it: checks compare both ways.
    pub thorough: bool,
    /// Fingerprint of the code that the sums are known to belong to.
    summed: Option<u64>,
}

impl PreferenceScratch {
    /// Computes the sums over all triplets, unless they belong to this code already.
    pub fn sum(&mut self, code: &LatentCode, data: &Observations) {
        if self.summed != Some(code.fingerprint()) {
            code.sum_into(&mut self.sums, &data.triplets, &data.given);
            if planted(Fault::GivenBitsForgotten) {
                self.sums.rebuild(&data.triplets, &code.bits, &code.weights);
            }
            self.summed = Some(code.fingerprint());
        }
        self.sums.set_lapses(&data.triplets, &code.judge_lapses);
    }

    /// Marks the sums as updated to this code.
    pub fn kept_up_with(&mut self, code: &LatentCode) {
        self.summed = Some(code.fingerprint());
    }

    /// Marks the triplets as changed.
    pub fn forget(&mut self) {
        self.summed = None;
    }
}
