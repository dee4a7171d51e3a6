//! Draws the questions that a distilled code is to answer, with the mean answer of the draws.

use super::{Distilling, Source};
use crate::bits::BitMatrix;
use crate::likelihood::preference::PreferenceSums;
use crate::parallel::map;
use crate::trace::RestoreError;
use crate::triplets::{Triplet, TripletSet};
use rand::{Rng, RngExt};

/// Questions for each bit of an object, and at least and at most in all.
const QUESTIONS_A_BIT: usize = 8;
const QUESTIONS: (usize, usize) = (20_000, 400_000);

/// Random triplets, the mean probability of each, and what given bits say about it.
pub struct Target {
    /// The triplets.
    pub triplets: TripletSet,
    /// Their mean probabilities.
    pub probabilities: Vec<f64>,
    /// A - B of the given bits, in whole bits.
    pub given: Vec<i32>,
}

impl Target {
    /// Draws the questions and lets every draw answer them; `None` for fewer than three objects or without draws.
    pub fn new<R: Rng>(source: &Source<'_>, settings: &Distilling, rng: &mut R) -> Result<Option<Self>, RestoreError> {
        let n_objects = source.inputs.n_objects();
        if n_objects < 3 || source.draws.is_empty() {
            return Ok(None);
        }
        let n = (QUESTIONS_A_BIT * n_objects * settings.n_bits).clamp(QUESTIONS.0, QUESTIONS.1);
        let questions = (0..n).map(|_| question(n_objects as u32, rng)).collect();
        let triplets = match TripletSet::new(n_objects, questions) {
            Ok(triplets) => triplets,
            Err(error) => panic!("the questions are about three different objects: {error}"),
        };
        let given_weights: Vec<&[f64]> = match source.given.n_bits() {
            0 => vec![&[]; source.draws.len()],
            k => source.draws.iter().map(|draw| draw.tensor("given_weights", &[k])).collect::<Result<_, _>>()?,
        };
        // Parts of the draws, so that threads share the work and sums are the same whatever their number.
        const PART: usize = 8;
        let parts = map(settings.threads, source.draws.len().div_ceil(PART), |part| {
            let mut sums = PreferenceSums::default();
            let mut probabilities = vec![0.0; n];
            let draws = source.draws.iter().zip(&given_weights).zip(source.scorings);
            for ((draw, given_weights), scoring) in draws.skip(part * PART).take(PART) {
                sums.rebuild(&triplets, &BitMatrix::from_codes(&draw.bits), &draw.weights);
                sums.add(&triplets, source.given, given_weights);
                for (triplet_ix, probability) in probabilities.iter_mut().enumerate() {
                    let (a, b) = sums.of(triplet_ix);
                    *probability += scoring.probability(a, b);
                }
            }
            probabilities
        });
        let mut probabilities = vec![0.0; n];
        for part in parts {
            probabilities.iter_mut().zip(part).for_each(|(sum, value)| *sum += value / source.draws.len() as f64);
        }
        let mut sums = PreferenceSums::default();
        sums.rebuild(&triplets, source.given, &given_weights_of(source, &given_weights));
        let given = (0..n).map(|at| sums.of(at)).map(|(a, b)| (a - b).round() as i32).collect();
        Ok(Some(Self { triplets, probabilities, given }))
    }
}

fn question<R: Rng>(n_objects: u32, rng: &mut R) -> Triplet {
    let anchor = rng.random_range(0..n_objects);
    let near = (anchor + rng.random_range(1..n_objects)) % n_objects;
    loop {
        let far = (anchor + rng.random_range(1..n_objects)) % n_objects;
        if far != near {
            return Triplet { anchor, near, far };
        }
    }
}

/// Mean weights of the given bits.
pub fn given_weights(source: &Source<'_>) -> Result<Vec<f64>, RestoreError> {
    let k = source.given.n_bits();
    let weights = source.draws.iter().map(|draw| draw.tensor("given_weights", &[k])).collect::<Result<Vec<_>, _>>()?;
    Ok(given_weights_of(source, &weights))
}

fn given_weights_of(source: &Source<'_>, weights: &[&[f64]]) -> Vec<f64> {
    let mean = |bit: usize| weights.iter().map(|weights| weights[bit]).sum::<f64>() / weights.len() as f64;
    (0..source.given.n_bits()).map(mean).collect()
}
