//! Maintains ZᵀZ and ZᵀX, the sufficient statistics of the linear Gaussian model.

use super::Variances;
use crate::bits::BitMatrix;
use crate::data::Inputs;
use crate::numerics::cholesky::Cholesky;
use crate::numerics::simd::{axpy, dot, sum_rows};

/// Objects whose inputs are summed at a time, so that they stay in cache for all bits. Their bits fill a word.
const OBJECTS_AT_ONCE: usize = u128::BITS as usize;

/// ZᵀZ (`n_bits` squared) and ZᵀX (`n_bits` x `n_inputs`), both in row order.
#[derive(Debug, Clone, Default)]
pub struct Moments {
    n_bits: usize,
    n_inputs: usize,
    overlap: Vec<f64>,
    total: Vec<f64>,
}

impl Moments {
    /// Computes the sums over all objects from scratch.
    pub fn rebuild(&mut self, data: &Inputs, bits: &BitMatrix) {
        self.n_bits = bits.n_bits();
        self.n_inputs = data.n_inputs();
        self.overlap.clear();
        self.overlap.resize(self.n_bits * self.n_bits, 0.0);
        self.total.clear();
        self.total.resize(self.n_bits * self.n_inputs, 0.0);
        let mut owners: Vec<Vec<usize>> = vec![Vec::new(); self.n_bits];
        let mut columns = vec![0u128; self.n_bits];
        for first in (0..data.n_objects()).step_by(OBJECTS_AT_ONCE) {
            let last = (first + OBJECTS_AT_ONCE).min(data.n_objects());
            owners.iter_mut().for_each(Vec::clear);
            columns.fill(0);
            for object_ix in first..last {
                for k in bits.ones(object_ix) {
                    owners[k].push(object_ix - first);
                    columns[k] |= 1 << (object_ix - first);
                }
            }
            self.add_overlap(&columns);
            let rows = data.block(first..last);
            for (owners, total) in owners.iter().zip(self.total.chunks_exact_mut(self.n_inputs.max(1))) {
                sum_rows(&rows, owners, total);
            }
        }
    }

    /// Adds what some objects share, a bit each in the columns of all bits.
    fn add_overlap(&mut self, columns: &[u128]) {
        for (k, of_one) in columns.iter().enumerate() {
            let row = &mut self.overlap[k * self.n_bits..(k + 1) * self.n_bits];
            for (sum, of_other) in row.iter_mut().zip(columns) {
                *sum += f64::from((of_one & of_other).count_ones());
            }
        }
    }

    /// Number of bits.
    pub fn n_bits(&self) -> usize {
        self.n_bits
    }

    /// Number of inputs.
    pub fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    /// ZᵀZ.
    pub fn overlap(&self) -> &[f64] {
        &self.overlap
    }

    /// ZᵀX.
    pub fn total(&self) -> &[f64] {
        &self.total
    }

    /// Adds `sign` times object `object_ix`'s part to bit `bit_ix`; `owned` are its other bits.
    pub fn change_bit(&mut self, bit_ix: usize, sign: f64, inputs: &[f64], owned: impl Iterator<Item = usize>) {
        let k = self.n_bits;
        for other in owned.filter(|&other| other != bit_ix) {
            self.overlap[bit_ix * k + other] += sign;
            self.overlap[other * k + bit_ix] += sign;
        }
        self.overlap[bit_ix * k + bit_ix] += sign;
        axpy(sign, inputs, &mut self.total[bit_ix * self.n_inputs..(bit_ix + 1) * self.n_inputs]);
    }

    /// Exchanges owners and non-owners of a bit, given the sum of every input over all `n_objects` objects.
    pub fn complement(&mut self, bit_ix: usize, n_objects: usize, column_sums: &[f64]) {
        let (k, m) = (self.n_bits, self.n_inputs);
        for other in (0..k).filter(|&other| other != bit_ix) {
            let shared = self.overlap[other * k + other] - self.overlap[bit_ix * k + other];
            self.overlap[bit_ix * k + other] = shared;
            self.overlap[other * k + bit_ix] = shared;
        }
        let own = &mut self.overlap[bit_ix * k + bit_ix];
        *own = n_objects as f64 - *own;
        for (total, sum) in self.total[bit_ix * m..(bit_ix + 1) * m].iter_mut().zip(column_sums) {
            *total = sum - *total;
        }
    }

