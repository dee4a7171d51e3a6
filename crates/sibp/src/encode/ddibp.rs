//! Encodes unseen objects under the distance-dependent IBP: an object links to training objects only.
//!
//! The prior of bit k is then π_k = Σ f(d_j) over the training objects j that own it, divided by Σ f(d_j) over all.
//! Bits are drawn by Gibbs updates with the Gaussian predictive density. With output distances the object's class is
//! unknown and is sampled too: that makes the model a classifier, so compare it with encoders that do not use labels.

use super::gaussian::GIBBS_SWEEPS;
use super::{Encoder, EncoderChoice, GaussianEncoder};
use crate::codes::Codes;
use crate::data::Inputs;
use crate::numerics::simd::squared_distance;
use crate::prior::proximity::{Decay, Places, pick};
use crate::trace::{Draw, RestoreError};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Encodes by one draw of the distance-dependent IBP.
#[derive(Debug, Clone)]
pub struct DdIbpEncoder {
    likelihood: GaussianEncoder,
    training: Training,
}

/// The training data that determine the prior of an unseen object's bits.
#[derive(Debug, Clone)]
enum Training {
    /// Inputs and bits of the training objects, for input distances.
    Inputs { decay: Decay, inputs: Box<Inputs>, bits: Codes },
    /// Priors by class, and each training object's class and bits as starting points, for output distances.
    Classes { priors: Vec<ClassPrior>, guesses: Vec<(usize, Vec<bool>)> },
}

/// Prior of the bits of an object of one class.
#[derive(Debug, Clone)]
struct ClassPrior {
    share: f64,
    log_odds: Vec<f64>,
    shares: Vec<f64>,
}

impl ClassPrior {
    fn new(share: f64, shares: Vec<f64>) -> Self {
        Self { share, log_odds: log_odds(&shares), shares }
    }

    fn log_probability(&self, bits: &[bool]) -> f64 {
        let bit = |(&bit, &share): (&bool, &f64)| if bit { share.ln() } else { (-share).ln_1p() };
        self.share.ln() + bits.iter().zip(&self.shares).map(bit).sum::<f64>()
    }
}

fn log_odds(shares: &[f64]) -> Vec<f64> {
    shares.iter().map(|share| share.ln() - (-share).ln_1p()).collect()
}

impl DdIbpEncoder {
    /// Prepares a stored draw of a model with this decay; `places` are those of the training objects.
    ///
    /// # Panics
    /// When there are not as many places as training objects.
    pub fn new(
        draw: &Draw,
        decay: Decay,
        places: &Places<'_>,
        n_inputs: usize,
        seed: u64,
    ) -> Result<Self, RestoreError> {
        let likelihood = GaussianEncoder::new(draw, n_inputs, EncoderChoice::Gibbs, seed)?;
        assert_eq!(places.n_objects(), draw.bits.n_objects(), "a place for every training object");
        let training = match *places {
            Places::Inputs(inputs) => {
                Training::Inputs { decay, inputs: Box::new(inputs.clone()), bits: draw.bits.clone() }
            }
            Places::Classes(classes) => of_classes(decay, classes, &draw.bits),
        };
        Ok(Self { likelihood, training })
    }

    fn bits(&self, x: &[f64], row: u64) -> Vec<bool> {
        let mut rng = self.likelihood.rng(row);
        match &self.training {
            Training::Inputs { decay, inputs, bits } => {
                let near: Vec<f64> = inputs.rows().map(|at| decay.at(squared_distance(x, &at).sqrt())).collect();
                let log_odds = log_odds(&owned_shares(&near, bits));
                let mut drawn = self.likelihood.linear_bits(x);
                self.likelihood.gibbs(x, &mut drawn, &log_odds, GIBBS_SWEEPS, &mut rng);
                drawn
            }
            Training::Classes { priors, guesses } => self.bits_and_class(x, priors, guesses, &mut rng),
        }
    }

