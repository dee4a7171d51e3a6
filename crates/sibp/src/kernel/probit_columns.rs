//! Updates coefficients and sticks of the probit model, bit by bit.
//!
//! Here bits are independent of each other, and so are objects given coefficients: both are shared among threads, and
//! every part and bit has a random stream of its own.

use crate::bits::BitMatrix;
use crate::fault::{Fault, planted};
use crate::likelihood::probit::{Basis, ColumnFit, Heights, log_intensity, log_likelihood, log_likelihood_slope};
use crate::numerics::adaptive_rejection::adaptive_rejection;
use crate::numerics::linalg::{Mat, product, view};
use crate::numerics::normal::{draw_half, hazard};
use crate::numerics::simd::dot;
use crate::numerics::slice::slice;
use crate::parallel::{map, parts};
use crate::rng::numbered;
use crate::schedule::Regression;
use crate::state::{ProbitState, Proposal, Tally, draw_coefficients};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// Updates (g, t) of every bit: g by the given algorithm, then t given g.
pub fn regressions<R: Rng>(method: Regression, state: &mut ProbitState, basis: &Basis, threads: usize, rng: &mut R) {
    match method {
        Regression::AlbertChib => albert_chib(state, basis, threads, rng),
        Regression::Elliptical => {
            let variance = state.coefficient_variance;
            by_bit(state, basis, threads, rng, |fit, column, heights, rng| {
                elliptical(fit, basis, variance, column, heights, rng)
            });
        }
    }
    // The posterior of a stick narrows with the number of objects; the bracket must not depend on more than that.
    let width = (10.0 / (basis.n_objects() as f64).sqrt()).min(1.0);
    by_bit(state, basis, threads, rng, |fit, column, heights, rng| {
        // Concave in t, whatever the heights; in b = Φ(t) it would not be.
        let intensity = |t: f64| if planted(Fault::SticksWithoutIntensity) { 0.0 } else { log_intensity(t) };
        let log_density = |t: f64| intensity(t) + log_likelihood(heights, t, column);
        fit.stick = slice(fit.stick, width, rng, log_density);
    });
}

/// Draws t of every bit independently, given g and the column.
pub fn sticks<R: Rng>(state: &mut ProbitState, basis: &Basis, threads: usize, rng: &mut R) {
    by_bit(state, basis, threads, rng, |fit, column, heights, rng| {
        let density = |t: f64| {
            let owners = heights.iter().zip(column);
            let slope: f64 = owners.map(|(height, &bit)| log_likelihood_slope(height + t, bit)).sum();
            let likelihood = log_likelihood(heights, t, column);
            if planted(Fault::NormalSticks) {
                return (likelihood - 0.5 * t * t, slope - t);
            }
            (log_intensity(t) + likelihood, slope - t - hazard(t))
        };
        // The density is log-concave, so only rounding can make it fail; slice sampling still works then.
        fit.stick = adaptive_rejection(fit.stick, 1.0, rng, density)
            .unwrap_or_else(|_| slice(fit.stick, 1.0, rng, |t| density(t).0));
    });
}

/// Updates every bit separately, given its column and heights.
fn by_bit<R: Rng>(
    state: &mut ProbitState,
    basis: &Basis,
    threads: usize,
    rng: &mut R,
    update: impl Fn(&mut ColumnFit, &[u8], &[f64], &mut ChaCha8Rng) + Sync,
) {
    let seed: [u8; 32] = rng.random();
    let heights = Heights::new(basis, &state.atoms, threads);
    let (atoms, bits) = (&state.atoms, &state.code.bits);
    state.atoms = map(threads, atoms.len(), |bit_ix| {
        let mut fit = atoms[bit_ix].clone();
        let heights: Vec<f64> = heights.column(bit_ix).flatten().copied().collect();
        let mut rng = numbered(seed, bit_ix);
        update(&mut fit, &bits.column(bit_ix), &heights, &mut rng);
        fit
    });
}

