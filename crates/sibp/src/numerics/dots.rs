//! Multiplies all rows of a matrix with one vector or with four; each product equals that of a single row, bit for
//! bit.

use super::simd::{LANES, at_every_level, dot_body, sum_lanes};
use super::vector::{Chunk, Vector, by_vectors};

/// Rows that are multiplied at a time.
const ROWS: usize = 4;

#[inline(always)]
fn dots_body(rows: &[f64], x: &[f64], products: &mut [f64]) {
    let width = x.len();
    let n_fours = products.len() / ROWS;
    let (fours, rest) = products.split_at_mut(n_fours * ROWS);
    for (at, products) in fours.chunks_exact_mut(ROWS).enumerate() {
        let row = |which: usize| &rows[(at * ROWS + which) * width..][..width];
        let mut lanes = [[0.0; LANES]; ROWS];
        let parts = |which: usize| row(which).chunks_exact(LANES);
        let four = parts(0).zip(parts(1)).zip(parts(2).zip(parts(3)));
        for (x, ((a, b), (c, d))) in x.chunks_exact(LANES).zip(four) {
            for lane in 0..LANES {
                lanes[0][lane] += a[lane] * x[lane];
                lanes[1][lane] += b[lane] * x[lane];
                lanes[2][lane] += c[lane] * x[lane];
                lanes[3][lane] += d[lane] * x[lane];
            }
        }
        let split = width - width % LANES;
        for which in 0..ROWS {
            for (lane, (a, b)) in row(which)[split..].iter().zip(&x[split..]).enumerate() {
                lanes[which][lane] += a * b;
            }
            products[which] = sum_lanes(lanes[which]);
        }
    }
    for (at, product) in rest.iter_mut().enumerate() {
        *product = dot_body(&rows[(n_fours * ROWS + at) * width..][..width], x);
    }
}

/// Vectors that share a pass over the rows.
pub const VECTORS: usize = 4;
/// Rows that are multiplied with all of them at a time.
const PAIR: usize = 2;

#[inline(always)]
fn dots_of_four_body<V: Vector>(rows: &[f64], xs: [&[f64]; VECTORS], products: &mut [f64]) {
    let (width, n_rows) = (xs[0].len(), products.len() / VECTORS);
    let n_pairs = n_rows / PAIR;
    for pair in 0..n_pairs {
        let first = pair * PAIR;
        let sums = block::<V>([&rows[first * width..][..width], &rows[(first + 1) * width..][..width]], xs);
        for which in 0..PAIR {
            for vector in 0..VECTORS {
                products[vector * n_rows + first + which] = sums[which][vector];
            }
        }
    }
    for at in n_pairs * PAIR..n_rows {
        for vector in 0..VECTORS {
            products[vector * n_rows + at] = dot_body(&rows[at * width..][..width], xs[vector]);
        }
    }
}

#[inline(always)]
fn parts(values: &[f64], width: usize) -> &[Chunk<f64>] {
    values[..width].as_chunks().0
}

#[inline(always)]
fn block<V: Vector>(rows: [&[f64]; PAIR], xs: [&[f64]; VECTORS]) -> [[f64; VECTORS]; PAIR] {
    let width = rows[0].len();
    let [a, b] = [parts(rows[0], width), parts(rows[1], width)];
    let [p, q, r, s] = [parts(xs[0], width), parts(xs[1], width), parts(xs[2], width), parts(xs[3], width)];
    let mut lanes = [[V::splat(0.0); VECTORS]; PAIR];
    for at in 0..width / LANES {
        let (rows, xs) = ([&a[at], &b[at]], [&p[at], &q[at], &r[at], &s[at]]);
        for vector in 0..VECTORS {
            let x = V::load(xs[vector]);
            for which in 0..PAIR {
                lanes[which][vector] = V::add(lanes[which][vector], V::multiply(V::load(rows[which]), x));
            }
        }
    }
    let split = width - width % LANES;
    let mut sums = [[0.0; VECTORS]; PAIR];
    for which in 0..PAIR {
        for vector in 0..VECTORS {
            let mut values = [0.0; LANES];
            V::store(lanes[which][vector], &mut values);
            for (lane, (a, x)) in rows[which][split..].iter().zip(&xs[vector][split..]).enumerate() {
                values[lane] += a * x;
            }
            sums[which][vector] = sum_lanes(values);
        }
    }
    sums
}

at_every_level! {
    /// Products of every row of a matrix in row order with `x`; each the same as [`super::simd::dot`].
    dots = dots_body(rows: &[f64], x: &[f64], products: &mut [f64])
}
by_vectors! {
    /// Products of every row of a matrix in row order with four vectors: those with the first, then with the others;
    /// each the same as [`super::simd::dot`].
    dots_of_four, dots_of_four_at = dots_of_four_body(rows: &[f64], xs: [&[f64]; VECTORS], products: &mut [f64])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::level::Level;
    use crate::numerics::simd::dot;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// At every width, also where nothing is a multiple of the lanes, and with the same bits as without vectors.
    #[test]
    fn products_are_those_of_single_rows() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for (n_rows, width) in [(0, 3), (1, 1), (4, 8), (5, 7), (9, 32), (11, 70), (34, 128)] {
            let mut numbers = |n: usize| (0..n).map(|_| rng.random::<f64>() - 0.5).collect::<Vec<_>>();
            let (rows, x) = (numbers(n_rows * width), numbers(VECTORS * width));
            let xs: [&[f64]; VECTORS] = std::array::from_fn(|at| &x[at * width..(at + 1) * width]);
            let row = |at: usize| &rows[at * width..(at + 1) * width];
            let (mut products, mut portable) = (vec![0.0; n_rows], vec![0.0; n_rows]);
            dots(&rows, xs[0], &mut products);
            dots_body(&rows, xs[0], &mut portable);
            assert_eq!(portable, products);
            assert!((0..n_rows).all(|at| products[at] == dot(row(at), xs[0])));

            let expected: Vec<f64> = xs.iter().flat_map(|x| (0..n_rows).map(|at| dot(row(at), x))).collect();
            for level in Level::available() {
                let mut products = vec![0.0; VECTORS * n_rows];
                dots_of_four_at(level, &rows, xs, &mut products);
                assert_eq!(products, expected);
            }
        }
    }
}
