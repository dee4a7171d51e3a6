//! Stores input vectors, one row an object, checked to be finite.

use super::numbers::{NumberWriter, Numbers, Precision, Storage};
use super::{DataError, Gaps};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

/// Values of a block of rows, so that a few blocks fit into a cache.
const BLOCK_VALUES: usize = 1 << 17;

/// An `n_objects` x `n_inputs` matrix of finite numbers in row order. A clone shares the numbers.
///
/// Numbers are kept in double or single precision, in memory or on disk (see [`Storage`]); rows come in double
/// precision, borrowed where they are kept so.
///
/// ```
/// use sibp::data::{DataError, Inputs};
/// let inputs = Inputs::new(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// assert_eq!(inputs.row(1).as_ref(), [4.0, 5.0, 6.0]);
/// assert!(Inputs::new(1, 2, vec![1.0, f64::NAN]).is_err());
/// # Ok::<(), DataError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Inputs {
    n_objects: usize,
    n_inputs: usize,
    numbers: Numbers,
    storage: Storage,
    /// Computed once, as it takes a pass over all numbers.
    square_norm: OnceLock<f64>,
}

impl PartialEq for Inputs {
    fn eq(&self, other: &Self) -> bool {
        (self.n_objects, self.n_inputs) == (other.n_objects, other.n_inputs)
            && self.blocks().zip(other.blocks()).all(|((_, these), (_, those))| these == those)
    }
}

impl Inputs {
    /// Takes the values, after checking shape and finiteness.
    pub fn new(n_objects: usize, n_inputs: usize, values: Vec<f64>) -> Result<Self, DataError> {
        Self::checked(n_objects, n_inputs, values.into(), Storage::Memory)
    }

    /// Objects of which nothing is known but that there are so many.
    pub fn none(n_objects: usize) -> Self {
        let numbers = Vec::<f64>::new().into();
        Self { n_objects, n_inputs: 0, numbers, storage: Storage::Memory, square_norm: OnceLock::new() }
    }

    pub(super) fn kept(
        n_objects: usize,
        n_inputs: usize,
        numbers: Numbers,
        storage: Storage,
    ) -> Result<Self, DataError> {
        if n_objects == 0 || n_inputs == 0 {
            return Err(DataError::Empty { n_objects, n_inputs });
        }
        if n_objects.checked_mul(n_inputs) != Some(numbers.len()) {
            return Err(DataError::Shape { n_objects, n_inputs, n_values: numbers.len() });
        }
        Ok(Self { n_objects, n_inputs, numbers, storage, square_norm: OnceLock::new() })
    }

    /// Takes numbers that were not checked yet, in any storage, and checks shape and finiteness.
    pub(super) fn checked(
        n_objects: usize,
        n_inputs: usize,
        numbers: Numbers,
        storage: Storage,
    ) -> Result<Self, DataError> {
        let inputs = Self::kept(n_objects, n_inputs, numbers, storage)?;
        let check = |(rows, values): (Range<usize>, Cow<'_, [f64]>)| check_finite(rows.start, n_inputs, &values);
        inputs.blocks().try_for_each(check)?;
        Ok(inputs)
    }

    /// Shows all rows to `gaps`; infinite values are refused.
    pub(super) fn see_gaps(&self, gaps: &mut Gaps) -> Result<(), DataError> {
        self.blocks().try_for_each(|(rows, values)| {
            gaps.see(&values);
            check(rows.start, self.n_inputs, &values, |value| !value.is_infinite())
        })
    }

    /// Number of rows.
    pub fn n_objects(&self) -> usize {
        self.n_objects
    }

    /// Number of columns.
    pub fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    /// Number of rows times columns.
    pub fn n_values(&self) -> usize {
        self.numbers.len()
    }

    /// The inputs of one object.
    pub fn row(&self, object_ix: usize) -> Cow<'_, [f64]> {
        self.block(object_ix..object_ix + 1)
    }