    /// Replaces the columns that only one object owns: `gone` are removed (each number valid after the ones before it
    /// were removed), `n_new` are appended; `owned` are the object's bits afterwards.
    pub fn replace_singletons(&mut self, gone: &[usize], n_new: usize, inputs: &[f64], owned: &[usize]) {
        gone.iter().for_each(|&bit_ix| self.swap_remove(bit_ix));
        for _ in 0..n_new {
            self.push_empty();
            let new = self.n_bits - 1;
            self.change_bit(new, 1.0, inputs, owned.iter().copied().filter(|&other| other < new));
        }
    }

    /// Appends a bit that nobody owns.
    pub fn push_empty(&mut self) {
        let old = self.n_bits;
        let mut overlap = vec![0.0; (old + 1) * (old + 1)];
        for k in 0..old {
            overlap[k * (old + 1)..k * (old + 1) + old].copy_from_slice(&self.overlap[k * old..(k + 1) * old]);
        }
        self.overlap = overlap;
        self.total.resize((old + 1) * self.n_inputs, 0.0);
        self.n_bits = old + 1;
    }

    /// Appends a bit with these owners, ascending; `bits` is the matrix that the moments belong to.
    pub fn push_column(&mut self, data: &Inputs, bits: &BitMatrix, owners: &[u32]) {
        self.push_empty();
        let (k, m) = (self.n_bits, self.n_inputs);
        let new = k - 1;
        let mut shared = vec![0u32; new];
        for &owner in owners {
            bits.ones(owner as usize).for_each(|other| shared[other] += 1);
        }
        for (other, &shared) in shared.iter().enumerate() {
            self.overlap[new * k + other] = f64::from(shared);
            self.overlap[other * k + new] = f64::from(shared);
        }
        self.overlap[new * k + new] = owners.len() as f64;
        let mut picks = Vec::with_capacity(OBJECTS_AT_ONCE);
        for some in owners.chunks(OBJECTS_AT_ONCE) {
            picks.clear();
            picks.extend(some.iter().map(|&owner| owner as usize));
            sum_rows(&data.values(), &picks, &mut self.total[new * m..]);
        }
    }

    /// Removes a bit; the last one takes its place.
    pub fn swap_remove(&mut self, bit_ix: usize) {
        let old = self.n_bits;
        let last = old - 1;
        let from = |k: usize| if k == bit_ix { last } else { k };
        let overlap = (0..last).flat_map(|k| (0..last).map(move |l| (k, l)));
        self.overlap = overlap.map(|(k, l)| self.overlap[from(k) * old + from(l)]).collect();
        let m = self.n_inputs;
        self.total.copy_within(last * m..old * m, bit_ix * m);
        self.total.truncate(last * m);
        self.n_bits = last;
    }

    /// Log p(X|Z) with V integrated out (Griffiths & Ghahramani 2005), given tr XᵀX.
    pub fn log_marginal(&self, n_objects: usize, square_norm: f64, variances: Variances, work: &mut Work) -> f64 {
        let (n, k, m) = (n_objects as f64, self.n_bits as f64, self.n_inputs as f64);
        work.factor.factor(self.n_bits, &self.overlap, variances.ridge());
        work.solved.clear();
        work.solved.extend_from_slice(&self.total);
        work.factor.solve_lower(&mut work.solved, self.n_inputs);
        let explained = dot(&work.solved, &work.solved);
        -0.5 * n * m * (2.0 * std::f64::consts::PI).ln()
            - 0.5 * (n - k) * m * variances.noise.ln()
            - 0.5 * k * m * variances.image.ln()
            - 0.5 * m * work.factor.log_determinant()
            - 0.5 * (square_norm - explained) / variances.noise
    }
}

/// Scratch buffers of [`Moments::log_marginal`].
#[derive(Debug, Clone, Default)]
pub struct Work {
    factor: Cholesky,
    solved: Vec<f64>,
}
