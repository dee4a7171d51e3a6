//! Predicts signs from inputs by ridge regression: one factor of the inputs for any number of targets.

use super::{LearnError, LinearHash, Scaling, error::positive};
use crate::data::Inputs;
use crate::numerics::linalg::{LargeCholesky, Mat, MatRef, product, view};

/// The ridge of hashes by default, in units of the mean variance of an input: enough for inputs that depend on each
/// other, and so little that a third or a thirtieth of it retrieves the same handwritten digits.
pub(super) const RIDGE: f64 = 1e-4;

/// Inputs that were centred and factored.
pub(super) struct Ridge {
    scaling: Scaling,
    centred: Vec<f64>,
    cholesky: LargeCholesky,
}

/// What was regressed: the height of bit b above an object is its centred inputs times column b, plus the offset.
pub(super) struct Heights {
    directions: Mat<f64>,
    offsets: Vec<f64>,
}

impl Ridge {
    /// Factors the inputs with `ridge` times their mean variance added to that of each, so that units do not matter.
    pub fn of(inputs: &Inputs, ridge: f64, method: &'static str) -> Result<Self, LearnError> {
        positive("ridge", ridge)?;
        let (n, m) = (inputs.n_objects(), inputs.n_inputs());
        let scaling = Scaling::of(inputs)?;
        if scaling.unit_factors().iter().all(|f| *f == 0.0) {
            return Err(LearnError::NoVariance { method, n_objects: n });
        }
        let centred = scaling.centred(inputs);
        let rows = view(&centred, n, m);
        let mut gram = product(rows.transpose(), rows, 1.0);
        let penalty = penalty(&scaling, n, ridge);
        (0..m).for_each(|input| gram[(input, input)] += penalty);
        Ok(Self { scaling, centred, cholesky: LargeCholesky::new(gram)? })
    }

    fn rows(&self) -> MatRef<'_, f64> {
        let m = self.scaling.mean.len();
        view(&self.centred, self.centred.len() / m, m)
    }

    /// The least squares fit to the targets, a column a bit; offsets bear no penalty.
    pub fn solve(&self, targets: MatRef<'_, f64>) -> Heights {
        let mut directions = product(self.rows().transpose(), targets, 1.0);
        self.cholesky.solve_in_place(&mut directions);
        let offsets = targets.col_iter().map(|c| c.iter().sum::<f64>() / targets.nrows() as f64).collect();
        Heights { directions, offsets }
    }

    /// The height of every object, a column a bit.
    pub fn heights(&self, fit: &Heights) -> Mat<f64> {
        let mut heights = product(self.rows(), fit.directions.as_ref(), 1.0);
        heights.col_iter_mut().zip(&fit.offsets).for_each(|(column, o)| column.iter_mut().for_each(|h| *h += o));
        heights
    }

    /// What a ridge adds to the squared error.
    #[cfg(test)]
    pub fn penalty(&self, fit: &Heights, ridge: f64) -> f64 {
        penalty(&self.scaling, self.rows().nrows(), ridge) * fit.directions.squared_norm_l2()
    }

    /// The hash whose bits are 1 where the height is positive.
    pub fn hash(&self, fit: &Heights) -> Result<LinearHash, LearnError> {
        let through_centre = LinearHash::through(&self.scaling.mean, &fit.directions)?;
        let thresholds = through_centre.thresholds().iter().zip(&fit.offsets).map(|(t, o)| t - o).collect();
        LinearHash::new(self.scaling.mean.len(), through_centre.weights().to_vec(), thresholds)
    }
}

fn penalty(scaling: &Scaling, n_objects: usize, ridge: f64) -> f64 {
    ridge * scaling.total_variance() * n_objects as f64 / scaling.mean.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Encoder;

    fn some_inputs() -> Inputs {
        let values = (0..60).map(|at| ((at * 7919) % 101) as f64 / 10.0 + 3.0).collect();
        Inputs::new(20, 3, values).unwrap()
    }

    #[test]
    fn the_gradient_is_zero_and_units_do_not_matter() {
        let inputs = some_inputs();
        let targets = Mat::from_fn(20, 2, |i, b| if (i * (b + 3)) % 7 < 3 { 1.0 } else { -1.0 });
        let ridge = Ridge::of(&inputs, 0.5, "test").unwrap();
        let fit = ridge.solve(targets.as_ref());
        let error = ridge.heights(&fit) - &targets;
        let slope = product(ridge.rows().transpose(), error.as_ref(), 1.0);
        for bit in 0..2 {
            assert!((0..20).map(|i| error[(i, bit)]).sum::<f64>().abs() < 1e-10);
            for input in 0..3 {
                let gradient = slope[(input, bit)] + penalty(&ridge.scaling, 20, 0.5) * fit.directions[(input, bit)];
                assert!(gradient.abs() < 1e-8, "{gradient}");
            }
        }
        let in_mm = Inputs::new(20, 3, inputs.values().iter().map(|x| x * 1000.0).collect()).unwrap();
        let other = Ridge::of(&in_mm, 0.5, "test").unwrap();
        let heights = other.heights(&other.solve(targets.as_ref()));
        assert!((heights - ridge.heights(&fit)).norm_max() < 1e-10);
    }

    #[test]
    fn bits_are_1_where_the_height_is_positive() {
        let inputs = some_inputs();
        let targets = Mat::from_fn(20, 5, |i, b| if (i + b) % 3 == 0 { 1.0 } else { -1.0 });
        let ridge = Ridge::of(&inputs, 0.1, "test").unwrap();
        let fit = ridge.solve(targets.as_ref());
        let (codes, heights) = (ridge.hash(&fit).unwrap().encode(&inputs, 0), ridge.heights(&fit));
        assert!((0..20).all(|i| (0..5).all(|bit| codes.get(i, bit) == (heights[(i, bit)] > 0.0))));
    }
}
