//! Maps inputs to their likeness to anchors, some of the training objects, so that linear boundaries are curved ones.

use super::packed;
use super::typical_distance::{positive_median, typical_distance};
use crate::data::{DataError, Inputs};
use crate::numerics::exponential::exponentials;
use crate::numerics::linalg::{in_row_order, product, view};
use crate::numerics::simd::{axpy, dot};
use crate::rng::{Purpose, Streams};
use serde::{Deserialize, Serialize};

/// Seed of the choice of anchors.
const SEED: u64 = 0;
/// Objects whose distance to the nearest other anchor says how dense anchors are.
const PROBES: usize = 500;
/// Rows that are multiplied at a time, always as many, so that a row's result does not depend on those beside it.
const TILE: usize = 64;

/// Likeness to anchors, exp(-|x - a|²/(2 width²)), less its mean over the training objects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnchorMap {
    n_inputs: usize,
    width: f64,
    /// Which of the training objects the anchors are.
    rows: Vec<usize>,
    /// The width as the user chose it, in percent of the median distance.
    percent: Option<usize>,
    /// Mean likeness to each anchor.
    means: Vec<f64>,
    /// Anchors x inputs.
    #[serde(with = "packed")]
    anchors: Vec<f32>,
}

impl AnchorMap {
    /// Takes random objects as anchors, all where there are no more. Unless given in percent of the median distance of
    /// objects, the width lies between that distance and the one to the nearest anchor: wide enough to see neighbours, narrow
    /// enough to tell them apart.
    pub fn fit(n_anchors: usize, percent: Option<usize>, inputs: &Inputs) -> Result<Self, DataError> {
        if n_anchors == 0 || percent == Some(0) {
            return Err(DataError::BadSize { step: "anchors", asked: 0, most: inputs.n_objects() });
        }
        let n = inputs.n_objects();
        let mut rng = Streams::new(SEED, 0).rng(Purpose::Transform, 2, 0);
        let mut chosen = rand::seq::index::sample(&mut rng, n, n_anchors.min(n)).into_vec();
        chosen.sort_unstable();
        let anchors: Vec<f32> =
            chosen.iter().flat_map(|&row| inputs.row(row).iter().map(|&x| x as f32).collect::<Vec<_>>()).collect();
        let typical = typical_distance(inputs, &mut rng);
        let mut map =
            Self { n_inputs: inputs.n_inputs(), width: typical, rows: chosen, percent, means: Vec::new(), anchors };
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
            self.likeness(&block).chunks_exact(sums.len()).for_each(|row| axpy(1.0, row, &mut sums));
        }
        sums.iter().map(|sum| sum / inputs.n_objects() as f64).collect()
    }

    /// Median distance of some objects to the nearest anchor but themselves.
    fn nearest(&self, inputs: &Inputs) -> f64 {
        let n = inputs.n_objects();
        let probes: Vec<usize> = (0..PROBES.min(n)).map(|at| at * n / PROBES.min(n)).collect();
        let squares = self.square_distances(&inputs.select(&probes).values());
        let of_probe = |(&probe, squares): (&usize, &[f64])| {
            let others = squares.iter().zip(&self.rows).filter(|(_, anchor)| **anchor != probe);
            others.map(|(square, _)| *square).fold(f64::INFINITY, f64::min).sqrt()
        };
        positive_median(probes.iter().zip(squares.chunks_exact(self.n_outputs())).map(of_probe).collect())
    }

    /// Number of output columns.
    pub fn n_outputs(&self) -> usize {
        self.anchors.len() / self.n_inputs.max(1)
    }

    /// The step as the user chose it.
    pub fn chosen(&self) -> (usize, Option<usize>) {
        (self.n_outputs(), self.percent)
    }

    /// Which of the training objects the anchors are.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Standard deviation of the likeness.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// Likeness of consecutive rows to all anchors, less the means.
    pub fn apply(&self, rows: &[f64]) -> Vec<f64> {
        let mut values = self.likeness(rows);
        values.chunks_exact_mut(self.n_outputs()).for_each(|row| axpy(-1.0, &self.means, row));
        values
    }

    fn likeness(&self, rows: &[f64]) -> Vec<f64> {
        let mut values = self.square_distances(rows);
        exponentials(-0.5 / (self.width * self.width), &mut values);
        values
    }

    /// Squared distances of consecutive rows to all anchors.
    fn square_distances(&self, rows: &[f64]) -> Vec<f64> {
        let (m, k) = (self.n_inputs, self.n_outputs());
        let anchors: Vec<f64> = self.anchors.iter().map(|&x| f64::from(x)).collect();
        let squares: Vec<f64> = anchors.chunks_exact(m).map(|anchor| dot(anchor, anchor)).collect();
        let anchors = view(&anchors, k, m);
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
    fn likeness_is_one_at_an_anchor_and_falls_with_distance() {
        let inputs = random(150, 3);
        let map = AnchorMap::fit(20, Some(50), &inputs).unwrap();
        let values = map.likeness(&inputs.values());
        assert_eq!(values.len(), 150 * 20);
        let mut at_anchors = 0;
        for (row, values) in inputs.rows().zip(values.chunks_exact(20)) {
            for (anchor, value) in map.anchors.chunks_exact(3).zip(values) {
                let anchor: Vec<f64> = anchor.iter().map(|&x| f64::from(x)).collect();
                let square = squared_distance(&row, &anchor);
                assert!((value - (-0.5 * square / map.width.powi(2)).exp()).abs() < 1e-12);
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
        let map = AnchorMap::fit(33, None, &inputs).unwrap();
        let all = map.apply(&inputs.values());
        for (at, row) in inputs.rows().enumerate() {
            assert_eq!(map.apply(&row), all[at * 33..(at + 1) * 33], "row {at}");
        }
    }

    #[test]
    fn more_anchors_than_objects_are_all_objects() {
        assert_eq!(AnchorMap::fit(1000, None, &random(12, 2)).unwrap().chosen(), (12, None));
        assert!(AnchorMap::fit(0, None, &random(12, 2)).is_err());
    }

    #[test]
    fn a_file_brings_the_same_anchors_back() {
        let inputs = random(40, 5);
        let map = AnchorMap::fit(9, None, &inputs).unwrap();
        let json = serde_json::to_string(&map).unwrap();
        let back: AnchorMap = serde_json::from_str(&json).unwrap();
        assert_eq!(back, map);
        assert_eq!(back.fault(5), None);
        assert!(back.fault(4).is_some());
        assert!(serde_json::from_str::<AnchorMap>(&json.replace("\"anchors\":\"", "\"anchors\":\"!")).is_err());
    }
}
