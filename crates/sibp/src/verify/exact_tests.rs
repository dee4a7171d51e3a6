//! Tests mathematical identities, at the tolerance that double precision allows.

use super::normal_values::{LOG_CDF, QUANTILES};
use crate::bits::BitMatrix;
use crate::data::Inputs;
use crate::likelihood::linear_gaussian::{GaussianRow, ImagePosterior, Moments, Variances, Work};
use crate::likelihood::preference::{ColumnTrial, Form, PreferenceSums, RowVisit, Scoring, WeightTrial, on_grid};
use crate::numerics::cholesky::Cholesky;
use crate::numerics::normal::{log_cdf, quantile_of_log};
use crate::numerics::normal_table;
use crate::numerics::slice::slice;
use crate::rng::{Purpose, Streams};
use crate::triplets::{Triplet, TripletSet};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::collections::BTreeMap;

fn rng(seed: u64) -> ChaCha8Rng {
    Streams::new(seed, 0).rng(Purpose::Verify, 0, 0)
}

fn normals(n: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    (0..n).map(|_| StandardNormal.sample(rng)).collect()
}

fn random_bits(n_objects: usize, n_bits: usize, rng: &mut ChaCha8Rng) -> BitMatrix {
    let mut bits = BitMatrix::new(n_objects);
    for _ in 0..n_bits {
        let mut column: Vec<u8> = (0..n_objects).map(|_| u8::from(rng.random::<bool>())).collect();
        let owner = rng.random_range(0..n_objects);
        column[owner] = 1;
        bits.push_column(&column);
    }
    bits
}

/// ln N(x; 0, C) for every input, with C = σx² I + σv² Z Zᵀ over the objects.
fn marginal_over_objects(x: &Inputs, z: &BitMatrix, variances: Variances) -> f64 {
    let n = x.n_objects();
    let shared = |i: usize, j: usize| z.ones(i).filter(|&f| z.get(j, f)).count() as f64;
    let covariance: Vec<f64> = (0..n * n).map(|at| variances.image * shared(at / n, at % n)).collect();
    let mut factor = Cholesky::default();
    factor.factor(n, &covariance, variances.noise);
    let mut solved = x.values().to_vec();
    factor.solve_lower(&mut solved, x.n_inputs());
    let square: f64 = solved.iter().map(|v| v * v).sum();
    let m = x.n_inputs() as f64;
    -0.5 * (m * factor.log_determinant() + square + n as f64 * m * (2.0 * std::f64::consts::PI).ln())
}

/// ln p(X|V) p(V) / p(V|X) at some images V, which is ln p(X) whatever V is.
fn marginal_through_images(x: &Inputs, z: &BitMatrix, variances: Variances, images: &[f64]) -> f64 {
    let (k, m) = (z.n_bits(), x.n_inputs());
    let log_normal = |square: f64, n: f64, variance: f64| {
        -0.5 * (square / variance + n * (2.0 * std::f64::consts::PI * variance).ln())
    };
    let mut residuals = 0.0;
    for (object_ix, row) in x.rows().enumerate() {
        for (input_ix, value) in row.iter().enumerate() {
            let mean: f64 = z.ones(object_ix).map(|f| images[f * m + input_ix]).sum();
            residuals += (value - mean).powi(2);
        }
    }
    let norm: f64 = images.iter().map(|v| v * v).sum();
    let mut moments = Moments::default();
    moments.rebuild(x, z);
    let mut posterior = ImagePosterior::default();
    posterior.rebuild(&moments, variances);
    let mut factor = Cholesky::default();
    factor.factor(k, moments.overlap(), variances.ridge());
    let along = |input_ix: usize| {
        let step: Vec<f64> = (0..k).map(|f| images[f * m + input_ix] - posterior.mean()[f * m + input_ix]).collect();
        log_normal(factor.quadratic_form(&step), k as f64, variances.noise) + 0.5 * factor.log_determinant()
    };
    log_normal(residuals, x.values().len() as f64, variances.noise) + log_normal(norm, (k * m) as f64, variances.image)
        - (0..m).map(along).sum::<f64>()
}