    /// The inputs of objects that follow each other, row after row.
    pub fn block(&self, objects: Range<usize>) -> Cow<'_, [f64]> {
        self.numbers.get(objects.start * self.n_inputs..objects.end * self.n_inputs)
    }

    /// All rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Cow<'_, [f64]>> {
        (0..self.n_objects).map(|object_ix| self.row(object_ix))
    }

    /// All rows in order, many at a time with their range.
    pub fn blocks(&self) -> impl Iterator<Item = (Range<usize>, Cow<'_, [f64]>)> {
        let n_rows = (BLOCK_VALUES / self.n_inputs.max(1)).max(1);
        let starts = (0..self.n_objects).step_by(n_rows);
        starts
            .map(move |start| start..(start + n_rows).min(self.n_objects))
            .map(|rows| (rows.clone(), self.block(rows)))
    }

    /// Visits all rows in order, without allocating for each row that is not stored in double precision.
    pub fn for_each_row(&self, mut show: impl FnMut(&[f64])) {
        self.blocks().for_each(|(rows, block)| match self.n_inputs {
            0 => rows.for_each(|_| show(&[])),
            n_inputs => block.chunks_exact(n_inputs).for_each(&mut show),
        });
    }

    /// All values in row order.
    pub fn values(&self) -> Cow<'_, [f64]> {
        self.block(0..self.n_objects)
    }

    /// Sum of the squares of all values.
    pub fn square_norm(&self) -> f64 {
        *self.square_norm.get_or_init(|| {
            self.blocks().fold(0.0, |sum, (_, block)| block.iter().fold(sum, |sum, value| sum + value * value))
        })
    }

    /// Refuses values too large to be squared and summed, as every model does.
    pub fn check_squares(&self) -> Result<(), DataError> {
        if self.square_norm().is_finite() { Ok(()) } else { Err(DataError::TooLarge) }
    }

    /// Where the numbers are stored.
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    /// The given rows in memory, in the given order (a row may come twice).
    pub fn select(&self, rows: &[usize]) -> Self {
        let mut values = Vec::with_capacity(rows.len() * self.n_inputs);
        rows.iter().for_each(|&row| values.extend_from_slice(&self.row(row)));
        Self {
            n_objects: rows.len(),
            n_inputs: self.n_inputs,
            numbers: values.into(),
            storage: Storage::Memory,
            square_norm: OnceLock::new(),
        }
    }

    /// The given rows in the given order, in the same storage as these.
    pub fn select_kept(&self, rows: &[usize]) -> Result<Self, DataError> {
        let mut writer = InputsWriter::new(self.n_inputs, self.precision(), &self.storage)?;
        rows.iter().try_for_each(|&row| writer.push(&self.row(row)))?;
        writer.finish()
    }

    /// Every block of rows (from its first row on) after `map`, in the same storage as these.
    pub(crate) fn map_blocks(
        &self,
        n_outputs: usize,
        precision: Precision,
        map: impl Fn(usize, Cow<'_, [f64]>) -> Result<Vec<f64>, DataError>,
    ) -> Result<Self, DataError> {
        let mut writer = InputsWriter::new(n_outputs, precision, &self.storage)?;
        for (rows, block) in self.blocks() {
            writer.push(&map(rows.start, block)?)?;
        }
        writer.finish()
    }

    /// Bytes in which a number is stored.
    pub fn number_bytes(&self) -> usize {
        self.precision().bytes()
    }

    fn precision(&self) -> Precision {
        match self.numbers {
            Numbers::Double(_) => Precision::Double,
            Numbers::Single(_) => Precision::Single,
        }
    }

    /// Replaces the values by others of the same shape, for simulation.
    pub(crate) fn replace_values(&mut self, values: Vec<f64>) {
        debug_assert_eq!(values.len(), self.numbers.len());
        self.numbers = values.into();
        self.square_norm = OnceLock::new();
    }
}

fn check_finite(first_row: usize, n_inputs: usize, values: &[f64]) -> Result<(), DataError> {
    check(first_row, n_inputs, values, |value| value.is_finite())
}

