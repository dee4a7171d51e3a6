//! Keeps A - B of all questions under a code of bits of weight 1, and the slope at which it answers best.

use super::target::Target;
use crate::triplets::Triplet;

/// What a bit says about a triplet: 1 for near, -1 for far, 0 where it does not tell them apart.
#[inline(always)]
pub fn side(anchor: u8, near: u8, far: u8) -> i32 {
    // Each bit is 0 or 1: near and far differ, and then the anchor is as one of them is.
    (i32::from(far) - i32::from(near)) * (1 - 2 * i32::from(anchor))
}

/// What a column says about a triplet.
#[inline(always)]
pub fn side_of(column: &[u8], t: &Triplet) -> i32 {
    side(column[t.anchor as usize], column[t.near as usize], column[t.far as usize])
}

/// A - B of every question, learned and given bits together.
pub struct Margins {
    margins: Vec<i32>,
    slope: f64,
    /// ln(1 + exp(slope d)) for every d from the lowest on.
    table: Vec<f64>,
    lowest: i32,
}

impl Margins {
    /// The margins of these columns, with their best slope.
    pub fn new(target: &Target, columns: &[Vec<u8>]) -> Self {
        let of = |(t, given): (&Triplet, &i32)| given + columns.iter().map(|column| side_of(column, t)).sum::<i32>();
        let margins: Vec<i32> = target.triplets.triplets().iter().zip(&target.given).map(of).collect();
        let reach = columns.len() as i32 + target.given.iter().map(|given| given.abs()).max().unwrap_or(0);
        // A flip of an anchor's bit moves a margin by two.
        let n = 2 * (reach as usize + 2) + 1;
        let mut all = Self { margins, slope: 1.0, table: vec![0.0; n], lowest: -reach - 2 };
        all.fit_slope(target);
        all
    }

    /// The slope.
    pub fn slope(&self) -> f64 {
        self.slope
    }

    /// Gain of a change of one margin, in nats of the expected log likelihood.
    #[inline(always)]
    pub fn gain(&self, target: &Target, triplet_ix: usize, change: i32) -> f64 {
        let at = (self.margins[triplet_ix] - self.lowest) as usize;
        let after = (at as i32 + change) as usize;
        target.probabilities[triplet_ix] * self.slope * f64::from(change) - (self.table[after] - self.table[at])
    }

    /// Changes one margin.
    #[inline(always)]
    pub fn change(&mut self, triplet_ix: usize, change: i32) {
        self.margins[triplet_ix] += change;
    }

    /// Finds the slope that answers best.
    pub fn fit_slope(&mut self, target: &Target) {
        let mut counts = vec![(0.0, 0.0); self.table.len()];
        for (margin, probability) in self.margins.iter().zip(&target.probabilities) {
            let count = &mut counts[(margin - self.lowest) as usize];
            *count = (count.0 + 1.0, count.1 + probability);
        }
        self.slope = best_slope(counts.iter().zip(self.lowest..).map(|(&(n, p), d)| (f64::from(d), n, p)), self.slope);
        for (value, d) in self.table.iter_mut().zip(self.lowest..) {
            *value = softplus(self.slope * f64::from(d));
        }
    }
}

/// Slopes that are tried.
const SLOPES: (f64, f64) = (1e-3, 30.0);

/// The slope that maximises Σ p s d - n ln(1 + exp(s d)) over (d, n, p), by Newton's method, held within bounds.
pub fn best_slope(counts: impl Iterator<Item = (f64, f64, f64)> + Clone, start: f64) -> f64 {
    let (mut low, mut high) = SLOPES;
    let mut slope = start.clamp(low, high);
    for _ in 0..60 {
        let (mut gradient, mut curvature) = (0.0, 0.0);
        for (d, n, p) in counts.clone().filter(|(_, n, _)| *n > 0.0) {
            let q = 1.0 / (1.0 + (-slope * d).exp());
            gradient += d * (p - n * q);
            curvature += d * d * n * q * (1.0 - q);
        }
        // The objective is concave, so its maximum lies on the side to which the gradient points.
        *(if gradient > 0.0 { &mut low } else { &mut high }) = slope;
        let next = slope + gradient / curvature.max(1e-12);
        let next = if next > low && next < high { next } else { 0.5 * (low + high) };
        if (next - slope).abs() < 1e-9 * slope {
            return next;
        }
        slope = next;
    }
    slope
}

/// ln(1 + exp(x)).
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}
