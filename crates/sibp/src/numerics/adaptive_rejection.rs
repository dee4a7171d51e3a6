//! Draws from a log-concave density on the line by adaptive rejection (Gilks & Wild 1992).
//!
//! Tangents of the log density form a hull above it, chords a squeeze below; every rejected point tightens both.

use rand::{Rng, RngExt};
use thiserror::Error;

/// Largest number of doublings of the first step on the way to a point past the mode.
const MAX_DOUBLINGS: u32 = 60;
/// Largest number of rejections; a hull with so many points leaves nothing to reject.
const MAX_REJECTIONS: u32 = 200;
/// How far a log density may exceed its own tangents by rounding, relative to its size.
const ROUNDING: f64 = 1e-9;

/// Why nothing could be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum AdaptiveRejectionError {
    /// A tangent lies below the density.
    #[error("the density is not log-concave: it rises above a tangent near {at}")]
    NotConcave {
        /// Where this was seen.
        at: f64,
    },
    /// The slope never changes its sign, or is not a number.
    #[error("the density has no mode within reach of {start}")]
    NoMode {
        /// Where the search began.
        start: f64,
    },
    /// The hull was refined too often without an acceptance.
    #[error("no point was accepted")]
    NeverAccepted,
}

/// A point of the log density with its tangent.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Tangent {
    x: f64,
    value: f64,
    slope: f64,
}

impl Tangent {
    fn at(&self, x: f64) -> f64 {
        self.value + self.slope * (x - self.x)
    }
}

/// Tangents in ascending order, the first rising and the last falling.
#[derive(Debug, Clone)]
pub struct Hull {
    tangents: Vec<Tangent>,
}

impl Hull {
    /// Looks for points on both sides of the mode. `log_density` gives value and slope.
    pub fn new(
        start: f64,
        width: f64,
        log_density: &mut impl FnMut(f64) -> (f64, f64),
    ) -> Result<Self, AdaptiveRejectionError> {
        let mut tangent = |x: f64| {
            let (value, slope) = log_density(x);
            Tangent { x, value, slope }
        };
        let first = tangent(start);
        let mut side = |sign: f64| {
            let mut step = sign * width;
            for _ in 0..MAX_DOUBLINGS {
                let found = tangent(start + step);
                if found.value.is_finite() && found.slope * sign < 0.0 {
                    return Ok(found);
                }
                step *= 2.0;
            }
            Err(AdaptiveRejectionError::NoMode { start })
        };
        let mut hull = Self { tangents: vec![side(-1.0)?, side(1.0)?] };
        hull.insert(first)?;
        Ok(hull)
    }

    fn insert(&mut self, tangent: Tangent) -> Result<(), AdaptiveRejectionError> {
        let at = self.tangents.partition_point(|other| other.x < tangent.x);
        if self.tangents.get(at).is_some_and(|other| other.x == tangent.x) {
            return Ok(());
        }
        self.tangents.insert(at, tangent);
        let falls = |pair: &[Tangent]| pair[1].slope <= pair[0].slope + ROUNDING * (1.0 + pair[0].slope.abs());
        match self.tangents.windows(2).all(falls) {
            true => Ok(()),
            false => Err(AdaptiveRejectionError::NotConcave { at: tangent.x }),
        }
    }

    /// The tangents' minimum at a point: never below the log density.
    pub fn above(&self, x: f64) -> f64 {
        self.tangents.iter().map(|tangent| tangent.at(x)).fold(f64::INFINITY, f64::min)
    }

    /// The chord at a point: never above the log density; nothing beyond the outermost points.
    pub fn below(&self, x: f64) -> f64 {
        let right = self.tangents.partition_point(|tangent| tangent.x < x);
        if right == 0 || right == self.tangents.len() {
            return f64::NEG_INFINITY;
        }
        let (a, b) = (&self.tangents[right - 1], &self.tangents[right]);
        a.value + (b.value - a.value) * (x - a.x) / (b.x - a.x)
    }

