//! Runs short SIMD loops at the machine's best instruction level, with bit-identical results at every level.
//!
//! Each loop is written once in plain Rust with eight fixed accumulators and compiled for several instruction sets.
//! None of them contracts a*b+c, so all give identical results.

/// Defines a public function that runs an always-inlined body at the machine's instruction level.
macro_rules! at_every_level {
    ($(#[$doc:meta])* $name:ident = $body:ident($($arg:ident: $kind:ty),*) $(-> $out:ty)?) => {
        $(#[$doc])*
        #[allow(unsafe_code)]
        pub fn $name($($arg: $kind),*) $(-> $out)? {
            $crate::numerics::level::compiled_for! {
                $crate::numerics::level::Level::detect(), ($($arg: $kind),*) $(-> $out)?, $body, $body, $body
            }
        }
    };
}

pub(crate) use at_every_level;

/// Independent accumulators of every reduction.
pub const LANES: usize = 8;

/// Sums `term` of every pair of entries, always in the same order.
#[inline(always)]
fn sum_pairs(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut lanes = [0.0; LANES];
    let split = n - n % LANES;
    for (x, y) in a[..split].chunks_exact(LANES).zip(b[..split].chunks_exact(LANES)) {
        for (lane, (x, y)) in lanes.iter_mut().zip(x.iter().zip(y)) {
            *lane += term(*x, *y);
        }
    }
    for (lane, (x, y)) in a[split..].iter().zip(&b[split..]).enumerate() {
        lanes[lane] += term(*x, *y);
    }
    sum_lanes(lanes)
}

#[inline(always)]
pub(super) fn dot_body(a: &[f64], b: &[f64]) -> f64 {
    sum_pairs(a, b, |x, y| x * y)
}

#[inline(always)]
fn squared_distance_body(a: &[f64], b: &[f64]) -> f64 {
    sum_pairs(a, b, |x, y| (x - y) * (x - y))
}

#[inline(always)]
fn absolute_distance_body(a: &[f64], b: &[f64]) -> f64 {
    sum_pairs(a, b, |x, y| (x - y).abs())
}

#[inline(always)]
pub(super) fn sum_lanes(l: [f64; LANES]) -> f64 {
    ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

#[inline(always)]
fn axpy_body(factor: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}

#[inline(always)]
fn extremes_body(values: &[f64]) -> (f64, f64) {
    let smaller = |a: f64, b: f64| if b < a { b } else { a };
    let larger = |a: f64, b: f64| if b > a { b } else { a };
    let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    let mut parts = values.chunks_exact(LANES);
    for part in &mut parts {
        for ((low, high), &value) in low.iter_mut().zip(&mut high).zip(part) {
            (*low, *high) = (smaller(*low, value), larger(*high, value));
        }
    }
    let rest = parts.remainder().iter().copied();
    (rest.clone().chain(low).fold(f64::INFINITY, smaller), rest.chain(high).fold(f64::NEG_INFINITY, larger))
}

/// Columns summed at a time: four registers of the widest level.
const STRIP: usize = 32;

// Plain loops, not `for_each`: a closure that is not inlined is compiled without the instruction set.

#[inline(always)]
fn sum_rows_body(rows: &[f64], picks: &[usize], sums: &mut [f64]) {
    let width = sums.len();
    for (at, strip) in sums.chunks_mut(STRIP).enumerate() {
        let mut totals = [0.0; STRIP];
        for &pick in picks {
            let from = &rows[pick * width + at * STRIP..];
            // A length known to the compiler keeps the totals in registers.
            if let (Some(row), STRIP) = (from.first_chunk::<STRIP>(), strip.len()) {
                for (total, value) in totals.iter_mut().zip(row) {
                    *total += value;
                }
            } else {
                for (total, value) in totals.iter_mut().zip(&from[..strip.len()]) {
                    *total += value;
                }
            }
        }
        for (sum, total) in strip.iter_mut().zip(totals) {
            *sum += total;
        }
    }
}

#[inline(always)]
fn add_outer_2_body(matrix: &mut [f64], pairs: [(&[f64], &[f64]); 2]) {
    let [(a, p), (b, q)] = pairs;
    for (row, (&a, &b)) in matrix.chunks_exact_mut(p.len().max(1)).zip(a.iter().zip(b)) {
        for (entry, (p, q)) in row.iter_mut().zip(p.iter().zip(q)) {
            *entry += a * p + b * q;
        }
    }
}

#[inline(always)]
fn add_outer_4_body(matrix: &mut [f64], pairs: [(&[f64], &[f64]); 4]) {
    let [(a, p), (b, q), (c, r), (d, s)] = pairs;
    let factors = a.iter().zip(b).zip(c.iter().zip(d));
    for (row, ((&a, &b), (&c, &d))) in matrix.chunks_exact_mut(p.len().max(1)).zip(factors) {
        let values = p.iter().zip(q).zip(r.iter().zip(s));
        for (entry, ((p, q), (r, s))) in row.iter_mut().zip(values) {
            *entry += (a * p + b * q) + (c * r + d * s);
        }
    }
}

at_every_level! {
    /// Adds the rows numbered `picks` of a matrix in row order to `sums`.
    sum_rows = sum_rows_body(rows: &[f64], picks: &[usize], sums: &mut [f64])
}
at_every_level! {
    /// Adds the outer products of two pairs of vectors to a matrix in row order.
    add_outer_2 = add_outer_2_body(matrix: &mut [f64], pairs: [(&[f64], &[f64]); 2])
}
at_every_level! {
    /// Adds the outer products of four pairs of vectors to a matrix in row order.
    add_outer_4 = add_outer_4_body(matrix: &mut [f64], pairs: [(&[f64], &[f64]); 4])
}
at_every_level! {
    /// Smallest and largest of finite values.
    extremes = extremes_body(values: &[f64]) -> (f64, f64)
}
at_every_level! {
    /// Sum of products.
    dot = dot_body(a: &[f64], b: &[f64]) -> f64
}
at_every_level! {
    /// Squared Euclidean distance.
    squared_distance = squared_distance_body(a: &[f64], b: &[f64]) -> f64
}
at_every_level! {
    /// Sum of absolute differences.
    absolute_distance = absolute_distance_body(a: &[f64], b: &[f64]) -> f64
}
at_every_level! {
    /// Adds `factor` times `x` to `y`.
    axpy = axpy_body(factor: f64, x: &[f64], y: &mut [f64])
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn numbers(n: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
        (0..n).map(|_| rng.random::<f64>() - 0.5).collect()
    }

    /// At every width, also where nothing is a multiple of the lanes, and with the same bits as without vectors.
    #[test]
    fn loops_over_rows_are_loops_over_numbers() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for (n_rows, width) in [(0, 3), (1, 1), (4, 8), (5, 7), (9, 32), (11, 70), (34, 128)] {
            let (rows, x) = (numbers(n_rows * width, &mut rng), numbers(width, &mut rng));
            let row = |at: usize| &rows[at * width..(at + 1) * width];
            let picks: Vec<usize> = (0..n_rows).filter(|at| at % 3 != 1).collect();
            let (mut sums, mut portable) = (x.clone(), x.clone());
            sum_rows(&rows, &picks, &mut sums);
            sum_rows_body(&rows, &picks, &mut portable);
            assert_eq!(portable, sums);
            for (at, sum) in sums.iter().enumerate() {
                let expected = x[at] + picks.iter().map(|&pick| row(pick)[at]).sum::<f64>();
                assert!((sum - expected).abs() < 1e-13);
            }
            let (low, high) = extremes(&x);
            assert!(x.iter().all(|&v| low <= v && v <= high) && x.contains(&low) && x.contains(&high));
        }
    }

    #[test]
    fn outer_products_add_up() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        for k in [0, 1, 6, 33] {
            let vectors: Vec<Vec<f64>> = (0..8).map(|_| numbers(k, &mut rng)).collect();
            let [a, b, c, d, p, q, r, s] = [0, 1, 2, 3, 4, 5, 6, 7].map(|at: usize| vectors[at].as_slice());
            let before = numbers(k * k, &mut rng);
            let (mut two, mut four, mut portable) = (before.clone(), before.clone(), before.clone());
            add_outer_2(&mut two, [(a, p), (b, q)]);
            add_outer_4(&mut four, [(a, p), (b, q), (c, r), (d, s)]);
            add_outer_4_body(&mut portable, [(a, p), (b, q), (c, r), (d, s)]);
            assert_eq!(portable, four);
            for at in 0..k * k {
                let (i, j) = (at / k, at % k);
                let both = before[at] + a[i] * p[j] + b[i] * q[j];
                assert!((two[at] - both).abs() < 1e-14);
                assert!((four[at] - (both + c[i] * r[j] + d[i] * s[j])).abs() < 1e-14);
            }
        }
    }
}
