//! Computes the log determinants of the Hessians of many columns: exactly for few inputs, by Lanczos quadrature for many.
//!
//! Ubaru, Chen & Saad, *Fast estimation of tr(f(A)) via stochastic Lanczos quadrature* (2017). The Hessians are divided
//! by their approximations first, after which they are nearly identities.

use super::curves::Curves;
use super::modes::indices;
use crate::numerics::linalg::{Mat, symmetric_eigen};
use crate::numerics::simd::{axpy, dot};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Random vectors of the quadrature: the same for all columns of all draws, so that their errors have much in common.
const N_PROBES: usize = 4;
/// Steps of Lanczos' iteration.
const N_STEPS: usize = 3;
/// Columns whose products are formed together.
const GROUP: usize = 64;

/// ln det of each Hessian.
pub(super) fn log_determinants(curves: &Curves<'_>) -> Vec<f64> {
    let all = indices(curves.n());
    if all.iter().all(|&at| curves.shape(at).is_exact()) {
        return all.iter().map(|&at| curves.shape(at).log_determinant()).collect();
    }
    let traces = curves.tail_traces();
    all.chunks(GROUP).flat_map(|group| estimated(curves, group, &traces)).collect()
}

/// One run of Lanczos' iteration.
struct Run {
    owner: usize,
    /// Orthonormal vectors, the present one last.
    vectors: Vec<Vec<f64>>,
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    /// What the probe and its product have in common along the tail.
    along_tail: f64,
}

fn estimated(curves: &Curves<'_>, group: &[usize], traces: &[f64]) -> Vec<f64> {
    let size = curves.size();
    let probes = probes(size);
    let start = |&owner: &usize| {
        let run = move |probe: &Vec<f64>| Run {
            owner,
            vectors: vec![probe.clone()],
            diagonal: Vec::new(),
            beside: Vec::new(),
            along_tail: 0.0,
        };
        probes.iter().map(run).collect::<Vec<_>>()
    };
    let mut runs: Vec<Run> = group.iter().flat_map(start).collect();
    for _ in 0..N_STEPS {
        step(curves, &mut runs);
    }
    let of_column = |(at, &owner): (usize, &usize)| {
        let scale = curves.shape(owner).log_determinant();
        let runs = &runs[at * N_PROBES..(at + 1) * N_PROBES];
        // ln M is nearly M - I, the trace of which is known along the tail: the error there is taken away.
        let of_probe = |run: &Run| quadrature(run) - run.along_tail;
        scale + traces[owner] + size as f64 * runs.iter().map(of_probe).sum::<f64>() / N_PROBES as f64
    };
    group.iter().enumerate().map(of_column).collect()
}

fn step(curves: &Curves<'_>, runs: &mut [Run]) {
    let owners: Vec<usize> = runs.iter().map(|run| run.owner).collect();
    let scaled = |run: &Run| {
        let mut present = run.vectors[run.vectors.len() - 1].clone();
        curves.shape(run.owner).solve_upper(&mut present);
        present
    };
    let vectors: Vec<Vec<f64>> = runs.iter().map(scaled).collect();
    for (run, mut next) in runs.iter_mut().zip(curves.apply(&owners, &vectors)) {
        curves.shape(run.owner).solve_lower(&mut next);
        if run.diagonal.is_empty() {
            run.along_tail = curves.shape(run.owner).tail_product(&next, &run.vectors[0]);
        }
        run.diagonal.push(dot(&next, &run.vectors[run.vectors.len() - 1]));
        // Against all vectors, twice: the iteration would lose their orthogonality.
        for vector in run.vectors.iter().chain(&run.vectors) {
            axpy(-dot(&next, vector), vector, &mut next);
        }
        let norm = dot(&next, &next).sqrt();
        run.beside.push(norm);
        next.iter_mut().for_each(|v| *v /= norm.max(f64::MIN_POSITIVE));
        run.vectors.push(next);
    }
}

/// vᵀ ln(M) v of a unit vector, by the nodes and weights of its tridiagonal matrix.
fn quadrature(run: &Run) -> f64 {
    // A norm of nearly 0 ends the iteration: the vectors span all that the probe meets.
    let end = run.beside.iter().position(|&norm| norm < 1e-10).map_or(run.diagonal.len(), |at| at + 1);
    let entry = |i: usize, j: usize| match i.abs_diff(j) {
        0 => run.diagonal[i],
        1 => run.beside[i.min(j)],
        _ => 0.0,
    };
    let Ok((values, vectors)) = symmetric_eigen(Mat::from_fn(end, end, entry).as_ref()) else { return f64::NAN };
    let node = |(at, value): (usize, &f64)| vectors[(0, at)] * vectors[(0, at)] * value.max(1e-12).ln();
    values.iter().enumerate().map(node).sum()
}

/// Unit vectors of random signs.
fn probes(size: usize) -> Vec<Vec<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let length = 1.0 / (size as f64).sqrt();
    let mut sign = |_| if rng.random::<bool>() { length } else { -length };
    (0..N_PROBES).map(|_| (0..size).map(&mut sign).collect()).collect()
}
