//! Checks the probabilities of preferences against a plain simulation: bits of unseen objects are drawn one by one.

use super::Verdict;
use super::toys;
use crate::data::{Inputs, Table};
use crate::format::Fitted;
use crate::likelihood::preference::{Scoring, contribution};
use crate::model::{GammaPrior, Link, ModelKind, ModelOptions, PreferencePrior, Preset};
use crate::numerics::normal::log_cdf;
use crate::pipeline::{Asking, Fit, Objects};
use crate::rng::{Purpose, Streams};
use crate::run::RunControl;
use crate::trace::Draw;
use crate::triplets::Triplet;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Training objects, unseen objects and simulated answers a draw.
const N_TRAINING: u32 = 16;
const N_UNSEEN: u32 = 6;
const N_ANSWERS: usize = 20_000;
/// Largest distance in standard errors, of 4 × 9 questions.
const LIMIT: f64 = 4.9;

/// Checks the probit model with both links, with unit weights (an exact sum) and with free ones (an integral).
pub fn probit(seed: u64) -> Verdict {
    let part = |options: ModelOptions| {
        let fitted = fitted(options, seed);
        let asked = questions();
        let all = all_objects();
        let training: Vec<Option<u32>> = (0..N_TRAINING).map(Some).chain((0..N_UNSEEN).map(|_| None)).collect();
        let objects = Objects { inputs: &all, known: None, training: &training };
        let asking = Asking { calibrated: false, threads: 1, ..Asking::default() };
        let found = match fitted.preferences(objects, &asked, &asking) {
            Ok(found) => found.probabilities,
            Err(error) => panic!("the model has preferences: {error}"),
        };
        let mut rng = Streams::new(seed, 0).rng(Purpose::Verify, 0, 0);
        let score = |(triplet, found): (&Triplet, &f64)| {
            let (mean, error) = simulated(&fitted, &all, *triplet, &mut rng);
            let [a, n, f] = [triplet.anchor, triplet.near, triplet.far];
            // Answers about training objects alone do not vary.
            (format!("{a} more like {n} than {f}"), (found - mean) / error.max(1e-9))
        };
        Verdict::with_limit(asked.iter().zip(&found).map(score).collect::<Vec<_>>(), LIMIT)
    };
    let of = |preset: Preset| ModelOptions::new(ModelKind::Probit, preset);
    let free = GammaPrior::Gamma { shape: 1.0, rate: 1.0 };
    Verdict::join([
        ("unit weights", part(of(Preset::Hash))),
        ("free weights", part(of(Preset::Paper))),
        ("logistic link", part(of(Preset::Judgements))),
        ("logistic link, free weights", part(ModelOptions { weights: Some(free), ..of(Preset::Judgements) })),
    ])
}

/// Inputs of all objects, the unseen ones last.
fn all_objects() -> Inputs {
    toys::scattered((N_TRAINING + N_UNSEEN) as usize, 2).inputs
}

/// Questions about training objects, unseen ones, and both.
fn questions() -> Vec<Triplet> {
    let u = N_TRAINING;
    let triplets = [
        [0, 1, 2],
        [3, 9, 4],
        [u, 0, 1],
        [0, u, 1],
        [5, 6, u + 1],
        [u + 2, u + 3, 7],
        [8, u + 4, u + 5],
        [u, u + 1, u + 2],
        [u + 3, u + 5, u + 4],
    ];
    triplets.map(|[anchor, near, far]| Triplet { anchor, near, far }).to_vec()
}

fn fitted(options: ModelOptions, seed: u64) -> Fitted {
    let training: Vec<usize> = (0..N_TRAINING as usize).collect();
    let inputs = all_objects().select(&training);
    let judged = (0..N_TRAINING).map(|anchor| {
        let [near, far] = [1, 5].map(|step| (anchor + step) % N_TRAINING);
        Triplet { anchor, near, far }
    });
    let fit = Fit::new(Table::from(inputs), judged.collect::<Vec<_>>()).model(options).seed(seed).sweeps(12);
    match fit.chains(2).draws(2).calibrates(false).run(&RunControl { threads: 1, ..RunControl::default() }) {
        Ok(fitted) => fitted,
        Err(error) => panic!("a small fit runs: {error}"),
    }
}

/// Mean and standard error of simulated answers, over all draws.
fn simulated(fitted: &Fitted, all: &Inputs, triplet: Triplet, rng: &mut ChaCha8Rng) -> (f64, f64) {
    let inputs = match fitted.info.transform.apply(all) {
        Ok(inputs) => inputs,
        Err(error) => panic!("the inputs are of the right width: {error}"),
    };
    let (mut mean, mut variance, mut n_draws) = (0.0, 0.0, 0.0);
    for draw in fitted.chains.iter().flat_map(|chain| chain.all_draws()) {
        let answers: Vec<f64> = (0..N_ANSWERS).map(|_| answer(fitted, draw, &inputs, triplet, rng)).collect();
        let own = answers.iter().sum::<f64>() / N_ANSWERS as f64;
        mean += own;
        variance += answers.iter().map(|p| (p - own) * (p - own)).sum::<f64>() / (N_ANSWERS * N_ANSWERS) as f64;
        n_draws += 1.0;
    }
    (mean / n_draws, variance.sqrt() / n_draws)
}

/// The probability of a triplet under one draw, with the bits of unseen objects drawn.
fn answer(fitted: &Fitted, draw: &Draw, inputs: &Inputs, triplet: Triplet, rng: &mut ChaCha8Rng) -> f64 {
    let (coefficients, sticks) = (&draw.tensors["coefficients"].values, &draw.tensors["sticks"].values);
    let mut bit = |object: u32, bit: usize| {
        if object < N_TRAINING {
            return draw.bits.get(object as usize, bit);
        }
        let x = inputs.row(object as usize);
        let g = &coefficients[bit * x.len()..(bit + 1) * x.len()];
        let height = x.iter().zip(g).map(|(x, g)| x * g).sum::<f64>() + sticks[bit];
        rng.random::<f64>() < log_cdf(height).exp()
    };
    let (mut a, mut b) = (0.0, 0.0);
    for (bit_ix, weight) in draw.weights.iter().enumerate() {
        let [anchor, near, far] = [triplet.anchor, triplet.near, triplet.far].map(|object| bit(object, bit_ix));
        let (for_a, for_b) = contribution(anchor, near, far);
        (a, b) = (a + weight * for_a, b + weight * for_b);
    }
    let lapse = draw.scalars["lapse"];
    match fitted.info.model.preference() {
        Some(PreferencePrior { link: Link::Logistic(_), .. }) => {
            (1.0 - lapse) / (1.0 + (-draw.scalars["slope"] * (a - b)).exp()) + lapse / 2.0
        }
        prior => Scoring::ratio(lapse, prior.map_or(0.0, |prior| prior.pseudo_weight)).probability(a, b),
    }
}
