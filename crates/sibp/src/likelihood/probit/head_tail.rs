//! Approximates the curvature of a column's log posterior: dense along the leading axes and the stick, diagonal along the
//! other axes.
//!
//! Without weights the curvature is diagonal on the axes. Weights differ most along the leading axes, which separate
//! objects best; along the others they are nearly unrelated to the inputs but for the norms of objects. Where all axes are
//! leading ones it is exact.

use super::Basis;
use crate::fault::{Fault, planted};
use crate::numerics::cholesky::Cholesky;
use crate::numerics::linalg::{Float, add_lower_gram, view};
use crate::numerics::simd::dot;
use crate::parallel::parts;
use std::borrow::Cow;
use std::ops::Range;

/// Σ w (x, 1)(x, 1)ᵀ plus a diagonal, factored.
#[derive(Debug)]
pub(super) struct HeadTail {
    /// Axes of the head; the stick follows them in its factor.
    n_head: usize,
    factor: Cholesky,
    /// Diagonal along the other axes.
    tail: Vec<f64>,
}

impl HeadTail {
    /// The curvature for these weights of objects, prior precision of the coefficients and curvature of the stick's prior.
    pub fn new(basis: &Basis, weights: &[f64], precision: f64, stick: f64) -> Self {
        let rows = |objects: Range<usize>| basis.rows_of(objects);
        Self::of_gram(basis, weights, precision, stick, head_gram(basis, weights, rows))
    }

    /// Something near it that takes less time where not all axes are leading ones: sums are in single precision.
    pub fn rough(basis: &Basis, weights: &[f64], precision: f64, stick: f64) -> Self {
        if !basis.is_wide() {
            return Self::new(basis, weights, precision, stick);
        }
        let (singles, rank) = (basis.singles(), basis.rank());
        let rows = |objects: Range<usize>| Cow::Borrowed(&singles[objects.start * rank..objects.end * rank]);
        Self::of_gram(basis, weights, precision, stick, head_gram(basis, weights, rows))
    }

    fn of_gram(basis: &Basis, weights: &[f64], precision: f64, stick: f64, mut gram: Vec<f64>) -> Self {
        let n_head = basis.head();
        let size = n_head + 1;
        (0..n_head).for_each(|i| gram[i * size + i] += precision);
        gram[size * size - 1] += stick;
        let mut factor = Cholesky::default();
        factor.factor(size, &gram, 1e-9);
        let mean = mean_weight(weights, basis.tail_norms());
        let tail = basis.squares()[n_head..].iter().map(|square| mean * square + precision).collect();
        Self { n_head, factor, tail }
    }

    /// Whether it is exact.
    pub fn is_exact(&self) -> bool {
        self.tail.is_empty()
    }

    /// The diagonal along the axes that are not leading ones.
    pub fn tail(&self) -> &[f64] {
        &self.tail
    }

    /// Of two vectors (g, t), the product along those axes.
    pub fn tail_product(&self, a: &[f64], b: &[f64]) -> f64 {
        let axes = self.n_head..self.n_head + self.tail.len();
        dot(&a[axes.clone()], &b[axes])
    }

    /// ln det.
    pub fn log_determinant(&self) -> f64 {
        self.factor.log_determinant() + self.tail.iter().map(|d| d.ln()).sum::<f64>()
    }

    /// vᵀ A v.
    pub fn quadratic_form(&self, vector: &[f64]) -> f64 {
        let (head, tail) = self.split(vector);
        if planted(Fault::TailForgotten) {
            return self.factor.quadratic_form(&head);
        }
        self.factor.quadratic_form(&head) + self.tail.iter().zip(tail).map(|(d, v)| d * v * v).sum::<f64>()
    }

    /// Replaces v by A⁻¹ v.
    pub fn solve(&self, vector: &mut [f64]) {
        self.change(vector, |head| self.factor.solve_one(head), |v, d| v / d);
    }

    /// A⁻¹ v.
    pub fn solved(&self, vector: &[f64]) -> Vec<f64> {
        let mut solution = vector.to_vec();
        self.solve(&mut solution);
        solution
    }

    /// Replaces v by L⁻¹ v, where A = LLᵀ.
    pub fn solve_lower(&self, vector: &mut [f64]) {
        self.change(vector, |head| self.factor.solve_one_lower(head), |v, d| v / d.sqrt());
    }

    /// Replaces v by L⁻ᵀ v.
    pub fn solve_upper(&self, vector: &mut [f64]) {
        self.change(vector, |head| self.factor.solve_one_upper(head), |v, d| v / d.sqrt());
    }

