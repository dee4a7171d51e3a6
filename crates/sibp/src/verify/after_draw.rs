//! Checks what follows a draw of the probit model: the score that ranks draws, and the refit that encodes.

use super::probit_exact::ColumnWeights;
use super::{Verdict, toys};
use crate::bits::BitMatrix;
use crate::likelihood::preference::PreferenceSums;
use crate::likelihood::probit::ColumnFit;
use crate::model::{Model, Observations, ProbitModel, ProbitState, Threads};
use crate::numerics::normal::hazard;
use crate::prior::hyper::VariancePrior;
use crate::rng::{Purpose, Streams};
use crate::schedule::Schedule;
use crate::trace::{Draw, REFIT_COEFFICIENTS, REFIT_STICKS};

/// Largest error of the difference of two scores, in nats: three bits' Laplace approximations of three objects each.
const NATS: f64 = 0.5;

/// Checks that draws with different numbers of bits are ranked by their posterior probability, whatever their
/// coefficients, and that rescaling the inputs with their prior changes nothing.
pub fn scores() -> Verdict {
    let data = toys::three_on_a_line();
    let variance = 1.5;
    let weights = ColumnWeights::new(&data.inputs, variance);
    let codes = small_codes();
    let exact: Vec<f64> = codes.iter().map(|code| log_posterior(&data, &weights, code)).collect();
    let own: Vec<f64> = codes.iter().map(|code| score(&data, code, variance)).collect();
    let mut stretched = data.clone();
    let scale = 40.0;
    let values = data.inputs.values().iter().map(|x| scale * x).collect();
    match crate::data::Inputs::new(data.inputs.n_objects(), data.inputs.n_inputs(), values) {
        Ok(inputs) => stretched.inputs = inputs,
        Err(error) => panic!("finite inputs stay finite: {error}"),
    }
    let rescaled: Vec<f64> = codes.iter().map(|code| score(&stretched, code, variance / (scale * scale))).collect();
    let largest = |values: &[f64], others: &[f64]| {
        let apart: Vec<f64> = values.iter().zip(others).map(|(a, b)| a - b).collect();
        let fold = |start: f64, pick: fn(f64, f64) -> f64| apart.iter().copied().fold(start, pick);
        fold(f64::NEG_INFINITY, f64::max) - fold(f64::INFINITY, f64::min)
    };
    Verdict::with_limit(
        [("log posterior of codes", largest(&own, &exact)), ("rescaled inputs", largest(&own, &rescaled))],
        NATS,
    )
}

/// All codes of three objects with at most three bits, equal ones among them.
fn small_codes() -> Vec<Vec<Vec<u8>>> {
    let column = |bits: usize| (0..3).map(|object| (bits >> object & 1) as u8).collect::<Vec<u8>>();
    let mut codes = vec![Vec::new()];
    for first in 1..8 {
        codes.push(vec![column(first)]);
        for second in first..8 {
            codes.push(vec![column(first), column(second)]);
            codes.extend((second..8).map(|third| vec![column(first), column(second), column(third)]));
        }
    }
    codes
}

/// The log posterior of a code up to a constant, from integrals: K ln α + Σ ln m(z) - Σ ln n! + ln P(triplets).
fn log_posterior(data: &Observations, weights: &ColumnWeights, code: &[Vec<u8>]) -> f64 {
    let (model, state, _) = subject(data, code, 1.5);
    let columns: f64 = code.iter().map(|column| weights.log_weight(column)).sum();
    let repeats = |column: &Vec<u8>| code.iter().filter(|other| *other == column).count() as f64;
    // Each of n equal columns brings (ln n!) / n.
    let orders: f64 = code
        .iter()
        .map(|column| (1..=repeats(column) as usize).map(|n| (n as f64).ln()).sum::<f64>() / repeats(column))
        .sum();
    let mut sums = PreferenceSums::default();
    sums.rebuild(&data.triplets, &state.code.bits, &state.code.weights);
    code.len() as f64 * state.concentration.ln() + columns - orders
        + sums.log_likelihood(&state.code.scoring(&model.preference))
}

