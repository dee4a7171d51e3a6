//! Maps inputs to their similarity to anchors, some of the training objects, so that linear boundaries are curved ones.

use super::packed;
use super::typical_distance::{euclidean, positive_median, typical_distance};
use super::{Similarity, Step};
use crate::data::{DataError, Inputs};
use crate::numerics::exponential::exponentials;
use crate::numerics::linalg::{in_row_order, product, view};
use crate::numerics::simd::{absolute_distance, axpy, dot};
use crate::rng::{Purpose, Streams};
use serde::{Deserialize, Serialize};

/// Seed of the choice of anchors.
const SEED: u64 = 0;
/// Objects whose distance to the nearest other anchor says how dense anchors are.
const PROBES: usize = 500;
/// Rows that are multiplied at a time, always as many, so that a row's result does not depend on those beside it.
const TILE: usize = 64;

/// Similarity to anchors, less its mean over the training objects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnchorMap {
    n_inputs: usize,
    // Its name in files.
    #[serde(rename = "likeness")]
    similarity: Similarity,
    width: f64,
    /// Which of the training objects the anchors are.
    rows: Vec<usize>,
    /// The width as the user chose it, in percent of the median distance.
    percent: Option<usize>,
    /// Mean similarity to each anchor.
    means: Vec<f64>,
    /// Anchors x inputs.
    #[serde(with = "packed")]
    anchors: Vec<f32>,
}

impl AnchorMap {
    /// Takes random objects as anchors, all where there are no more. Unless given in percent of the median distance of
    /// objects, the width lies between that distance and the one to the nearest anchor: wide enough to see neighbours, narrow
    /// enough to tell them apart.
    pub fn fit(
        n_anchors: usize,
        similarity: Similarity,
        percent: Option<usize>,
        inputs: &Inputs,
    ) -> Result<Self, DataError> {
        if n_anchors == 0 || percent == Some(0) {
            return Err(DataError::BadSize { step: "anchors", asked: 0, most: inputs.n_objects() });
        }
        let n = inputs.n_objects();
        let mut rng = Streams::new(SEED, 0).rng(Purpose::Transform, 2, 0);
        let mut chosen = rand::seq::index::sample(&mut rng, n, n_anchors.min(n)).into_vec();
        chosen.sort_unstable();
        let anchors: Vec<f32> =
            chosen.iter().flat_map(|&row| inputs.row(row).iter().map(|&x| x as f32).collect::<Vec<_>>()).collect();
        let typical = match similarity {
            Similarity::Gaussian => typical_distance(inputs, euclidean, &mut rng),
            Similarity::Laplace => typical_distance(inputs, absolute_distance, &mut rng),
        };
        let n_inputs = inputs.n_inputs();
        let mut map = Self { n_inputs, similarity, width: typical, rows: chosen, percent, means: Vec::new(), anchors };
        map.width = match percent {
            Some(percent) => typical * percent as f64 / 100.0,
            None => (typical * map.nearest(inputs)).sqrt(),
        };
        map.means = map.column_means(inputs);
        Ok(map)
    }

    fn column_means(&self, inputs: &Inputs) -> Vec<f64> {
        let mut sums = vec![0.0; self.n_outputs()];
        for (_, block) in inputs.blocks() {
            self.values(&block).chunks_exact(sums.len()).for_each(|row| axpy(1.0, row, &mut sums));
        }
        sums.iter().map(|sum| sum / inputs.n_objects() as f64).collect()
    }

    /// Median distance of some objects to the nearest anchor but themselves.
    fn nearest(&self, inputs: &Inputs) -> f64 {
        let n = inputs.n_objects();
        let probes: Vec<usize> = (0..PROBES.min(n)).map(|at| at * n / PROBES.min(n)).collect();
        let distances = self.distances(&inputs.select(&probes).values());
        let of_probe = |(&probe, distances): (&usize, &[f64])| {
            let others = distances.iter().zip(&self.rows).filter(|(_, anchor)| **anchor != probe);
            let least = others.map(|(distance, _)| *distance).fold(f64::INFINITY, f64::min);
            match self.similarity {
                Similarity::Gaussian => least.sqrt(),
                Similarity::Laplace => least,
            }
        };
        positive_median(probes.iter().zip(distances.chunks_exact(self.n_outputs())).map(of_probe).collect())
    }

