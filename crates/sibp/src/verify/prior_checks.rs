//! Checks the priors against known facts: sums over all equivalence classes of codes, and Poisson numbers of bits.

use super::probit_exact::ColumnWeights;
use super::{BatchMeans, ExactPosterior, Row, Verdict, score_limit, toys};
use crate::bits::BitMatrix;
use crate::likelihood::probit::{ActiveRate, Basis, Limits};
use crate::model::{Model, Observations, ProbitModel, Threads};
use crate::prior::hyper::{GammaPrior, VariancePrior};
use crate::prior::ibp::{self, IbpTable};
use crate::rng::{Purpose, Streams};
use crate::schedule::Schedule;
use std::sync::OnceLock;

/// Checks the pmf of the Indian buffet process over left-ordered equivalence classes, by number of bits: each sum is a
/// Poisson probability. Values are differences.
pub fn classes_sum_to_poisson() -> Verdict {
    let mut rows = Vec::new();
    for (n_objects, most, concentration) in [(1, 20, 1.5), (2, 16, 1.2), (3, 10, 0.7), (4, 6, 0.4)] {
        let table = IbpTable::new(n_objects);
        let mut sums = vec![0.0; most + 1];
        ExactPosterior::for_each_class(n_objects, most, |bits, log_multiplicities| {
            sums[bits.n_bits()] += (table.log_density(bits, concentration) - log_multiplicities).exp();
        });
        let rate = concentration * table.harmonic();
        let mut poisson = (-rate).exp();
        let mut worst: f64 = 0.0;
        for (k, sum) in sums.iter().enumerate() {
            worst = worst.max((sum - poisson).abs());
            poisson *= rate / (k + 1) as f64;
        }
        let statistic = format!("{n_objects} objects, up to {most} bits");
        rows.push(Row { statistic, value: worst, limit: 1e-12 });
    }
    Verdict::new(rows)
}

/// Counts that should be Poisson: mean, dispersion and zeros, in standard errors.
pub(super) struct PoissonCounts {
    n: f64,
    sum: f64,
    squares: f64,
    zeros: f64,
}

impl PoissonCounts {
    pub fn of(counts: impl Iterator<Item = usize>) -> Self {
        let mut all = Self { n: 0.0, sum: 0.0, squares: 0.0, zeros: 0.0 };
        for count in counts {
            all.n += 1.0;
            all.sum += count as f64;
            all.squares += (count * count) as f64;
            all.zeros += f64::from(u8::from(count == 0));
        }
        all
    }

    pub fn rows(&self, of: &str, rate: f64, limit: f64) -> Vec<Row> {
        let mean = self.sum / self.n;
        let dispersion = (self.squares - self.n * mean * mean) / rate;
        let none = (-rate).exp();
        let values = [
            ("mean", (mean - rate) / (rate / self.n).sqrt()),
            ("dispersion", (dispersion - (self.n - 1.0)) / (self.n * (2.0 + 1.0 / rate)).sqrt()),
            ("none", (self.zeros - self.n * none) / (self.n * none * (1.0 - none)).sqrt()),
        ];
        values.map(|(what, value)| Row { statistic: format!("{of}: {what}"), value, limit }).to_vec()
    }
}

/// Checks numbers of bits: of the buffet Poisson(α H_N), of the probit prior Poisson(α Λ) with Λ integrated
/// separately. `level` is the significance level of all tests together.
pub fn numbers_are_poisson(n_draws: usize, level: f64, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    let limit = score_limit(level, 15, n_draws as u64);
    let mut rng = Streams::new(seed, 6).rng(Purpose::Verify, 0, 0);
    let mut rows = Vec::new();
    for (part, (n_objects, concentration)) in [(4, 1.3), (20, 0.6)].into_iter().enumerate() {
        let draws = (0..10 * n_draws).map(|_| ibp::draw(n_objects, concentration, &mut rng).n_bits());
        let rate = concentration * IbpTable::new(n_objects).harmonic();
        rows.extend(PoissonCounts::of(draws).rows(&format!("buffet of {n_objects}"), rate, limit));
        progress(0.2 * (part + 1) as f64);
    }
    let data = toys::three_on_a_line();
    for (part, variance) in [0.05, 1.0, 4.0].into_iter().enumerate() {
        let model = probit_prior(variance);
        let scratch = model.prepare(&data, Threads::ONE);
        let draws = (0..n_draws).map(|_| model.draw_prior(&data, &scratch, &mut rng).atoms.len());
        let rate = 1.3 * ColumnWeights::new(&data.inputs, variance).total();
        rows.extend(PoissonCounts::of(draws).rows(&format!("probit, variance {variance}"), rate, limit));
        progress(0.4 + 0.2 * (part + 1) as f64);
    }
    Verdict::new(rows)
}