fn check(first_row: usize, n_inputs: usize, values: &[f64], is_good: impl Fn(f64) -> bool) -> Result<(), DataError> {
    match values.iter().position(|&value| !is_good(value)) {
        None => Ok(()),
        Some(at) => {
            let (row, column) = (first_row + at / n_inputs, at % n_inputs);
            Err(DataError::NotFinite { row, column, value: values[at] })
        }
    }
}

/// Writes rows one after another to their storage.
pub(crate) struct InputsWriter {
    n_inputs: usize,
    n_rows: usize,
    precision: Precision,
    numbers: NumberWriter,
    storage: Storage,
}

impl InputsWriter {
    pub fn new(n_inputs: usize, precision: Precision, storage: &Storage) -> Result<Self, DataError> {
        let numbers = NumberWriter::new(precision, storage)?;
        Ok(Self { n_inputs, n_rows: 0, precision, numbers, storage: storage.clone() })
    }

    /// Appends whole rows of numbers that are finite in the stored precision.
    pub fn push(&mut self, rows: &[f64]) -> Result<(), DataError> {
        self.push_checked(rows, |value| value.is_finite())
    }

    /// Appends whole rows in which values may be missing, which are NaN until they are filled in.
    pub fn push_open(&mut self, rows: &[f64]) -> Result<(), DataError> {
        self.push_checked(rows, |value| !value.is_infinite())
    }

    fn push_checked(&mut self, rows: &[f64], is_good: impl Fn(f64) -> bool) -> Result<(), DataError> {
        match self.precision {
            Precision::Double => check(self.n_rows, self.n_inputs, rows, is_good)?,
            Precision::Single => {
                let kept: Vec<f64> = rows.iter().map(|&value| f64::from(value as f32)).collect();
                check(self.n_rows, self.n_inputs, &kept, is_good)?;
            }
        }
        self.n_rows += rows.len() / self.n_inputs.max(1);
        self.numbers.push(rows)
    }

    /// Completes the table.
    pub fn finish(self) -> Result<Inputs, DataError> {
        Inputs::kept(self.n_rows, self.n_inputs, self.numbers.finish()?, self.storage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(precision: Precision, storage: &Storage, rows: &[f64]) -> Result<Inputs, DataError> {
        let mut writer = InputsWriter::new(2, precision, storage)?;
        rows.chunks(2).try_for_each(|row| writer.push(row))?;
        writer.finish()
    }

    /// What is mapped from a file equals what is kept in memory, in both precisions.
    #[test]
    fn rows_are_the_same_wherever_they_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let disk = Storage::Disk(folder.path().to_owned());
        let values: Vec<f64> = (0..300_000).map(|at| (at as f64 * 0.7).sin() * 10f64.powi(at % 9)).collect();
        for precision in [Precision::Double, Precision::Single] {
            let memory = kept(precision, &Storage::Memory, &values).unwrap();
            let mapped = kept(precision, &disk, &values).unwrap();
            assert_eq!(memory, mapped);
            assert_eq!(memory.values(), mapped.values());
            let rounded = |value: f64| if precision == Precision::Single { f64::from(value as f32) } else { value };
            assert!(mapped.values().iter().zip(&values).all(|(kept, &value)| *kept == rounded(value)));
            assert_eq!(mapped.row(149_999), memory.row(149_999));
            assert_eq!(mapped.rows().len(), 150_000);
            assert_eq!(mapped.select_kept(&[7, 3, 7]).unwrap(), memory.select(&[7, 3, 7]));
            let joined: Vec<f64> = mapped.blocks().flat_map(|(_, block)| block.into_owned()).collect();
            assert_eq!(joined, mapped.values().as_ref());
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "scratch files have no name");
    }

    #[test]
    fn what_single_precision_cannot_hold_is_named() {
        let error = kept(Precision::Single, &Storage::Memory, &[1.0, 2.0, 3.0, 1e300]).unwrap_err();
        assert_eq!(error, DataError::NotFinite { row: 1, column: 1, value: f64::INFINITY });
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let error = kept(Precision::Double, &Storage::Disk("/no/such/folder".into()), &[1.0, 2.0]).unwrap_err();
        assert!(error.to_string().contains("/no/such/folder"), "{error}");
    }
}
