//! Regresses bits on many inputs by least squares, with the penalty that predicts left-out objects best.
//!
//! With hundreds of inputs the most probable coefficients of the model encode badly: one variance for all axes is low because
//! most of them say little, and then too low for those that say much. Least squares need no such compromise, as the penalty
//! is chosen by codes of objects that were left out, which the axes give for all objects at once: their distances are to order
//! objects as those of the learned codes do. Errors of single bits would not do. Less penalised bits err more often, but not
//! together, and codes of many such bits are better. Similarity to a few anchors is penalised as a function, by the squared error
//! of left-out objects.

use super::code_order::CodeOrder;
use super::whitened::Whitened;
use super::{Basis, ColumnFit, Heights};
use crate::numerics::linalg::{product, view};
use crate::numerics::normal_table::log_cdf_slope;
use crate::numerics::simd::{axpy, dot};
use crate::parallel::{map, parts};

/// Penalties that are tried, as shares of the mean squared norm of an object, from the strongest.
pub(super) const PENALTIES: [f64; 9] = [1e1, 1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];
/// Leverage at which an object is told by nothing but itself.
const MOST_LEVERAGE: f64 = 1.0 - 1e-9;
/// Newton steps for the slope of a bit, and its bounds.
const SLOPE_STEPS: usize = 20;
const SLOPES: (f64, f64) = (0.05, 50.0);

/// Columns of bits regressed on the inputs.
pub struct Ridge {
    /// Coefficients and stick of each bit: the sign of x·g + t predicts it, and Φ(x·g + t) is its probability.
    pub fits: Vec<ColumnFit>,
    /// Share of bits that are wrong when their object is left out.
    pub error: f64,
    /// The penalty of the coefficients' squares.
    pub penalty: f64,
}

/// The inputs and bits of a regression.
pub(super) struct Problem<'a> {
    basis: &'a Basis,
    columns: &'a [&'a [u8]],
    /// The objects by which predictions are compared, a sample where there are very many; some do not count.
    judged: Vec<usize>,
    /// Whether each of them counts.
    counts: Vec<bool>,
    threads: usize,
    /// Mean of the inputs, along the axes.
    mean: Vec<f64>,
    /// Mean of each column, of bits as -1 and 1.
    offsets: Vec<f64>,
    /// Xᵀ(bit - offset) of each column.
    sums: Vec<Vec<f64>>,
}

/// (XᵀX + penalty)⁻¹ of centred inputs: a diagonal less a rank of one.
struct Inverse {
    diagonal: Vec<f64>,
    /// The mean of the inputs times the diagonal, and the factor of its outer product.
    along: Vec<f64>,
    factor: f64,
}

impl Ridge {
    /// Regresses all columns. The inputs of `anchors` know these objects better than any object to come, so that they do not
    /// count when predictions are compared.
    pub fn new(basis: &Basis, columns: &[&[u8]], anchors: &[usize], threads: usize) -> Self {
        let Some(whitened) = Whitened::new(basis, anchors) else {
            let problem = Problem::new(basis, columns, anchors, threads);
            let order = CodeOrder::of(problem.learned());
            return Self::best(&problem, |found| order.agreement(&found.margins));
        };
        let problem = Problem::new(&whitened.basis, columns, anchors, threads);
        // Few objects: the order of their codes is too coarse to choose by.
        let mut found = Self::best(&problem, |found| -found.square());
        for fit in &mut found.fits {
            fit.coefficients = whitened.back(basis, &fit.coefficients);
        }
        found
    }

    /// The penalty with the highest score, then slopes.
    fn best(problem: &Problem<'_>, score: impl Fn(&LeftOut) -> f64) -> Self {
        let norm = problem.norm();
        let (mut best, mut penalty) = (f64::NEG_INFINITY, norm);
        for share in PENALTIES {
            let score = score(&problem.left_out(share * norm));
            if score > best {
                (best, penalty) = (score, share * norm);
            }
        }
        let LeftOut { mut fits, margins, error } = problem.left_out(penalty);
        let slopes = map(problem.threads, fits.len(), |bit| slope(&margins[bit]));
        for (fit, slope) in fits.iter_mut().zip(slopes) {
            fit.coefficients.iter_mut().for_each(|g| *g *= slope);
            fit.stick *= slope;
        }
        Self { fits, error, penalty }
    }
}

