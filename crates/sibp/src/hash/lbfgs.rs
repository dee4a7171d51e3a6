//! Minimises many penalised logistic losses together, by preconditioned L-BFGS.

use super::LearnError;
use crate::{
    data::Inputs,
    numerics::linalg::{LargeCholesky, Mat, product},
    numerics::simd::dot,
};
use std::collections::VecDeque;

/// Pairs of steps and gradient changes that are remembered.
const MEMORY: usize = 10;
/// Largest number of halvings of an L-BFGS step.
const MAX_HALVINGS: usize = 40;
/// Share of the promised decrease a step must keep.
const SUFFICIENT: f64 = 1e-4;

/// Inputs brought to one scale, with a last column of ones, and the upper bound on all Hessians.
pub(super) struct Design {
    matrix: Mat<f64>,
    curvature: LargeCholesky,
    l2: f64,
}

impl Design {
    pub fn new(inputs: &Inputs, mean: &[f64], factors: &[f64], l2: f64) -> Result<Self, LearnError> {
        let (n, m) = (inputs.n_objects(), inputs.n_inputs());
        let entry = |i: usize, j: usize| if j == m { 1.0 } else { (inputs.row(i)[j] - mean[j]) * factors[j] };
        let matrix = Mat::from_fn(n, m + 1, entry);
        let mut bound = product(matrix.transpose(), matrix.as_ref(), 0.25);
        (0..m).for_each(|j| bound[(j, j)] += l2);
        Ok(Self { curvature: LargeCholesky::new(bound)?, matrix, l2 })
    }

    fn precondition(&self, vector: &[f64]) -> Vec<f64> {
        let mut column = Mat::from_fn(vector.len(), 1, |i, _| vector[i]);
        self.curvature.solve_in_place(&mut column);
        column.col(0).iter().copied().collect()
    }

    /// Half the penalty on the coefficients; the last entry is the intercept, which is free.
    fn penalty(&self, coefficients: &[f64]) -> f64 {
        let penalised = &coefficients[..coefficients.len() - 1];
        0.5 * self.l2 * dot(penalised, penalised)
    }
}

/// One remembered pair of L-BFGS: a step and its gradient change.
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    /// 1 / (step · change)
    rho: f64,
}

/// One regression that is being solved.
pub(super) struct Problem {
    targets: Vec<bool>,
    coefficients: Vec<f64>,
    margins: Vec<f64>,
    /// Probability minus target, at `margins`.
    residuals: Vec<f64>,
    loss: f64,
    gradient: Vec<f64>,
    step: Vec<f64>,
    pairs: VecDeque<Pair>,
    /// step · change / (change · preconditioned change) of the last pair: how far the bound is from the Hessian.
    scale: f64,
    finished: bool,
}

impl Problem {
    /// Starts at zero, or ends at once if all targets are the same (the free intercept would run away).
    pub fn new(design: &Design, targets: Vec<bool>) -> Self {
        let (n, p) = (design.matrix.nrows(), design.matrix.ncols());
        let n_true = targets.iter().filter(|t| **t).count();
        let constant = n_true == 0 || n_true == n;
        let mut coefficients = vec![0.0; p];
        if constant {
            coefficients[p - 1] = if n_true == 0 { -1.0 } else { 1.0 };
        }
        let mut problem = Self {
            targets,
            coefficients,
            margins: vec![0.0; n],
            residuals: vec![0.0; n],
            loss: 0.0,
            gradient: Vec::new(),
            step: Vec::new(),
            pairs: VecDeque::new(),
            scale: 1.0,
            finished: constant,
        };
        let margins = problem.margins.clone();
        problem.loss = losses(&margins, &problem.targets, &mut problem.residuals);
        problem
    }

    /// Coefficients and intercept.
    pub fn solution(&self) -> (&[f64], f64) {
        let p = self.coefficients.len();
        (&self.coefficients[..p - 1], self.coefficients[p - 1])
    }

    /// Whether the gradient became small enough.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Takes the gradient of the loss at the new point, adds the penalty's and remembers the pair.
    fn receive(&mut self, design: &Design, loss_gradient: impl Iterator<Item = f64>, tolerance: f64) {
        let mut gradient: Vec<f64> = loss_gradient.collect();
        let last = gradient.len() - 1;
        gradient[..last].iter_mut().zip(&self.coefficients).for_each(|(g, c)| *g += design.l2 * c);
        self.finished = gradient.iter().all(|g| g.abs() <= tolerance);
        if !self.step.is_empty() {
            let change: Vec<f64> = gradient.iter().zip(&self.gradient).map(|(new, old)| new - old).collect();
            let along = dot(&self.step, &change);
            // The loss is strictly convex, so this is positive up to rounding.
            if along > 0.0 {
                self.scale = along / dot(&change, &design.precondition(&change));
                if self.pairs.len() == MEMORY {
                    self.pairs.pop_front();
                }
                self.pairs.push_back(Pair { step: std::mem::take(&mut self.step), change, rho: 1.0 / along });
            }
        }
        self.gradient = gradient;
    }

