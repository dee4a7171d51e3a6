//! Encodes unseen objects under the linear Gaussian model (§5.1), in four ways.

use super::{Candidates, DrawnCode, Encoder, EncoderChoice, Hyperplanes, StoredEncoder};
use crate::codes::Codes;
use crate::data::Inputs;
use crate::fault::{Fault, planted};
use crate::numerics::cholesky::Cholesky;
use crate::numerics::simd::{axpy, dot};
use crate::rng::{Purpose, Streams};
use crate::trace::{Draw, RestoreError};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// Added to the variance of every bit in the ridge encoder, so that constant bits have some.
const BIT_VARIANCE: f64 = 0.01;
/// Passes over all bits of an object in the Gibbs encoder.
pub(super) const GIBBS_SWEEPS: u64 = 30;
/// Passes between two draws of the same object's bits.
const SWEEPS_BETWEEN: u64 = 3;

/// Encodes by one draw of the linear Gaussian model.
#[derive(Debug, Clone)]
pub struct GaussianEncoder {
    choice: EncoderChoice,
    n_bits: usize,
    n_inputs: usize,
    images: Vec<f64>,
    spread: Vec<f64>,
    noise: f64,
    /// Share of training objects that own each bit, and the prior log odds that one more object does.
    shares: Vec<f64>,
    log_odds: Vec<f64>,
    /// bits = offset + x · directions, for the two linear encoders.
    directions: Vec<f64>,
    offsets: Vec<f64>,
    candidates: Vec<Candidate>,
    streams: Streams,
    /// The law of bits that only the encoded object has, where draws of codes have some.
    new_bits: Option<NewBits>,
}

/// The law of bits that only the encoded object has.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewBits {
    /// α/(N + 1): their expected number, before the object is seen.
    pub rate: f64,
    /// σv²/σx².
    pub variance: f64,
}

/// At most this many bits of its own are given to an object.
const MAX_NEW: usize = 20;

/// A distinct training code with the terms of its predictive density.
#[derive(Debug, Clone)]
struct Candidate {
    code: Vec<u8>,
    mean: Vec<f64>,
    /// Log of how many training objects have it, and the log density's constant.
    log_constant: f64,
    /// One over twice the predictive variance.
    precision: f64,
}

impl GaussianEncoder {
    /// Prepares a stored draw for the chosen encoder: best code, ridge regression or least squares, otherwise Gibbs
    /// sampling. `n_inputs` is the number of transformed inputs, `seed` is for the Gibbs encoder.
    pub fn new(draw: &Draw, n_inputs: usize, choice: EncoderChoice, seed: u64) -> Result<Self, RestoreError> {
        let k = draw.bits.n_bits();
        let n = draw.bits.n_objects();
        let counts: Vec<f64> =
            (0..k).map(|bit_ix| (0..n).filter(|&row| draw.bits.get(row, bit_ix)).count() as f64).collect();
        let mut encoder = Self {
            images: draw.tensor("images", &[k, n_inputs])?.to_vec(),
            spread: draw.tensor("spread", &[k, k])?.to_vec(),
            noise: draw.positive("noise_variance")?,
            shares: counts.iter().map(|m| m / n as f64).collect(),
            log_odds: counts.iter().map(|m| m.ln() - (n as f64 + 1.0 - m).ln()).collect(),
            streams: Streams::new(seed, 0),
            ..Self::empty(choice, n_inputs, k)
        };
        match choice {
            EncoderChoice::BestCode => encoder.candidates = encoder.candidates(&draw.bits),
            EncoderChoice::LeastSquares => encoder.fit_linear(&vec![0.0; k * k], 1e-9 * encoder.mean_square(), false),
            _ => {
                encoder.fit_linear(&encoder.ridge(&draw.bits), 0.0, true);
            }
        }
        Ok(encoder)
    }

