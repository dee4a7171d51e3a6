//! Multiplies the probabilities of many triplets without a logarithm a triplet.

use crate::numerics::simd::{LANES, at_every_level};

/// The constants of the preference probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scoring {
    /// Share of A that counts for the triplet: 1 - lapse/2.
    sure: f64,
    /// Share of B that counts for it: lapse/2.
    slip: f64,
    half_pseudo: f64,
    pseudo: f64,
    /// Terms a lane that may be multiplied before a product could leave the range of a double.
    fold_every: usize,
}

impl Scoring {
    /// `lapse` in (0, 1), `pseudo_weight` at least 0.
    pub fn new(lapse: f64, pseudo_weight: f64) -> Self {
        // A term lies within [lapse/2, 2/lapse], and doubles reach e^±700.
        let fold_every = (650.0 / (LANES as f64 * (2.0 / lapse).ln())) as usize;
        Self {
            sure: 1.0 - lapse / 2.0,
            slip: lapse / 2.0,
            half_pseudo: pseudo_weight / 2.0,
            pseudo: pseudo_weight,
            fold_every: fold_every.max(1),
        }
    }

    /// The largest log probability a triplet can have.
    pub fn log_best(&self) -> f64 {
        self.sure.ln()
    }

    /// Probability of a triplet with sums `a` and `b`.
    #[inline(always)]
    pub fn probability(&self, a: f64, b: f64) -> f64 {
        let total = a + b + self.pseudo;
        let p = (self.sure * a + self.slip * b + self.half_pseudo) / total;
        if total > 0.0 { p } else { 0.5 }
    }
}

/// Sums logarithms of terms as the logarithm of products, eight lanes at a time.
#[inline(always)]
fn sum_logs(n_terms: usize, fold_every: usize, term: impl Fn(usize) -> f64) -> f64 {
    let mut sum = 0.0;
    let mut start = 0;
    while start < n_terms {
        let end = n_terms.min(start + LANES * fold_every);
        let whole = end - (end - start) % LANES;
        let mut lanes = [1.0; LANES];
        let mut at = start;
        while at < whole {
            for (lane, product) in lanes.iter_mut().enumerate() {
                *product *= term(at + lane);
            }
            at += LANES;
        }
        for (lane, product) in lanes[..end - whole].iter_mut().enumerate() {
            *product *= term(whole + lane);
        }
        sum += lanes.iter().product::<f64>().ln();
        start = end;
    }
    sum
}

#[inline(always)]
fn log_likelihood_body(a: &[f64], b: &[f64], add_a: f64, add_b: f64, scoring: &Scoring) -> f64 {
    let n = a.len();
    let b = &b[..n];
    sum_logs(n, scoring.fold_every, |at| scoring.probability(a[at] + add_a, b[at] + add_b))
}

at_every_level! {
    /// Log probability of triplets with sums `a + add_a` and `b + add_b`.
    log_likelihood = log_likelihood_body(a: &[f64], b: &[f64], add_a: f64, add_b: f64, scoring: &Scoring) -> f64
}

/// One feature of the visited object as a change of every triplet it takes part in.
#[derive(Debug, Clone, Copy)]
pub struct Flip {
    /// Position of the feature inside its word.
    pub bit: u32,
    /// The state it would change to.
    pub to: u64,
    /// Its weight.
    pub weight: f64,
}

impl Flip {
    /// Change of (A, B) for an anchor. `matters`: near and far differ; `near`: near's bits.
    #[inline(always)]
    fn as_anchor(&self, matters: u64, near: u64) -> (f64, f64) {
        let mask = 0u64.wrapping_sub(matters >> self.bit & 1);
        let sign = (near >> self.bit & 1 ^ self.to) << 63;
        let change = f64::from_bits((self.weight.to_bits() ^ sign) & mask);
        (change, -change)
    }

    /// Change of (A, B) for a near or far object: exactly one state of the bit counts. `counts`: which; `for_a`: for A or B.
    #[inline(always)]
    fn as_other(&self, counts: u64, for_a: u64) -> (f64, f64) {
        let sign = (counts >> self.bit & 1 ^ self.to) << 63;
        let change = self.weight.to_bits() ^ sign;
        let mask = 0u64.wrapping_sub(for_a >> self.bit & 1);
        (f64::from_bits(change & mask), f64::from_bits(change & !mask))
    }
}

/// The triplets of one object in one role, gathered side by side.
#[derive(Debug, Clone, Copy)]
pub struct Gathered<'a> {
    /// A of each triplet.
    pub a: &'a [f64],
    /// B of each triplet.
    pub b: &'a [f64],
    /// One over the present probability of each.
    pub inverse: &'a [f64],
    /// First word of each (see [`Flip`]).
    pub first: &'a [u64],
    /// Second word of each.
    pub second: &'a [u64],
}

macro_rules! role_loops {
    ($ratio:ident, $ratio_body:ident, $apply:ident, $apply_body:ident, $change:ident) => {
        #[inline(always)]
        fn $ratio_body(triplets: Gathered<'_>, flip: Flip, scoring: &Scoring) -> f64 {
            let Gathered { a, b, inverse, first, second } = triplets;
            let n = a.len();
            let (b, inverse, first, second) = (&b[..n], &inverse[..n], &first[..n], &second[..n]);
            sum_logs(n, scoring.fold_every, |at| {
                let (change_a, change_b) = flip.$change(first[at], second[at]);
                scoring.probability(a[at] + change_a, b[at] + change_b) * inverse[at]
            })
        }

        at_every_level! {
            /// Log likelihood ratio of the flip over the gathered triplets.
            $ratio = $ratio_body(triplets: Gathered<'_>, flip: Flip, scoring: &Scoring) -> f64
        }

        #[inline(always)]
        fn $apply_body(a: &mut [f64], b: &mut [f64], words: (&[u64], &[u64]), flip: Flip) {
            for (((a, b), &first), &second) in a.iter_mut().zip(b).zip(words.0).zip(words.1) {
                let (change_a, change_b) = flip.$change(first, second);
                *a += change_a;
                *b += change_b;
            }
        }

        at_every_level! {
            /// Carries the flip out on the gathered sums.
            $apply = $apply_body(a: &mut [f64], b: &mut [f64], words: (&[u64], &[u64]), flip: Flip)
        }
    };
}

role_loops!(anchor_ratio, anchor_ratio_body, anchor_apply, anchor_apply_body, as_anchor);
role_loops!(other_ratio, other_ratio_body, other_apply, other_apply_body, as_other);

#[inline(always)]
fn inverse_probabilities_body(a: &[f64], b: &[f64], inverse: &mut [f64], scoring: &Scoring) {
    for ((inverse, &a), &b) in inverse.iter_mut().zip(a).zip(b) {
        *inverse = 1.0 / scoring.probability(a, b);
    }
}

at_every_level! {
    /// One over the probability of each triplet.
    inverse_probabilities = inverse_probabilities_body(a: &[f64], b: &[f64], inverse: &mut [f64], scoring: &Scoring)
}
