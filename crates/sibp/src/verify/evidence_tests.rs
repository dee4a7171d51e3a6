//! Tests the modes of columns and their evidence against integrals and independent formulas.

use super::ColumnWeights;
use crate::data::Inputs;
use crate::likelihood::probit::{Basis, ColumnFit, Columns};
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

/// Many inputs: the determinant is estimated. Its error is small beside what a bit costs (½ ln of a determinant of 151
/// rows), and the same for the same column.
#[test]
fn estimated_determinants_are_close() {
    let (n, m, variance) = (600, 150, 30.0);
    let x = inputs(n, m, 1.0 / (m as f64).sqrt(), 5);
    let basis = Basis::new(&x).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let columns: Vec<Vec<u8>> =
        (0..20).map(|at| x.rows().map(|row| u8::from(row[at] + 0.05 * normal(&mut rng) > 0.02)).collect()).collect();
    let columns: Vec<&[u8]> = columns.iter().map(Vec::as_slice).collect();
    let problem = Columns { basis: &basis, variance, columns: &columns, threads: 1 };
    let modes = problem.modes(&origin(&basis, 20), 1e-3);
    let evidence = problem.log_evidence(&modes);
    let error = |at: usize| {
        let fit = &modes[at].fit;
        let (size, mut heights) = (m + 1, Vec::new());
        basis.heights(&fit.coefficients, &mut heights);
        let mut hessian = vec![0.0; size * size];
        for (object, (height, &bit)) in heights.iter().zip(columns[at]).enumerate() {
            let eta = if bit == 1 { height + fit.stick } else { -height - fit.stick };
            let weight = hazard(eta) * (hazard(eta) + eta);
            let row: Vec<f64> = basis.row(object).iter().copied().chain([1.0]).collect();
            (0..size).for_each(|i| (0..size).for_each(|j| hessian[i * size + j] += weight * row[i] * row[j]));
        }
        (0..m).for_each(|i| hessian[i * size + i] += 1.0 / variance);
        let h = hazard(fit.stick);
        hessian[size * size - 1] += 1.0 - h * (fit.stick + h);
        let mut factor = Cholesky::default();
        factor.factor(size, &hessian, 0.0);
        let constant = 0.5 * ((2.0 * std::f64::consts::PI).ln() - m as f64 * variance.ln());
        evidence[at] - (modes[at].log_density + constant - 0.5 * factor.log_determinant())
    };
    let errors: Vec<f64> = (0..20).map(error).collect();
    let worst = errors.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    println!("error of the estimated evidence: at most {worst:.2} nats");
    assert!(worst < 3.0, "{errors:?}");
}
