//! Computes powers of two of eight numbers at a time, with the same bits at every instruction level.

use super::simd::LANES;
use super::vector::{Vector, by_vectors, chunk_of};

/// Exponents beyond these bounds are moved to them. A product of eight powers, and of numbers near one, then stays within
/// the range of a double.
const LARGEST_EXPONENT: f64 = 120.0;

/// 1.5 · 2^52: added to a number below 2^51 it leaves no place for a fraction, so that the sum holds the nearest integer
/// in its lowest bits.
const ROUNDING: f64 = 6_755_399_441_055_744.0;

/// Coefficients of Padé's approximation of exp of order (6, 6), n(x)/n(-x): the even ones, then the odd ones. For |x| at
/// most ln(2)/2 its relative error is below 1e-18.
const EVEN: [f64; 4] = [pade(0), pade(2), pade(4), pade(6)];
const ODD: [f64; 3] = [pade(1), pade(3), pade(5)];

/// (12 - j)! 6! / (12! j! (6 - j)!).
const fn pade(j: u64) -> f64 {
    (factorial(12 - j) * factorial(6)) as f64 / (factorial(j) * factorial(6 - j)) as f64 / factorial(12) as f64
}

const fn factorial(n: u64) -> u64 {
    if n == 0 { 1 } else { n * factorial(n - 1) }
}

/// 2^x as a fraction: numerators and denominators, the latter near one.
#[inline(always)]
pub fn power_of_two<V: Vector>(x: V::Doubles) -> (V::Doubles, V::Doubles) {
    let x = V::clamp(x, LARGEST_EXPONENT);
    let rounded = V::add(x, V::splat(ROUNDING));
    let rest = V::subtract(x, V::subtract(rounded, V::splat(ROUNDING)));
    let y = V::multiply(rest, V::splat(std::f64::consts::LN_2));
    let square = V::multiply(y, y);
    let odd = V::multiply(y, polynomial::<V, 3>(square, ODD));
    let even = polynomial::<V, 4>(square, EVEN);
    (V::multiply(V::add(even, odd), V::from_exponent(rounded)), V::subtract(even, odd))
}

#[inline(always)]
fn polynomial<V: Vector, const N: usize>(x: V::Doubles, coefficients: [f64; N]) -> V::Doubles {
    let mut sum = V::splat(coefficients[N - 1]);
    let mut at = N - 1;
    while at > 0 {
        at -= 1;
        sum = V::add(V::multiply(sum, x), V::splat(coefficients[at]));
    }
    sum
}

#[inline(always)]
fn exponentials_body<V: Vector>(factor: f64, values: &mut [f64]) {
    let factor = V::splat(factor * std::f64::consts::LOG2_E);
    for part in values.chunks_mut(LANES) {
        let (top, bottom) = power_of_two::<V>(V::multiply(V::load(&chunk_of(part, 0)), factor));
        let (mut tops, mut bottoms) = ([0.0; LANES], [1.0; LANES]);
        V::store(top, &mut tops);
        V::store(bottom, &mut bottoms);
        for (value, (top, bottom)) in part.iter_mut().zip(tops.iter().zip(&bottoms)) {
            *value = top / bottom;
        }
    }
}

by_vectors! {
    /// Replaces every value x by exp(factor x); results beyond 2^±120 are moved to these bounds.
    exponentials, exponentials_at = exponentials_body(factor: f64, values: &mut [f64])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::level::Level;
    use crate::numerics::vector::Chunk;

    fn powers_body<V: Vector>(x: &Chunk<f64>) -> [Chunk<f64>; 2] {
        let mut out = [[0.0; LANES]; 2];
        let (top, bottom) = power_of_two::<V>(V::load(x));
        V::store(top, &mut out[0]);
        V::store(bottom, &mut out[1]);
        out
    }

    by_vectors! {
        /// Powers of a chunk.
        powers, powers_at = powers_body(x: &Chunk<f64>) -> [Chunk<f64>; 2]
    }

    #[test]
    fn powers_are_right_to_the_last_digits() {
        for at in 0..4000 {
            let x: Chunk<f64> = std::array::from_fn(|lane| (f64::from(at) - 2000.0) * 0.059 + lane as f64 * 0.0071);
            let [top, bottom] = powers(&x);
            for lane in 0..LANES {
                let expected = x[lane].clamp(-LARGEST_EXPONENT, LARGEST_EXPONENT).exp2();
                let error = (top[lane] / bottom[lane] / expected - 1.0).abs();
                assert!(error < 1e-15, "2^{}: {error:e}", x[lane]);
            }
        }
    }

    #[test]
    fn exponents_beyond_the_range_are_moved_to_it() {
        let [top, bottom] = powers(&[1e300, -1e300, f64::INFINITY, f64::NEG_INFINITY, 121.0, -121.0, 0.0, -0.0]);
        let found: Vec<f64> = top.iter().zip(bottom).map(|(top, bottom)| (top / bottom).log2()).collect();
        assert_eq!(found, [120.0, -120.0, 120.0, -120.0, 120.0, -120.0, 0.0, 0.0]);
    }

    #[test]
    fn exponentials_of_any_number_of_values() {
        for n in [0, 1, 7, 8, 21] {
            let x: Vec<f64> = (0..n).map(|at| 0.37 * f64::from(at)).collect();
            let mut found = x.clone();
            exponentials(-0.5, &mut found);
            assert!(found.iter().zip(&x).all(|(found, x)| (found / (-0.5 * x).exp() - 1.0).abs() < 1e-14));
            for level in Level::available() {
                let mut again = x.clone();
                exponentials_at(level, -0.5, &mut again);
                assert_eq!(again, found);
            }
        }
    }

    #[test]
    fn every_level_gives_the_same_bits() {
        for at in 0..200 {
            let x: Chunk<f64> = std::array::from_fn(|lane| (f64::from(at) - 100.0) * 1.3 + lane as f64 * 0.17);
            let of = |level: Level| powers_at(level, &x).map(|chunk| chunk.map(f64::to_bits));
            let all: Vec<_> = Level::available().into_iter().map(of).collect();
            assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{x:?}");
        }
    }
}
