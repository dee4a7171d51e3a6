//! Finds the principal directions of the inputs.

use super::{LearnError, scaling::Scaling};
use crate::{
    data::Inputs,
    numerics::linalg::{Mat, product, symmetric_eigen, view},
};

/// Centre, and the directions of largest variance as columns.
pub(super) struct Principal {
    pub scaling: Scaling,
    pub directions: Mat<f64>,
}

impl Principal {
    /// The `n_directions` (at most one for each input) first eigenvectors of the covariance matrix.
    pub fn of(inputs: &Inputs, n_directions: usize, method: &'static str) -> Result<Self, LearnError> {
        let (n, m) = (inputs.n_objects(), inputs.n_inputs());
        let scaling = Scaling::of(inputs)?;
        if scaling.unit_factors().iter().all(|f| *f == 0.0) {
            return Err(LearnError::NoVariance { method, n_objects: n });
        }
        let centred = scaling.centred(inputs);
        let centred = view(&centred, n, m);
        let covariance = product(centred.transpose(), centred, 1.0 / n as f64);
        let (_, vectors) = symmetric_eigen(covariance.as_ref())?;
        Ok(Self { scaling, directions: vectors.get(.., ..n_directions).to_owned() })
    }

    /// All rows of `inputs` along the directions, an object a row.
    pub fn project(&self, inputs: &Inputs) -> Mat<f64> {
        let centred = self.scaling.centred(inputs);
        product(view(&centred, inputs.n_objects(), inputs.n_inputs()), self.directions.as_ref(), 1.0)
    }
}