    /// Where neighbouring tangents cross, with the ends of the line.
    fn borders(&self) -> Vec<f64> {
        let crossing = |pair: &[Tangent]| {
            let (a, b) = (&pair[0], &pair[1]);
            let fall = a.slope - b.slope;
            let x = (b.at(a.x) - a.value) / fall + a.x;
            // Parallel tangents are the same line: any border between their points serves.
            if fall > 0.0 && x.is_finite() { x.clamp(a.x, b.x) } else { 0.5 * (a.x + b.x) }
        };
        let inner = self.tangents.windows(2).map(crossing);
        std::iter::once(f64::NEG_INFINITY).chain(inner).chain([f64::INFINITY]).collect()
    }

    /// A draw from the density whose logarithm is the hull.
    fn draw<R: Rng>(&self, rng: &mut R) -> f64 {
        let borders = self.borders();
        let top = self.tangents.iter().map(|tangent| tangent.value).fold(f64::NEG_INFINITY, f64::max);
        let pieces: Vec<Piece> = self
            .tangents
            .iter()
            .zip(borders.windows(2))
            .map(|(&tangent, ends)| Piece { tangent, left: ends[0], right: ends[1] })
            .collect();
        let masses: Vec<f64> = pieces.iter().map(|piece| piece.mass(top)).collect();
        let mut left = rng.random::<f64>() * masses.iter().sum::<f64>();
        let chosen = masses.iter().position(|mass| {
            left -= mass;
            left < 0.0
        });
        pieces[chosen.unwrap_or(pieces.len() - 1)].draw(rng)
    }
}

/// A tangent between its borders.
struct Piece {
    tangent: Tangent,
    left: f64,
    right: f64,
}

impl Piece {
    fn is_flat(&self) -> bool {
        (self.tangent.slope * (self.right - self.left)).abs() < 1e-8
    }

    /// ∫ exp(tangent - top) over the piece.
    fn mass(&self, top: f64) -> f64 {
        if self.is_flat() {
            return (self.tangent.at(self.left) - top).exp() * (self.right - self.left);
        }
        let height = |x: f64| if x.is_finite() { (self.tangent.at(x) - top).exp() } else { 0.0 };
        (height(self.right) - height(self.left)) / self.tangent.slope
    }

    fn draw<R: Rng>(&self, rng: &mut R) -> f64 {
        let (u, slope) = (rng.random::<f64>(), self.tangent.slope);
        if self.is_flat() {
            return self.left + u * (self.right - self.left);
        }
        // From the higher end: an infinite piece falls away from its finite one.
        let span = (-(slope.abs() * (self.right - self.left))).exp();
        let distance = -(span + (1.0 - span) * (1.0 - u)).ln() / slope.abs();
        if slope > 0.0 { self.right - distance } else { self.left + distance }
    }
}

