//! Rotates the inputs to their principal axes, where XᵀX is diagonal and every regression is a division.
//!
//! The prior of the coefficients is the same in all directions, so a rotation changes nothing. Directions without any
//! data are left out: coefficients along them keep their prior and integrate out.
//!
//! The inputs of few objects are rotated once. Those of many stay as they are, as a second copy would be large;
//! coefficients are rotated instead, and sums over objects rotated back.

use super::Limits;
use crate::data::Inputs;
use crate::fault::{Fault, planted};
use crate::numerics::linalg::{LinalgError, in_row_order, product, symmetric_eigen, view};
use crate::numerics::simd::{axpy, dot};
use crate::parallel::parts;
use crate::transform::gram;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

/// Axes with less than this share of the largest eigenvalue hold rounding errors only.
const NEGLIGIBLE: f64 = 1e-12;

/// The inputs and their principal axes.
#[derive(Debug, Clone)]
pub struct Basis {
    n_objects: usize,
    rank: usize,
    n_inputs: usize,
    rows: Rows,
    /// Rotated rows in single precision, once they are asked for.
    singles: OnceLock<Vec<f32>>,
    /// Diagonal of XᵀX.
    squares: Vec<f64>,
    /// Squared norm of every object along all axes but the leading ones; only where rows are rotated.
    tail_norms: Vec<f64>,
    /// Rank x inputs: the axes.
    axes: Vec<f64>,
    sample: Option<Box<Basis>>,
    /// Leading axes along which curvature is dense.
    head: usize,
}

/// The rows in their stored form.
#[derive(Debug, Clone)]
enum Rows {
    /// Objects x rank: coordinates along the axes.
    Rotated(Vec<f64>),
    /// Objects x inputs: as given.
    Original(Inputs),
}

impl Basis {
    /// Finds the axes.
    pub fn new(x: &Inputs) -> Result<Self, LinalgError> {
        Self::within(x, Limits::STANDARD)
    }

    /// Finds the axes; `limits` tell from which size on inputs are not rotated.
    pub fn within(x: &Inputs, limits: Limits) -> Result<Self, LinalgError> {
        let (n, m) = (x.n_objects(), x.n_inputs());
        let axes = match m {
            0 => Vec::new(),
            m if m > n => axes_of_few_objects(x)?,
            _ => axes_of_few_inputs(x)?,
        };
        if n < limits.many_objects || m == 0 {
            return Ok(Self::rotated(x, axes, limits.head));
        }
        let sampled = evenly(limits.sample.min(n), n);
        let sample = Some(Box::new(Self::rotated(&x.select(&sampled), axes.clone(), limits.head)));
        let rank = axes.len() / m;
        let mut basis = Self {
            n_objects: n,
            rank,
            n_inputs: m,
            rows: Rows::Original(x.clone()),
            singles: OnceLock::new(),
            squares: vec![0.0; rank],
            tail_norms: Vec::new(),
            axes,
            sample,
            head: limits.head,
        };
        for objects in parts(n) {
            for row in basis.along_axes(&basis.rows_of(objects)).chunks_exact(rank.max(1)) {
                basis.squares.iter_mut().zip(row).for_each(|(square, value)| *square += value * value);
            }
        }
        Ok(basis)
    }

    fn rotated(x: &Inputs, axes: Vec<f64>, head: usize) -> Self {
        let (n_objects, n_inputs) = (x.n_objects(), x.n_inputs());
        let rank = axes.len() / n_inputs.max(1);
        let mut rows = Vec::with_capacity(n_objects * rank);
        if rank > 0 {
            let to_axes = view(&axes, rank, n_inputs).transpose();
            for (objects, block) in x.blocks() {
                rows.extend(in_row_order(&product(view(&block, objects.len(), n_inputs), to_axes, 1.0)));
            }
        }
        let mut squares = vec![0.0; rank];
        let mut tail_norms = Vec::with_capacity(n_objects);
        for row in rows.chunks_exact(rank.max(1)) {
            squares.iter_mut().zip(row).for_each(|(square, value)| *square += value * value);
            let tail = &row[rank.min(head)..];
            tail_norms.push(dot(tail, tail));
        }
        let (rows, singles) = (Rows::Rotated(rows), OnceLock::new());
        Self { n_objects, rank, n_inputs, rows, singles, squares, tail_norms, axes, sample: None, head }
    }

