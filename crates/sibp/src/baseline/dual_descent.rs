//! Trains one linear support vector machine by dual coordinate descent (Hsieh et al., ICML 2008).

use crate::numerics::simd::dot;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// The training rows in row order, each of `width` numbers and none zero, and the precision to reach.
pub(super) struct DualDescent<'a> {
    pub rows: &'a [f64],
    pub width: usize,
    /// Descent ends when no projected gradient of the dual is larger.
    pub tolerance: f64,
    pub max_epochs: usize,
}

impl DualDescent<'_> {
    fn row(&self, at: usize) -> &[f64] {
        &self.rows[at * self.width..(at + 1) * self.width]
    }

    /// Minimises |w|²/2 + cost · Σ max(0, 1 - sign · w·x) over the `chosen` rows, given with their signs.
    ///
    /// Returns w and the dual variables. A bias is a constant column of the rows.
    pub fn train(&self, chosen: &[(usize, f64)], cost: f64, rng: &mut ChaCha8Rng) -> (Vec<f64>, Vec<f64>) {
        let diagonal: Vec<f64> = chosen.iter().map(|&(at, _)| dot(self.row(at), self.row(at))).collect();
        let mut duals = vec![0.0; chosen.len()];
        let mut weights = vec![0.0; self.width];
        let mut order: Vec<usize> = (0..chosen.len()).collect();
        for _ in 0..self.max_epochs {
            order.shuffle(rng);
            let mut steepest = 0.0f64;
            for &i in &order {
                let (at, sign) = chosen[i];
                let gradient = sign * dot(&weights, self.row(at)) - 1.0;
                let projected = project(gradient, duals[i], cost);
                steepest = steepest.max(projected.abs());
                if projected != 0.0 {
                    let dual = (duals[i] - gradient / diagonal[i]).clamp(0.0, cost);
                    let change = (dual - duals[i]) * sign;
                    weights.iter_mut().zip(self.row(at)).for_each(|(w, x)| *w += change * x);
                    duals[i] = dual;
                }
            }
            if steepest <= self.tolerance {
                break;
            }
        }
        (weights, duals)
    }
}

/// The part of the gradient that does not push a dual variable out of [0, cost].
fn project(gradient: f64, dual: f64, cost: f64) -> f64 {
    if dual <= 0.0 {
        gradient.min(0.0)
    } else if dual >= cost {
        gradient.max(0.0)
    } else {
        gradient
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand::SeedableRng;

    proptest! {
        /// Strong duality: |w|²/2 + cost · Σ hinge = Σ duals - |w|²/2 at the optimum and nowhere else.
        ///
        /// Along flat directions of the dual, descent creeps at a constant gradient g until a variable meets its
        /// bound, within cost · |x|² / g passes. So g < 3 · 17 / 1e6 remains at worst, and a gap of 30 · cost · g.
        #[test]
        fn duality_gap_vanishes(
            values in prop::collection::vec(-2.0f64..2.0, 30 * 4),
            positive in prop::collection::vec(any::<bool>(), 30),
            cost in 0.01f64..3.0,
        ) {
            let rows: Vec<f64> = values.chunks(4).flat_map(|row| row.iter().copied().chain([1.0])).collect();
            let solver = DualDescent { rows: &rows, width: 5, tolerance: 1e-7, max_epochs: 1_000_000 };
            let chosen: Vec<_> = positive.iter().map(|&p| if p { 1.0 } else { -1.0 }).enumerate().collect();
            let (w, duals) = solver.train(&chosen, cost, &mut ChaCha8Rng::seed_from_u64(3));
            prop_assert!(duals.iter().all(|d| (0.0..=cost).contains(d)));
            let hinge = |&(at, sign): &(usize, f64)| (1.0 - sign * dot(&w, solver.row(at))).max(0.0);
            let gap = dot(&w, &w) + cost * chosen.iter().map(hinge).sum::<f64>() - duals.iter().sum::<f64>();
            prop_assert!((-1e-9..5e-3).contains(&gap), "{}", gap);
        }
    }
}