    /// Gibbs updates of class and bits in turn, from the class and bits of the training object that fits best.
    fn bits_and_class(
        &self,
        x: &[f64],
        priors: &[ClassPrior],
        guesses: &[(usize, Vec<bool>)],
        rng: &mut ChaCha8Rng,
    ) -> Vec<bool> {
        let score = |(class, bits): &&(usize, Vec<bool>)| {
            priors[*class].log_probability(bits) + self.likelihood.log_density(x, bits)
        };
        let best = guesses.iter().max_by(|a, b| score(a).total_cmp(&score(b)));
        let Some((mut class, mut bits)) = best.cloned() else { return Vec::new() };
        for _ in 0..GIBBS_SWEEPS {
            self.likelihood.gibbs(x, &mut bits, &priors[class].log_odds, 1, rng);
            let logs: Vec<f64> = priors.iter().map(|prior| prior.log_probability(&bits)).collect();
            let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let odds: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
            class = pick(rng.random::<f64>() * odds.iter().sum::<f64>(), odds.iter().copied());
            // Where classes share no bits, updates of one bit cannot leave a class; a proposal of class and bits from
            // the prior can.
            let other = pick(rng.random(), priors.iter().map(|prior| prior.share));
            let drawn: Vec<bool> = priors[other].shares.iter().map(|&share| rng.random::<f64>() < share).collect();
            let ratio = self.likelihood.log_density(x, &drawn) - self.likelihood.log_density(x, &bits);
            if rng.random::<f64>().ln() < ratio {
                (class, bits) = (other, drawn);
            }
        }
        bits
    }
}

/// Share of training objects that own each bit, weighted by proximity; unweighted where none is near.
fn owned_shares(near: &[f64], bits: &Codes) -> Vec<f64> {
    let total: f64 = near.iter().sum();
    let weight = |object_ix: usize| if total > 0.0 { near[object_ix] / total } else { 1.0 / near.len() as f64 };
    let share =
        |bit_ix: usize| -> f64 { (0..near.len()).filter(|&object_ix| bits.get(object_ix, bit_ix)).map(weight).sum() };
    // Rounding may leave a sum of weights above 1, whose log odds would be NaN.
    (0..bits.n_bits()).map(|bit_ix| share(bit_ix).min(1.0)).collect()
}

fn of_classes(decay: Decay, classes: &[u32], bits: &Codes) -> Training {
    let n_classes = classes.iter().max().map_or(0, |&most| most as usize + 1);
    let prior = |class: u32| {
        let near: Vec<f64> = classes.iter().map(|&c| decay.at(f64::from(u8::from(c != class)))).collect();
        let members = classes.iter().filter(|&&c| c == class).count() as f64;
        ClassPrior::new(members / classes.len() as f64, owned_shares(&near, bits))
    };
    let guess = |(object_ix, &class): (usize, &u32)| {
        (class as usize, (0..bits.n_bits()).map(|bit_ix| bits.get(object_ix, bit_ix)).collect())
    };
    let mut guesses: Vec<(usize, Vec<bool>)> = classes.iter().enumerate().map(guess).collect();
    guesses.sort();
    guesses.dedup();
    Training::Classes { priors: (0..n_classes as u32).map(prior).collect(), guesses }
}

impl Encoder for DdIbpEncoder {
    fn n_bits(&self) -> usize {
        self.likelihood.n_bits()
    }

    fn n_inputs(&self) -> usize {
        self.likelihood.n_inputs()
    }

    fn encode(&self, inputs: &Inputs, first_row: u64) -> Codes {
        assert_eq!(inputs.n_inputs(), self.n_inputs(), "inputs must have as many inputs as the model");
        let mut codes = Codes::zeros(inputs.n_objects(), self.n_bits());
        for (row, x) in inputs.rows().enumerate() {
            let bits = self.bits(&x, first_row + row as u64);
            for (bit_ix, _) in bits.iter().enumerate().filter(|(_, owned)| **owned) {
                codes.set(row, bit_ix, true);
            }
        }
        codes
    }
}
