//! Factors small symmetric positive-definite matrices; a hand loop beats a library call at tens of rows.

use super::simd::{axpy, dot};

/// Lower-triangular factor of a matrix A = L Lᵀ, in row order.
#[derive(Debug, Clone, Default)]
pub struct Cholesky {
    size: usize,
    lower: Vec<f64>,
}

impl Cholesky {
    /// Factors the `size` x `size` matrix `a` (row order, lower triangle read) with `ridge` added to its diagonal.
    ///
    /// # Panics
    /// When the matrix is not positive definite: every caller adds a positive ridge to a Gram matrix.
    pub fn factor(&mut self, size: usize, a: &[f64], ridge: f64) {
        self.size = size;
        self.lower.clear();
        self.lower.resize(size * size, 0.0);
        for i in 0..size {
            let (done, rest) = self.lower.split_at_mut(i * size);
            let row = &mut rest[..size];
            for j in 0..i {
                let above = &done[j * size..j * size + size];
                row[j] = (a[i * size + j] - dot(&row[..j], &above[..j])) / above[j];
            }
            let pivot = a[i * size + i] + ridge - dot(&row[..i], &row[..i]);
            assert!(pivot > 0.0, "pivot {i} of a Gram matrix plus ridge {ridge} is {pivot}");
            row[i] = pivot.sqrt();
        }
    }

    /// Natural logarithm of the determinant of A.
    pub fn log_determinant(&self) -> f64 {
        (0..self.size).map(|i| 2.0 * self.lower[i * self.size + i].ln()).sum()
    }

    /// Replaces the rows of `b` (`size` x `width`) by L⁻¹ b.
    pub fn solve_lower(&self, b: &mut [f64], width: usize) {
        for i in 0..self.size {
            let (done, rest) = b.split_at_mut(i * width);
            let row = &mut rest[..width];
            for j in 0..i {
                axpy(-self.lower[i * self.size + j], &done[j * width..(j + 1) * width], row);
            }
            scale(1.0 / self.lower[i * self.size + i], row);
        }
    }

    /// Replaces the rows of `b` (`size` x `width`) by L⁻ᵀ b.
    pub fn solve_upper(&self, b: &mut [f64], width: usize) {
        for i in (0..self.size).rev() {
            let (head, done) = b.split_at_mut((i + 1) * width);
            let row = &mut head[i * width..];
            for j in i + 1..self.size {
                let below = &done[(j - i - 1) * width..(j - i) * width];
                axpy(-self.lower[j * self.size + i], below, row);
            }
            scale(1.0 / self.lower[i * self.size + i], row);
        }
    }

    /// Replaces the rows of `b` by A⁻¹ b.
    pub fn solve(&self, b: &mut [f64], width: usize) {
        self.solve_lower(b, width);
        self.solve_upper(b, width);
    }

    /// Replaces one vector b by L⁻¹ b: a row of L at a time, many times quicker than rows of `b` that are single numbers.
    pub fn solve_one_lower(&self, b: &mut [f64]) {
        for (i, row) in self.lower.chunks_exact(self.size.max(1)).enumerate() {
            b[i] = (b[i] - dot(&row[..i], &b[..i])) / row[i];
        }
    }

    /// Replaces one vector b by L⁻ᵀ b.
    pub fn solve_one_upper(&self, b: &mut [f64]) {
        for (i, row) in self.lower.chunks_exact(self.size.max(1)).enumerate().rev() {
            let (before, rest) = b.split_at_mut(i);
            rest[0] /= row[i];
            axpy(-rest[0], &row[..i], before);
        }
    }

    /// Replaces one vector b by A⁻¹ b.
    pub fn solve_one(&self, b: &mut [f64]) {
        self.solve_one_lower(b);
        self.solve_one_upper(b);
    }

    /// vᵀ A v.
    pub fn quadratic_form(&self, v: &[f64]) -> f64 {
        let column = |j: usize| -> f64 { (j..self.size).map(|i| self.lower[i * self.size + j] * v[i]).sum() };
        (0..self.size).map(|j| column(j).powi(2)).sum()
    }

    /// A⁻¹ in row order.
    pub fn inverse(&self) -> Vec<f64> {
        let mut inverse = vec![0.0; self.size * self.size];
        for i in 0..self.size {
            inverse[i * self.size + i] = 1.0;
        }
        self.solve(&mut inverse, self.size);
        inverse
    }
}

fn scale(factor: f64, row: &mut [f64]) {
    for value in row {
        *value *= factor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_and_determinant_of_a_known_matrix() {
        let a = [4.0, 2.0, 0.6, 2.0, 5.0, 1.0, 0.6, 1.0, 3.0];
        let mut factor = Cholesky::default();
        factor.factor(3, &a, 0.5);
        let inverse = factor.inverse();
        let ridged = |i: usize, j: usize| a[3 * i + j] + if i == j { 0.5 } else { 0.0 };
        for i in 0..3 {
            for j in 0..3 {
                let product: f64 = (0..3).map(|l| ridged(i, l) * inverse[3 * l + j]).sum();
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-14);
            }
        }
        let (b, mut solved) = ([1.0, -2.0, 0.5], [1.0, -2.0, 0.5]);
        factor.solve_one(&mut solved);
        assert!((0..3).all(|i| (dot(&inverse[3 * i..3 * i + 3], &b) - solved[i]).abs() < 1e-14));
        let determinant = 4.5 * (5.5 * 3.5 - 1.0) - 2.0 * (2.0 * 3.5 - 0.6) + 0.6 * (2.0 - 5.5 * 0.6);
        assert!((factor.log_determinant() - f64::ln(determinant)).abs() < 1e-13);
    }
}