    /// An encoder without a draw, which knows nothing but its kind and sizes.
    fn empty(choice: EncoderChoice, n_inputs: usize, n_bits: usize) -> Self {
        Self {
            choice,
            n_bits,
            n_inputs,
            images: Vec::new(),
            spread: Vec::new(),
            noise: 1.0,
            shares: Vec::new(),
            log_odds: Vec::new(),
            directions: Vec::new(),
            offsets: Vec::new(),
            candidates: Vec::new(),
            streams: Streams::new(0, 0),
            new_bits: None,
        }
    }

    /// Encodes by a linear estimate of the bits, which is cut at one half.
    pub(super) fn of_hyperplanes(n_inputs: usize, planes: Hyperplanes) -> Self {
        let empty = Self::empty(EncoderChoice::Ridge, n_inputs, planes.offsets.len());
        Self { directions: planes.coefficients, offsets: planes.offsets, ..empty }
    }

    /// Encodes by the best of these codes.
    pub(super) fn of_candidates(n_inputs: usize, stored: &Candidates) -> Self {
        let empty = Self::empty(EncoderChoice::BestCode, n_inputs, stored.codes.n_bits());
        let empty = Self { images: stored.images.clone(), ..empty };
        let candidate = |at: usize| Candidate {
            code: stored.codes.row(at).to_vec(),
            mean: empty.mean(&stored.codes, at),
            log_constant: stored.log_constants[at],
            precision: stored.precisions[at],
        };
        let candidates = (0..stored.codes.n_objects()).map(candidate).collect();
        Self { candidates, ..empty }
    }

    /// The codes that objects can get, with their laws.
    fn stored_candidates(&self) -> Candidates {
        let mut codes = Codes::zeros(self.candidates.len(), self.n_bits);
        self.candidates.iter().enumerate().for_each(|(row, candidate)| codes.set_row(row, &candidate.code));
        Candidates {
            codes,
            images: self.images.clone(),
            log_constants: self.candidates.iter().map(|candidate| candidate.log_constant).collect(),
            precisions: self.candidates.iter().map(|candidate| candidate.precision).collect(),
        }
    }

    /// Lets draws of codes have bits that no training object has.
    pub fn with_new_bits(mut self, draw: &Draw) -> Result<Self, RestoreError> {
        self.new_bits = Some(NewBits {
            rate: draw.positive("concentration")? / (draw.bits.n_objects() as f64 + 1.0),
            variance: draw.positive("feature_variance")? / self.noise,
        });
        Ok(self)
    }

    fn image(&self, bit_ix: usize) -> &[f64] {
        &self.images[bit_ix * self.n_inputs..(bit_ix + 1) * self.n_inputs]
    }

    fn mean_square(&self) -> f64 {
        dot(&self.images, &self.images) / self.n_bits.max(1) as f64
    }

    /// σx² S⁻¹ with S the covariance of the training codes: the shrinkage of the ridge encoder.
    fn ridge(&self, codes: &Codes) -> Vec<f64> {
        let (k, n) = (self.n_bits, codes.n_objects());
        let mut covariance = vec![0.0; k * k];
        let mut deviation = vec![0.0; k];
        for row in 0..n {
            for (bit_ix, value) in deviation.iter_mut().enumerate() {
                *value = f64::from(u8::from(codes.get(row, bit_ix))) - self.shares[bit_ix];
            }
            for (i, &value) in deviation.iter().enumerate() {
                axpy(value / n as f64, &deviation, &mut covariance[i * k..(i + 1) * k]);
            }
        }
        let mut factor = Cholesky::default();
        factor.factor(k, &covariance, BIT_VARIANCE);
        factor.inverse().iter().map(|value| self.noise * value).collect()
    }

