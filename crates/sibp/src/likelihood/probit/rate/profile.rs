//! Stores the heights of all objects along one direction, and computes the direction's integral from them.
//!
//! Few heights are stored individually. Many are binned by their distance d below the top: each bin has a number of
//! objects and their mean height, and its width is at most [`FINEST`]/σ + d/[`STEPS`] for every σ of the table. The
//! mean leaves an error of second order only: within one bin the terms ln Φ(-x) differ from their value at the mean by
//! about (x² + 1) v/2 of themselves, where v, the variance of x in the bin, is at most a quarter of the squared width
//! in x. Objects that matter have x around -5 to 0 and lie a few units of x below the top, so the sum is off by a few
//! parts in a thousand, and the integral, in which the logarithm of the sum counts, by less than one.

use crate::numerics::normal::log_density;
use crate::numerics::normal_table::log_cdf;

/// Panels of the quadrature in t, of three Gauss points each, and half the width they cover at most.
const PANELS: usize = 12;
const REACH: f64 = 9.0;
/// For many objects, only the range is integrated where the probability that nobody owns the bit lies between these.
const LOG_INACTIVE: (f64, f64) = (-30.0, -1e-7);
/// Number of bisections that find that range.
const HALVINGS: usize = 7;
/// Largest width of the topmost bins, in x.
const FINEST: f64 = 0.02;
/// Bins between a distance and its double, as a number of mantissa bits.
const STEP_BITS: u32 = 5;
const STEPS: f64 = (1u32 << STEP_BITS) as f64;
const SHIFT: u32 = 52 - STEP_BITS;

/// Objects of (nearly) one height.
#[derive(Debug, Clone, Copy)]
struct Layer {
    height: f64,
    n_objects: f64,
}

/// Heights along one direction, in descending order.
#[derive(Debug, Clone)]
pub struct Profile {
    layers: Vec<Layer>,
    /// Whether the heights were binned.
    binned: bool,
}

impl Profile {
    /// Stores every height individually; they come in descending order.
    pub fn exact(heights: impl Iterator<Item = f64>) -> Self {
        Self { layers: heights.map(|height| Layer { height, n_objects: 1.0 }).collect(), binned: false }
    }

    /// ∫ h(t) (1 - Π Φ(-(σ a + t))) dt over the heights a.
    pub fn integral(&self, scale: f64) -> f64 {
        let (low, high) = self.window(scale);
        let nodes = [(-0.774_596_669_241_483_4, 5.0 / 9.0), (0.0, 8.0 / 9.0), (0.774_596_669_241_483_4, 5.0 / 9.0)];
        let width = (high - low) / PANELS as f64;
        let mut sum = -log_cdf(high);
        for panel in 0..PANELS {
            let middle = low + (panel as f64 + 0.5) * width;
            for (offset, weight) in nodes {
                let t = middle + 0.5 * width * offset;
                let intensity = (log_density(t) - log_cdf(t)).exp();
                sum += 0.5 * width * weight * intensity * -self.log_inactive(scale, t).exp_m1();
            }
        }
        sum
    }

    /// The range of t where the product is neither 1 nor 0.
    fn window(&self, scale: f64) -> (f64, f64) {
        let top = scale * self.layers.first().map_or(0.0, |layer| layer.height);
        // Below this window every probability of a 1 is under e^-40; above it some object owns the bit for sure.
        let (low, high) = (-top - REACH, -top + REACH);
        if !self.binned {
            return (low, high);
        }
        // The more objects, the steeper the product: over the whole window the points would be too far apart.
        let around = |bound: f64| {
            let (mut before, mut after) = (low, high);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (before + after);
                let end = if self.log_inactive(scale, middle) < bound { &mut after } else { &mut before };
                *end = middle;
            }
            (before, after)
        };
        (around(LOG_INACTIVE.1).0, around(LOG_INACTIVE.0).1)
    }

    /// ln Π Φ(-(σ a + t)), without negligible terms.
    fn log_inactive(&self, scale: f64, t: f64) -> f64 {
        let mut sum = 0.0;
        for layer in &self.layers {
            let x = scale * layer.height + t;
            if x < -REACH || sum < -40.0 {
                break;
            }
            sum += layer.n_objects * log_cdf(-x);
        }
        sum
    }
}

