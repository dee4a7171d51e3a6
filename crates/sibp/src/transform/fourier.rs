//! Maps inputs to random Fourier features (Rahimi & Recht 2007), in which linear boundaries are curved ones.

use super::typical_distance::{euclidean, typical_distance};
use crate::data::{DataError, Inputs};
use crate::numerics::simd::dot;
use crate::rng::{Purpose, Streams};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

/// Seed of the directions, which are drawn again wherever they are used and never stored.
const SEED: u64 = 0;
/// Number of the stream from which earlier builds drew the directions, and Λ's table and tuning drew too.
const EARLIER_STREAM: u64 = 7;

/// Random Fourier features, cosines along random directions: √(2/D) cos(x·w + b) with w ~ N(0, I/width²).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FourierMap {
    n_inputs: usize,
    n_outputs: usize,
    width: f64,
    #[serde(default)]
    direction_stream: DirectionStream,
}

/// The random stream of the directions, which must stay the same as long as a file is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum DirectionStream {
    /// That of files that name none.
    #[default]
    OfEarlierBuilds,
    /// One that nothing else draws from.
    Own,
}

impl FourierMap {
    /// Takes the median distance of random pairs as the width.
    pub fn fit(n_outputs: usize, inputs: &Inputs) -> Result<Self, DataError> {
        const MOST: usize = 1 << 20;
        if n_outputs == 0 || n_outputs > MOST {
            return Err(DataError::BadSize { step: "fourier", asked: n_outputs, most: MOST });
        }
        let mut rng = Streams::new(SEED, 0).rng(Purpose::Transform, 0, 0);
        let width = typical_distance(inputs, euclidean, &mut rng);
        Ok(Self { n_inputs: inputs.n_inputs(), n_outputs, width, direction_stream: DirectionStream::Own })
    }

    /// Number of output columns.
    pub fn n_outputs(&self) -> usize {
        self.n_outputs
    }

    /// A function that maps consecutive rows; made once, as drawing the directions takes longer than mapping a few
    /// rows.
    pub fn waves(&self) -> impl Fn(&[f64]) -> Vec<f64> {
        let streams = Streams::new(SEED, 0);
        let mut rng = match self.direction_stream {
            DirectionStream::OfEarlierBuilds => streams.of_earlier_builds(EARLIER_STREAM),
            DirectionStream::Own => streams.rng(Purpose::Transform, 1, 0),
        };
        let directions: Vec<f64> = (0..self.n_outputs * self.n_inputs)
            .map(|_| {
                let normal: f64 = StandardNormal.sample(&mut rng);
                normal / self.width
            })
            .collect();
        let phases: Vec<f64> = (0..self.n_outputs).map(|_| std::f64::consts::TAU * rng.random::<f64>()).collect();
        let height = (2.0 / self.n_outputs as f64).sqrt();
        let n_inputs = self.n_inputs;
        move |rows| {
            let map = |row| {
                let waves = directions.chunks_exact(n_inputs).zip(&phases);
                waves.map(move |(direction, phase)| height * (dot(direction, row) + phase).cos())
            };
            rows.chunks_exact(n_inputs).flat_map(map).collect()
        }
    }

    /// Describes what is wrong with a map that was read from a file, if anything.
    pub fn fault(&self, n_inputs: usize) -> Option<&'static str> {
        if self.n_inputs != n_inputs || self.n_outputs == 0 {
            Some("has another number of inputs than columns")
        } else if !(self.width.is_finite() && self.width > 0.0) {
            Some("has a width that is not a positive number")
        } else {
            None
        }
    }
}