#[test]
fn collapsed_gaussian_three_ways() {
    let mut rng = rng(1);
    let mut worst: f64 = 0.0;
    for _ in 0..200 {
        let (n, k, m) = (rng.random_range(1..12), rng.random_range(0..7), rng.random_range(1..5));
        let x = Inputs::new(n, m, normals(n * m, &mut rng)).unwrap();
        let z = random_bits(n, k, &mut rng);
        let variances = Variances { noise: 0.05 + rng.random::<f64>(), image: 0.05 + 2.0 * rng.random::<f64>() };
        let mut moments = Moments::default();
        moments.rebuild(&x, &z);
        let square_norm: f64 = x.values().iter().map(|v| v * v).sum();
        let bits = moments.log_marginal(n, square_norm, variances, &mut Work::default());
        let objects = marginal_over_objects(&x, &z, variances);
        let images = marginal_through_images(&x, &z, variances, &normals(k * m, &mut rng));
        let scale = bits.abs().max(1.0);
        worst = worst.max((bits - objects).abs() / scale).max((bits - images).abs() / scale);
    }
    println!("worst relative difference {worst:e}");
    assert!(worst < 1e-10, "{worst:e}");
}

/// The bounds on all flips of an object hold, before its first flip and after it.
fn assert_bounds(
    row: &GaussianRow,
    posterior: &ImagePosterior,
    (z, object_ix): (&BitMatrix, usize),
    variances: Variances,
) {
    for bit_ix in 0..z.n_bits() {
        let terms = row.flip_terms(posterior, bit_ix, !z.get(object_ix, bit_ix));
        assert!(row.log_ratio(terms, variances) <= row.log_ratio_bound(bit_ix) + 1e-9);
    }
}

#[test]
fn posterior_of_images_after_many_flips() {
    let (n, k, m) = (60, 8, 4);
    let mut rng = rng(2);
    let x = Inputs::new(n, m, normals(n * m, &mut rng)).unwrap();
    let mut z = random_bits(n, k, &mut rng);
    let variances = Variances { noise: 0.1, image: 1.0 };
    let mut moments = Moments::default();
    moments.rebuild(&x, &z);
    let mut posterior = ImagePosterior::default();
    posterior.rebuild(&moments, variances);
    let mut row = GaussianRow::default();
    let mut n_flips = 0;
    while n_flips < 100_000 {
        let object_ix = rng.random_range(0..n);
        row.gather(&moments, &posterior, (&x, object_ix), z.ones(object_ix));
        row.bound_flips(variances);
        assert_bounds(&row, &posterior, (&z, object_ix), variances);
        for bit_ix in 0..k {
            let to = !z.get(object_ix, bit_ix);
            // A third of all flips, and never the last owner's: columns stay columns.
            if rng.random_range(0..3) == 0 && (to || z.counts()[bit_ix] > 1) {
                let terms = row.flip_terms(&posterior, bit_ix, to);
                row.flip(&posterior, bit_ix, to, terms);
                z.flip(object_ix, bit_ix);
                row.bound_flips(variances);
                assert_bounds(&row, &posterior, (&z, object_ix), variances);
                n_flips += 1;
            }
        }
        row.commit(&mut moments, &mut posterior, &x.row(object_ix));
    }
    let mut fresh = ImagePosterior::default();
    let kept = moments.clone();
    moments.rebuild(&x, &z);
    fresh.rebuild(&moments, variances);
    assert_eq!(kept.overlap(), moments.overlap());
    let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0f64, |d, (a, b)| d.max((a - b).abs()));
    let log_determinant = |posterior: &ImagePosterior| {
        let mut factor = Cholesky::default();
        factor.factor(k, posterior.spread(), 0.0);
        factor.log_determinant()
    };
    let worst = distance(posterior.spread(), fresh.spread())
        .max(distance(posterior.products(), fresh.products()))
        .max(distance(kept.total(), moments.total()))
        .max((log_determinant(&posterior) - log_determinant(&fresh)).abs());
    println!("after {n_flips} flips: {worst:e}");
    assert!(worst < 1e-8, "{worst:e}");
}