    /// z = π + (x - πμ) μᵀ (μμᵀ + R)⁻¹, or with π = 0 for plain least squares.
    fn fit_linear(&mut self, ridge: &[f64], floor: f64, around_mean: bool) {
        let k = self.n_bits;
        let gram: Vec<f64> = (0..k * k).map(|at| dot(self.image(at / k), self.image(at % k)) + ridge[at]).collect();
        let mut factor = Cholesky::default();
        factor.factor(k, &gram, floor);
        self.directions = self.images.clone();
        factor.solve(&mut self.directions, self.n_inputs);
        let centre = if around_mean { self.shares.clone() } else { vec![0.0; k] };
        let mut origin = vec![0.0; self.n_inputs];
        for (bit_ix, &share) in centre.iter().enumerate() {
            axpy(share, self.image(bit_ix), &mut origin);
        }
        let along = |bit_ix: usize| dot(&origin, &self.directions[bit_ix * self.n_inputs..][..self.n_inputs]);
        self.offsets = centre.iter().enumerate().map(|(bit_ix, share)| share - along(bit_ix)).collect();
    }

    /// The mean of the inputs of an object with this code.
    fn mean(&self, codes: &Codes, row: usize) -> Vec<f64> {
        let mut mean = vec![0.0; self.n_inputs];
        let owned = (0..self.n_bits).filter(|&bit_ix| codes.get(row, bit_ix));
        owned.for_each(|bit_ix| axpy(1.0, self.image(bit_ix), &mut mean));
        mean
    }

    fn candidates(&self, codes: &Codes) -> Vec<Candidate> {
        let mut distinct: BTreeMap<&[u8], (usize, f64)> = BTreeMap::new();
        for row in 0..codes.n_objects() {
            distinct.entry(codes.row(row)).or_insert((row, 0.0)).1 += 1.0;
        }
        let candidate = |(&code, &(row, count)): (&&[u8], &(usize, f64))| {
            let owned: Vec<usize> = (0..self.n_bits).filter(|&bit_ix| codes.get(row, bit_ix)).collect();
            let pairs = owned.iter().flat_map(|&f| owned.iter().map(move |&g| (f, g)));
            let spread: f64 = pairs.map(|(f, g)| self.spread[f * self.n_bits + g]).sum();
            let variance = self.noise * (1.0 + spread);
            Candidate {
                code: code.to_vec(),
                mean: self.mean(codes, row),
                log_constant: f64::ln(count) - 0.5 * self.n_inputs as f64 * variance.ln(),
                precision: 0.5 / variance,
            }
        };
        distinct.iter().map(candidate).collect()
    }

    fn best_code(&self, x: &[f64]) -> &[u8] {
        let score = |candidate: &Candidate| {
            let square: f64 = x.iter().zip(&candidate.mean).map(|(x, m)| (x - m) * (x - m)).sum();
            candidate.log_constant - candidate.precision * square
        };
        let scored = self.candidates.iter().map(|candidate| (score(candidate), candidate));
        let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best });
        best.map_or(&[], |(_, candidate)| &candidate.code)
    }

    /// The paper's continuous estimate of the bits, before it is cut at one half.
    fn linear_estimate(&self, x: &[f64]) -> impl Iterator<Item = f64> {
        let images = self.directions.chunks_exact(self.n_inputs.max(1));
        images.zip(&self.offsets).map(|(direction, offset)| offset + dot(x, direction))
    }

    pub(super) fn linear_bits(&self, x: &[f64]) -> Vec<bool> {
        self.linear_estimate(x).map(|estimate| estimate > 0.5).collect()
    }

    /// Draws bits by [`Self::gibbs`] from the ridge code, with the shares of the training objects as prior.
    fn gibbs_bits(&self, x: &[f64], row: u64) -> Vec<bool> {
        let mut rng = self.rng(row);
        let mut bits = self.linear_bits(x);
        self.gibbs(x, &mut bits, &self.log_odds, GIBBS_SWEEPS, &mut rng);
        bits
    }

    /// Draws from the posterior of an object's bits, new ones among them, Eq. (16).
    fn draws_of(&self, x: &[f64], row: u64, n_draws: usize) -> Vec<DrawnCode> {
        let mut rng = self.rng(row);
        let mut walk = Walk::new(self, x, self.linear_bits(x));
        walk.sweeps(&self.log_odds, GIBBS_SWEEPS, self.new_bits, &mut rng);
        let mut draw = || {
            walk.sweeps(&self.log_odds, SWEEPS_BETWEEN, self.new_bits, &mut rng);
            DrawnCode { bits: walk.bits.clone(), n_new: walk.n_new }
        };
        (0..n_draws).map(|_| draw()).collect()
    }

    /// The random stream of an object.
    pub(super) fn rng(&self, row: u64) -> ChaCha8Rng {
        self.streams.rng(Purpose::Encode, 0, row)
    }

    /// Gibbs updates of the bits under N(x; zμ, σx²(1 + zCz)), with these prior log odds, which may be infinite.
    pub(super) fn gibbs(&self, x: &[f64], bits: &mut [bool], log_odds: &[f64], n_sweeps: u64, rng: &mut ChaCha8Rng) {
        let mut walk = Walk::new(self, x, bits.to_vec());
        walk.sweeps(log_odds, n_sweeps, None, rng);
        bits.copy_from_slice(&walk.bits);
    }

    /// ln N(x; zμ, σx²(1 + zCz)) up to a constant.
    pub(super) fn log_density(&self, x: &[f64], bits: &[bool]) -> f64 {
        let owned: Vec<usize> = (0..self.n_bits).filter(|&bit_ix| bits[bit_ix]).collect();
        let mut residual = x.to_vec();
        owned.iter().for_each(|&bit_ix| axpy(-1.0, self.image(bit_ix), &mut residual));
        let pairs = owned.iter().flat_map(|&f| owned.iter().map(move |&g| (f, g)));
        let variance = self.noise * (1.0 + pairs.map(|(f, g)| self.spread[f * self.n_bits + g]).sum::<f64>());
        -0.5 * (self.n_inputs as f64 * variance.ln() + dot(&residual, &residual) / variance)
    }
}