    /// Number of objects.
    pub fn n_objects(&self) -> usize {
        self.n_objects
    }

    /// Number of inputs.
    pub fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    /// Number of axes with data.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Diagonal of XᵀX.
    pub fn squares(&self) -> &[f64] {
        &self.squares
    }

    /// Number of leading axes along which curvature is dense: all where there are few.
    pub(super) fn head(&self) -> usize {
        self.rank.min(self.head)
    }

    /// Whether there are more axes than those.
    pub fn is_wide(&self) -> bool {
        self.rank > self.head
    }

    /// Squared norm of every object along all axes but these.
    pub(super) fn tail_norms(&self) -> &[f64] {
        debug_assert!(matches!(self.rows, Rows::Rotated(_)));
        &self.tail_norms
    }

    /// Largest Euclidean norm of an object.
    pub fn largest_norm(&self) -> f64 {
        self.square_norms().fold(0.0, f64::max).sqrt()
    }

    /// Squared norm of every object, along all axes together.
    pub fn square_norms(&self) -> impl Iterator<Item = f64> {
        parts(self.n_objects).flat_map(|objects| {
            let rows = self.rows_of(objects);
            rows.chunks_exact(self.width().max(1)).map(|row| dot(row, row)).collect::<Vec<_>>()
        })
    }