/// A random preference problem.
struct Problem {
    triplets: TripletSet,
    bits: BitMatrix,
    weights: Vec<f64>,
    scoring: Scoring,
}

impl Problem {
    fn draw(rng: &mut ChaCha8Rng) -> Self {
        let (n, k) = (rng.random_range(3..9), rng.random_range(1..140));
        let n_triplets = rng.random_range(1..30);
        let triplet = |rng: &mut ChaCha8Rng| {
            let anchor = rng.random_range(0..n);
            let near = (anchor + rng.random_range(1..n)) % n;
            let far = (0..n).filter(|&o| o != anchor && o != near).nth(rng.random_range(0..n as usize - 2)).unwrap();
            Triplet { anchor, near, far }
        };
        let triplets = (0..n_triplets).map(|_| triplet(rng)).collect();
        let lapse = [1e-9, 0.01, 0.3, 1.0 - 1e-9][rng.random_range(0..4)];
        let form = [0.0, 0.5, 10.0].map(|pseudo_weight| Form::Ratio { pseudo_weight });
        let slope = 10f64.powf(2.0 * rng.random::<f64>() - 1.5);
        let form = [form[0], form[1], form[2], Form::Logistic { slope }][rng.random_range(0..4)];
        let weight = |rng: &mut ChaCha8Rng| on_grid((2.0 * (rng.random::<f64>() - 0.5) * 6.0).exp());
        Self {
            triplets: TripletSet::new(n as usize, triplets).unwrap(),
            bits: random_bits(n as usize, k, rng),
            weights: (0..k).map(|_| weight(rng)).collect(),
            scoring: Scoring::new(lapse, form),
        }
    }

    fn sums(&self) -> PreferenceSums {
        let mut sums = PreferenceSums::default();
        sums.rebuild(&self.triplets, &self.bits, &self.weights);
        sums
    }

    /// Eq. (1)-(2) straight from their definition, for each triplet.
    fn log_likelihoods(&self) -> Vec<f64> {
        let of = |t: &Triplet| {
            let bit = |object: u32, f: usize| self.bits.get(object as usize, f);
            let (mut a, mut b) = (0.0, 0.0);
            for (f, weight) in self.weights.iter().enumerate() {
                if bit(t.near, f) != bit(t.far, f) {
                    *(if bit(t.anchor, f) == bit(t.near, f) { &mut a } else { &mut b }) += weight;
                }
            }
            self.scoring.probability(a, b).ln()
        };
        self.triplets.triplets().iter().map(of).collect()
    }
}

/// A sum that does not lose the digits that its terms have (Neumaier): the reference must be better than what it judges.
fn exact_sum(terms: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0f64);
    for term in terms {
        let next = sum + term;
        lost += if sum.abs() >= term.abs() { (sum - next) + term } else { (term - next) + sum };
        sum = next;
    }
    sum + lost
}

