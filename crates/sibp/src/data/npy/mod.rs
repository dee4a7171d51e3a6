//! Reads and writes numpy's `.npy` files.
//!
//! The format is small enough to read here: the libraries for it allocate what a header claims before looking at
//! the file's length, or recurse with the header's brackets, and bring more than twenty packages with them.

mod element;
mod header;
mod read;
mod write;

pub(crate) use element::Element;
#[cfg(feature = "parquet")]
pub(super) use element::half;
pub(crate) use header::shape_text;
pub use read::{ByteMatrix, read_matrix_u8};
pub(crate) use read::{NpyRows, holds_booleans, read_integers, read_integers_as};
pub use write::{
    NpyElement, NpyWriter, write_npy, write_npy_f32, write_npy_f64, write_npy_i64, write_npy_u8, write_npy_u64,
};
