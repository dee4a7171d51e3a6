//! Defines a small model for tests, which shows that a model is one file and one line: binary inputs by noisy-or.
//!
//! Input m of an object is 1 with probability 1 − δ if one of its bits switches it on, and with probability δ
//! otherwise; the bits have the IBP as prior, and each switches each input on with probability one half.

use super::definition::{About, ModelDefinition, Training};
use super::settings::{check_gamma, check_schedule, check_start};
use super::{
    Model, ModelOptions, Observations, PreferencePrior, Record, SettingsError, Start, Threads, Transition, transition,
};
use crate::bits::BitMatrix;
use crate::codes::Codes;
use crate::data::Inputs;
use crate::encode::{Encoder, EncoderChoice, EncoderError};
use crate::prior::hyper::GammaPrior;
use crate::prior::ibp::{self, IbpTable, draw_poisson};
use crate::schedule::{Kernel, Schedule};
use crate::trace::{Draw, RestoreError, Tensor};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Probability that an input is not what the bits say.
const FLIP: f64 = 0.1;

/// Prior, start and schedule of the noisy-or model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BernoulliModel {
    /// Prior of α.
    pub concentration: GammaPrior,
    /// Where chains start.
    pub start: Start,
    /// The schedule of a sweep.
    pub schedule: Schedule,
}

/// The state of a chain of the noisy-or model.
#[derive(Debug, Clone, PartialEq)]
pub struct BernoulliState {
    bits: BitMatrix,
    /// Which inputs each bit switches on.
    images: Vec<Vec<bool>>,
    concentration: f64,
}

impl BernoulliState {
    fn paints(&self, object: usize, input: usize, without: Option<usize>) -> bool {
        self.bits.ones(object).any(|bit| Some(bit) != without && self.images[bit][input])
    }

    /// Log likelihood of an object's inputs.
    fn log_likelihood(&self, object: usize, x: &[f64]) -> f64 {
        x.iter().enumerate().map(|(input, &x)| log_probability(x, self.paints(object, input, None))).sum()
    }

    fn add(&mut self, object: usize, image: Vec<bool>) {
        self.bits.push_singleton(object);
        self.images.push(image);
    }

    fn remove(&mut self, bit: usize) {
        self.bits.swap_remove(bit);
        self.images.swap_remove(bit);
    }
}

fn log_probability(x: f64, painted: bool) -> f64 {
    if (x > 0.5) == painted { (1.0 - FLIP).ln() } else { FLIP.ln() }
}

fn coins(n: usize, rng: &mut ChaCha8Rng) -> Vec<bool> {
    (0..n).map(|_| rng.random()).collect()
}

impl Model for BernoulliModel {
    type State = BernoulliState;
    type Scratch = IbpTable;

    fn prepare(&self, data: &Observations, _: Threads) -> IbpTable {
        IbpTable::new(data.inputs.n_objects())
    }

    fn refresh(&self, _: &Observations, _: &mut IbpTable) {}

    fn start(&self, data: &Observations, scratch: &IbpTable, rng: &mut ChaCha8Rng) -> BernoulliState {
        let mut state = self.draw_prior(data, scratch, rng);
        if let Some(bits) = self.start.bits(&data.inputs, rng) {
            state.images = (0..bits.n_bits()).map(|_| coins(data.inputs.n_inputs(), rng)).collect();
            state.bits = bits;
        }
        state
    }

    fn draw_prior(&self, shape: &Observations, _: &IbpTable, rng: &mut ChaCha8Rng) -> BernoulliState {
        let concentration = self.concentration.draw(rng);
        let bits = ibp::draw(shape.inputs.n_objects(), concentration, rng);
        let images = (0..bits.n_bits()).map(|_| coins(shape.inputs.n_inputs(), rng)).collect();
        BernoulliState { bits, images, concentration }
    }

    fn simulate(&self, state: &BernoulliState, data: &mut Observations, rng: &mut ChaCha8Rng) {
        let (n, m) = (data.inputs.n_objects(), data.inputs.n_inputs());
        let places = (0..n).flat_map(|object| (0..m).map(move |input| (object, input)));
        let mut draw = |(object, input)| {
            let flipped = rng.random::<f64>() < FLIP;
            f64::from(u8::from(state.paints(object, input, None) != flipped))
        };
        let values: Vec<f64> = places.map(&mut draw).collect();
        match Inputs::new(n, m, values) {
            Ok(inputs) => data.inputs = inputs,
            Err(error) => unreachable!("zeros and ones are finite: {error}"),
        }
    }

    fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    fn transition(kernel: Kernel) -> Option<Transition<Self>> {
        match kernel {
            Kernel::Rows => transition(|_: &Self, data, state, ibp, rng| {
                for object in 0..data.inputs.n_objects() {
                    row(object, data, state, ibp, rng);
                }
                images(data, state, rng);
            }),
            Kernel::Concentration => transition(|model: &Self, _, state, ibp, rng| {
                if let GammaPrior::Gamma { shape, rate } = model.concentration {
                    let (shape, rate) = (shape + state.bits.n_bits() as f64, rate + ibp.harmonic());
                    state.concentration = GammaPrior::Gamma { shape, rate }.draw(rng);
                }
            }),
            _ => None,
        }
    }

    fn record(&self, data: &Observations, state: &BernoulliState, ibp: &mut IbpTable) -> Record {
        let rows = data.inputs.rows().enumerate();
        let images = (state.images.len() * data.inputs.n_inputs()) as f64 * 0.5f64.ln();
        let log_likelihood = rows.map(|(object, x)| state.log_likelihood(object, &x)).sum::<f64>();
        let log_joint = ibp.log_density(&state.bits, state.concentration)
            + self.concentration.log_density(state.concentration)
            + images
            + log_likelihood;
        let scalars = vec![("concentration", state.concentration)];
        Record { n_bits: state.bits.n_bits(), log_joint, log_likelihood, satisfied: 1.0, scalars }
    }

    fn to_draw(&self, data: &Observations, state: &BernoulliState, _: &IbpTable, sweep: u64) -> Draw {
        let shape = vec![state.images.len(), data.inputs.n_inputs()];
        let values = state.images.iter().flatten().map(|&paints| f64::from(u8::from(paints))).collect();
        Draw {
            sweep,
            bits: state.bits.to_codes(),
            encoded: None,
            weights: vec![1.0; state.images.len()],
            scalars: BTreeMap::from([("concentration".to_owned(), state.concentration)]),
            tensors: BTreeMap::from([("images".to_owned(), Tensor { shape, values })]),
        }
    }

    fn restore(&self, data: &Observations, _: &IbpTable, draw: &Draw) -> Result<BernoulliState, RestoreError> {
        Ok(BernoulliState {
            bits: BitMatrix::from_codes(&draw.bits),
            images: stored_images(draw, data.inputs.n_inputs())?,
            concentration: draw.positive("concentration")?,
        })
    }
}

fn stored_images(draw: &Draw, n_inputs: usize) -> Result<Vec<Vec<bool>>, RestoreError> {
    let values = draw.tensor("images", &[draw.bits.n_bits(), n_inputs])?;
    Ok(values.chunks_exact(n_inputs).map(|image| image.iter().map(|&v| v > 0.5).collect()).collect())
}

/// Gibbs over the bits that others own too, in a fresh random order; then the object's own bits are replaced by new
/// ones from the prior, accepted by the likelihood ratio (Meeds et al. 2007).
fn row(object: usize, data: &Observations, state: &mut BernoulliState, ibp: &IbpTable, rng: &mut ChaCha8Rng) {
    let x = data.inputs.row(object).to_vec();
    let mut order: Vec<usize> = (0..state.images.len()).collect();
    order.shuffle(rng);
    for bit in order {
        let owned = state.bits.get(object, bit);
        let others = state.bits.counts()[bit] as usize - usize::from(owned);
        if others == 0 {
            continue;
        }
        let here = state.log_likelihood(object, &x);
        state.bits.flip(object, bit);
        let there = state.log_likelihood(object, &x);
        let log_odds = if owned { here - there } else { there - here } + ibp.log_odds(others);
        let own = rng.random::<f64>() < 1.0 / (1.0 + (-log_odds).exp());
        if own == owned {
            state.bits.flip(object, bit);
        }
    }
    let mut proposed = state.clone();
    let is_own = |state: &BernoulliState, bit: usize| state.bits.counts()[bit] == 1 && state.bits.get(object, bit);
    (0..state.images.len()).rev().filter(|&bit| is_own(state, bit)).for_each(|bit| proposed.remove(bit));
    for _ in 0..draw_poisson(state.concentration / data.inputs.n_objects() as f64, rng) {
        proposed.add(object, coins(x.len(), rng));
    }
    let ratio = proposed.log_likelihood(object, &x) - state.log_likelihood(object, &x);
    if rng.random::<f64>().ln() < ratio {
        *state = proposed;
    }
}