/// Bins that are being filled with heights.
#[derive(Debug, Clone)]
pub struct Bins {
    top: f64,
    /// Added to every distance, so that bins near the top have a least width.
    offset: f64,
    /// Number of objects and sum of distances from the top, for each bin.
    bins: Vec<(f64, f64)>,
}

impl Bins {
    /// Bins below the largest height, fine enough for deviations up to `largest_scale`.
    pub fn new(top: f64, largest_scale: f64) -> Self {
        Self { top, offset: STEPS * FINEST / largest_scale, bins: Vec::new() }
    }

    /// Adds `sign` times these heights.
    pub fn add(&mut self, heights: &[f64], sign: f64) {
        let first = self.offset.to_bits() >> SHIFT;
        for &height in heights {
            let distance = (self.top - sign * height).max(0.0);
            // The leading bits of a positive number grow like its logarithm.
            let bin = (((self.offset + distance).to_bits() >> SHIFT) - first) as usize;
            if bin >= self.bins.len() {
                self.bins.resize(bin + 1, (0.0, 0.0));
            }
            let (n_objects, distances) = &mut self.bins[bin];
            *n_objects += 1.0;
            *distances += distance;
        }
    }

    /// Completes the profile.
    pub fn finish(self) -> Profile {
        let filled = self.bins.iter().filter(|(n_objects, _)| *n_objects > 0.0);
        let layer =
            |&(n_objects, distances): &(f64, f64)| Layer { height: self.top - distances / n_objects, n_objects };
        Profile { layers: filled.map(layer).collect(), binned: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    fn sorted(mut heights: Vec<f64>) -> Vec<f64> {
        heights.sort_by(|a, b| b.total_cmp(a));
        heights
    }

    fn binned(heights: &[f64], largest_scale: f64) -> Profile {
        let mut bins = Bins::new(heights[0], largest_scale);
        heights.chunks(1000).for_each(|part| bins.add(part, 1.0));
        bins.finish()
    }

    /// Bins against the sum over all objects, for heights that are normal, clustered, skewed or nearly equal.
    #[test]
    fn bins_keep_the_integral() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let n = 20_000;
        let mut normal = |spread: f64| -> f64 {
            let z: f64 = StandardNormal.sample(&mut rng);
            spread * z
        };
        let kinds: [(&str, Vec<f64>); 4] = [
            ("normal", (0..n).map(|_| normal(1.0)).collect()),
            ("clusters", (0..n).map(|at| f64::from(at % 7) - 3.0 + normal(0.05)).collect()),
            ("nearly equal", (0..n).map(|_| 2.0 + normal(1e-6)).collect()),
            ("skewed", (0..n).map(|_| normal(1.0).powi(2)).collect()),
        ];
        let largest = 4f64.exp();
        let mut worst = 0.0f64;
        for (name, heights) in kinds {
            let heights = sorted(heights);
            let bins = binned(&heights, largest);
            assert!(bins.layers.len() < 1500, "{name}: {} bins", bins.layers.len());
            let all = Profile { binned: true, ..Profile::exact(heights.into_iter()) };
            for step in -8..=8 {
                let scale = (0.5 * f64::from(step)).exp();
                let (exact, approximate) = (all.integral(scale), bins.integral(scale));
                let error = approximate / exact - 1.0;
                worst = worst.max(error.abs());
                assert!(error.abs() < 1e-3, "{name}, deviation {scale}: {exact} {approximate} {error:e}");
            }
        }
        println!("worst relative error {worst:e}");
    }

    /// Without heights Λ is H_N, the harmonic number.
    #[test]
    fn equal_heights_give_the_harmonic_number() {
        for n in [5_000usize, 100_000, 1_000_000] {
            let harmonic: f64 = (1..=n).map(|at| 1.0 / at as f64).sum();
            let mut bins = Bins::new(0.0, 1.0);
            bins.add(&vec![0.0; n], 1.0);
            let error = bins.finish().integral(1.0) / harmonic - 1.0;
            assert!(error.abs() < 1e-4, "{n}: {error:e}");
        }
    }
}