/// Fits with one penalty, and what they say about objects that were left out.
pub(super) struct LeftOut {
    pub fits: Vec<ColumnFit>,
    /// Of each bit, the heights of the objects that count, positive where they are right.
    pub margins: Vec<Vec<f64>>,
    error: f64,
}

impl LeftOut {
    /// Mean squared error of the heights; a margin of one is what is asked for.
    pub fn square(&self) -> f64 {
        let n = self.margins.iter().map(Vec::len).sum::<usize>().max(1);
        self.margins.iter().flatten().map(|margin| (1.0 - margin) * (1.0 - margin)).sum::<f64>() / n as f64
    }
}

impl<'a> Problem<'a> {
    pub fn new(basis: &'a Basis, columns: &'a [&'a [u8]], anchors: &[usize], threads: usize) -> Self {
        let n = basis.n_objects();
        let judged = basis.sampled_objects();
        let mut counts: Vec<bool> = judged.iter().map(|object| anchors.binary_search(object).is_err()).collect();
        if !counts.contains(&true) {
            counts.fill(true);
        }
        let mut mean = Vec::new();
        basis.transposed(&vec![1.0 / n as f64; n], &mut mean);
        let offset = |column: &&[u8]| 2.0 * column.iter().map(|&bit| f64::from(bit)).sum::<f64>() / n as f64 - 1.0;
        let offsets: Vec<f64> = columns.iter().map(offset).collect();
        let mut problem = Self { basis, columns, judged, counts, threads, mean, offsets, sums: Vec::new() };
        problem.sums = problem.sums();
        problem
    }

    /// The objects that count.
    pub fn counted(&self) -> impl Iterator<Item = usize> {
        self.judged.iter().zip(&self.counts).filter(|(_, counts)| **counts).map(|(&object, _)| object)
    }

    /// Their bits, by column.
    fn learned(&self) -> Vec<Vec<bool>> {
        self.columns.iter().map(|column| self.counted().map(|object| column[object] == 1).collect()).collect()
    }

    /// Mean squared norm of an object.
    pub fn norm(&self) -> f64 {
        self.basis.squares().iter().sum::<f64>() / self.basis.n_objects() as f64
    }

    fn sums(&self) -> Vec<Vec<f64>> {
        let (k, width) = (self.columns.len(), self.basis.width());
        let ranges: Vec<_> = parts(self.basis.n_objects()).collect();
        let of_parts = map(self.threads, ranges.len(), |part| {
            let rows = self.basis.rows_of(ranges[part].clone());
            let of_column = |(column, offset): (&&[u8], &f64)| -> Vec<f64> {
                column[ranges[part].clone()].iter().map(|&bit| signed(bit) - offset).collect()
            };
            let bits: Vec<f64> = self.columns.iter().zip(&self.offsets).flat_map(of_column).collect();
            let n = ranges[part].len();
            product(view(&rows, n, width).transpose(), view(&bits, k, n).transpose(), 1.0)
        });
        let sum = |bit: usize, i: usize| of_parts.iter().map(|part| part[(i, bit)]).sum();
        (0..k).map(|bit| self.basis.from_rows((0..width).map(|i| sum(bit, i)).collect())).collect()
    }

    fn inverse(&self, penalty: f64) -> Inverse {
        let diagonal: Vec<f64> = self.basis.squares().iter().map(|square| 1.0 / (square + penalty)).collect();
        let along: Vec<f64> = self.mean.iter().zip(&diagonal).map(|(mean, d)| mean * d).collect();
        let n = self.basis.n_objects() as f64;
        // Rounding may leave nothing of inputs that are all alike.
        let rest = (1.0 - n * dot(&self.mean, &along)).max(1e-12);
        Inverse { diagonal, along, factor: n / rest }
    }

    /// Fits with a penalty, and how they fare when objects are left out in turn.
    pub fn left_out(&self, penalty: f64) -> LeftOut {
        let inverse = self.inverse(penalty);
        let fit = |(sums, offset): (&Vec<f64>, &f64)| {
            let coefficients = inverse.times(sums);
            let stick = offset - dot(&self.mean, &coefficients);
            ColumnFit { coefficients, stick }
        };
        let fits: Vec<ColumnFit> = self.sums.iter().zip(&self.offsets).map(fit).collect();
        let leverages = self.leverages(&inverse);
        let heights = Heights::new(self.basis.sample_or_all(), &fits, self.threads);
        let margins = map(self.threads, fits.len(), |bit| self.margins(bit, &heights, &fits[bit], &leverages));
        let wrong = margins.iter().flatten().filter(|margin| **margin <= 0.0).count();
        let n = margins.iter().map(Vec::len).sum::<usize>().max(1);
        LeftOut { fits, margins, error: wrong as f64 / n as f64 }
    }

    /// Heights of one bit's objects when they are left out, positive where they are right.
    fn margins(&self, bit: usize, heights: &Heights, fit: &ColumnFit, leverages: &[f64]) -> Vec<f64> {
        let objects = heights.column(bit).flatten().zip(&self.judged).zip(leverages.iter().zip(&self.counts));
        let counted = objects.filter(|(_, (_, counts))| **counts);
        let margin = |((height, &object), (leverage, _)): ((&f64, &usize), (&f64, &bool))| {
            let right = signed(self.columns[bit][object]);
            right * (height + fit.stick - leverage * right) / (1.0 - leverage)
        };
        counted.map(margin).collect()
    }

    /// How much each object's own bit counts for its height.
    fn leverages(&self, inverse: &Inverse) -> Vec<f64> {
        let (n, sample) = (self.basis.n_objects(), self.basis.sample_or_all());
        let rank = sample.rank().max(1);
        let ranges: Vec<_> = parts(sample.n_objects()).collect();
        let of_parts = map(self.threads, ranges.len(), |part| {
            let rows = sample.rows_along_axes(ranges[part].clone());
            let mut centred = vec![0.0; self.mean.len()];
            let of_row = |row: &[f64]| {
                centred.copy_from_slice(row);
                axpy(-1.0, &self.mean, &mut centred);
                let along = dot(&inverse.along, &centred);
                let square: f64 = centred.iter().zip(&inverse.diagonal).map(|(x, d)| x * x * d).sum();
                (1.0 / n as f64 + square + inverse.factor * along * along).min(MOST_LEVERAGE)
            };
            rows.chunks_exact(rank).map(of_row).collect::<Vec<_>>()
        });
        of_parts.concat()
    }
}

impl Inverse {
    fn times(&self, vector: &[f64]) -> Vec<f64> {
        let along = self.factor * dot(&self.along, vector);
        let entries = vector.iter().zip(&self.diagonal).zip(&self.along);
        entries.map(|((v, d), a)| v * d + along * a).collect()
    }
}

/// The slope by which heights become probabilities of what is right: the most likely one.
fn slope(margins: &[f64]) -> f64 {
    // The likelihood is concave in the slope.
    let mut slope = 1.0;
    for _ in 0..SLOPE_STEPS {
        let (mut first, mut second) = (0.0, 0.0);
        for &margin in margins {
            let (x, hazard) = (slope * margin, log_cdf_slope(slope * margin));
            first += margin * hazard;
            second += margin * margin * hazard * (hazard + x);
        }
        let next = (slope + first / second.max(f64::MIN_POSITIVE)).clamp(0.5 * slope, 2.0 * slope);
        let next = next.clamp(SLOPES.0, SLOPES.1);
        if (next - slope).abs() < 1e-6 * slope {
            break;
        }
        slope = next;
    }
    slope
}

fn signed(bit: u8) -> f64 {
    if bit == 1 { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Inputs;
    use crate::numerics::cholesky::Cholesky;
    use crate::numerics::normal_table::log_cdf;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Inputs with a mean, and two columns that depend on them.
    fn toy() -> (Inputs, Vec<Vec<u8>>) {
        let (n, m) = (40, 6);
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let values: Vec<f64> = (0..n * m).map(|_| rng.random::<f64>() + 0.5).collect();
        let bit = |row: &[f64], at: usize| u8::from(row[at] - row[at + 1] + 0.3 * row[at + 2] > 0.3);
        let columns = (0..2).map(|at| values.chunks_exact(m).map(|row| bit(row, at)).collect()).collect();
        (Inputs::new(n, m, values).unwrap(), columns)
    }

    /// Ridge regression with an intercept that is not penalised, by its normal equations; one object may be left out.
    fn by_hand(x: &Inputs, column: &[u8], penalty: f64, without: Option<usize>) -> Vec<f64> {
        let size = x.n_inputs() + 1;
        let (mut gram, mut sums) = (vec![0.0; size * size], vec![0.0; size]);
        for (object, row) in x.rows().enumerate().filter(|(object, _)| Some(*object) != without) {
            let row: Vec<f64> = row.iter().copied().chain([1.0]).collect();
            for i in 0..size {
                sums[i] += row[i] * signed(column[object]);
                (0..size).for_each(|j| gram[i * size + j] += row[i] * row[j]);
            }
        }
        (0..size - 1).for_each(|i| gram[i * size + i] += penalty);
        let mut factor = Cholesky::default();
        factor.factor(size, &gram, 0.0);
        factor.solve(&mut sums, 1);
        sums
    }

    #[test]
    fn left_out_heights_are_those_of_fits_without_the_object() {
        let (x, columns) = toy();
        let views: Vec<&[u8]> = columns.iter().map(Vec::as_slice).collect();
        let basis = Basis::new(&x).unwrap();
        let problem = Problem::new(&basis, &views, &[], 1);
        for penalty in [0.01, 3.0] {
            let found = problem.left_out(penalty);
            for (bit, column) in columns.iter().enumerate() {
                let whole = by_hand(&x, column, penalty, None);
                let original = basis.unrotate(&found.fits[bit].coefficients);
                assert!(original.iter().zip(&whole).all(|(a, b)| (a - b).abs() < 1e-9));
                assert!((found.fits[bit].stick - whole[6]).abs() < 1e-9);
                for (object, row) in x.rows().enumerate() {
                    let without = by_hand(&x, column, penalty, Some(object));
                    let height = dot(&row, &without[..6]) + without[6];
                    assert!((found.margins[bit][object] - signed(column[object]) * height).abs() < 1e-7);
                }
            }
        }
    }

    #[test]
    fn anchors_do_not_count() {
        let (x, columns) = toy();
        let views: Vec<&[u8]> = columns.iter().map(Vec::as_slice).collect();
        let basis = Basis::new(&x).unwrap();
        let all = Problem::new(&basis, &views, &[], 1).left_out(1.0);
        let some = Problem::new(&basis, &views, &[0, 7], 1).left_out(1.0);
        assert_eq!(some.margins[0].len(), 38);
        assert_eq!(some.margins[0][0], all.margins[0][1]);
        assert_eq!(some.fits, all.fits);
        // Where all are anchors, all must count.
        let anchors: Vec<usize> = (0..40).collect();
        assert_eq!(Problem::new(&basis, &views, &anchors, 1).left_out(1.0).margins, all.margins);
    }

    #[test]
    fn slopes_are_the_most_likely_ones() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let margins: Vec<f64> = (0..500).map(|_| rng.random::<f64>() * 2.0 - 0.4).collect();
        let likelihood = |slope: f64| margins.iter().map(|margin| log_cdf(slope * margin)).sum::<f64>();
        let best = slope(&margins);
        assert!(likelihood(best) >= likelihood(1.01 * best) && likelihood(best) >= likelihood(0.99 * best));
    }

    #[test]
    fn separated_bits_are_predicted_without_an_error_and_noise_is_not() {
        let (x, columns) = toy();
        let basis = Basis::new(&x).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let noise: Vec<u8> = (0..40).map(|_| u8::from(rng.random::<bool>())).collect();
        let told = Ridge::new(&basis, &[&columns[0]], &[], 1).error;
        let by_chance = Ridge::new(&basis, &[&noise], &[], 1).error;
        assert!(told < 0.15 && by_chance > 0.3, "{told} {by_chance}");
    }
}