/// Albert & Chib (1993): utilities given bits, then g given utilities. XᵀX is diagonal here, so no factorisation is
/// needed.
fn albert_chib<R: Rng>(state: &mut ProbitState, basis: &Basis, threads: usize, rng: &mut R) {
    let seed: [u8; 32] = rng.random();
    let heights = Heights::new(basis, &state.atoms, threads);
    let ranges: Vec<_> = parts(basis.n_objects()).collect();
    let along = map(threads, ranges.len(), |part| {
        let first = if planted(Fault::PartsFromTheFirst) { 0 } else { ranges[part].start };
        let utilities =
            draw_utilities(&heights.parts()[part], &state.atoms, &state.code.bits, first, &mut numbered(seed, part));
        let rows = basis.rows_of(ranges[part].clone());
        let rows = view(&rows, ranges[part].len(), basis.width());
        product(rows.transpose(), utilities.as_ref(), 1.0)
    });
    let variance = state.coefficient_variance;
    for (bit_ix, fit) in state.atoms.iter_mut().enumerate() {
        let sum = |column: usize| along.iter().map(|part| part[(column, bit_ix)]).sum();
        let sums = basis.from_rows((0..basis.width()).map(sum).collect());
        for ((g, square), sum) in fit.coefficients.iter_mut().zip(basis.squares()).zip(sums) {
            let precision = square + if planted(Fault::CoefficientsWithoutPrior) { 0.0 } else { 1.0 / variance };
            let noise: f64 = StandardNormal.sample(rng);
            *g = sum / precision + noise / precision.sqrt();
        }
    }
}

/// Draws the utilities x·g plus noise of the objects from `first` on, with the sign that each bit implies: objects x
/// bits.
fn draw_utilities<R: Rng>(
    heights: &Mat<f64>,
    fits: &[ColumnFit],
    bits: &BitMatrix,
    first: usize,
    rng: &mut R,
) -> Mat<f64> {
    let mut utilities = heights.clone();
    for (bit_ix, fit) in fits.iter().enumerate() {
        for (row, utility) in utilities.col_as_slice_mut(bit_ix).iter_mut().enumerate() {
            let owned = bits.get(first + row, bit_ix);
            let stick = if planted(Fault::UtilitiesWithStick) { 0.0 } else { fit.stick };
            *utility = draw_half(*utility + fit.stick, owned, rng) - stick;
        }
    }
    utilities
}

/// Largest number of shrinkings of the angle; the bracket is then below the spacing of floating-point numbers.
const MAX_SHRINKS: usize = 100;

/// Elliptical slice sampling (Murray et al. 2010), the paper's choice.
fn elliptical<R: Rng>(fit: &mut ColumnFit, basis: &Basis, variance: f64, column: &[u8], heights: &[f64], rng: &mut R) {
    let other = draw_coefficients(basis.rank(), variance, rng);
    let mut other_heights = Vec::new();
    basis.heights(&other, &mut other_heights);
    let level = log_likelihood(heights, fit.stick, column) + (1.0 - rng.random::<f64>()).ln();
    let mut angle = rng.random::<f64>() * std::f64::consts::TAU;
    let (mut low, mut high) = (angle - std::f64::consts::TAU, angle);
    for _ in 0..MAX_SHRINKS {
        let mix = |a: &[f64], b: &[f64]| -> Vec<f64> {
            a.iter().zip(b).map(|(a, b)| a * angle.cos() + b * angle.sin()).collect()
        };
        let candidate = mix(heights, &other_heights);
        let square = |g: &[f64]| dot(g, g) / variance;
        let of_joint = planted(Fault::EllipseOfJoint);
        let prior = of_joint.then(|| 0.5 * (square(&mix(&fit.coefficients, &other)) - square(&fit.coefficients)));
        if log_likelihood(&candidate, fit.stick, column) > level + prior.unwrap_or(0.0) {
            fit.coefficients = mix(&fit.coefficients, &other);
            return;
        }
        if angle < 0.0 {
            low = angle;
        } else {
            high = angle;
        }
        angle = low + (high - low) * rng.random::<f64>();
    }
}

/// Exchanges owners and non-owners of bits, with (g, t) negated. The triplets' likelihood is unchanged; the ratio is
/// h(-t)/h(t).
pub fn complements<R: Rng>(state: &mut ProbitState, tally: &mut Tally, rng: &mut R) {
    let n_objects = state.code.bits.n_objects();
    let mut order: Vec<usize> = (0..state.atoms.len()).collect();
    order.shuffle(rng);
    for bit_ix in order {
        let fit = &mut state.atoms[bit_ix];
        let threshold = rng.random::<f64>().ln();
        let all_own = state.code.bits.counts()[bit_ix] as usize == n_objects;
        let ratio = log_intensity(-fit.stick) - log_intensity(fit.stick);
        let accepted = !all_own && (threshold < ratio || planted(Fault::ComplementAlways));
        tally.note(Proposal::Complement, accepted);
        if accepted {
            fit.stick = -fit.stick;
            fit.coefficients.iter_mut().for_each(|g| *g = -*g);
            state.code.bits.complement(bit_ix);
        }
    }
}