/// The state of Gibbs sampling of one object's bits.
struct Walk<'a> {
    encoder: &'a GaussianEncoder,
    bits: Vec<bool>,
    /// Bits that only this object has.
    n_new: usize,
    residual: Vec<f64>,
    /// Cz, and zCz with the variance of the new bits' images added.
    along: Vec<f64>,
    spread: f64,
}

impl<'a> Walk<'a> {
    fn new(encoder: &'a GaussianEncoder, x: &[f64], bits: Vec<bool>) -> Self {
        let k = encoder.n_bits;
        let mut residual = x.to_vec();
        let mut along = vec![0.0; k];
        for (bit_ix, _) in bits.iter().enumerate().filter(|(_, owned)| **owned) {
            axpy(-1.0, encoder.image(bit_ix), &mut residual);
            axpy(1.0, &encoder.spread[bit_ix * k..(bit_ix + 1) * k], &mut along);
        }
        let spread = (0..k).filter(|&f| bits[f]).map(|f| along[f]).sum();
        Self { encoder, bits, n_new: 0, residual, along, spread }
    }

    fn sweeps(&mut self, log_odds: &[f64], n_sweeps: u64, new_bits: Option<NewBits>, rng: &mut ChaCha8Rng) {
        let mut order: Vec<usize> = (0..self.bits.len()).collect();
        for _ in 0..n_sweeps {
            order.shuffle(rng);
            for &bit_ix in &order {
                self.update(bit_ix, log_odds[bit_ix], rng);
            }
            if let Some(law) = new_bits.filter(|_| !planted(Fault::OwnBitsForgotten)) {
                self.update_new(law, rng);
            }
        }
    }