    /// One object's coordinates along the axes.
    pub fn row(&self, object_ix: usize) -> Cow<'_, [f64]> {
        let row = self.rows_of(object_ix..object_ix + 1);
        match self.rows {
            Rows::Rotated(_) => row,
            Rows::Original(_) => Cow::Owned(self.along_axes(&row)),
        }
    }

    /// Stored rows of a range of objects, [`Self::width`] numbers each.
    pub fn rows_of(&self, objects: Range<usize>) -> Cow<'_, [f64]> {
        match &self.rows {
            Rows::Rotated(rows) => Cow::Borrowed(&rows[objects.start * self.rank..objects.end * self.rank]),
            Rows::Original(x) => x.block(objects),
        }
    }

    /// Rotated rows of all objects in single precision.
    pub(super) fn singles(&self) -> &[f32] {
        debug_assert!(matches!(self.rows, Rows::Rotated(_)));
        self.singles.get_or_init(|| self.rows_of(0..self.n_objects).iter().map(|&value| value as f32).collect())
    }

    /// Coordinates of a range of objects along the axes.
    pub fn rows_along_axes(&self, objects: Range<usize>) -> Cow<'_, [f64]> {
        match self.rows {
            Rows::Rotated(_) => self.rows_of(objects),
            Rows::Original(_) => Cow::Owned(self.along_axes(&self.rows_of(objects))),
        }
    }

    /// Numbers in a stored row.
    pub fn width(&self) -> usize {
        match self.rows {
            Rows::Rotated(_) => self.rank,
            Rows::Original(_) => self.n_inputs,
        }
    }

    /// Rotates `n` directions along the axes to the coordinates of the stored rows.
    pub fn towards_rows<'a>(&self, n: usize, directions: &'a [f64]) -> Cow<'a, [f64]> {
        match self.rows {
            Rows::Rotated(_) => Cow::Borrowed(directions),
            Rows::Original(_) => {
                let axes = view(&self.axes, self.rank, self.n_inputs);
                Cow::Owned(in_row_order(&product(view(directions, n, self.rank), axes, 1.0)))
            }
        }
    }

    /// Rotates sums of stored rows to the axes.
    pub fn from_rows(&self, sums: Vec<f64>) -> Vec<f64> {
        match self.rows {
            Rows::Rotated(_) => sums,
            Rows::Original(_) if planted(Fault::SumsNotRotated) => sums,
            Rows::Original(_) => self.along_axes(&sums),
        }
    }

    /// The sample, or all objects where there is none.
    pub(super) fn sample_or_all(&self) -> &Basis {
        self.sample().unwrap_or(self)
    }

    /// Which objects those are.
    pub(super) fn sampled_objects(&self) -> Vec<usize> {
        evenly(self.sample_or_all().n_objects, self.n_objects)
    }

    /// An even sample of the objects, if there are very many: it gives the starting point of a fit.
    pub fn sample(&self) -> Option<&Basis> {
        self.sample.as_deref()
    }

    /// x·g for every object.
    pub fn heights(&self, coefficients: &[f64], heights: &mut Vec<f64>) {
        heights.clear();
        let direction = self.towards_rows(1, coefficients);
        if self.rank == 0 {
            heights.resize(self.n_objects, 0.0);
            return;
        }
        for objects in parts(self.n_objects) {
            heights.extend(self.rows_of(objects).chunks_exact(self.width()).map(|row| dot(row, &direction)));
        }
    }

    /// Xᵀv.
    pub fn transposed(&self, values: &[f64], result: &mut Vec<f64>) {
        let mut sums = vec![0.0; self.width()];
        for objects in parts(self.n_objects) {
            let rows = self.rows_of(objects.clone());
            let rows = rows.chunks_exact(self.width().max(1));
            rows.zip(&values[objects]).for_each(|(row, &value)| axpy(value, row, &mut sums));
        }
        *result = self.from_rows(sums);
    }

    /// The axes, in coordinates of the inputs.
    pub(super) fn axes(&self) -> impl Iterator<Item = &[f64]> {
        self.axes.chunks_exact(self.n_inputs.max(1))
    }

    /// Coefficients of the original inputs.
    pub fn unrotate(&self, coefficients: &[f64]) -> Vec<f64> {
        let mut original = vec![0.0; self.n_inputs];
        for (axis, &coefficient) in self.axes.chunks_exact(self.n_inputs.max(1)).zip(coefficients) {
            axpy(coefficient, axis, &mut original);
        }
        original
    }

    /// Coordinates along the axes, of original rows one after another.
    fn along_axes(&self, rows: &[f64]) -> Vec<f64> {
        let rows = view(rows, rows.len() / self.n_inputs, self.n_inputs);
        in_row_order(&product(rows, view(&self.axes, self.rank, self.n_inputs).transpose(), 1.0))
    }
}

/// Number of eigenvalues, in descending order, that are not negligible.
fn rank_of(values: &[f64]) -> usize {
    let floor = NEGLIGIBLE * values.first().copied().unwrap_or(0.0);
    values.iter().filter(|&&value| value > floor).count()
}

/// Eigenvectors of XᵀX, one after another.
fn axes_of_few_inputs(x: &Inputs) -> Result<Vec<f64>, LinalgError> {
    let m = x.n_inputs();
    let (values, vectors) = symmetric_eigen(gram(x, 1.0, |_| {}).as_ref())?;
    Ok((0..rank_of(&values)).flat_map(|r| (0..m).map(move |i| (i, r))).map(|at| vectors[at]).collect())
}

/// Eigenvectors of XᵀX by way of XXᵀ, which is smaller where there are more inputs than objects: u becomes Xᵀu,
/// normalised.
fn axes_of_few_objects(x: &Inputs) -> Result<Vec<f64>, LinalgError> {
    let (n, m) = (x.n_objects(), x.n_inputs());
    let all = x.values();
    let inputs = view(&all, n, m);
    let (values, vectors) = symmetric_eigen(product(inputs, inputs.transpose(), 1.0).as_ref())?;
    let mut axes = vec![0.0; rank_of(&values) * m];
    for (r, axis) in axes.chunks_exact_mut(m).enumerate() {
        let rows = all.chunks_exact(m).enumerate();
        rows.for_each(|(object_ix, row)| axpy(vectors[(object_ix, r)], row, axis));
        let norm = dot(axis, axis).sqrt();
        axis.iter_mut().for_each(|value| *value /= norm);
    }
    Ok(axes)
}