/// Draws independently from a log-concave density. `log_density` gives value and slope; `start` and `width` say where
/// to look for its mode and do not change the distribution of the draw.
pub fn adaptive_rejection<R: Rng>(
    start: f64,
    width: f64,
    rng: &mut R,
    mut log_density: impl FnMut(f64) -> (f64, f64),
) -> Result<f64, AdaptiveRejectionError> {
    let mut hull = Hull::new(start, width, &mut log_density)?;
    for _ in 0..MAX_REJECTIONS {
        let x = hull.draw(rng);
        let (above, threshold) = (hull.above(x), (1.0 - rng.random::<f64>()).ln());
        if threshold <= hull.below(x) - above {
            return Ok(x);
        }
        let (value, slope) = log_density(x);
        if value > above + ROUNDING * (1.0 + above.abs()) {
            return Err(AdaptiveRejectionError::NotConcave { at: x });
        }
        if threshold <= value - above {
            return Ok(x);
        }
        hull.insert(Tangent { x, value, slope })?;
    }
    Err(AdaptiveRejectionError::NeverAccepted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::normal::{hazard, log_cdf, log_density};
    use crate::rng::{Purpose, Streams};

    /// The density of a stick: h(t) Π Φ(±(a + t)).
    fn stick(t: f64) -> (f64, f64) {
        let (mut value, mut slope) = (log_density(t) - log_cdf(t), -t - hazard(t));
        for (height, sign) in [(1.5, 1.0), (0.2, -1.0), (-2.0, -1.0)] {
            let x = sign * (height + t);
            value += log_cdf(x);
            slope += sign * hazard(x);
        }
        (value, slope)
    }

    #[test]
    fn hull_is_above_and_squeeze_below() {
        let mut target = stick;
        let mut hull = Hull::new(3.0, 0.5, &mut target).unwrap();
        for x in [-4.0, -1.3, -0.2, 0.1, 2.0] {
            let (value, slope) = stick(x);
            hull.insert(Tangent { x, value, slope }).unwrap();
        }
        for at in 0..1000 {
            let x = -8.0 + 0.016 * f64::from(at);
            let (value, _) = stick(x);
            let slack = 1e-14 * (1.0 + value.abs());
            assert!(hull.above(x) >= value - slack && hull.below(x) <= value + slack, "{x}");
        }
    }

    #[test]
    fn draws_have_the_law_of_the_density() {
        let mut rng = Streams::new(1, 0).rng(Purpose::Verify, 0, 0);
        let n_draws = 100_000;
        let standard = |x: f64| (-0.5 * x * x, -x);
        let draw = |rng: &mut _, at: usize| adaptive_rejection(at as f64 % 7.0 - 3.0, 1.0, rng, standard).unwrap();
        let mut draws: Vec<f64> = (0..n_draws).map(|at| draw(&mut rng, at)).collect();
        draws.sort_by(f64::total_cmp);
        // Kolmogorov's distance at significance level 1e-6.
        let widest =
            draws.iter().enumerate().map(|(at, &x)| (log_cdf(x).exp() - (at as f64 + 0.5) / n_draws as f64).abs());
        assert!(widest.fold(0.0, f64::max) < 2.7 / f64::from(n_draws as u32).sqrt());
    }

    #[test]
    fn the_mean_of_a_stick_is_that_of_its_integral() {
        let mut rng = Streams::new(2, 0).rng(Purpose::Verify, 0, 0);
        let grid = || (-2000..=2000).map(|at| 0.005 * f64::from(at));
        let (mass, moment, square) = grid().fold((0.0, 0.0, 0.0), |(mass, moment, square), t| {
            let density = stick(t).0.exp();
            (mass + density, moment + density * t, square + density * t * t)
        });
        let (mean, variance) = (moment / mass, square / mass - (moment / mass).powi(2));
        let n_draws = 200_000;
        let sum: f64 = (0..n_draws).map(|_| adaptive_rejection(0.0, 1.0, &mut rng, stick).unwrap()).sum();
        let score = (sum / f64::from(n_draws) - mean) / (variance / f64::from(n_draws)).sqrt();
        assert!(score.abs() < 4.5, "{score}");
    }

    #[test]
    fn refuses_what_is_not_log_concave_or_has_no_mode() {
        let mut rng = Streams::new(3, 0).rng(Purpose::Verify, 0, 0);
        // Two bumps.
        let bumps = |x: f64| {
            let (a, b) = ((-2.0 * (x - 3.0).powi(2)).exp(), (-2.0 * (x + 3.0).powi(2)).exp());
            ((a + b).ln(), (-4.0 * (x - 3.0) * a - 4.0 * (x + 3.0) * b) / (a + b))
        };
        for _ in 0..200 {
            let refused = adaptive_rejection(0.5, 1.0, &mut rng, bumps);
            assert!(matches!(refused, Err(AdaptiveRejectionError::NotConcave { .. })), "{refused:?}");
        }
        let rising = |x: f64| (x, 1.0);
        let refused = adaptive_rejection(0.0, 1.0, &mut rng, rising);
        assert_eq!(refused, Err(AdaptiveRejectionError::NoMode { start: 0.0 }));
        let broken = adaptive_rejection(0.0, 1.0, &mut rng, |_| (f64::NAN, f64::NAN));
        assert_eq!(broken, Err(AdaptiveRejectionError::NoMode { start: 0.0 }));
    }
}
