//! Draws lapse rates by slice sampling on their logits: one for all answers, or one for each judge.

use crate::fault::{Fault, planted};
use crate::likelihood::preference::Scoring;
use crate::numerics::slice::slice;
use crate::prior::hyper::{LAPSE_RANGE, LapsePrior};
use crate::state::{LatentCode, Observations, PreferencePrior, PreferenceScratch};
use rand::Rng;

/// One slice-sampling update of every rate; does nothing when the rate is fixed.
pub fn step<R: Rng>(
    prior: &PreferencePrior,
    data: &Observations,
    code: &mut LatentCode,
    scratch: &mut PreferenceScratch,
    rng: &mut R,
) {
    if let LapsePrior::Fixed(_) = prior.lapse {
        return;
    }
    if code.judge_lapses.is_empty() {
        let log_likelihood = |lapse: f64| scratch.sums.log_likelihood(&code.scoring_with(lapse, prior));
        code.lapse = draw(code.lapse, prior, log_likelihood, rng);
        return;
    }
    let answers = answers_of_judges(data, code, scratch);
    for (lapse, answers) in code.judge_lapses.iter_mut().zip(&answers) {
        // p = (1 - lapse) q + lapse / 2, where q is the probability of one who does not lapse.
        let log_likelihood = |lapse: f64| answers.iter().map(|q| (q + lapse * (0.5 - q)).ln()).sum::<f64>();
        *lapse = draw(*lapse, prior, log_likelihood, rng);
    }
    code.average_lapse(&data.triplets);
    scratch.sums.set_lapses(&data.triplets, &code.judge_lapses);
}

/// For each judge, the probabilities of the answers for one who does not lapse.
fn answers_of_judges(data: &Observations, code: &LatentCode, scratch: &PreferenceScratch) -> Vec<Vec<f64>> {
    let certain = Scoring::logistic(0.0, code.slope);
    let mut answers = vec![Vec::new(); code.judge_lapses.len()];
    for (triplet_ix, &judge) in data.triplets.judges().iter().enumerate() {
        let (a, b) = scratch.sums.of(triplet_ix);
        answers[judge as usize].push(certain.probability(a, b));
    }
    if planted(Fault::LapseOfAll) {
        let all = answers.concat();
        answers.fill(all);
    }
    answers
}

fn draw<R: Rng>(now: f64, prior: &PreferencePrior, log_likelihood: impl Fn(f64) -> f64, rng: &mut R) -> f64 {
    let log_density = |logit: f64| {
        let lapse = 1.0 / (1.0 + (-logit).exp());
        if !(LAPSE_RANGE.0..=LAPSE_RANGE.1).contains(&lapse) {
            return f64::NEG_INFINITY;
        }
        // The last two terms are the Jacobian from the rate to its logit.
        log_likelihood(lapse)
            + prior.lapse.log_density(lapse)
            + if planted(Fault::LapseJacobian) { 0.0 } else { lapse.ln() + (-lapse).ln_1p() }
    };
    1.0 / (1.0 + (-slice((now / (1.0 - now)).ln(), 1.0, rng, log_density)).exp())
}