    fn change(&self, vector: &mut [f64], of_head: impl Fn(&mut [f64]), of_tail: impl Fn(f64, f64) -> f64) {
        let (mut head, _) = self.split(vector);
        of_head(&mut head);
        let last = vector.len() - 1;
        vector[..self.n_head].copy_from_slice(&head[..self.n_head]);
        vector[last] = head[self.n_head];
        vector[self.n_head..last].iter_mut().zip(&self.tail).for_each(|(v, &d)| *v = of_tail(*v, d));
    }

    /// The coordinates of the head with the stick, and the others.
    fn split<'a>(&self, vector: &'a [f64]) -> (Vec<f64>, &'a [f64]) {
        let last = vector.len() - 1;
        let mut head = vector[..self.n_head].to_vec();
        head.push(vector[last]);
        (head, &vector[self.n_head..last])
    }
}

/// The lower triangle of Σ w (x, 1)(x, 1)ᵀ along the head and the stick, from these rows.
fn head_gram<'a, T: Float + 'a>(
    basis: &Basis,
    weights: &[f64],
    rows: impl Fn(Range<usize>) -> Cow<'a, [T]>,
) -> Vec<f64> {
    let size = basis.head() + 1;
    let mut total = vec![0.0; size * size];
    for objects in parts(basis.n_objects()) {
        let mut head: Vec<T> = Vec::with_capacity(objects.len() * size);
        for (row, &weight) in rows(objects.clone()).chunks_exact(basis.rank().max(1)).zip(&weights[objects]) {
            let root = T::from_f64(weight.sqrt());
            head.extend(row[..size - 1].iter().map(|&x| root * x));
            head.push(root);
        }
        add_lower_gram(view(&head, head.len() / size, size), &mut total);
    }
    total
}

/// The mean weight of objects, each counted as often as its norm says; it takes the place of their own weights.
fn mean_weight(weights: &[f64], norms: &[f64]) -> f64 {
    let total: f64 = norms.iter().sum();
    if total > 0.0 { dot(weights, norms) / total } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Inputs;
    use crate::likelihood::probit::Limits;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// All answers are those of the matrix whose entries outside of head and diagonal are 0.
    #[test]
    fn answers_are_those_of_the_matrix_that_it_stands_for() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        for (m, head) in [(3, 128), (20, 8)] {
            let n = 2 * m;
            let inputs = Inputs::new(n, m, (0..n * m).map(|_| rng.random::<f64>() - 0.4).collect()).unwrap();
            let basis = Basis::within(&inputs, Limits { head, ..Limits::STANDARD }).unwrap();
            let weights: Vec<f64> = (0..n).map(|_| rng.random()).collect();
            let curve = HeadTail::new(&basis, &weights, 0.3, 0.2);
            assert_eq!(curve.is_exact(), m <= head);
            let tail_norm = |object: usize| basis.row(object)[m.min(head)..].iter().map(|x| x * x).sum::<f64>();
            let total: f64 = (0..n).map(tail_norm).sum();
            let mean = (0..n).map(|object| weights[object] * tail_norm(object)).sum::<f64>() / total;
            let in_head = |i: usize| i < m.min(head) || i == m;
            let coordinate = |object: usize, i: usize| if i == m { 1.0 } else { basis.row(object)[i] };
            let entry = |i: usize, j: usize| {
                if i != j && !(in_head(i) && in_head(j)) {
                    return 0.0;
                }
                let prior = if i != j {
                    0.0
                } else if i == m {
                    0.2
                } else {
                    0.3
                };
                if !in_head(i) {
                    return prior + mean * basis.squares()[i];
                }
                prior + (0..n).map(|o| weights[o] * coordinate(o, i) * coordinate(o, j)).sum::<f64>()
            };
            let matrix: Vec<f64> =
                (0..=m).flat_map(|i| (0..=m).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).collect();
            let times = |v: &[f64]| -> Vec<f64> { matrix.chunks_exact(m + 1).map(|row| dot(row, v)).collect() };
            let vector: Vec<f64> = (0..=m).map(|_| rng.random::<f64>() - 0.5).collect();
            let close = |a: f64, b: f64| (a - b).abs() < 1e-6 * (1.0 + a.abs());
            assert!(close(curve.quadratic_form(&vector), dot(&vector, &times(&vector))));
            let mut solved = vector.clone();
            curve.solve(&mut solved);
            assert!(times(&solved).iter().zip(&vector).all(|(a, b)| close(*a, *b)));
            let mut halves = vector.clone();
            curve.solve_lower(&mut halves);
            curve.solve_upper(&mut halves);
            assert!(halves.iter().zip(&solved).all(|(a, b)| close(*a, *b)));
            let mut whole = Cholesky::default();
            whole.factor(m + 1, &matrix, 1e-9);
            assert!(close(curve.log_determinant(), whole.log_determinant()));
        }
    }
}
