//! Writes `.npy` arrays that numpy reads, whole or as a stream of rows.

use std::io::{Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use super::header::written;
use crate::data::DataError;
use crate::data::atomic::AtomicFile;

/// A number type that can be written. Values are little-endian in the file.
pub trait NpyElement: Copy {
    /// numpy's name of the type.
    const DESCR: &'static str;
    /// Appends the bytes of one value.
    fn put(self, bytes: &mut Vec<u8>);
}

macro_rules! npy_element {
    ($($type:ty => $descr:literal),+) => {$(
        impl NpyElement for $type {
            const DESCR: &'static str = $descr;
            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
        }
    )+};
}
npy_element!(u8 => "|u1", u32 => "<u4", u64 => "<u8", i64 => "<i8", f32 => "<f4", f64 => "<f8");

/// Writes rows as they come; the number of rows is filled in by [`NpyWriter::finish`].
/// Until then the file's name holds what it held before.
#[derive(Debug)]
pub struct NpyWriter<T> {
    file: AtomicFile,
    path: PathBuf,
    /// `None` for a one-dimensional array.
    n_columns: Option<usize>,
    n_values: usize,
    type_written: PhantomData<T>,
}

impl<T: NpyElement> NpyWriter<T> {
    /// Begins a matrix of `n_columns` columns.
    pub fn create(path: &Path, n_columns: usize) -> Result<Self, DataError> {
        Self::begin(path, Some(n_columns))
    }

    /// Begins a one-dimensional array.
    pub fn create_vector(path: &Path) -> Result<Self, DataError> {
        Self::begin(path, None)
    }

    fn begin(path: &Path, n_columns: Option<usize>) -> Result<Self, DataError> {
        let refused = |error: std::io::Error| DataError::io("write", &error).in_file(path);
        let mut file = AtomicFile::create(path).map_err(refused)?;
        file.write_all(&written(T::DESCR, "(0,)")).map_err(refused)?;
        Ok(Self { file, path: path.to_owned(), n_columns, n_values: 0, type_written: PhantomData })
    }

    /// Appends whole rows, one after the other.
    pub fn write_rows(&mut self, values: &[T]) -> Result<(), DataError> {
        if let Some(n_columns) = self.n_columns.filter(|&n| n == 0 || !values.len().is_multiple_of(n)) {
            let n_objects = values.len().checked_div(n_columns).unwrap_or(0);
            let error = DataError::Shape { n_objects, n_inputs: n_columns, n_values: values.len() };
            return Err(error.in_file(&self.path));
        }
        let mut bytes = Vec::with_capacity(size_of::<T>() * values.len().min(PIECE));
        for piece in values.chunks(PIECE) {
            bytes.clear();
            piece.iter().for_each(|value| value.put(&mut bytes));
            self.file.write_all(&bytes).map_err(|e| DataError::io("write", &e).in_file(&self.path))?;
        }
        self.n_values += values.len();
        Ok(())
    }

    /// Fills in the number of rows, brings the file to the disk and gives it its name.
    pub fn finish(mut self) -> Result<(), DataError> {
        let shape = match self.n_columns {
            None => format!("({},)", self.n_values),
            Some(n) => format!("({}, {n})", self.n_values.checked_div(n).unwrap_or(0)),
        };
        let header = written(T::DESCR, &shape);
        let done = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.write_all(&header));
        done.and_then(|()| self.file.commit()).map_err(|e| DataError::io("write", &e).in_file(&self.path))
    }
}

/// Values turned into bytes at once.
const PIECE: usize = 1 << 14;

/// Writes a matrix of `n_rows` x `n_columns`, atomically.
pub fn write_npy<T: NpyElement>(path: &Path, n_rows: usize, n_columns: usize, values: &[T]) -> Result<(), DataError> {
    if n_rows.checked_mul(n_columns) != Some(values.len()) || n_columns == 0 {
        let error = DataError::Shape { n_objects: n_rows, n_inputs: n_columns, n_values: values.len() };
        return Err(error.in_file(path));
    }
    let mut writer = NpyWriter::create(path, n_columns)?;
    writer.write_rows(values)?;
    writer.finish()
}

macro_rules! write_npy_of {
    ($($name:ident: $type:ty),+) => {$(
        #[doc = concat!("Writes a matrix of `", stringify!($type), "`, atomically; see [`write_npy`].")]
        pub fn $name(path: &Path, n_rows: usize, n_columns: usize, values: &[$type]) -> Result<(), DataError> {
            write_npy(path, n_rows, n_columns, values)
        }
    )+};
}
write_npy_of!(write_npy_u8: u8, write_npy_f32: f32, write_npy_f64: f64, write_npy_i64: i64, write_npy_u64: u64);