    fn update(&mut self, bit_ix: usize, log_odds: f64, rng: &mut ChaCha8Rng) {
        let (encoder, k) = (self.encoder, self.encoder.n_bits);
        let sign = if self.bits[bit_ix] { -1.0 } else { 1.0 };
        let image = encoder.image(bit_ix);
        let old_square = dot(&self.residual, &self.residual);
        let new_square = old_square - 2.0 * sign * dot(&self.residual, image) + dot(image, image);
        let new_spread = self.spread + 2.0 * sign * self.along[bit_ix] + encoder.spread[bit_ix * k + bit_ix];
        let (old, new) = (1.0 + self.spread, 1.0 + new_spread);
        let log_ratio = sign * log_odds
            + 0.5
                * (encoder.n_inputs as f64 * (old / new).ln() + (old_square / old - new_square / new) / encoder.noise);
        let u = rng.random::<f64>();
        if u.ln() - (-u).ln_1p() < log_ratio {
            self.bits[bit_ix] = !self.bits[bit_ix];
            axpy(-sign, image, &mut self.residual);
            axpy(sign, &encoder.spread[bit_ix * k..(bit_ix + 1) * k], &mut self.along);
            self.spread = new_spread;
        }
    }

    /// Draws the number of bits that only this object has: Poisson, times the density of the inputs, to which each adds
    /// the variance of its image.
    fn update_new(&mut self, law: NewBits, rng: &mut ChaCha8Rng) {
        let square = dot(&self.residual, &self.residual) / self.encoder.noise;
        let others = 1.0 + self.spread - self.n_new as f64 * law.variance;
        let mut log_prior = 0.0;
        let logs: Vec<f64> = (0..=MAX_NEW)
            .map(|n| {
                if n > 0 {
                    log_prior += law.rate.ln() - (n as f64).ln();
                }
                let variance = others + n as f64 * law.variance;
                log_prior - 0.5 * (self.encoder.n_inputs as f64 * variance.ln() + square / variance)
            })
            .collect();
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
        let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
        let drawn = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        let drawn = drawn.unwrap_or(0);
        self.spread += (drawn as f64 - self.n_new as f64) * law.variance;
        self.n_new = drawn;
    }
}

impl Encoder for GaussianEncoder {
    fn n_bits(&self) -> usize {
        self.n_bits
    }

    fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    fn encode(&self, inputs: &Inputs, first_row: u64) -> Codes {
        assert_eq!(inputs.n_inputs(), self.n_inputs, "inputs must have as many inputs as the model");
        let mut codes = Codes::zeros(inputs.n_objects(), self.n_bits);
        for (row, x) in inputs.rows().enumerate() {
            let bits = match self.choice {
                EncoderChoice::BestCode => {
                    codes.set_row(row, self.best_code(&x));
                    continue;
                }
                EncoderChoice::Ridge | EncoderChoice::LeastSquares => self.linear_bits(&x),
                _ => self.gibbs_bits(&x, first_row + row as u64),
            };
            for (bit_ix, _) in bits.iter().enumerate().filter(|(_, owned)| **owned) {
                codes.set(row, bit_ix, true);
            }
        }
        codes
    }
    /// The continuous estimate, for the encoders that cut it.
    fn probabilities(&self, inputs: &Inputs) -> Option<Vec<f64>> {
        let of_row = |x: &[f64]| self.linear_estimate(x).map(|estimate| estimate.clamp(0.0, 1.0)).collect::<Vec<_>>();
        self.has_probabilities().then(|| inputs.rows().flat_map(|x| of_row(&x)).collect())
    }

    fn has_probabilities(&self) -> bool {
        matches!(self.choice, EncoderChoice::Ridge | EncoderChoice::LeastSquares)
    }

    fn draws(&self, inputs: &Inputs, first_row: u64, n_draws: usize) -> Option<Vec<Vec<DrawnCode>>> {
        let rows = (first_row..).zip(inputs.rows());
        (self.choice == EncoderChoice::Gibbs).then(|| rows.map(|(row, x)| self.draws_of(&x, row, n_draws)).collect())
    }

    fn stored(&self) -> Option<StoredEncoder> {
        match self.choice {
            EncoderChoice::BestCode => Some(StoredEncoder::BestCode(self.stored_candidates())),
            EncoderChoice::Ridge | EncoderChoice::LeastSquares => Some(StoredEncoder::Linear(Hyperplanes {
                coefficients: self.directions.clone(),
                offsets: self.offsets.clone(),
            })),
            _ => None,
        }
    }
}
