//! Turns distances between objects into proximities, from which the distance-dependent IBP draws its links.

pub use super::decay_text::{DecayChoice, UnknownDecay};
use crate::data::Inputs;
use crate::numerics::simd::squared_distance;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// The quantities between which distances are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distance {
    /// Euclidean, between (transformed) inputs.
    Input,
    /// 0 within a class, 1 between classes.
    Output,
}

/// How proximity falls with distance; it is 1 at distance 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decay {
    /// exp(-rate·d).
    Exponential {
        /// Rate.
        rate: f64,
    },
    /// 1 up to the width, 0 beyond.
    Window {
        /// Width.
        width: f64,
    },
    /// 1/(1 + exp((d - centre)/scale)), divided by its value at 0.
    Logistic {
        /// Distance at which it has fallen to one half.
        centre: f64,
        /// How slowly it falls.
        scale: f64,
    },
}

/// The kinds of decay, without their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecayKind {
    /// See [`Decay::Exponential`].
    Exponential,
    /// See [`Decay::Window`].
    Window,
    /// See [`Decay::Logistic`].
    Logistic,
}

/// Default share of all objects that an object is close to on average, for input distances.
const SEEN_INPUTS: f64 = 0.1;
/// Default share of an object's proximity that lies within its class, for output distances.
const WITHIN_CLASS: f64 = 0.9;
/// Largest number of objects over which these averages are taken.
const MAX_SEERS: usize = 300;

impl Decay {
    /// Proximity at a distance.
    pub fn at(&self, distance: f64) -> f64 {
        match *self {
            Self::Exponential { rate } => (-rate * distance).exp(),
            Self::Window { width } => f64::from(u8::from(distance <= width)),
            Self::Logistic { centre, scale } => {
                (1.0 + (-centre / scale).exp()) / (1.0 + ((distance - centre) / scale).exp())
            }
        }
    }

    /// Fits a decay of this kind to the data. Input distances: the proximities of an object to all objects sum to a
    /// tenth of their number, on average (but to 2 at least). Output distances: nine tenths of that sum lie within the
    /// object's class, on average, and all of it for a window.
    pub fn suited(kind: DecayKind, places: &Places<'_>) -> Self {
        let n = places.n_objects();
        let seers: Vec<usize> = (0..n).step_by(n.div_ceil(MAX_SEERS)).collect();
        let to_all = |&i: &usize| (0..n).map(move |j| places.distance(i, j));
        let distances: Vec<f64> = seers.iter().flat_map(to_all).collect();
        let n_seers = seers.len() as f64;
        let target = match places {
            Places::Inputs(_) => (SEEN_INPUTS * n as f64).max(2.0),
            Places::Classes(_) => distances.iter().filter(|d| **d == 0.0).count() as f64 / (n_seers * WITHIN_CLASS),
        };
        let widest = distances.iter().copied().fold(0.0, f64::max);
        match (kind, places) {
            // A window covers the class alone, or everything.
            (DecayKind::Window, Places::Classes(_)) => return Self::Window { width: 0.5 },
            _ if widest == 0.0 => return Self::of_length(kind, 1.0),
            _ => {}
        }
        // The sum of proximities grows with the length; halving an interval of logarithms 60 times is exact enough.
        let (mut low, mut high) = ((1e-6 * widest).ln(), (1e6 * widest).ln());
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let decay = Self::of_length(kind, middle.exp());
            let sum = distances.iter().map(|&d| decay.at(d)).sum::<f64>() / n_seers;
            *(if sum < target { &mut low } else { &mut high }) = middle;
        }
        Self::of_length(kind, high.exp())
    }

    fn of_length(kind: DecayKind, length: f64) -> Self {
        match kind {
            DecayKind::Exponential => Self::Exponential { rate: 1.0 / length },
            DecayKind::Window => Self::Window { width: length },
            DecayKind::Logistic => Self::Logistic { centre: length, scale: 0.1 * length },
        }
    }
}

/// Positions of objects, from which distances are computed.
#[derive(Debug, Clone, Copy)]
pub enum Places<'a> {
    /// Points in input space.
    Inputs(&'a Inputs),
    /// Classes of the objects.
    Classes(&'a [u32]),
}

impl Places<'_> {
    /// Number of objects.
    pub fn n_objects(&self) -> usize {
        match self {
            Self::Inputs(x) => x.n_objects(),
            Self::Classes(classes) => classes.len(),
        }
    }

    /// Distance between two objects.
    pub fn distance(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::Inputs(x) => squared_distance(&x.row(i), &x.row(j)).sqrt(),
            Self::Classes(classes) => f64::from(u8::from(classes[i] != classes[j])),
        }
    }
}

/// The proximity of every object to every object: f, its sums over rows h, and Σ 1/h.
///
/// ```
/// use sibp::prior::proximity::{Decay, Places, Proximity};
/// let near = Proximity::new(&Decay::Window { width: 0.0 }, &Places::Classes(&[0, 0, 1]));
/// assert_eq!((near.row(0), near.sum(0)), (&[1.0, 1.0, 0.0][..], 2.0));
/// assert_eq!(near.total_rate(), 0.5 + 0.5 + 1.0);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Proximity {
    n_objects: usize,
    values: Vec<f64>,
    sums: Vec<f64>,
    total_rate: f64,
}

