//! Trains one linear support vector machine by dual coordinate descent (Hsieh et al., ICML 2008).

use crate::numerics::linalg::dot;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Rows in row order, all of `width` numbers, and the precision to reach.
pub(super) struct DualDescent<'a> {
    pub rows: &'a [f64],
    pub width: usize,
    /// Ends when no projected gradient of the dual is larger.
    pub tolerance: f64,
    pub max_epochs: usize,
}

impl DualDescent<'_> {
    fn row(&self, at: usize) -> &[f64] {
        &self.rows[at * self.width..(at + 1) * self.width]
    }

    /// Minimises |w|²/2 + cost · Σ max(0, 1 - sign · w·x)² over the `chosen` rows.
    ///
    /// `is_positive(row)` gives the sign. The bias is a constant column of the rows.
    pub fn train(
        &self,
        chosen: &[usize],
        is_positive: impl Fn(usize) -> bool,
        cost: f64,
        rng: &mut ChaCha8Rng,
    ) -> Vec<f64> {
        let ridge = 0.5 / cost;
        let signs: Vec<f64> = chosen.iter().map(|&at| if is_positive(at) { 1.0 } else { -1.0 }).collect();
        let diagonal: Vec<f64> = chosen.iter().map(|&at| dot(self.row(at), self.row(at)) + ridge).collect();
        let mut alphas = vec![0.0; chosen.len()];
        let mut weights = vec![0.0; self.width];
        let mut order: Vec<usize> = (0..chosen.len()).collect();
        for _ in 0..self.max_epochs {
            order.shuffle(rng);
            let mut steepest = 0.0f64;
            for &i in &order {
                let row = self.row(chosen[i]);
                let gradient = signs[i] * dot(&weights, row) - 1.0 + ridge * alphas[i];
                let projected = if alphas[i] == 0.0 { gradient.min(0.0) } else { gradient };
                steepest = steepest.max(projected.abs());
                if projected != 0.0 {
                    let alpha = (alphas[i] - gradient / diagonal[i]).max(0.0);
                    let change = (alpha - alphas[i]) * signs[i];
                    weights.iter_mut().zip(row).for_each(|(w, x)| *w += change * x);
                    alphas[i] = alpha;
                }
            }
            if steepest <= self.tolerance {
                break;
            }
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand::SeedableRng;

    proptest! {
        /// At the optimum, w - 2 · cost · Σ max(0, 1 - sign · w·x) · sign · x = 0.
        #[test]
        fn primal_gradient_vanishes(
            rows in prop::collection::vec(-2.0f64..2.0, 30 * 4),
            positive in prop::collection::vec(any::<bool>(), 30),
            cost in 0.01f64..10.0,
        ) {
            let solver = DualDescent { rows: &rows, width: 4, tolerance: 1e-10, max_epochs: 100_000 };
            let chosen: Vec<usize> = (0..30).collect();
            let w = solver.train(&chosen, |at| positive[at], cost, &mut ChaCha8Rng::seed_from_u64(3));
            let mut gradient = w.clone();
            for at in 0..30 {
                let sign = if positive[at] { 1.0 } else { -1.0 };
                let hinge = (1.0 - sign * dot(&w, solver.row(at))).max(0.0);
                gradient.iter_mut().zip(solver.row(at)).for_each(|(g, x)| *g -= 2.0 * cost * hinge * sign * x);
            }
            prop_assert!(gradient.iter().all(|g| g.abs() < 1e-6), "{:?}", gradient);
        }
    }
}