    /// Number of output columns.
    pub fn n_outputs(&self) -> usize {
        self.anchors.len() / self.n_inputs.max(1)
    }

    /// The step as the user chose it.
    pub fn chosen(&self) -> Step {
        Step::Anchors(self.n_outputs(), self.similarity, self.percent)
    }

    /// How similarity falls with distance.
    pub fn similarity(&self) -> Similarity {
        self.similarity
    }

    /// Which of the training objects the anchors are.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The distance that counts as one.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// Similarity of consecutive rows to all anchors, less the means.
    pub fn apply(&self, rows: &[f64]) -> Vec<f64> {
        let mut values = self.values(rows);
        values.chunks_exact_mut(self.n_outputs()).for_each(|row| axpy(-1.0, &self.means, row));
        values
    }

    /// Similarity of consecutive rows to all anchors.
    fn values(&self, rows: &[f64]) -> Vec<f64> {
        let mut values = self.distances(rows);
        let factor = match self.similarity {
            Similarity::Gaussian => -0.5 / (self.width * self.width),
            Similarity::Laplace => -1.0 / self.width,
        };
        exponentials(factor, &mut values);
        values
    }

    /// Squared distances, or sums of absolute differences, of consecutive rows to all anchors.
    fn distances(&self, rows: &[f64]) -> Vec<f64> {
        let anchors: Vec<f64> = self.anchors.iter().map(|&x| f64::from(x)).collect();
        match self.similarity {
            Similarity::Gaussian => self.square_distances(rows, &anchors),
            Similarity::Laplace => self.absolute_distances(rows, &anchors),
        }
    }

    fn absolute_distances(&self, rows: &[f64], anchors: &[f64]) -> Vec<f64> {
        let (m, k) = (self.n_inputs, self.n_outputs());
        let mut result = vec![0.0; rows.len() / m * k];
        // A tile of rows stays in the cache while the anchors pass.
        for (rows, result) in rows.chunks(TILE * m).zip(result.chunks_mut(TILE * k)) {
            for (at, anchor) in anchors.chunks_exact(m).enumerate() {
                for (row, result) in rows.chunks_exact(m).zip(result.chunks_exact_mut(k)) {
                    result[at] = absolute_distance(row, anchor);
                }
            }
        }
        result
    }

    fn square_distances(&self, rows: &[f64], anchors: &[f64]) -> Vec<f64> {
        let (m, k) = (self.n_inputs, self.n_outputs());
        let squares: Vec<f64> = anchors.chunks_exact(m).map(|anchor| dot(anchor, anchor)).collect();
        let anchors = view(anchors, k, m);
        let mut result = Vec::with_capacity(rows.len() / m * k);
        let mut tile = vec![0.0; TILE * m];
        for rows in rows.chunks(TILE * m) {
            tile[..rows.len()].copy_from_slice(rows);
            let products = in_row_order(&product(view(&tile, TILE, m), anchors.transpose(), 1.0));
            for (row, products) in rows.chunks_exact(m).zip(products.chunks_exact(k)) {
                let own = dot(row, row);
                let squares = squares.iter().zip(products);
                result.extend(squares.map(|(square, product)| (own + square - 2.0 * product).max(0.0)));
            }
        }
        result
    }

    /// The sum of the anchors, less their mean, times these coefficients: what is like the anchors with positive ones and
    /// unlike those with negative ones.
    pub fn combination(&self, coefficients: &[f64]) -> Vec<f64> {
        let mean = coefficients.iter().sum::<f64>() / self.n_outputs() as f64;
        let mut sum = vec![0.0; self.n_inputs];
        for (factor, anchor) in coefficients.iter().zip(self.anchors.chunks_exact(self.n_inputs)) {
            sum.iter_mut().zip(anchor).for_each(|(sum, &x)| *sum += (factor - mean) * f64::from(x));
        }
        sum
    }