impl Proximity {
    /// All pairs; every object's own proximity is 1.
    pub fn new(decay: &Decay, places: &Places<'_>) -> Self {
        let n = places.n_objects();
        let value = |at: usize| match (at / n, at % n) {
            (i, j) if i == j => 1.0,
            (i, j) => decay.at(places.distance(i, j)),
        };
        Self::from_values(n, (0..n * n).map(value).collect())
    }

    /// Takes proximities in row order; they need not be symmetric, but every diagonal entry must be positive.
    ///
    /// # Panics
    /// When there are not `n_objects` squared values.
    pub fn from_values(n_objects: usize, values: Vec<f64>) -> Self {
        assert_eq!(values.len(), n_objects * n_objects, "a proximity for every pair of objects");
        let sums: Vec<f64> = values.chunks_exact(n_objects.max(1)).map(|row| row.iter().sum()).collect();
        let total_rate = sums.iter().map(|h| 1.0 / h).sum();
        Self { n_objects, values, sums, total_rate }
    }

    /// Number of objects.
    pub fn n_objects(&self) -> usize {
        self.n_objects
    }

    /// f of one object to all.
    pub fn row(&self, object_ix: usize) -> &[f64] {
        &self.values[object_ix * self.n_objects..(object_ix + 1) * self.n_objects]
    }

    /// h of one object.
    pub fn sum(&self, object_ix: usize) -> f64 {
        self.sums[object_ix]
    }

    /// Σ 1/h: the expected number of bits for α = 1.
    pub fn total_rate(&self) -> f64 {
        self.total_rate
    }

    /// An object with probability ∝ 1/h.
    pub fn draw_owner<R: Rng>(&self, rng: &mut R) -> usize {
        pick(rng.random::<f64>() * self.total_rate, self.sums.iter().map(|h| 1.0 / h))
    }

    /// A link of an object: j with probability f/h.
    pub fn draw_link<R: Rng>(&self, object_ix: usize, rng: &mut R) -> usize {
        pick(rng.random::<f64>() * self.sum(object_ix), self.row(object_ix).iter().copied())
    }
}

/// The index at which the running sum of weights exceeds `height`; where rounding prevents that, the last with
/// positive weight.
pub(crate) fn pick(height: f64, weights: impl Iterator<Item = f64>) -> usize {
    let (mut sum, mut last) = (0.0, 0);
    for (at, weight) in weights.enumerate().filter(|(_, weight)| *weight > 0.0) {
        sum += weight;
        last = at;
        if sum > height {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECAYS: [Decay; 3] =
        [Decay::Exponential { rate: 0.7 }, Decay::Window { width: 1.5 }, Decay::Logistic { centre: 1.0, scale: 0.3 }];

    #[test]
    fn proximity_is_one_at_home_and_falls() {
        for decay in DECAYS {
            assert_eq!(decay.at(0.0), 1.0, "{decay:?}");
            let values: Vec<f64> = (0..50).map(|step| decay.at(0.1 * f64::from(step))).collect();
            assert!(values.windows(2).all(|pair| pair[1] <= pair[0] && pair[1] >= 0.0), "{decay:?}");
        }
        assert!((Decay::Logistic { centre: 5.0, scale: 0.1 }.at(5.0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn suited_decays_see_what_they_promise() {
        let values = (0..200).map(|at| f64::from(at) * 0.37 % 1.0).collect();
        let x = Inputs::new(100, 2, values).unwrap();
        let mean = |decay: &Decay, places: &Places| {
            let near = Proximity::new(decay, places);
            (0..near.n_objects()).map(|i| near.sum(i)).sum::<f64>() / near.n_objects() as f64
        };
        for kind in [DecayKind::Exponential, DecayKind::Logistic] {
            let places = Places::Inputs(&x);
            let sum = mean(&Decay::suited(kind, &places), &places);
            assert!((sum - 10.0).abs() < 1e-6, "{kind:?}: {sum}");
        }
        let classes: Vec<u32> = (0..90).map(|at| at % 3).collect();
        let places = Places::Classes(&classes);
        let sum = mean(&Decay::suited(DecayKind::Exponential, &places), &places);
        assert!((sum - 30.0 / 0.9).abs() < 1e-6, "{sum}");
        assert_eq!(mean(&Decay::suited(DecayKind::Window, &places), &places), 30.0);
    }

    #[test]
    fn what_is_picked_has_weight() {
        let weights = [0.0, 2.0, 0.0, 1.0, 0.0];
        let picked = |height: f64| pick(height, weights.iter().copied());
        assert_eq!([picked(0.0), picked(1.9), picked(2.0), picked(3.0), picked(9.0)], [1, 1, 3, 3, 3]);
    }
}