/// So many of the objects, at even distances.
fn evenly(n_chosen: usize, n_objects: usize) -> Vec<usize> {
    (0..n_chosen).map(|at| at * n_objects / n_chosen).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Both ways turn the inputs without changing products, and make XᵀX diagonal.
    #[test]
    fn rotations_keep_products_whichever_matrix_is_smaller() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for (n, m) in [(30, 7), (7, 30), (9, 9)] {
            let x = Inputs::new(n, m, (0..n * m).map(|_| rng.random::<f64>() - 0.3).collect()).unwrap();
            let basis = Basis::new(&x).unwrap();
            assert_eq!(basis.rank(), n.min(m));
            for i in 0..n {
                for j in 0..n {
                    assert!((dot(&basis.row(i), &basis.row(j)) - dot(&x.row(i), &x.row(j))).abs() < 1e-9);
                }
            }
            for r in 0..basis.rank() {
                for s in 0..basis.rank() {
                    let product: f64 = (0..n).map(|i| basis.row(i)[r] * basis.row(i)[s]).sum();
                    let expected = if r == s { basis.squares()[r] } else { 0.0 };
                    assert!((product - expected).abs() < 1e-9, "{n} {m} {r} {s}: {product}");
                }
            }
            let g: Vec<f64> = (0..basis.rank()).map(|_| rng.random()).collect();
            let original = basis.unrotate(&g);
            let mut heights = Vec::new();
            basis.heights(&g, &mut heights);
            assert!((0..n).all(|i| (dot(&x.row(i), &original) - heights[i]).abs() < 1e-9));
        }
    }

    /// Inputs that stay as they are say the same as rotated ones, whatever is asked.
    #[test]
    fn many_objects_need_no_rotated_copy() {
        let Limits { many_objects: n, sample: n_sample, .. } = Limits::STANDARD;
        let m = 6;
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        // The last input repeats the first: there are five axes.
        let mut values: Vec<f64> = (0..n * m).map(|_| rng.random::<f64>() - 0.3).collect();
        values.chunks_exact_mut(m).for_each(|row| row[m - 1] = row[0]);
        let x = Inputs::new(n, m, values).unwrap();
        let original = Basis::new(&x).unwrap();
        let rotated = Basis::rotated(&x, original.axes.clone(), 128);
        assert_eq!((original.rank(), original.width(), rotated.width()), (5, 6, 5));
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9 * (1.0 + a.abs()));
        assert!(close(original.squares(), rotated.squares()));
        assert!((original.largest_norm() - rotated.largest_norm()).abs() < 1e-12);
        assert!((0..n).step_by(97).all(|at| close(&original.row(at), &rotated.row(at))));
        let g: Vec<f64> = (0..5).map(|_| rng.random()).collect();
        let values: Vec<f64> = (0..n).map(|_| rng.random()).collect();
        let [of_original, of_rotated] = [&original, &rotated].map(|basis| {
            let (mut heights, mut sums) = (Vec::new(), Vec::new());
            basis.heights(&g, &mut heights);
            basis.transposed(&values, &mut sums);
            (heights, sums)
        });
        assert!(close(&of_original.0, &of_rotated.0) && close(&of_original.1, &of_rotated.1));
        assert!(close(&original.unrotate(&g), &rotated.unrotate(&g)));
        let sample = original.sample().unwrap();
        assert!((0..n_sample).step_by(89).all(|at| close(&sample.row(at), &rotated.row(at * n / n_sample))));
    }
}
