//! Tests the modes of columns and their evidence against integrals and independent formulas.

use super::ColumnWeights;
use crate::data::Inputs;
use crate::likelihood::probit::{Basis, ColumnFit, Columns, Mode};
use crate::numerics::cholesky::Cholesky;
use crate::numerics::normal::hazard;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

fn inputs(n: usize, m: usize, scale: f64, seed: u64) -> Inputs {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Inputs::new(n, m, (0..n * m).map(|_| scale * normal(&mut rng)).collect()).unwrap()
}

fn origin(basis: &Basis, n: usize) -> Vec<ColumnFit> {
    vec![ColumnFit { coefficients: vec![0.0; basis.rank()], stick: 0.0 }; n]
}

/// All columns of six objects in the plane, the error in nats. A bit costs several of them, and with more objects the
/// posterior is nearer to a normal one.
#[test]
fn laplace_is_close_to_the_integral() {
    let x = inputs(6, 2, 0.8, 3);
    let basis = Basis::new(&x).unwrap();
    let columns: Vec<Vec<u8>> =
        (1..64).map(|bits: usize| (0..6).map(|object| (bits >> object & 1) as u8).collect()).collect();
    let columns: Vec<&[u8]> = columns.iter().map(Vec::as_slice).collect();
    for (variance, largest, mean) in [(0.3, 0.06, 0.03), (3.0, 0.2, 0.1), (30.0, 0.4, 0.2)] {
        let exact = ColumnWeights::new(&x, variance);
        let problem = Columns { basis: &basis, variance, columns: &columns, threads: 1 };
        let evidence = problem.log_evidence(&problem.modes(&origin(&basis, 63), 1e-8));
        let errors: Vec<f64> =
            evidence.iter().zip(&columns).map(|(found, column)| (found - exact.log_weight(column)).abs()).collect();
        let (worst, average) = (errors.iter().fold(0.0, |a: f64, &b| a.max(b)), errors.iter().sum::<f64>() / 63.0);
        println!("variance {variance}: error of the log evidence at most {worst:.4}, {average:.4} on average");
        assert!(worst < largest && average < mean, "variance {variance}: {worst} {average}");
    }
}

/// The gradient of a column's log posterior, by the exact functions and loops over the original inputs.
fn gradient(x: &Inputs, variance: f64, column: &[u8], g: &[f64], t: f64) -> Vec<f64> {
    let mut slopes: Vec<f64> = g.iter().map(|g| -g / variance).collect();
    slopes.push(-t - hazard(t));
    for (row, &bit) in x.rows().zip(column) {
        let eta: f64 = row.iter().zip(g).map(|(x, g)| x * g).sum::<f64>() + t;
        let slope = if bit == 1 { hazard(eta) } else { -hazard(-eta) };
        row.iter().enumerate().for_each(|(i, x)| slopes[i] += slope * x);
        slopes[g.len()] += slope;
    }
    slopes
}

/// Separable columns, noisy ones, and as many inputs as objects: every climb ends at the mode, from anywhere.
#[test]
fn climbs_end_at_the_mode() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for (n, m, variance) in [(200, 5, 1000.0), (40, 40, 100.0), (41, 40, 1e4), (30, 60, 10.0), (300, 8, 0.1)] {
        let x = inputs(n, m, 1.0 / (m as f64).sqrt(), 4);
        let basis = Basis::new(&x).unwrap();
        let separable: Vec<u8> = x.rows().map(|row| u8::from(row[0] > 0.2)).collect();
        let noise: Vec<u8> = (0..n).map(|_| u8::from(rng.random::<bool>())).collect();
        let single: Vec<u8> = (0..n).map(|object| u8::from(object == 7)).collect();
        let columns: [&[u8]; 4] = [&separable, &noise, &single, &vec![1; n]];
        let problem = Columns { basis: &basis, variance, columns: &columns, threads: 2 };
        let modes = problem.modes(&origin(&basis, 4), 1e-6);
        let far = ColumnFit { coefficients: vec![3.0 * variance.sqrt(); basis.rank()], stick: -4.0 };
        let again = problem.modes(&vec![far; 4], 1e-6);
        for ((mode, again), column) in modes.iter().zip(&again).zip(columns) {
            assert!(mode.gradient <= 1e-6 && again.gradient <= 1e-6, "{n} {m}: {} {}", mode.gradient, again.gradient);
            let slopes = gradient(&x, variance, column, &basis.unrotate(&mode.fit.coefficients), mode.fit.stick);
            let norm = slopes.iter().map(|slope| slope * slope).sum::<f64>().sqrt();
            assert!(norm < 1e-4, "{n} {m}: gradient {norm}");
            let apart = mode.fit.coefficients.iter().zip(&again.fit.coefficients).map(|(a, b)| (a - b).abs());
            assert!(apart.fold(0.0, f64::max) < 1e-3 * variance.sqrt(), "{n} {m}: two modes");
        }
    }
}