    /// Describes what is wrong with a map that was read from a file, if anything.
    pub fn fault(&self, n_inputs: usize) -> Option<&'static str> {
        if self.n_inputs != n_inputs || n_inputs == 0 || !self.anchors.len().is_multiple_of(n_inputs) {
            Some("has anchors of another number of columns")
        } else if self.rows.len() != self.n_outputs() || self.means.len() != self.n_outputs() {
            Some("has another number of anchors than of their rows or means")
        } else if self.anchors.is_empty() {
            Some("has no anchors")
        } else if self.anchors.iter().any(|value| !value.is_finite()) || self.means.iter().any(|mean| !mean.is_finite())
        {
            Some("has an anchor or a mean that is not finite")
        } else if !(self.width.is_finite() && self.width > 0.0) {
            Some("has a width that is not a positive number")
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::simd::squared_distance;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn random(n: usize, m: usize) -> Inputs {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        Inputs::new(n, m, (0..n * m).map(|_| f64::from(rng.random::<f32>())).collect()).unwrap()
    }

    #[test]
    fn similarity_is_one_at_an_anchor_and_falls_with_distance() {
        let inputs = random(150, 3);
        for similarity in [Similarity::Gaussian, Similarity::Laplace] {
            falls_with_distance(&inputs, similarity);
        }
    }

    fn falls_with_distance(inputs: &Inputs, similarity: Similarity) {
        let map = AnchorMap::fit(20, similarity, Some(50), inputs).unwrap();
        let values = map.values(&inputs.values());
        assert_eq!(values.len(), 150 * 20);
        let mut at_anchors = 0;
        for (row, values) in inputs.rows().zip(values.chunks_exact(20)) {
            for (anchor, value) in map.anchors.chunks_exact(3).zip(values) {
                let anchor: Vec<f64> = anchor.iter().map(|&x| f64::from(x)).collect();
                let expected = match similarity {
                    Similarity::Gaussian => -0.5 * squared_distance(&row, &anchor) / map.width.powi(2),
                    Similarity::Laplace => {
                        -row.iter().zip(&anchor).map(|(x, a)| (x - a).abs()).sum::<f64>() / map.width
                    }
                };
                assert!((value - expected.exp()).abs() < 1e-12);
                at_anchors += usize::from(*value > 1.0 - 1e-12);
            }
        }
        assert_eq!(at_anchors, 20);
        let centred = map.apply(&inputs.values());
        let mean = |column: usize| centred.iter().skip(column).step_by(20).sum::<f64>() / 150.0;
        assert!((0..20).all(|column| mean(column).abs() < 1e-12));
    }

    #[test]
    fn a_row_is_mapped_the_same_alone_and_among_others() {
        let inputs = random(200, 7);
        for similarity in [Similarity::Gaussian, Similarity::Laplace] {
            let map = AnchorMap::fit(33, similarity, None, &inputs).unwrap();
            let all = map.apply(&inputs.values());
            for (at, row) in inputs.rows().enumerate() {
                assert_eq!(map.apply(&row), all[at * 33..(at + 1) * 33], "row {at}");
            }
        }
    }

    #[test]
    fn a_combination_leaves_the_mean_of_the_anchors_out() {
        let map = AnchorMap::fit(2, Similarity::Gaussian, None, &Inputs::new(2, 1, vec![1.0, 4.0]).unwrap()).unwrap();
        assert_eq!(map.combination(&[5.0, 5.0]), [0.0]);
        assert_eq!(map.combination(&[0.0, 2.0]), [3.0]);
    }

    #[test]
    fn more_anchors_than_objects_are_all_objects() {
        let fit = |n_anchors| AnchorMap::fit(n_anchors, Similarity::Gaussian, None, &random(12, 2));
        assert_eq!(fit(1000).unwrap().n_outputs(), 12);
        assert!(fit(0).is_err());
    }

    #[test]
    fn a_file_brings_the_same_anchors_back() {
        let inputs = random(40, 5);
        let map = AnchorMap::fit(9, Similarity::Laplace, None, &inputs).unwrap();
        let json = serde_json::to_string(&map).unwrap();
        let back: AnchorMap = serde_json::from_str(&json).unwrap();
        assert_eq!(back, map);
        assert_eq!(back.fault(5), None);
        assert!(back.fault(4).is_some());
        assert!(serde_json::from_str::<AnchorMap>(&json.replace("\"anchors\":\"", "\"anchors\":\"!")).is_err());
    }
}