fn score(data: &Observations, code: &[Vec<u8>], variance: f64) -> f64 {
    let (model, state, mut scratch) = subject(data, code, variance);
    model.score(data, &state, &mut scratch)
}

/// A model and a state with this code and arbitrary coefficients.
fn subject(
    data: &Observations,
    code: &[Vec<u8>],
    variance: f64,
) -> (ProbitModel, ProbitState, <ProbitModel as Model>::Scratch) {
    let mut model = toys::fixed_probit(2.0, Schedule::probit());
    model.coefficient = VariancePrior::Fixed(variance);
    let scratch = model.prepare(data, Threads::ONE);
    let mut state = model.draw_prior(data, &scratch, &mut Streams::new(1, 0).rng(Purpose::Verify, 0, 0));
    state.code.bits = BitMatrix::new(data.inputs.n_objects());
    state.code.weights.clear();
    state.atoms.clear();
    for (at, column) in code.iter().enumerate() {
        state.code.push(column, 1.0);
        let coefficients = vec![(at as f64 - 1.0) * variance.sqrt(); scratch.basis.rank()];
        state.atoms.push(ColumnFit { coefficients, stick: 0.4 });
    }
    (model, state, scratch)
}

/// Checks that a finished draw holds the most probable coefficients given its bits: separable columns, noisy ones, one
/// owner, everybody, with few inputs and with as many as objects.
pub fn refits() -> Verdict {
    let mut values = Vec::new();
    for (name, n, m) in [("few inputs", 40, 3), ("as many inputs as objects", 24, 24)] {
        let data = toys::scattered(n, m);
        for variance in [0.5, 50.0, 5000.0] {
            let draw = finished(&data, variance);
            values.push((format!("{name}, variance {variance}: gradient"), steepest(&data, &draw, variance)));
        }
    }
    Verdict::with_limit(values, 1e-4)
}

fn finished(data: &Observations, variance: f64) -> Draw {
    let n = data.inputs.n_objects();
    let rows: Vec<Vec<f64>> = data.inputs.rows().map(|row| row.to_vec()).collect();
    let separable = rows.iter().map(|row| u8::from(row[0] > 0.1)).collect();
    let noisy = (0..n).map(|object| (object * 7 % 5 % 2) as u8).collect();
    let single = (0..n).map(|object| u8::from(object == 3)).collect();
    let (model, state, scratch) = subject(data, &[separable, noisy, single, vec![1; n]], variance);
    let mut draw = model.to_draw(data, &state, &scratch, 1);
    if let Err(error) = model.finish(data, &scratch, &mut draw) {
        panic!("a draw was not accepted by its own model: {error}");
    }
    draw
}

/// Norm of the largest gradient of a column's log posterior, by the exact functions and loops over the inputs.
fn steepest(data: &Observations, draw: &Draw, variance: f64) -> f64 {
    let (k, m) = (draw.bits.n_bits(), data.inputs.n_inputs());
    let (coefficients, sticks) = (&draw.tensors[REFIT_COEFFICIENTS].values, &draw.tensors[REFIT_STICKS].values);
    let norm = |bit: usize| {
        let (g, t) = (&coefficients[bit * m..(bit + 1) * m], sticks[bit]);
        let mut slopes: Vec<f64> = g.iter().map(|g| -g / variance).collect();
        slopes.push(-t - hazard(t));
        for (object, row) in data.inputs.rows().enumerate() {
            let eta = row.iter().zip(g).map(|(x, g)| x * g).sum::<f64>() + t;
            let slope = if draw.bits.get(object, bit) { hazard(eta) } else { -hazard(-eta) };
            row.iter().enumerate().for_each(|(i, x)| slopes[i] += slope * x);
            slopes[m] += slope;
        }
        slopes.iter().map(|slope| slope * slope).sum::<f64>().sqrt()
    };
    (0..k).map(norm).fold(0.0, f64::max)
}