/// Gibbs updates of the inputs that each bit switches on.
fn images(data: &Observations, state: &mut BernoulliState, rng: &mut ChaCha8Rng) {
    for bit in 0..state.images.len() {
        for input in 0..data.inputs.n_inputs() {
            let mut log_odds = 0.0;
            for object in (0..data.inputs.n_objects()).filter(|&object| state.bits.get(object, bit)) {
                let x = data.inputs.row(object)[input];
                log_odds += log_probability(x, true) - log_probability(x, state.paints(object, input, Some(bit)));
            }
            state.images[bit][input] = rng.random::<f64>() < 1.0 / (1.0 + (-log_odds).exp());
        }
    }
}

/// The noisy-or model as tests offer it.
pub struct NoisyOr;

impl ModelDefinition for NoisyOr {
    type Model = BernoulliModel;

    const ABOUT: About = About {
        name: "bernoulli",
        title: "noisy-or IBP",
        words: "bits paint binary inputs",
        supervised: false,
        transform: "none",
        predicts_bits: false,
        distances: false,
        tunable: false,
        pictures: ("What each bit paints", "Blue inputs are painted."),
        encoders: &[EncoderChoice::BestCode],
        law: EncoderChoice::BestCode,
        sweep: || Schedule::once([Kernel::Rows, Kernel::Concentration]),
    };

    fn build(options: &ModelOptions, _: &Inputs, _: Option<&[u32]>) -> Result<BernoulliModel, SettingsError> {
        Ok(BernoulliModel {
            concentration: GammaPrior::Gamma { shape: 1.0, rate: 1.0 },
            start: options.start.unwrap_or(Start::Coins(5)),
            schedule: options.schedule.clone().unwrap_or_else(Self::ABOUT.sweep),
        })
    }

    fn check(model: &BernoulliModel) -> Result<(), SettingsError> {
        check_gamma("concentration", model.concentration)?;
        check_start(model.start, Self::ABOUT.name, !matches!(model.start, Start::Links(_)))?;
        check_schedule(model, Self::ABOUT.name)
    }

    fn start(model: &BernoulliModel) -> Start {
        model.start
    }

    fn preference(_: &BernoulliModel) -> Option<&PreferencePrior> {
        None
    }

    fn encoder(
        _: &BernoulliModel,
        draw: &Draw,
        training: &Training<'_>,
        choice: Option<EncoderChoice>,
        _: u64,
    ) -> Result<Box<dyn Encoder>, EncoderError> {
        Self::ABOUT.check_encoder(choice.unwrap_or(EncoderChoice::BestCode))?;
        let images = stored_images(draw, training.n_inputs)?;
        Ok(Box::new(BestCode { codes: draw.bits.clone(), images, n_inputs: training.n_inputs }))
    }

    fn facts(model: &BernoulliModel) -> Vec<(&'static str, String)> {
        vec![("start", model.start.words()), ("schedule", model.schedule.to_string())]
    }

    fn small_problem() -> Option<(BernoulliModel, Observations)> {
        let inputs = Inputs::new(4, 3, vec![0.0; 12]).ok()?;
        let shape = Observations::new(inputs, crate::triplets::TripletSet::empty(4));
        let model = Self::build(&ModelOptions::default(), &shape.inputs, None).ok()?;
        Some((model, shape))
    }
}

/// Encodes by the training code under which an object is most probable.
struct BestCode {
    codes: Codes,
    images: Vec<Vec<bool>>,
    n_inputs: usize,
}

impl BestCode {
    fn score(&self, object: usize, x: &[f64]) -> f64 {
        let paints = |input: usize| (0..self.images.len()).any(|k| self.codes.get(object, k) && self.images[k][input]);
        x.iter().enumerate().map(|(input, &x)| log_probability(x, paints(input))).sum()
    }
}

impl Encoder for BestCode {
    fn n_bits(&self) -> usize {
        self.codes.n_bits()
    }

    fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    fn encode(&self, inputs: &Inputs, _: u64) -> Codes {
        let mut codes = Codes::zeros(inputs.n_objects(), self.n_bits());
        for (row, x) in inputs.rows().enumerate() {
            let scores = (0..self.codes.n_objects()).map(|object| (self.score(object, &x), object));
            let best = scores.reduce(|best, next| if next.0 > best.0 { next } else { best });
            codes.set_row(row, self.codes.row(best.map_or(0, |(_, object)| object)));
        }
        codes
    }
}