/// The largest difference so far of a quantity from its full recomputation.
#[derive(Debug, Default)]
struct Worst(BTreeMap<&'static str, f64>);

impl Worst {
    /// Compares with the sum of what each triplet changes by.
    fn change(&mut self, what: &'static str, found: f64, before: &[f64], after: &[f64]) {
        let expected = exact_sum(before.iter().zip(after).map(|(before, after)| after - before));
        self.note(what, found - expected);
    }

    fn total(&mut self, what: &'static str, found: f64, terms: &[f64]) {
        self.note(what, found - exact_sum(terms.iter().copied()));
    }

    fn note(&mut self, what: &'static str, difference: f64) {
        let worst = self.0.entry(what).or_default();
        // What is not a number must not pass as small.
        *worst = if difference.is_nan() { f64::INFINITY } else { worst.max(difference.abs()) };
    }
}

/// Flips of four different bits, of any words, scored together: each gives what it gives alone.
fn assert_group(row: &RowVisit, problem: &Problem, (object_ix, first): (usize, usize), rng: &mut ChaCha8Rng) {
    let k = problem.bits.n_bits();
    let mut flips: [usize; 4] = std::array::from_fn(|at| if at == 0 { first } else { rng.random_range(0..k) });
    flips.shuffle(rng);
    let flips = flips.map(|f| (f, !problem.bits.get(object_ix, f), problem.weights[f]));
    let n = rng.random_range(1..=flips.len());
    let together = row.trials(&flips[..n], &problem.scoring);
    for (&(f, to, weight), trial) in flips[..n].iter().zip(together) {
        assert_eq!(trial.log_ratio, row.trial(f, to, weight, &problem.scoring).log_ratio, "bit {f} of {k}");
    }
}

#[test]
fn one_change_of_the_preference_likelihood_is_a_full_recomputation() {
    let mut rng = rng(3);
    let mut worst = Worst::default();
    for _ in 0..10_000 {
        let mut problem = Problem::draw(&mut rng);
        let scoring = problem.scoring;
        let mut sums = problem.sums();
        let before = problem.log_likelihoods();
        worst.total("sums", sums.log_likelihood(&scoring), &before);

        let object_ix = rng.random_range(0..problem.bits.n_objects());
        let bit_ix = rng.random_range(0..problem.bits.n_bits());
        let weight = problem.weights[bit_ix];
        let to = !problem.bits.get(object_ix, bit_ix);
        let mut row = RowVisit::default();
        row.gather(object_ix, &problem.triplets, problem.bits.cells(), sums.cells(), &scoring);
        let flipped = row.trial(bit_ix, to, weight, &scoring);
        assert_group(&row, &problem, (object_ix, bit_ix), &mut rng);
        let alone = row.singleton_log_ratio(weight, &scoring);

        let mut with_singleton = Problem { triplets: problem.triplets.clone(), ..Problem::draw(&mut rng) };
        with_singleton.bits = problem.bits.clone();
        with_singleton.bits.push_singleton(object_ix);
        with_singleton.weights = problem.weights.iter().copied().chain([weight]).collect();
        with_singleton.scoring = scoring;
        worst.change("singleton", alone, &before, &with_singleton.log_likelihoods());

        let old = problem.bits.column(bit_ix);
        problem.bits.flip(object_ix, bit_ix);
        let after = problem.log_likelihoods();
        worst.change("flip", flipped.log_ratio, &before, &after);
        let bound = row.gain_bound(problem.weights.iter().copied().fold(0.0, f64::max), &scoring);
        assert!(flipped.log_ratio <= bound + 1e-9, "{} {bound}", flipped.log_ratio);
        let crude = row.n_triplets() as f64 * scoring.largest_log_ratio(weight);
        assert!(flipped.log_ratio <= crude + 1e-9 || row.n_triplets() == 0, "{} {crude}", flipped.log_ratio);
        let new = problem.bits.column(bit_ix);
        let mut trial = ColumnTrial::default();
        let state = |object: u32| old[object as usize] | new[object as usize] << 1;
        let (changed, now) = ([object_ix as u32], (&sums, sums.log_likelihood(&scoring)));
        let column = trial.log_likelihood(&problem.triplets, now, (&changed, state), weight, &scoring);
        worst.total("column", column, &after);

        row.accept(flipped, &scoring);
        // After a flip the bounds and the groups of the visit are those of the new sums.
        assert_group(&row, &problem, (object_ix, bit_ix), &mut rng);
        let second = rng.random_range(0..problem.bits.n_bits());
        let heaviest = problem.weights.iter().copied().fold(0.0, f64::max);
        let trial = row.trial(second, !problem.bits.get(object_ix, second), problem.weights[second], &scoring);
        let bound = row.gain_bound(heaviest, &scoring);
        assert!(trial.log_ratio <= bound + 1e-9, "after a flip: {} {bound}", trial.log_ratio);
        let mut twice = Problem { triplets: problem.triplets.clone(), ..Problem::draw(&mut rng) };
        (twice.bits, twice.weights, twice.scoring) = (problem.bits.clone(), problem.weights.clone(), scoring);
        twice.bits.flip(object_ix, second);
        worst.change("second flip", trial.log_ratio, &after, &twice.log_likelihoods());

        row.scatter(object_ix, &problem.triplets, sums.cells());
        assert_eq!(format!("{sums:?}"), format!("{:?}", problem.sums()), "sums on the grid are exact");

        let heavier = on_grid(weight * 1.7);
        let mut reweighed = WeightTrial::default();
        reweighed.gather(&problem.triplets, &sums, &new, weight, &scoring);
        let ratio = reweighed.log_likelihood(heavier) - reweighed.log_likelihood(weight);
        problem.weights[bit_ix] = heavier;
        worst.change("weight", ratio, &after, &problem.log_likelihoods());
    }
    println!("worst differences: {worst:?}");
    assert!(worst.0.values().all(|worst| *worst <= 1e-12), "{worst:?}");
}

#[test]
fn near_over_far_and_far_over_near_are_certain_together() {
    let mut rng = rng(4);
    for _ in 0..100_000 {
        let sum = |rng: &mut ChaCha8Rng| match rng.random_range(0..4) {
            0 => 0.0,
            _ => on_grid((20.0 * (rng.random::<f64>() - 0.5)).exp()),
        };
        let (a, b) = (sum(&mut rng), sum(&mut rng));
        let lapse = (20.0 * (rng.random::<f64>() - 1.0)).exp().clamp(1e-9, 1.0 - 1e-9);
        let pseudo_weight = if rng.random() { 0.0 } else { 20.0 * rng.random::<f64>() };
        let scoring = Scoring::ratio(lapse, pseudo_weight);
        let total = scoring.probability(a, b) + scoring.probability(b, a);
        assert!((total - 1.0).abs() <= 1e-15, "{a} {b} {lapse} {pseudo_weight}: {total:?}");
    }
}

#[test]
fn normal_distribution_against_fifty_digits() {
    let mut worst: f64 = 0.0;
    for (x, expected) in LOG_CDF {
        worst = worst.max((log_cdf(x) / expected - 1.0).abs());
        let looked_up = (normal_table::log_cdf(x) - expected).abs();
        assert!(looked_up < 1e-13 * expected.abs().max(1.0), "{x}: {looked_up:e}");
    }
    let mut worst_quantile: f64 = 0.0;
    for (log_p, expected) in QUANTILES {
        worst_quantile = worst_quantile.max((quantile_of_log(log_p) / expected - 1.0).abs());
    }
    println!("relative errors: log cdf {worst:e}, quantile {worst_quantile:e}");
    assert!(worst < 2e-14, "{worst:e}");
    assert!(worst_quantile < 2e-14, "{worst_quantile:e}");
}

/// Every loop of the slice ends: on a plain without end, on a single point, and where nothing is a number.
#[test]
fn slice_sampling_ends_on_any_density() {
    let mut rng = rng(5);
    for _ in 0..1000 {
        let mut calls = 0;
        let mut count = |value: f64| {
            calls += 1;
            value
        };
        assert!(slice(0.0, 1.0, &mut rng, |_| count(0.0)).abs() <= 64.0);
        assert_eq!(slice(2.0, 1.0, &mut rng, |x| count(if x == 2.0 { 0.0 } else { f64::NEG_INFINITY })), 2.0);
        assert_eq!(slice(2.0, 1.0, &mut rng, |_| count(f64::NAN)), 2.0);
        assert!(calls < 1000, "{calls}");
    }
}
