//! Integrates the probit model of a few objects with one or two inputs: the weight of every column, and of every code.

use super::ExactPosterior;
use crate::data::Inputs;
use crate::likelihood::preference::{PreferenceSums, Scoring};
use crate::model::Observations;
use crate::numerics::normal::{hazard, log_cdf};

/// ∫∫ h(t) N(g; 0, σg² I) Π Φ(±(x·g + t)) dg dt for every column that somebody owns, indexed by its bits.
///
/// All integrands decay like Gaussians, so the trapezoidal rule converges faster than any power of the step.
#[derive(Debug, Clone)]
pub struct ColumnWeights {
    weights: Vec<f64>,
}

const STEP: f64 = 0.125;
/// Number of standard deviations beyond which the integrand is negligible.
const REACH: f64 = 9.0;

impl ColumnWeights {
    /// Integrates for objects with one or two inputs each.
    ///
    /// # Panics
    /// With more than two inputs, or more than six objects.
    pub fn new(x: &Inputs, variance: f64) -> Self {
        let (n, m) = (x.n_objects(), x.n_inputs());
        assert!((1..=2).contains(&m) && n <= 6, "one or two inputs and at most six objects can be integrated");
        let norm = |row: &[f64]| row.iter().map(|v| v * v).sum::<f64>().sqrt();
        let reach = variance.sqrt() * x.rows().map(|row| norm(&row)).fold(0.0, f64::max);
        let mut weights = vec![0.0; 1 << n];
        let mut logs = vec![[0.0; 2]; n];
        for (direction, density) in directions(m) {
            let height = |row: &[f64]| variance.sqrt() * row.iter().zip(&direction).map(|(x, u)| x * u).sum::<f64>();
            let heights: Vec<f64> = x.rows().map(|row| height(&row)).collect();
            for t in steps(-REACH * (1.0 + reach), REACH) {
                let measure = density * hazard(t) * STEP;
                for (log, height) in logs.iter_mut().zip(&heights) {
                    *log = [log_cdf(-(height + t)), log_cdf(height + t)];
                }
                for (bits, weight) in weights.iter_mut().enumerate().skip(1) {
                    let log: f64 = logs.iter().enumerate().map(|(object_ix, log)| log[bits >> object_ix & 1]).sum();
                    *weight += measure * log.exp();
                }
            }
        }
        Self { weights }
    }

    /// The logarithm of the integral of a column.
    pub fn log_weight(&self, column: &[u8]) -> f64 {
        self.weights[column.iter().rev().fold(0, |bits, &bit| bits << 1 | usize::from(bit))].ln()
    }

    /// Λ(σg²): the expected number of bits for α = 1.
    pub fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// The posterior over codes given triplets, with unit weights and the rest fixed.
    pub fn posterior(&self, data: &Observations, concentration: f64, scoring: &Scoring) -> ExactPosterior {
        ExactPosterior::enumerate(data.inputs.n_objects(), 9, |bits| {
            let k = bits.n_bits();
            let mut sums = PreferenceSums::default();
            sums.rebuild(&data.triplets, bits, &vec![1.0; k]);
            let bits = |f: usize| bits.column(f).iter().rev().fold(0, |bits, &bit| bits << 1 | usize::from(bit));
            let columns: f64 = (0..k).map(|f| self.weights[bits(f)].ln()).sum();
            k as f64 * concentration.ln() + columns + sums.log_likelihood(scoring)
        })
    }
}

fn steps(low: f64, high: f64) -> impl Iterator<Item = f64> {
    (0..=((high - low) / STEP) as usize).map(move |at| low + at as f64 * STEP)
}

/// Nodes of a standard normal in one or two dimensions, with their weights.
fn directions(n_inputs: usize) -> Vec<(Vec<f64>, f64)> {
    let weight = |u: f64| (-0.5 * u * u).exp() / (2.0 * std::f64::consts::PI).sqrt() * STEP;
    let line = || steps(-REACH, REACH);
    let nodes: Vec<(Vec<f64>, f64)> = match n_inputs {
        1 => line().map(|u| (vec![u], weight(u))).collect(),
        _ => line().flat_map(|u| line().map(move |v| (vec![u, v], weight(u) * weight(v)))).collect(),
    };
    nodes.into_iter().filter(|(_, weight)| *weight > 1e-14).collect()
}
