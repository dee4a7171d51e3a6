//! Fits many logistic regressions on the same inputs, with an L2 penalty.
//!
//! The problems share the design matrix, so they advance together: one matrix product projects the search directions
//! of all, another gives all gradients. Each problem runs L-BFGS, preconditioned by the upper bound XᵀX/4 + penalty on
//! every Hessian (Böhning and Lindsay, 1988), which is factored once for all.

use super::{
    LearnError, LinearHash,
    error::positive,
    lbfgs::{Design, Problem, solve},
    scaling::Scaling,
};
use crate::data::Inputs;

/// Largest number of margins (objects x problems) held at once, to bound memory.
const MAX_MARGINS: usize = 4 << 20;

/// Settings of the logistic regressions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogisticSettings {
    /// Penalty: `l2 / 2` times the squared coefficients is added to the summed loss. The intercept is free.
    pub l2: f64,
    /// Whether inputs are brought to unit spread before the penalty sees them.
    pub standardise: bool,
    /// Most rounds a problem may take.
    pub max_rounds: usize,
    /// A problem ends when no entry of its gradient, divided by the number of objects, is larger.
    pub tolerance: f64,
}

impl Default for LogisticSettings {
    fn default() -> Self {
        Self { l2: 1.0, standardise: true, max_rounds: 500, tolerance: 1e-5 }
    }
}

/// Fits `n_bits` regressions on `target(bit, object)`; also returns the bits that ran out of rounds.
pub(crate) fn fit_problems(
    inputs: &Inputs,
    n_bits: usize,
    target: impl Fn(usize, usize) -> bool,
    settings: &LogisticSettings,
) -> Result<(LinearHash, Vec<usize>), LearnError> {
    positive("l2", settings.l2)?;
    positive("tolerance", settings.tolerance)?;
    let n = inputs.n_objects();
    let scaling = Scaling::of(inputs)?;
    let factors = if settings.standardise { scaling.unit_factors() } else { vec![1.0; inputs.n_inputs()] };
    let design = Design::new(inputs, &scaling.mean, &factors, settings.l2)?;
    let (mut weights, mut thresholds, mut unfinished) = (Vec::new(), Vec::new(), Vec::new());
    let bits: Vec<usize> = (0..n_bits).collect();
    for bits in bits.chunks((MAX_MARGINS / n).clamp(1, 64)) {
        let targets = bits.iter().map(|&bit| (0..n).map(|object| target(bit, object)).collect());
        let mut problems: Vec<Problem> = targets.map(|targets| Problem::new(&design, targets)).collect();
        solve(&design, &mut problems, settings.max_rounds, settings.tolerance * n as f64);
        for (&bit, problem) in bits.iter().zip(&problems) {
            let (coefficients, intercept) = problem.solution();
            let own: Vec<f64> = coefficients.iter().zip(&factors).map(|(c, f)| c * f).collect();
            thresholds.push(own.iter().zip(&scaling.mean).map(|(w, m)| w * m).sum::<f64>() - intercept);
            weights.extend(own);
            if !problem.is_finished() {
                unfinished.push(bit);
            }
        }
    }
    Ok((LinearHash::new(inputs.n_inputs(), weights, thresholds)?, unfinished))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Gradient of the penalised loss in the raw inputs (no standardising), coefficient by coefficient.
    fn gradient(inputs: &Inputs, truth: &[bool], hash: &LinearHash, bit: usize, l2: f64) -> Vec<f64> {
        let m = inputs.n_inputs();
        let weights = &hash.weights()[bit * m..(bit + 1) * m];
        let mut gradient: Vec<f64> = weights.iter().map(|w| l2 * w).chain([0.0]).collect();
        for (row, &truth) in inputs.rows().zip(truth) {
            let margin = row.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>() - hash.thresholds()[bit];
            let residual = 1.0 / (1.0 + (-margin).exp()) - f64::from(u8::from(truth));
            gradient.iter_mut().zip(row.iter().chain(&[1.0])).for_each(|(g, x)| *g += residual * x);
        }
        gradient
    }

    proptest! {
        #[test]
        fn gradient_vanishes_at_the_fit(
            values in prop::collection::vec(-3.0f64..3.0, 40 * 4),
            truths in prop::collection::vec(any::<bool>(), 40 * 3),
            l2 in 0.01f64..10.0,
        ) {
            let inputs = Inputs::new(40, 4, values).unwrap();
            let settings = LogisticSettings { l2, standardise: false, tolerance: 1e-9, ..Default::default() };
            let (hash, unfinished) = fit_problems(&inputs, 3, |b, o| truths[b * 40 + o], &settings).unwrap();
            prop_assert!(unfinished.is_empty());
            for bit in 0..3 {
                let truth = &truths[bit * 40..(bit + 1) * 40];
                for g in gradient(&inputs, truth, &hash, bit, l2) {
                    prop_assert!(g.abs() < 1e-6, "bit {}: {}", bit, g);
                }
            }
        }
    }
}