    /// The two-loop recursion: minus the approximate inverse Hessian times the gradient.
    fn direction(&self, design: &Design) -> Vec<f64> {
        let mut q = self.gradient.clone();
        let mut shares = Vec::with_capacity(self.pairs.len());
        for pair in self.pairs.iter().rev() {
            let share = pair.rho * dot(&pair.step, &q);
            add_scaled(&mut q, -share, &pair.change);
            shares.push(share);
        }
        let mut direction = design.precondition(&q);
        direction.iter_mut().for_each(|d| *d *= self.scale);
        for (pair, share) in self.pairs.iter().zip(shares.iter().rev()) {
            let back = pair.rho * dot(&pair.change, &direction);
            add_scaled(&mut direction, share - back, &pair.step);
        }
        direction.iter_mut().for_each(|d| *d = -*d);
        direction
    }

    /// Moves along `direction`, whose margins are `ahead`, by the first of 1, 1/2, 1/4, ... that is good enough.
    ///
    /// Returns whether it moved; it cannot when rounding hides all progress.
    fn advance(&mut self, design: &Design, direction: &[f64], ahead: &[f64]) -> bool {
        let slope = dot(&self.gradient, direction);
        let before = self.loss + design.penalty(&self.coefficients);
        let mut size = 1.0;
        for _ in 0..MAX_HALVINGS {
            let coefficients: Vec<f64> = self.coefficients.iter().zip(direction).map(|(c, d)| c + size * d).collect();
            let margins: Vec<f64> = self.margins.iter().zip(ahead).map(|(m, a)| m + size * a).collect();
            let loss = losses(&margins, &self.targets, &mut self.residuals);
            let after = loss + design.penalty(&coefficients);
            if after <= before + SUFFICIENT * size * slope + 1e-13 * before {
                self.step = direction.iter().map(|d| size * d).collect();
                (self.coefficients, self.margins, self.loss) = (coefficients, margins, loss);
                return true;
            }
            size *= 0.5;
        }
        false
    }
}

/// Advances all problems together until each is finished, stuck or out of rounds.
pub(super) fn solve(design: &Design, problems: &mut [Problem], max_rounds: usize, tolerance: f64) {
    let n = design.matrix.nrows();
    let mut active: Vec<&mut Problem> = problems.iter_mut().filter(|p| !p.finished).collect();
    for _ in 0..max_rounds {
        let residuals = Mat::from_fn(n, active.len(), |i, j| active[j].residuals[i]);
        let gradients = product(design.matrix.transpose(), residuals.as_ref(), 1.0);
        for (problem, gradient) in active.iter_mut().zip(gradients.col_iter()) {
            problem.receive(design, gradient.iter().copied(), tolerance);
        }
        active.retain(|problem| !problem.finished);
        if active.is_empty() {
            return;
        }
        let directions: Vec<Vec<f64>> = active.iter().map(|problem| problem.direction(design)).collect();
        let directions = Mat::from_fn(directions[0].len(), active.len(), |i, j| directions[j][i]);
        let ahead = product(design.matrix.as_ref(), directions.as_ref(), 1.0);
        let mut column = 0;
        active.retain_mut(|problem| {
            let (direction, ahead) = (column_of(&directions, column), column_of(&ahead, column));
            column += 1;
            problem.advance(design, &direction, &ahead)
        });
    }
}

fn column_of(matrix: &Mat<f64>, column: usize) -> Vec<f64> {
    matrix.col(column).iter().copied().collect()
}

fn add_scaled(to: &mut [f64], scale: f64, vector: &[f64]) {
    to.iter_mut().zip(vector).for_each(|(t, v)| *t += scale * v);
}

/// Summed logistic loss; writes probability minus target for every object.
fn losses(margins: &[f64], targets: &[bool], residuals: &mut [f64]) -> f64 {
    const CHUNK: usize = 256;
    let mut total = 0.0;
    let chunks = margins.chunks(CHUNK).zip(targets.chunks(CHUNK)).zip(residuals.chunks_mut(CHUNK));
    for ((margins, targets), residuals) in chunks {
        // One logarithm for a chunk: each factor is at most 2, so the product is at most 2^256.
        let (mut factors, mut linear) = (1.0, 0.0);
        for ((&margin, &target), residual) in margins.iter().zip(targets).zip(residuals) {
            let small = (-margin.abs()).exp();
            let probability = if margin >= 0.0 { 1.0 } else { small } / (1.0 + small);
            *residual = probability - f64::from(u8::from(target));
            factors *= 1.0 + small;
            linear += if target { (-margin).max(0.0) } else { margin.max(0.0) };
        }
        total += linear + f64::ln(factors);
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_equal_the_plain_formula_and_stay_finite() {
        let margins: Vec<f64> = (-400..400).map(|at| f64::from(at) / 20.0).chain([800.0, -800.0]).collect();
        let targets: Vec<bool> = (0..margins.len()).map(|at| at % 3 == 0).collect();
        let mut residuals = vec![0.0; margins.len()];
        let total = losses(&margins, &targets, &mut residuals);
        let plain = |(m, t): (&f64, &bool)| if *t { (-m).max(0.0) } else { m.max(0.0) } + (-m.abs()).exp().ln_1p();
        let expected: f64 = margins.iter().zip(&targets).map(plain).sum();
        assert!((total / expected - 1.0).abs() < 1e-13, "{total} {expected}");
        assert_eq!(residuals[800], if targets[800] { 0.0 } else { 1.0 });
    }
}