/// The evidence of a column near its mode by the whole matrix of second derivatives.
fn evidence_by_matrix(basis: &Basis, variance: f64, column: &[u8], mode: &Mode) -> f64 {
    let (fit, rank) = (&mode.fit, basis.rank());
    let (size, mut heights) = (rank + 1, Vec::new());
    basis.heights(&fit.coefficients, &mut heights);
    let mut hessian = vec![0.0; size * size];
    for (object, (height, &bit)) in heights.iter().zip(column).enumerate() {
        let eta = if bit == 1 { height + fit.stick } else { -height - fit.stick };
        let weight = hazard(eta) * (hazard(eta) + eta);
        let row: Vec<f64> = basis.row(object).iter().copied().chain([1.0]).collect();
        (0..size).for_each(|i| (0..size).for_each(|j| hessian[i * size + j] += weight * row[i] * row[j]));
    }
    (0..rank).for_each(|i| hessian[i * size + i] += 1.0 / variance);
    let h = hazard(fit.stick);
    hessian[size * size - 1] += 1.0 - h * (fit.stick + h);
    let mut factor = Cholesky::default();
    factor.factor(size, &hessian, 0.0);
    let constant = 0.5 * ((2.0 * std::f64::consts::PI).ln() - rank as f64 * variance.ln());
    mode.log_density + constant - 0.5 * factor.log_determinant()
}

/// Many inputs: the determinant is estimated. Its error is small beside what a bit costs (½ ln of a determinant of
/// hundreds of rows), and smaller between draws: every second column is the one before it with one bit in fifty flipped.
/// Limits are one and a half times the worst of eight other seeds: 1.64 and 0.95 nats for 150 inputs, 5.23 and 3.22 for 300.
#[test]
fn estimated_determinants_are_close() {
    let (n, variance) = (900, 30.0);
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for (m, largest, between) in [(150, 2.5, 1.5), (300, 8.0, 5.0)] {
        let x = inputs(n, m, 1.0 / (m as f64).sqrt(), 5);
        let basis = Basis::new(&x).unwrap();
        let mut columns: Vec<Vec<u8>> = Vec::new();
        for at in 0..8 {
            let column: Vec<u8> = x.rows().map(|row| u8::from(row[at] + 0.05 * normal(&mut rng) > 0.02)).collect();
            let flipped = column.iter().map(|bit| bit ^ u8::from(rng.random::<f64>() < 0.02)).collect();
            columns.extend([column, flipped]);
        }
        let columns: Vec<&[u8]> = columns.iter().map(Vec::as_slice).collect();
        let problem = Columns { basis: &basis, variance, columns: &columns, threads: 1 };
        let modes = problem.modes(&origin(&basis, 16), 1e-3);
        let by_matrix = |at: usize| evidence_by_matrix(&basis, variance, columns[at], &modes[at]);
        let evidence = problem.log_evidence(&modes);
        let errors: Vec<f64> = evidence.iter().enumerate().map(|(at, found)| found - by_matrix(at)).collect();
        let worst = errors.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let apart = errors.chunks_exact(2).map(|pair| (pair[0] - pair[1]).abs()).fold(0.0, f64::max);
        println!("{m} inputs: error of the evidence at most {worst:.2} nats, between draws {apart:.2}");
        assert!(worst < largest && apart < between, "{m}: {errors:?}");
    }
}
