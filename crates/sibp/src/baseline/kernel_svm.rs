//! Fits a support vector machine with a Gaussian (RBF) kernel function, by a linear one in that function's
//! coordinates.
//!
//! With the similarity matrix K = U D Uᵀ of the training rows, the rows U D^½ have exactly the inner products K, and
//! an unseen object with similarities k has the coordinates D^-½ Uᵀ k. The linear machine on these coordinates is the
//! RBF machine, for as many rows as an eigendecomposition can handle.

use super::{Classifier, LinearClassifier, SvmSettings, fit_svm};
use crate::data::Inputs;
use crate::hash::LearnError;
use crate::numerics::linalg::{Mat, product, symmetric_eigen, view};
use crate::numerics::simd::squared_distance;

/// Widths tried: exp(-γ d²) with γ this many times one over the mean squared distance.
const SHARPNESS: [f64; 4] = [0.3, 1.0, 3.0, 10.0];
/// Directions with less than this share of the largest eigenvalue are left out.
const NEGLIGIBLE: f64 = 1e-10;

/// A support vector machine with an RBF kernel function, whose width and cost were cross-validated on the training
/// rows.
#[derive(Debug, Clone)]
pub struct KernelSvm {
    map: KernelMap,
    classifier: LinearClassifier,
}

impl KernelSvm {
    /// Chooses width and cost on the given rows alone, then fits on all of them.
    ///
    /// ```
    /// use sibp::{baseline::{Classifier, KernelSvm, SvmSettings}, data::Inputs};
    /// let inputs = Inputs::new(6, 1, vec![0.0, 1.0, 2.0, 7.0, 8.0, 9.0])?;
    /// let svm = KernelSvm::fit(&inputs, &[4, 4, 4, 1, 1, 1], &SvmSettings::new(0))?;
    /// assert_eq!(svm.predict(&inputs)?, [4, 4, 4, 1, 1, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fit(inputs: &Inputs, classes: &[u32], settings: &SvmSettings) -> Result<Self, LearnError> {
        let unit = mean_squared_distance(inputs);
        if unit <= 0.0 {
            return Err(LearnError::NoVariance { method: "a kernel machine", n_objects: inputs.n_objects() });
        }
        let mut best: Option<(f64, Self)> = None;
        for sharpness in SHARPNESS {
            let map = KernelMap::new(inputs, sharpness / unit)?;
            let fit = fit_svm(&map.apply(inputs)?, classes, settings)?;
            let score = fit.cross_validated.unwrap_or(0.0);
            if best.as_ref().is_none_or(|(other, _)| score > *other) {
                best = Some((score, Self { map, classifier: fit.classifier }));
            }
        }
        best.map(|(_, svm)| svm).ok_or(LearnError::Parts { what: "kernel widths", expected: 1, got: 0 })
    }
}

impl Classifier for KernelSvm {
    fn predict(&self, inputs: &Inputs) -> Result<Vec<u32>, LearnError> {
        self.classifier.predict(&self.map.apply(inputs)?)
    }
}

/// Coordinates whose inner products are the Gaussian similarities.
#[derive(Debug, Clone)]
struct KernelMap {
    rows: Inputs,
    gamma: f64,
    /// D^-½ Uᵀ, transposed.
    axes: Mat<f64>,
}

impl KernelMap {
    fn new(rows: &Inputs, gamma: f64) -> Result<Self, LearnError> {
        let n = rows.n_objects();
        let (values, vectors) = symmetric_eigen(view(&kernel(rows, rows, gamma), n, n))?;
        let rank = values.iter().filter(|&&value| value > NEGLIGIBLE * values[0]).count();
        let axes = Mat::from_fn(n, rank, |i, j| vectors[(i, j)] / values[j].sqrt());
        Ok(Self { rows: rows.clone(), gamma, axes })
    }

    fn apply(&self, inputs: &Inputs) -> Result<Inputs, LearnError> {
        let (expected, got) = (self.rows.n_inputs(), inputs.n_inputs());
        if expected != got {
            return Err(LearnError::InputWidth { expected, got });
        }
        let (n, n_rows) = (inputs.n_objects(), self.rows.n_objects());
        let mapped = product(view(&kernel(inputs, &self.rows, self.gamma), n, n_rows), self.axes.as_ref(), 1.0);
        let values = (0..n).flat_map(|i| (0..mapped.ncols()).map(move |j| (i, j))).map(|at| mapped[at]).collect();
        Inputs::new(n, self.axes.ncols(), values).map_err(|_| LearnError::TooLarge { column: 0 })
    }
}

fn kernel(a: &Inputs, b: &Inputs, gamma: f64) -> Vec<f64> {
    a.rows().flat_map(|row| b.rows().map(move |other| (-gamma * squared_distance(&row, &other)).exp())).collect()
}

fn mean_squared_distance(inputs: &Inputs) -> f64 {
    let n = inputs.n_objects() as f64;
    let sum: f64 = inputs.rows().flat_map(|a| inputs.rows().map(move |b| squared_distance(&a, &b))).sum();
    sum / (n * n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn products_of_coordinates_are_the_kernel() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let rows = Inputs::new(20, 3, (0..60).map(|_| rng.random()).collect()).unwrap();
        let unseen = Inputs::new(4, 3, (0..12).map(|_| rng.random()).collect()).unwrap();
        let map = KernelMap::new(&rows, 5.0).unwrap();
        let (seen, mapped) = (map.apply(&rows).unwrap(), map.apply(&unseen).unwrap());
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for i in 0..4 {
            for j in 0..20 {
                let expected = (-5.0 * squared_distance(&unseen.row(i), &rows.row(j))).exp();
                assert!((dot(&mapped.row(i), &seen.row(j)) - expected).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn a_ring_is_parted_from_what_it_surrounds() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let (mut values, mut classes) = (Vec::new(), Vec::new());
        for object in 0..120 {
            let radius = if object % 2 == 0 { 0.5 } else { 2.0 } + 0.3 * rng.random::<f64>();
            let angle = std::f64::consts::TAU * rng.random::<f64>();
            values.extend([radius * angle.cos(), radius * angle.sin()]);
            classes.push(object % 2);
        }
        let inputs = Inputs::new(120, 2, values).unwrap();
        let half: Vec<usize> = (0..60).collect();
        let svm = KernelSvm::fit(&inputs.select(&half), &classes[..60], &SvmSettings::new(0)).unwrap();
        assert_eq!(svm.predict(&inputs).unwrap(), classes);
        let narrow = Inputs::new(1, 1, vec![0.0]).unwrap();
        assert!(matches!(svm.predict(&narrow), Err(LearnError::InputWidth { expected: 2, got: 1 })));
    }
}