fn probit_prior(variance: f64) -> ProbitModel {
    let mut model = toys::fixed_probit(0.0, Schedule::probit());
    model.concentration = GammaPrior::Fixed(1.3);
    model.coefficient = VariancePrior::Fixed(variance);
    model
}

/// σg² at which Λ is integrated directly, for objects with one and with two inputs.
const VARIANCES: [&[f64]; 2] = [&[0.02, 0.15, 0.6, 1.65, 4.5, 12.2, 33.1], &[0.15, 0.6, 1.65, 4.5]];

/// Λ there, integrated once for all checks: two inputs take seconds.
fn integrated(of_inputs: usize) -> &'static [f64] {
    static TOTALS: [OnceLock<Vec<f64>>; 2] = [OnceLock::new(), OnceLock::new()];
    let total = |&variance: &f64| ColumnWeights::new(&on_inputs(of_inputs).inputs, variance).total();
    TOTALS[of_inputs].get_or_init(|| VARIANCES[of_inputs].iter().map(total).collect())
}

fn on_inputs(of_inputs: usize) -> Observations {
    if of_inputs == 0 { toys::three_on_a_line() } else { toys::four_objects() }
}

/// Checks the table of Λ against direct integration, also between its grid points. Values are relative errors.
pub fn rate_table(limits: Limits) -> Verdict {
    let mut values = Vec::new();
    for (of_inputs, name) in ["one", "two"].into_iter().enumerate() {
        let basis = match Basis::within(&on_inputs(of_inputs).inputs, limits) {
            Ok(basis) => basis,
            Err(error) => panic!("a small problem has axes: {error}"),
        };
        let table = ActiveRate::within(&basis, 1, 1, limits);
        for (variance, exact) in VARIANCES[of_inputs].iter().zip(integrated(of_inputs)) {
            values.push((format!("inputs: {name}, variance {variance}"), table.at(*variance) / exact - 1.0));
        }
    }
    Verdict::with_limit(values, 0.002)
}

/// Checks that sticks without coefficients are the buffet: bits, sharing and singletons of both constructions agree.
pub fn sticks_are_the_buffet(n_draws: u64, level: f64, seed: u64, progress: &dyn Fn(f64)) -> Verdict {
    const NAMES: [&str; 5] = ["features", "bits", "pair 0-1 shares", "pair 1-2 shares", "singletons"];
    let values = |z: &BitMatrix| {
        let k = z.n_bits();
        let shares = |i: usize, j: usize| (0..k).filter(|&f| z.get(i, f) && z.get(j, f)).count() as f64;
        let singletons = z.counts().iter().filter(|&&m| m == 1).count() as f64;
        [k as f64, z.counts().iter().sum::<u32>().into(), shares(0, 1), shares(1, 2), singletons]
    };
    let data = toys::four_objects();
    let model = probit_prior(1e-12);
    let scratch = model.prepare(&data, Threads::ONE);
    let mut rng = Streams::new(seed, 7).rng(Purpose::Verify, 0, 0);
    let n_batches = 200;
    let [mut sticks, mut buffet] = [0, 1].map(|_| BatchMeans::new(NAMES.len(), n_draws / n_batches));
    for draw in 0..n_draws {
        sticks.add(&values(&model.draw_prior(&data, &scratch, &mut rng).code.bits));
        buffet.add(&values(&ibp::draw(4, 1.3, &mut rng)));
        progress(draw as f64 / n_draws as f64);
    }
    let score = |(at, name): (usize, &str)| (name.to_owned(), sticks.score_against(&buffet, at));
    Verdict::with_limit(NAMES.into_iter().enumerate().map(score), score_limit(level, NAMES.len(), n_batches))
}
